package engine

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/engine/chess"
	"castellan/engine/search"
)

// planned is a search that is not made: it takes its place in the pool and
// keeps to its time, and does nothing with it.
type planned struct {
	waited time.Duration // before it had a place for the first time
	ran    time.Duration // with a place
	took   time.Duration
	begun  bool // had a place at all
}

func (e *Engine) plan(ctx context.Context, limits Limits, atMost time.Duration) (p planned) {
	started := time.Now()
	job := search.Job{
		Position: *chess.NewGame(chess.StartPosition(), chess.LichessBot).Position(), Limits: limits, Started: started,
		Policy: search.Policy{Overhead: e.options.MoveOverhead, MaxTime: e.options.MaxMoveTime},
	}
	c := e.claim(&job, atMost)
	defer c.giveUp()
	e.await(ctx, c, &job)
	p.waited = time.Since(started)
	budget := budgetOf(&job)
	if budget.Hard > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, job.Started.Add(budget.Hard))
		defer cancel()
	}
	if p.begun = c.Enter(ctx, false); p.begun {
		for c.Yield(ctx, false) && (budget.Hard == 0 || time.Since(job.Started) < budget.Soft) {
			time.Sleep(time.Millisecond)
			p.ran += time.Millisecond
		}
		c.Leave()
	}
	p.took = time.Since(started)
	return p
}

// clock is a game with the same time for both sides.
func clock(left, increment time.Duration) Limits {
	return Limits{WTime: left, BTime: left, WInc: increment, BInc: increment}
}

func soft(e *Engine, l Limits) search.Budget {
	return search.NewBudget(&l, chess.White, search.Policy{Overhead: e.options.MoveOverhead, MaxTime: e.options.MaxMoveTime})
}

// Sixty-four games that want a move at the same moment, on two places: each
// gets its share, and the last has its move within little more than the time
// that it would have taken alone.
func TestSixtyFourAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, Options{HashMB: 1, Threads: 2})
		limits := clock(3*time.Minute, 2*time.Second)
		alone := soft(e, limits).Soft
		var wg sync.WaitGroup
		all := make([]planned, 64)
		for i := range all {
			wg.Go(func() { all[i] = e.plan(t.Context(), limits, 0) })
		}
		wg.Wait()
		// The last few find nobody waiting any more and use what time they have.
		ends := make([]time.Duration, len(all))
		for i, p := range all {
			ends[i] = p.took
		}
		slices.Sort(ends)
		var took time.Duration
		for i, p := range all {
			took += p.took / time.Duration(len(all))
			if fair := alone * 2 / 64; p.ran < fair*4/10 || p.ran > fair*12/10 && p.took < ends[60] {
				t.Errorf("search %d ran for %v, want about %v", i, p.ran, fair)
			}
			if p.took > alone*5/4 {
				t.Errorf("search %d took %v, alone it may take %v", i, p.took, alone)
			}
		}
		if took > alone*6/10 {
			t.Errorf("on average a move took %v of %v, want about half", took, alone)
		}
	})
}

// A game with a second left has a place within a look at the clock, whatever
// else is wanted, and loses none of its time to others.
func TestOneSecondLeftWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, Options{HashMB: 1, Threads: 2})
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() { e.plan(t.Context(), clock(30*time.Minute, 0), 0) })
		}
		time.Sleep(40 * time.Second) // by now those who wait have waited for more than half of their time
		for _, increment := range []time.Duration{0, time.Second, 3 * time.Second} {
			for range 50 {
				time.Sleep(97 * time.Millisecond)
				p := e.plan(t.Context(), clock(time.Second, increment), 0)
				if !p.begun || p.waited > time.Millisecond || p.took > p.ran+2*time.Millisecond {
					t.Errorf("with a second left and %v a move: waited %v, ran %v, took %v", increment, p.waited, p.ran, p.took)
				}
			}
		}
		wg.Wait()
	})
}

