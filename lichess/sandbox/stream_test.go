package sandbox

import (
	"fmt"
	"slices"
	"testing"
)

// A reader that stalls loses the oldest lines; whoever pushes never waits.
func TestQueueDropsTheOldest(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	st := s.newStream(0, nil)
	for i := range 40 {
		st.push(i)
	}
	st.close()
	st.push("after the end")
	var want [][]byte
	for i := 8; i < 40; i++ {
		want = append(want, fmt.Append(nil, i))
	}
	lines, last := st.take()
	if !slices.EqualFunc(lines, want, slices.Equal[[]byte]) || !last {
		t.Errorf("%s, last %v", lines, last)
	}
}
