//go:build unix

package uciclient

import (
	"os/exec"
	"syscall"
)

// isolate puts the process into a group of its own: a Ctrl-C at the terminal is then for its parent alone, which ends it in
// order, and what the process starts can be killed with it. Should the parent be killed itself, the system ends the process where
// it can; everywhere it finds its input closed.
func isolate(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(c.SysProcAttr)
}

// kill kills the process and those it has started.
func kill(c *exec.Cmd) {
	// The group still exists as long as the process has not been waited for or has children.
	if syscall.Kill(-c.Process.Pid, syscall.SIGKILL) != nil {
		_ = c.Process.Kill()
	}
}
