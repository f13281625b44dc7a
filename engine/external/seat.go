package external

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/uciclient"
)

// seat is the other engine in one game.
type seat struct {
	*Engine
	slot *slot
	log  *slog.Logger
	over sync.Once

	faults  atomic.Int32 // failures that are not forgotten
	good    atomic.Int32 // moves since the last failure, or since the last one was forgotten
	closed  atomic.Bool
	unready atomic.Bool // that was told
}

// question is a position that the other engine is asked about, by a goroutine of its own.
type question struct {
	game   *chess.Game
	limits uciclient.Limits
	clock  *time.Duration // of limits, that of the side to move; nil when there is none
	spare  time.Duration  // to be kept from it
	asked  time.Time      // when the clock was right; zero while the opponent's runs
	began  atomic.Bool    // it is being thought about
	late   atomic.Bool    // nobody waits for the answer any more, though it was told to stop in time
	answer chan answer
}

type answer struct {
	result uciclient.Result
	err    error
}

// Think lets the other engine choose a move, or our own.
func (s *seat) Think(ctx context.Context, g *chess.Game, limits engine.Limits) (engine.Decision, error) {
	// A process for all games has no time to spare for a move that may not come.
	if limits.PonderHit != nil && s.shared != nil {
		if !await(ctx, limits.PonderHit) {
			return s.opts.Own.Think(ctx, g, limits)
		}
		limits.PonderHit = nil
	}
	p, ok := planOf(&limits, g.Position().SideToMove(), s.opts.Overhead)
	if !ok || len(limits.SearchMoves) > 0 || !s.takes(g) {
		return s.opts.Own.Think(ctx, g, limits)
	}
	q := s.question(g, &limits, p)
	asking, stop := context.WithCancel(s.closing)
	defer stop()
	s.work.Go(func() { s.ask(asking, s.slot, q) })

	if hit := limits.PonderHit; hit != nil {
		select {
		case <-hit:
		case <-ctx.Done():
			return s.opts.Own.Think(ctx, g, limits)
		case a := <-q.answer: // without being asked for it
			d, ok := s.read(g, a)
			switch {
			case !await(ctx, hit):
				return s.opts.Own.Think(ctx, g, limits)
			case ok:
				return d, nil
			}
			limits.PonderHit = nil
			return s.Think(ctx, g, limits)
		}
	}
	started := time.Now()
	if d, ok := s.wait(ctx, stop, g, q, p); ok {
		d.Time = time.Since(started)
		return d, nil
	}
	return s.instead(ctx, g, limits, started)
}

// wait waits for the answer as long as the plan says; false when it is not to be had.
func (s *seat) wait(ctx context.Context, stop func(), g *chess.Game, q *question, p plan) (engine.Decision, bool) {
	ready, tooLong, giveUp := time.NewTimer(p.ready), time.NewTimer(p.stop), time.NewTimer(p.giveUp)
	defer ready.Stop()
	defer tooLong.Stop()
	defer giveUp.Stop()
	for {
		select {
		case a := <-q.answer:
			return s.read(g, a)
		case <-ready.C:
			if !q.began.Load() {
				level := slog.LevelInfo
				if s.unready.Swap(true) {
					level = slog.LevelDebug // once is enough for a game
				}
				s.log.Log(ctx, level, "the engine is not ready in time for this move, our own plays it")
				return engine.Decision{}, false
			}
		case <-tooLong.C:
			stop()
		case <-giveUp.C:
			q.late.Store(p.fair)
			return engine.Decision{}, false
		case <-ctx.Done():
			return engine.Decision{}, false
		}
	}
}

// instead lets our own engine choose the move with what is left on the clock.
func (s *seat) instead(ctx context.Context, g *chess.Game, limits engine.Limits, started time.Time) (engine.Decision, error) {
	limits.PonderHit = nil
	spent := time.Since(started)
	switch clock := limits.Clock(g.Position().SideToMove()); {
	case limits.MoveTime > 0:
		limits.MoveTime = max(limits.MoveTime/4, time.Millisecond)
	case *clock > 0:
		*clock = max(*clock-spent, time.Millisecond)
	}
	d, err := s.opts.Own.Think(ctx, g, limits)
	d.Time += spent
	return d, err
}

// ThinkIdle lets the other engine choose a move without hurry. It is a process for this move, one at a time: games without a clock
// last for weeks, and there may be many.
func (s *seat) ThinkIdle(ctx context.Context, g *chess.Game, think, latest time.Duration) (engine.Decision, error) {
	started := time.Now()
	own := func() (engine.Decision, error) {
		return s.opts.Own.ThinkIdle(ctx, g, think, max(latest-time.Since(started), think))
	}
	if !s.takes(g) {
		return own()
	}
	waiting, enough := context.WithTimeout(ctx, latest/4)
	defer enough()
	select {
	case <-s.idle:
	case <-waiting.Done():
		return own()
	case <-s.closing.Done():
		return own()
	}
	q := s.question(g, &engine.Limits{MoveTime: think}, plan{})
	asking, stop := context.WithCancel(s.closing)
	defer stop()
	s.work.Go(func() {
		defer func() { s.idle <- struct{}{} }()
		slot := newSlot(s.Engine)
		defer slot.dismiss()
		s.ask(asking, slot, q)
	})
	d, ok := s.wait(ctx, stop, g, q, idlePlan(think, latest))
	if !ok {
		return own()
	}
	d.Time = time.Since(started)
	return d, nil
}

