package external

import (
	"time"

	"castellan/engine/chess"
	"castellan/engine/search"
)

const (
	// leastClock is the least time on the clock, less what the way to the server takes, with which another process is asked: below
	// that its answer may come too late even if it does all right.
	leastClock = 100 * time.Millisecond
	// startPatience is how long a move waits for the engine to be ready while no clock runs.
	startPatience = 3 * time.Second
	// leastGrace and mostGrace bound the time that the engine is given to answer after it was told to stop.
	leastGrace = 5 * time.Millisecond
	mostGrace  = time.Second
	// idleGrace is that time in a game without a clock.
	idleGrace = 5 * time.Second
	// fairGrace is the least of that time with which to be late is a failure. With less the machine may be to blame, which has other
	// things to do, or the clock.
	fairGrace = 100 * time.Millisecond
)

// plan says how long one move may wait for the other engine. All is counted from when its time began.
type plan struct {
	ready  time.Duration // by then the engine must have begun, or our own one plays
	stop   time.Duration // then it is told to stop
	giveUp time.Duration // then our own engine plays
	spare  time.Duration // of the clock, kept from the engine for what comes after it
	fair   bool          // to be late is a failure
}

// planOf divides the clock of the side to move; ok is false when there is none, or not enough on it. An engine that is well ends long
// before it is told to: what it may use at most is what our own would use for a move in trouble.
func planOf(l *search.Limits, side chess.Color, overhead time.Duration) (p plan, ok bool) {
	overhead = max(overhead, l.Overhead)
	switch {
	case l.Infinite || l.Mate > 0 || l.MultiPV > 1:
		return p, false
	case l.MoveTime > 0:
		// The bot's own bound: no clock runs yet, or it shows at least twenty times as much.
		p.ready = min(l.MoveTime*5, startPatience)
		p.stop = p.ready + l.MoveTime + min(l.MoveTime/4, 100*time.Millisecond)
		p.giveUp = p.stop + max(leastGrace, min(l.MoveTime, mostGrace))
		p.fair = p.giveUp-p.stop >= fairGrace
		return p, true
	case l.WTime == 0 && l.BTime == 0:
		return p, false
	}
	usable := *l.Clock(side) - overhead
	if usable < leastClock {
		return p, false
	}
	budget := search.NewBudget(l, side, search.Policy{Overhead: overhead})
	grace := max(leastGrace, min(usable/10, mostGrace))
	stop := min(max(budget.Hard, usable/4), usable/2) // our own engine needs its share of what is left
	return plan{ready: min(budget.Soft, stop/2), stop: stop, giveUp: stop + grace, spare: overhead + grace, fair: grace >= fairGrace}, true
}

// idlePlan is the plan of a move in a game whose clock shows hours or days.
func idlePlan(think, latest time.Duration) plan {
	ready := min(latest/4, time.Minute)
	stop := min(ready+think+idleGrace, latest/2)
	return plan{ready: ready, stop: stop, giveUp: stop + idleGrace, fair: true}
}
