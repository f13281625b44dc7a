package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// openTerminal returns a terminal, and a look at what has been written to it since the last one: up to these words at its end, or what
// there is after ten seconds without them.
func openTerminal(t *testing.T) (terminal *os.File, read func(end string) string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no terminals here:", err)
	}
	t.Cleanup(func() { master.Close() })
	var number, unlock int32
	conn, err := master.SyscallConn() // its Fd would make it one without deadlines
	if err != nil {
		t.Fatal(err)
	}
	for request, value := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		var errno syscall.Errno
		if err := conn.Control(func(fd uintptr) {
			_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(unsafe.Pointer(value)))
		}); err != nil || errno != 0 {
			t.Skip("there are no terminals here:", err, errno)
		}
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no terminals here:", err)
	}
	t.Cleanup(func() { terminal.Close() })
	return terminal, func(end string) string {
		if err := master.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		b, n := make([]byte, 4096), 0
		for n == 0 || !strings.HasSuffix(string(b[:n]), end) { // two writes may come in two parts
			more, err := master.Read(b[n:])
			if n += more; errors.Is(err, os.ErrDeadlineExceeded) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		return string(b[:n])
	}
}
