package sandbox

import (
	"testing"
	"time"
)

func TestWindow(t *testing.T) {
	at := func(minutes int) time.Time { return time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute) }
	w := window{period: time.Hour, limit: 3}
	steps := []struct {
		minute int
		add    int
		full   bool
		left   time.Duration
	}{
		{10, 1, false, time.Hour}, // the window starts with the first count
		{60, 1, false, 10 * time.Minute},
		{69, 5, true, time.Minute}, // the last count may go beyond
		{70, 0, false, 0},          // all is forgotten at once
		{80, 3, true, time.Hour},   // and begins anew
		{139, 0, true, time.Minute},
		{140, 1, false, time.Hour},
	}
	for _, s := range steps {
		now := at(s.minute)
		if s.add > 0 {
			w.add(now, s.add)
		}
		if full, left := w.full(now), w.left(now); full != s.full || left != s.left {
			t.Errorf("minute %d: full %v, %v left; want %v, %v", s.minute, full, left, s.full, s.left)
		}
	}
	none := window{period: time.Hour, limit: -1}
	none.add(at(0), 1000)
	if none.full(at(1)) {
		t.Error("no limit, and full")
	}
}
