//go:build !unix

package uciclient

import "os/exec"

func isolate(*exec.Cmd) {}

func kill(c *exec.Cmd) { _ = c.Process.Kill() }
