package external

import (
	"testing"
	"time"

	"castellan/engine/chess"
	"castellan/engine/search"
)

// TestPlansKeepWithinTheClock goes through clocks of all lengths: our own engine has always two fifths of what was usable when it has to
// step in, and an engine that is well has the time that ours would use.
func TestPlansKeepWithinTheClock(t *testing.T) {
	const overhead = 50 * time.Millisecond
	for _, inc := range []time.Duration{0, 100 * time.Millisecond, 2 * time.Second, time.Minute} {
		for left := time.Millisecond; left < 4*time.Hour; left += left/7 + time.Millisecond {
			l := search.Limits{WTime: time.Hour, BTime: left, BInc: inc}
			p, ok := planOf(&l, chess.Black, overhead)
			usable := left - overhead
			if ok != (usable >= leastClock) {
				t.Errorf("%v + %v: asked %v", left, inc, ok)
			}
			if !ok {
				continue
			}
			b := search.NewBudget(&l, chess.Black, search.Policy{Overhead: overhead})
			if p.ready > p.stop || p.stop >= p.giveUp || p.giveUp > usable*6/10+time.Millisecond || p.spare >= left || p.stop < min(b.Hard, usable/2) {
				t.Errorf("%v + %v: %+v with a budget of %+v", left, inc, p, b)
			}
		}
	}
	for _, l := range []search.Limits{{Infinite: true}, {Mate: 3}, {MultiPV: 2, MoveTime: time.Second}, {}, {Depth: 3}} {
		if p, ok := planOf(&l, chess.White, overhead); ok {
			t.Errorf("%+v: %+v", l, p)
		}
	}
	for think := time.Millisecond; think < time.Hour; think *= 3 {
		l := search.Limits{MoveTime: think}
		if p, ok := planOf(&l, chess.White, overhead); !ok || p.giveUp > 20*think || p.stop < think+p.ready {
			t.Errorf("%v: %+v", think, p)
		}
		latest := max(20*time.Hour, 20*think)
		if p := idlePlan(think, latest); p.giveUp > latest || p.stop < think {
			t.Errorf("idle, %v: %+v", think, p)
		}
	}
}