// A long game among many short ones that want a move all the time gets a place
// while it has time, and no less than they.
func TestLongGameIsNotStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, Options{HashMB: 1, Threads: 2})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 63 {
			wg.Go(func() {
				for ctx.Err() == nil {
					e.plan(ctx, clock(20*time.Second, 100*time.Millisecond), 0)
				}
			})
		}
		for range 3 {
			limits := clock(15*time.Minute, 10*time.Second)
			p := e.plan(t.Context(), limits, 0)
			t.Logf("waited %v, ran %v, took %v", p.waited, p.ran, p.took)
			b := soft(e, limits)
			if !p.begun || p.took > b.Soft+time.Second || p.ran < b.Soft/2*2/64*8/10 {
				t.Errorf("ran for %v and took %v of %v", p.ran, p.took, b.Soft)
			}
		}
		cancel()
		wg.Wait()
	})
}

// A game without a hurry runs when nobody else wants to, and has all of its
// time in the end.
func TestIdleTimeOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, Options{HashMB: 1, Threads: 1})
		var wg sync.WaitGroup
		var letter planned
		wg.Go(func() { letter = e.plan(t.Context(), Limits{}, 10*time.Second) })
		synctest.Wait()
		var own time.Duration
		for range 20 {
			p := e.plan(t.Context(), clock(time.Minute, 0), 0)
			if p.waited > time.Millisecond || p.took > p.ran+2*time.Millisecond {
				t.Errorf("a move on a clock waited %v and took %v, of which it ran %v", p.waited, p.took, p.ran)
			}
			own += p.took
			time.Sleep(100 * time.Millisecond)
		}
		wg.Wait()
		if letter.ran != 10*time.Second || letter.took < 10*time.Second+own-time.Second {
			t.Errorf("the letter ran for %v and took %v beside %v of moves on a clock", letter.ran, letter.took, own)
		}
	})
}

// The real search beside many others: every game gets a move that was thought
// about, near the time that its clock allows.
func TestManyClocksAtOnce(t *testing.T) {
	const games = 64
	e := newEngine(t, Options{Threads: 2})
	var wg sync.WaitGroup
	for i := range games {
		wg.Go(func() {
			g := game(t, kiwipete)
			limits := clock(time.Duration(2+i)*time.Second, 0)
			d, err := e.Think(t.Context(), g, limits)
			if err != nil || d.Source != SourceSearch || !g.Position().IsLegal(d.Move) {
				t.Errorf("%+v, %v", d, err)
			}
			// A second more than the clock allows is for a machine that has other things to do.
			if most := soft(e, limits).Hard + time.Second; d.Time > most {
				t.Errorf("game %d took %v, want at most %v", i, d.Time, most)
			}
		})
	}
	wg.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.idle); n > 4*e.options.Threads {
		t.Errorf("%d threads are kept", n)
	}
}

func TestThinkIdle(t *testing.T) {
	e := newEngine(t, Options{})
	g := game(t, kiwipete)
	done := make(chan Decision)
	go func() {
		d, err := e.ThinkIdle(t.Context(), g, 300*time.Millisecond, time.Hour)
		if err != nil {
			t.Error(err)
		}
		done <- d
	}()
	var own time.Duration
	for range 3 {
		d, err := e.Think(t.Context(), g, Limits{MoveTime: 200 * time.Millisecond})
		if err != nil {
			t.Error(err)
		}
		own += d.Time
	}
	if d := <-done; d.Source != SourceSearch || d.Time < own || d.Depth < 5 {
		t.Errorf("beside %v of moves on a clock: %+v", own, d)
	}
}

// After its latest moment a search without a hurry stands back no more.
func TestIdleForNotTooLong(t *testing.T) {
	e := newEngine(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				e.Think(ctx, game(t, kiwipete), clock(20*time.Second, 0))
			}
		})
	}
	const tooLong = 15 * time.Second
	bounded, stop := context.WithTimeout(t.Context(), tooLong)
	defer stop()
	d, err := e.ThinkIdle(bounded, game(t, kiwipete), time.Second, 100*time.Millisecond)
	if err != nil || d.Source != SourceSearch || d.Time >= tooLong {
		t.Errorf("%+v, %v", d, err)
	}
}
