package search

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// memoryMB returns how much memory the process may have at most, in MiB: what the machine has or, when it is less, what the
// control group allows (Linux: /proc/meminfo; cgroup v2 memory.max, v1 memory.limit_in_bytes). Where neither can be read it is
// without bound. Go ends the program when memory cannot be had, so a table that cannot fit must not be asked for.
func memoryMB() int {
	limit := math.MaxInt
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" {
				if kB, err := strconv.Atoi(fields[1]); err == nil {
					limit = kB >> 10
				}
			}
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(file); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				limit = min(limit, int(n>>20))
			}
		}
	}
	return limit
}
