package search

import (
	"math"
	"testing"
	"testing/fstest"
)

func TestMemoryLimit(t *testing.T) {
	const machine = "MemTotal:        8000 kB\nMemFree:  10 kB\n"
	for name, tt := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing to read":  {nil, math.MaxInt64},
		"the machine":      {map[string]string{"proc/meminfo": machine}, 8000 << 10},
		"nonsense":         {map[string]string{"proc/meminfo": "MemTotal: many kB\n", "proc/self/cgroup": "0:\n::\n\n0::x\n"}, math.MaxInt64},
		"a container":      {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "4096000\n"}, 4096000},
		"no limit":         {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 8000 << 10},
		"more than there":  {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "9999999999999\n"}, 8000 << 10},
		"the host's path":  {map[string]string{"proc/self/cgroup": "0::/kubepods/pod7\n", "sys/fs/cgroup/memory.max": "500000\n"}, 500000},
		"a service":        {map[string]string{"proc/self/cgroup": "0::/system.slice/bot.service\n", "sys/fs/cgroup/system.slice/bot.service/memory.max": "700000\n"}, 700000},
		"the slice's":      {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "600000\n", "sys/fs/cgroup/a/b/memory.max": "700000\n"}, 600000},
		"version 1":        {map[string]string{"proc/self/cgroup": "5:cpu,cpuacct:/c\n4:memory:/m\n0::/\n", "sys/fs/cgroup/memory/m/memory.limit_in_bytes": "800000\n"}, 800000},
		"version 1, none":  {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8000 << 10},
		"a path with dots": {map[string]string{"proc/self/cgroup": "0::/../../etc\n", "sys/fs/cgroup/memory.max": "500000\n"}, 500000},
	} {
		files := fstest.MapFS{}
		for file, text := range tt.files {
			files[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got, source := memoryLimit(files); got != tt.want {
			t.Errorf("%s: %d by %s, want %d", name, got, source, tt.want)
		}
	}
}
