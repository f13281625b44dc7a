package search

import (
	"io/fs"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// Processors returns how many search threads can run at the same time, 1 at least: the processors that Go sees or, when that is
// less, as many whole ones as the control groups of the process allow (Linux: cpu.max of version 2, cpu.cfs_quota_us of version 1).
// Go itself runs two threads at least and rounds a limit up. A search must not: it keeps each of its threads busy, and a group
// that has used up its quota stands still for the rest of the period, often tens of milliseconds.
func Processors() int { return processors(os.DirFS("/"), min(runtime.NumCPU(), runtime.GOMAXPROCS(0))) }

func processors(root fs.FS, seen int) int {
	lower := func(quota, period string) {
		q, err := strconv.ParseInt(strings.TrimSpace(quota), 10, 64) // "max" and -1 are no limit
		p, err2 := strconv.ParseInt(strings.TrimSpace(period), 10, 64)
		if err == nil && err2 == nil && q > 0 && p > 0 {
			seen = int(min(int64(seen), q/p))
		}
	}
	for _, file := range groupFiles(root, "", "cpu.max") {
		text, _ := fs.ReadFile(root, file)
		if quota, period, ok := strings.Cut(string(text), " "); ok {
			lower(quota, period)
		}
	}
	for _, file := range groupFiles(root, "cpu", "cpu.cfs_quota_us") {
		quota, _ := fs.ReadFile(root, file)
		period, _ := fs.ReadFile(root, path.Join(path.Dir(file), "cpu.cfs_period_us"))
		lower(string(quota), string(period))
	}
	return max(seen, 1)
}