// Close ends the game's own process, if it has one.
func (s *seat) Close() {
	s.over.Do(func() {
		s.closed.Store(true)
		s.mu.Lock()
		delete(s.seats, s)
		s.mu.Unlock()
		if s.slot == s.shared {
			return
		}
		s.work.Go(func() {
			<-s.slot.turn // a search that goes on has been told to stop
			s.slot.dismiss()
		})
	})
}

// takes tells whether a position is for the other engine: it has not failed too often, it knows the variant, and our own has no
// endgame tables for it, with which it plays without fault.
func (s *seat) takes(g *chess.Game) bool {
	if s.faults.Load() >= maxFaults || s.closed.Load() || !g.Position().HasLegalMove() {
		return false
	}
	start := g.Start()
	if _, ok := s.option(optionChess960); !ok && start.IsChess960() {
		return false
	}
	return !s.opts.Own.InTables(g)
}

func (s *seat) question(g *chess.Game, l *engine.Limits, p plan) *question {
	q := &question{
		game: g.Clone(), spare: p.spare, answer: make(chan answer, 1),
		limits: uciclient.Limits{
			Nodes: s.opts.Nodes, MoveTime: l.MoveTime, WTime: l.WTime, BTime: l.BTime, WInc: l.WInc, BInc: l.BInc, Ponder: l.PonderHit,
		},
	}
	if l.PonderHit == nil {
		q.asked = time.Now()
	}
	if l.MoveTime == 0 {
		q.clock = &q.limits.WTime
		if g.Position().SideToMove() == chess.Black {
			q.clock = &q.limits.BTime
		}
	}
	return q
}

// ask puts the question when it is its turn and leaves the answer. An engine that has failed is started anew at once.
func (s *seat) ask(ctx context.Context, l *slot, q *question) {
	select {
	case <-l.turn:
	case <-ctx.Done():
		q.answer <- answer{err: ctx.Err()}
		return
	}
	defer func() { l.turn <- struct{}{} }()
	result, err := s.search(ctx, l, q)
	switch {
	case err != nil && ctx.Err() != nil && !isFailure(err):
	case err != nil:
		s.failed(err)
		q.answer <- answer{err: err}
		l.dismiss()
		if q.began.Load() && s.faults.Load() < maxFaults && s.closing.Err() == nil && !s.closed.Load() && l == s.slot {
			s.restart(l, q)
		}
		return
	case q.late.Load():
		s.failed(fmt.Errorf("engine %q: its move came %v after the question, which is too late", s.name, result.Elapsed.Round(time.Millisecond)))
	}
	q.answer <- answer{result, err}
}

func (s *seat) restart(l *slot, q *question) {
	start := q.game.Start()
	if _, err := l.prepare(s, start.IsChess960()); err != nil && s.closing.Err() == nil {
		s.failed(err)
		l.dismiss()
		return
	}
	s.log.Info("the engine was started anew")
}

func (s *seat) search(ctx context.Context, l *slot, q *question) (uciclient.Result, error) {
	start := q.game.Start()
	chess960 := start.IsChess960()
	died, err := l.prepare(s, chess960)
	if died != nil {
		s.failed(died)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return uciclient.Result{}, err
	}
	q.began.Store(true)
	limits := q.limits
	if q.clock != nil {
		left := *q.clock - q.spare
		if !q.asked.IsZero() {
			left -= time.Since(q.asked)
		}
		left = max(left, *q.clock/10, time.Millisecond)
		if q.clock == &q.limits.WTime {
			limits.WTime = left
		} else {
			limits.BTime = left
		}
	}
	return l.client.Search(ctx, positionOf(q.game, chess960), limits, nil)
}

// isFailure tells whether an error is the engine's fault and not that of somebody who wants no answer any more.
func isFailure(err error) bool {
	return errors.Is(err, uciclient.ErrExited) || errors.Is(err, uciclient.ErrNoAnswer)
}

// failed counts a failure and tells of it.
func (s *seat) failed(err error) {
	if s.closing.Err() != nil || s.closed.Load() {
		return // it was us who ended it
	}
	s.good.Store(0)
	n := s.faults.Add(1)
	s.log.Warn("the engine failed", "err", err, "failures", n)
	if n == maxFaults {
		s.log.Error("the engine has failed too often in this game: our own plays it to the end")
	}
}

// read makes a decision of an answer; false when there is none in it.
func (s *seat) read(g *chess.Game, a answer) (engine.Decision, bool) {
	if a.err != nil {
		return engine.Decision{}, false
	}
	d, ok := decisionOf(g.Position(), a.result)
	if !ok {
		s.failed(fmt.Errorf("engine %q: its answer %q is no legal move in %s", s.name, a.result.Move, g.Position().FEN()))
		return d, false
	}
	if n := s.faults.Load(); n > 0 && n < maxFaults && s.good.Add(1) >= forgivenAfter {
		s.good.Store(0)
		s.faults.Add(-1)
	}
	return d, true
}

// await waits until a channel is closed; false when ctx ends before.
func await(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
