//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package tablebase

import (
	"os"
	"syscall"
)

// mapFile makes a file's bytes readable as memory. They are read from disk when they are looked at.
func mapFile(f *os.File, size int) (data []byte, unmap func() error, err error) {
	data, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return os.NewSyscallError("munmap", syscall.Munmap(data)) }, nil
}
