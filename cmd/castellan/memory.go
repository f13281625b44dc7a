package main

import (
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"castellan/config"
)

const (
	mib = 1 << 20
	// programBytes is what the program takes without a game: code, tables, connections, and what the collector has not got to.
	programBytes = 48 * mib
	// gameBytes is what a game takes besides its search: its stream, its requests, its moves.
	gameBytes = mib / 2
	// untimedGames is how many games without a clock may run beside the others.
	untimedGames = 50
)

// fitMemory checks that what the settings ask for fits into the memory that there is, and makes the garbage collector keep to
// it: left alone, it would let the heap grow to twice the table before it looks.
func fitMemory(cfg *config.Config, log *slog.Logger) error {
	options := engineOptions(cfg, files{})
	games := int(cfg.MaxGames)
	need := options.Memory(games) + programBytes + int64(games+untimedGames)*gameBytes
	have, source := memoryLimit(os.DirFS("/"))
	if own := int64(cfg.MemoryMB) * mib; own > 0 && own < have {
		have, source = own, "CASTELLAN_MEMORY_MB"
	}
	if need > have {
		return usageError{fmt.Errorf("%d MiB of memory are needed for CASTELLAN_HASH_MB=%v, CASTELLAN_MAX_GAMES=%v and %d threads, and %s allows %d MiB: "+
			"choose a smaller table or fewer games", (need+mib-1)/mib, cfg.HashMB, cfg.MaxGames, options.Threads, source, have/mib)}
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(need)
	}
	log.Debug("memory", "need", need/mib, "have", have/mib, "by", source)
	return nil
}

// memoryLimit returns how many bytes the process may have and who says so: what the machine has or, when that is less, what the
// control groups of the process allow (Linux: /proc/meminfo; memory.max of version 2, memory.limit_in_bytes of version 1).
// Where nothing can be read there is no limit.
func memoryLimit(root fs.FS) (limit int64, source string) {
	limit, source = math.MaxInt64, "nothing"
	lower := func(n int64, who string) {
		if n > 0 && n < limit {
			limit, source = n, who
		}
	}
	if text, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" {
				if kib, err := strconv.ParseInt(fields[1], 10, 54); err == nil {
					lower(kib<<10, "the machine")
				}
			}
		}
	}
	for _, file := range groupFiles(root) {
		if text, err := fs.ReadFile(root, file); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // "max" is no number
				lower(n, "the control group, by /"+file+",")
			}
		}
	}
	return limit, source
}

// groupFiles names the files that hold the limits of the process's control groups, of its own and of all above it. In a
// container the group's path may be one that only the host sees; the root is the container's group then.
func groupFiles(root fs.FS) (files []string) {
	const v1, v2 = "sys/fs/cgroup/memory", "sys/fs/cgroup"
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	groups := map[string]string{v1: "/", v2: "/"}
	for line := range strings.Lines(string(text)) { // number:controllers:path
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) < 3 || !strings.HasPrefix(parts[2], "/"):
		case parts[0] == "0" && parts[1] == "":
			groups[v2] = path.Clean(parts[2])
		case parts[1] == "memory":
			groups[v1] = path.Clean(parts[2])
		}
	}
	for mount, name := range map[string]string{v1: "memory.limit_in_bytes", v2: "memory.max"} {
		for group := groups[mount]; ; group = path.Dir(group) {
			files = append(files, path.Join(mount, group, name))
			if group == "/" {
				break
			}
		}
	}
	return files
}
