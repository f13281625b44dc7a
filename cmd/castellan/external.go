package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"castellan/config"
	"castellan/engine"
	"castellan/engine/external"
	"castellan/engine/search"
	"castellan/engine/uciclient"
)

// standbyHashMB is the table of the built-in engine when another one plays.
const standbyHashMB = 16

// openExternal starts the engine of CASTELLAN_ENGINE, checked; nil when there is none.
func openExternal(cfg *config.Config, own *engine.Engine, log *slog.Logger) (*external.Engine, error) {
	if cfg.Engine == "" {
		return nil, nil
	}
	words, err := splitWords(string(cfg.Engine))
	if err == nil && len(words) == 0 {
		err = errors.New("the command is empty")
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("CASTELLAN_ENGINE: %w", err)}
	}
	shared := cfg.EngineProcess == "shared"
	threads := int(cfg.Threads)
	if threads == 0 {
		threads = search.Processors()
		if !shared {
			threads = max(1, threads/int(cfg.MaxGames))
		}
	}
	options := external.Options{
		// It is no program of ours, so it is not to know what only we need to know.
		Command: uciclient.Command{Path: words[0], Args: words[1:], Env: config.ForeignVariables(os.Environ())},
		Shared:  shared,
		HashMB:  int(cfg.HashMB), Threads: threads, SyzygyPath: strings.Join(cfg.SyzygyPath, string(os.PathListSeparator)),
		Ponder: bool(cfg.Ponder) && !shared, Elo: int(cfg.Elo), Nodes: uint64(cfg.Nodes), Overhead: time.Duration(cfg.MoveOverhead),
		Own: own, Log: log,
	}
	for _, pair := range cfg.EngineOptions {
		options.Settings = append(options.Settings, external.Setting(pair))
	}
	e, err := external.New(context.Background(), options)
	if err != nil {
		return nil, under("CASTELLAN_ENGINE", err)
	}
	return e, nil
}

// externalMemory is what the tables of the other engine take at most, in bytes; what else it needs only its maker knows.
func externalMemory(cfg *config.Config) int64 {
	if cfg.Engine == "" {
		return 0
	}
	hash, ok := externalHash(cfg)
	if !ok {
		hash = int64(cfg.HashMB)
	}
	return int64(externalProcesses(cfg)) * hash * mib
}

// externalHash is the table that CASTELLAN_ENGINE_OPTIONS gives each process of the other engine, in MiB; ok is false when they say
// nothing of it.
func externalHash(cfg *config.Config) (hash int64, ok bool) {
	for _, pair := range cfg.EngineOptions {
		if own, err := strconv.ParseInt(pair.Value, 10, 32); err == nil && strings.EqualFold(pair.Name, "Hash") {
			return own, true
		}
	}
	return 0, false
}

// tableSetting names the setting by which most of the tables have their size, and says it as it is set.
func tableSetting(cfg *config.Config) (name, set string) {
	if hash, ok := externalHash(cfg); ok {
		return "Hash in CASTELLAN_ENGINE_OPTIONS", fmt.Sprintf("Hash=%d in CASTELLAN_ENGINE_OPTIONS", hash)
	}
	return "CASTELLAN_HASH_MB", fmt.Sprintf("CASTELLAN_HASH_MB=%v", cfg.HashMB)
}

// externalProcesses is how many processes of the other engine may run at once.
func externalProcesses(cfg *config.Config) int {
	if cfg.EngineProcess == "shared" {
		return 2
	}
	return int(cfg.MaxGames) + 1
}
