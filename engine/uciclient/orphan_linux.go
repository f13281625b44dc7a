package uciclient

import "syscall"

// dieWithParent makes the kernel kill the process when the thread that started it ends, which is when this process ends: the thread
// is kept for as long. It does not reach what the process has started itself.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
