//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package tablebase

import (
	"fmt"
	"io"
	"os"
)

// mostRead bounds the files that are read into memory where there is no mapping.
const mostRead = 256 << 20

// mapFile reads a file into memory.
func mapFile(f *os.File, size int) (data []byte, unmap func() error, err error) {
	if size > mostRead {
		return nil, nil, fmt.Errorf("its %d bytes are too many to be read into memory, and this system cannot map files", size)
	}
	data = make([]byte, size)
	_, err = io.ReadFull(f, data)
	return data, func() error { return nil }, err
}
