//go:build unix && !linux

package uciclient

import "syscall"

func dieWithParent(*syscall.SysProcAttr) {}
