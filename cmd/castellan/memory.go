package main

import (
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"castellan/config"
	"castellan/engine/search"
)

const (
	mib = 1 << 20
	// programBytes is what the program takes without a game: code, tables, connections, and what the collector has not got to.
	programBytes = 48 * mib
	// gameBytes is what a game takes besides its search: its stream, its requests, its moves.
	gameBytes = mib / 2
)

// fitMemory checks that what the settings ask for fits into the memory that there is, and makes the garbage collector keep to
// it: left alone, it would let the heap grow to twice the table before it looks.
func fitMemory(cfg *config.Config, log *slog.Logger) error {
	options := engineOptions(cfg, files{})
	games := int(cfg.MaxGames)
	own := options.Memory(games) + programBytes + int64(games+int(cfg.MaxCorrespondence))*gameBytes
	need, others := own, ""
	if cfg.Engine != "" {
		need += externalMemory(cfg)
		others = fmt.Sprintf(", with %d processes of CASTELLAN_ENGINE", externalProcesses(cfg))
	}
	have, source := search.MemoryLimit()
	if set := int64(cfg.MemoryMB) * mib; set > 0 && set < have {
		have, source = set, "CASTELLAN_MEMORY_MB"
	}
	if need > have {
		return usageError{fmt.Errorf("%d MiB of memory are needed for CASTELLAN_HASH_MB=%v, CASTELLAN_MAX_GAMES=%v and %d threads%s, and %s allows %d MiB: "+
			"choose a smaller table or fewer games", (need+mib-1)/mib, cfg.HashMB, cfg.MaxGames, options.Threads, others, source, have/mib)}
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(own)
	}
	log.Debug("memory", "need", need/mib, "have", have/mib, "by", source)
	return nil
}
