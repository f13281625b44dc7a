//go:build !linux

package main

import (
	"os"
	"testing"
)

func openTerminal(t *testing.T) (terminal *os.File, read func(end string) string) {
	t.Skip("terminals are opened in the way of Linux")
	return nil, nil
}
