package search

import (
	"testing"
	"testing/fstest"
)

func TestProcessors(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  int
	}{
		"nothing to read":    {nil, 8},
		"a container":        {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2},
		"no limit":           {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, 8},
		"more than there":    {map[string]string{"sys/fs/cgroup/cpu.max": "6400000 100000\n"}, 8},
		"a part more":        {map[string]string{"sys/fs/cgroup/cpu.max": "250000 100000\n"}, 2},
		"less than one":      {map[string]string{"sys/fs/cgroup/cpu.max": "50000 100000\n"}, 1},
		"a service's":        {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n", "sys/fs/cgroup/a/cpu.max": "300000 100000\n"}, 3},
		"nonsense":           {map[string]string{"sys/fs/cgroup/cpu.max": "lots of\n", "proc/self/cgroup": "0\n:::\n"}, 8},
		"nothing":            {map[string]string{"sys/fs/cgroup/cpu.max": "0 0\n"}, 8},
		"version 1":          {map[string]string{"proc/self/cgroup": "5:cpu,cpuacct:/c\n0::/\n", "sys/fs/cgroup/cpu/c/cpu.cfs_quota_us": "400000\n", "sys/fs/cgroup/cpu/c/cpu.cfs_period_us": "100000\n"}, 4},
		"version 1, none":    {map[string]string{"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, 8},
		"version 1, no time": {map[string]string{"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "400000\n"}, 8},
	} {
		files := fstest.MapFS{}
		for file, text := range tt.files {
			files[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := processors(files, 8); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
