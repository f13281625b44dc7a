package tablebase

import (
	"os"
	"syscall"
	"unsafe"
)

// mapFile makes a file's bytes readable as memory. They are read from disk when they are looked at.
func mapFile(f *os.File, size int) (data []byte, unmap func() error, err error) {
	mapping, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil, syscall.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateFileMapping", err)
	}
	// The view keeps the mapping alive.
	defer syscall.CloseHandle(mapping)
	address, err := syscall.MapViewOfFile(mapping, syscall.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, nil, os.NewSyscallError("MapViewOfFile", err)
	}
	// The memory is not Go's and does not move, so the address may become a pointer.
	start := *(**byte)(unsafe.Pointer(&address))
	return unsafe.Slice(start, size), func() error {
		return os.NewSyscallError("UnmapViewOfFile", syscall.UnmapViewOfFile(address))
	}, nil
}
