package search

import (
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// MemoryLimit returns how many bytes the process may have and who says so: what the machine has or, when that is less, what the
// control groups of the process allow (Linux: /proc/meminfo; memory.max of version 2, memory.limit_in_bytes of version 1).
// Where nothing can be read there is no limit. Go ends the program when memory cannot be had, so a table that cannot fit must not
// be asked for.
func MemoryLimit() (limit int64, source string) { return memoryLimit(os.DirFS("/")) }

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
	for _, file := range append(groupFiles(root, "memory", "memory.limit_in_bytes"), groupFiles(root, "", "memory.max")...) {
		if text, err := fs.ReadFile(root, file); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // "max" is no number
				lower(n, "the control group, by /"+file+",")
			}
		}
	}
	return limit, source
}
