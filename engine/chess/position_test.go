package chess

import (
	"testing"
	"unsafe"
)

// TestPositionSize keeps a position within two cache lines: a search copies one at every node.
func TestPositionSize(t *testing.T) {
	if size := unsafe.Sizeof(Position{}); size > 128 {
		t.Errorf("a Position takes %d bytes, at most 128 are wanted", size)
	}
}
