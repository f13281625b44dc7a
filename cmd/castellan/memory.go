package main

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"strings"

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

// The sizes of a table that is not set, in MiB: the largest that is chosen, and the one where memory is not looked at.
const (
	mostTableMB  = 256
	usualTableMB = 64
)

// usualTable gives the table the usual size where the settings leave it to the program.
func usualTable(cfg *config.Config) {
	if cfg.HashMB == 0 {
		cfg.HashMB = usualTableMB
	}
}

// fitMemory checks that what the settings ask for fits into the memory that there is, chooses the size of the table when they
// leave it open, and makes the garbage collector keep to the sum: left alone, it would let the heap grow to twice the table before
// it looks.
func fitMemory(cfg *config.Config, log *slog.Logger) error {
	have, source := search.MemoryLimit()
	shared := source == "the machine" // with whatever else runs there
	if set := int64(cfg.MemoryMB) * mib; set > 0 && set < have {
		have, source, shared = set, "CASTELLAN_MEMORY_MB", false
	}
	if cfg.HashMB == 0 {
		cfg.HashMB = config.Int(chooseTable(cfg, have, shared))
	}
	own, need := memoryNeeds(cfg)
	others := ""
	if cfg.Engine != "" {
		others = fmt.Sprintf(", with %d processes of CASTELLAN_ENGINE", externalProcesses(cfg))
	}
	if need > have {
		_, table := tableSetting(cfg)
		return usageError{fmt.Errorf("%d MiB of memory are needed for %s, CASTELLAN_MAX_GAMES=%v and %d threads%s, and %s allows %d MiB: "+
			"%s", (need+mib-1)/mib, table, cfg.MaxGames, engineOptions(cfg, files{}).Threads, others, source, have/mib, lessMemory(cfg))}
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(own)
	}
	log.Debug("memory", "need", need/mib, "have", have/mib, "by", source, "table", cfg.HashMB)
	return nil
}

// lessMemory says what to do when the memory is not enough: it names the settings that can still be made smaller.
func lessMemory(cfg *config.Config) string {
	var names []string
	table, size := "CASTELLAN_HASH_MB", int(cfg.HashMB)
	if hash, ok := externalHash(cfg); ok {
		table, _ = tableSetting(cfg)
		size = int(min(hash, math.MaxInt32))
	}
	for _, s := range []struct {
		name  string
		value int
	}{{table, size}, {"CASTELLAN_MAX_GAMES", int(cfg.MaxGames)}, {"CASTELLAN_THREADS", engineOptions(cfg, files{}).Threads}} {
		if s.value > 1 {
			names = append(names, s.name)
		}
	}
	if len(names) == 0 {
		return "give it more memory" // all is as small as can be
	}
	return "set " + strings.Join(names, " or ") + " lower, or give it more memory"
}

// memoryNeeds returns the bytes that this process takes at most, and those with the other engine's tables.
func memoryNeeds(cfg *config.Config) (own, all int64) {
	games := int(cfg.MaxGames)
	own = engineOptions(cfg, files{}).Memory(games) + programBytes + int64(games+int(cfg.MaxCorrespondence))*gameBytes
	return own, own + externalMemory(cfg)
}

// chooseTable returns the size of the table, in MiB, for the memory that there is: the largest power of two up to mostTableMB with
// which seven eighths of it are enough. Of memory that others want too it takes a sixteenth.
func chooseTable(cfg *config.Config, have int64, shared bool) int {
	table := mostTableMB
	for ; table > 1; table /= 2 {
		with := *cfg
		with.HashMB = config.Int(table)
		if _, all := memoryNeeds(&with); all <= have/8*7 && (!shared || int64(table)*mib <= have/16) {
			break
		}
	}
	return table
}
