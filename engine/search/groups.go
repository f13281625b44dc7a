package search

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// groupFiles names the files of this name in the process's control group and in all above it: of a controller of version 1, such
// as memory, or of version 2 when the controller is "". In a container the group's path may be one that only the host sees; the
// root is the container's group then.
func groupFiles(root fs.FS, controller, name string) (files []string) {
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	mount, group := path.Join("sys/fs/cgroup", controller), "/"
	for line := range strings.Lines(string(text)) { // number:controllers:path
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && strings.HasPrefix(parts[2], "/") && slices.Contains(strings.Split(parts[1], ","), controller) && (controller != "" || parts[0] == "0") {
			group = path.Clean(parts[2])
		}
	}
	for ; ; group = path.Dir(group) {
		files = append(files, path.Join(mount, group, name))
		if group == "/" {
			return files
		}
	}
}
