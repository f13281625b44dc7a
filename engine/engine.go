// Package engine is the one door to thinking about a game of chess.
package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"castellan/engine/chess"
	"castellan/engine/eval"
	"castellan/engine/search"
)

// The words of package search that a caller of Think needs.
type (
	Limits = search.Limits
	Info   = search.Info
	Score  = search.Score
)

// Errors of Think.
var (
	// ErrNoLegalMove says that there is nothing to choose: the game is over
	// by mate or stalemate, or Limits.SearchMoves has no legal move.
	ErrNoLegalMove = errors.New("engine: no legal move to choose from")
	// ErrClosed says that the engine was closed; a legal move comes with it.
	ErrClosed = errors.New("engine: closed")
)

// Source says where a decision comes from.
type Source uint8

// Sources of decisions.
const (
	SourceNone            Source = iota // no decision
	SourceSearch                        // at least one finished iteration of the search
	SourceFallback                      // the most sensible move at a glance: there was no time, or a fault
	SourceBook                          // an opening book: there is no score. The engine itself has none
	SourceExternal                      // another engine; Depth is 0 when it has told no score
	SourceExplorer                      // the opening explorer of Lichess: there is no score
	SourceCloud                         // an evaluation that somebody else's engine has left with Lichess
	SourceOnlineTablebase               // as SourceTablebase, with the tables of Lichess
	SourceTablebase                     // the search, among the moves with which endgame tables keep the result; Depth is 0 when there was no time for it
)

func (s Source) String() string {
	switch s {
	case SourceSearch:
		return "search"
	case SourceFallback:
		return "fallback"
	case SourceBook:
		return "book"
	case SourceTablebase:
		return "tablebase"
	case SourceExternal:
		return "external engine"
	case SourceExplorer:
		return "explorer"
	case SourceCloud:
		return "cloud"
	case SourceOnlineTablebase:
		return "online tablebase"
	}
	return "none"
}

// Basis says what the score of a decision is worth.
type Basis uint8

// Kinds of scores.
const (
	BasisNone   Basis = iota // there is none
	BasisGlance              // no time was spent on it
	BasisSearch              // searched to Decision.Depth
	BasisTables              // certain, by endgame tables
)

// Basis tells what the score rests on.
func (d *Decision) Basis() Basis {
	switch d.Source {
	case SourceNone, SourceFallback:
		return BasisGlance
	case SourceSearch, SourceExternal, SourceCloud:
		if d.Depth == 0 {
			return BasisGlance
		}
		return BasisSearch
	case SourceTablebase, SourceOnlineTablebase:
		return BasisTables
	}
	return BasisNone
}

// Decision is the answer to a position.
type Decision struct {
	Move            chess.Move
	Ponder          chess.Move // the reply to expect, or chess.NoMove
	Score           Score      // from the side to move
	Depth, SelDepth int        // in plies, nominal and deepest
	PV              []chess.Move
	Nodes           uint64
	Time            time.Duration // from the call of Think
	Source          Source
}

// Engine thinks for any number of games at once, with a bounded number of
// threads running and one transposition table for all.
type Engine struct {
	options Options
	table   *search.Table
	pool    *pool

	closing context.Context
	close   context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
	idle    []*search.Thread
	single  sync.Mutex // held by a search that is to be reproducible
	spare   *sync.Pool // of those beyond a few games' worth, until the memory is wanted
}

// New makes an engine. All faults of the options are reported at once.
func New(o Options) (*Engine, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	table, err := search.NewTable(o.HashMB)
	if err != nil {
		return nil, err
	}
	eval.New() // makes its tables now, on nobody's clock
	e := &Engine{options: o, table: table, pool: newPool(o.Threads), spare: &sync.Pool{}}
	e.closing, e.close = context.WithCancel(context.Background())
	return e, nil
}

// Change puts other options in force. All that searches have learnt stays, unless the size of the table or the number of threads is
// another: then the engine is as if new. After an error, which reports every fault of the options, it is as it was. Call it when no
// Think runs: it waits for threads that are still on their way out of one.
func (e *Engine) Change(o Options) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	e.running.Wait()
	if o.HashMB != e.options.HashMB || o.Threads != e.options.Threads {
		table, err := search.NewTable(o.HashMB)
		if err != nil {
			return err
		}
		e.mu.Lock()
		e.table, e.pool, e.idle, e.spare = table, newPool(o.Threads), nil, &sync.Pool{}
		e.mu.Unlock()
	}
	e.options = o
	return nil
}

// Think chooses a move for the side to move of g within the limits, or until
// ctx ends: then it returns the best move found so far within 10 ms, and that
// is not an error. Waiting for a thread counts as thinking time.
//
// Think may be called for many games at once. g must not change before it
// returns. When more games want to move than there are threads, the one with the
// least time comes first, and each has its share of the time that it would use
// alone.
//
// Whenever a legal move exists, the decision has one, even beside an error
// (which then reports a fault of the search, a damaged endgame table, or
// ErrClosed) and even if ctx had ended before the call. The result of
// the game is not looked at: in a position drawn by rule Think still chooses a
// move.
//
// Endgame tables, when there
// are any, leave to the search the moves that keep the result; its score is then
// theirs, a mate in sight excepted.
func (e *Engine) Think(ctx context.Context, g *chess.Game, limits Limits) (Decision, error) {
	return e.think(ctx, g, limits, 0, 0)
}

// ThinkIdle is Think for a game whose clock shows hours or days: it uses only
// threads that no call of Think wants, for as long as it takes until the search
// has run for the time given, which must be positive. After latest it stands
// back no more.
func (e *Engine) ThinkIdle(ctx context.Context, g *chess.Game, think, latest time.Duration) (Decision, error) {
	return e.think(ctx, g, Limits{}, think, latest)
}

func (e *Engine) think(ctx context.Context, g *chess.Game, limits Limits, atMost, latest time.Duration) (Decision, error) {
	started := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.closing, cancel)()

	e.mu.Lock()
	closed := e.closed
	if closed {
		cancel()
	} else {
		e.running.Add(1)
		defer e.running.Done()
	}
	e.mu.Unlock()

	if e.options.Reproducible {
		e.single.Lock()
		defer e.single.Unlock()
		e.forget()
		limits = Limits{Nodes: e.options.Nodes}
		atMost, latest = 0, 0
	}
	keys := g.Keys()
	job := search.Job{
		Position: *g.Position(),
		Past:     keys[:len(keys)-1],
		Limits:   limits,
		Policy:   search.Policy{Overhead: max(e.options.MoveOverhead, limits.Overhead), MaxTime: e.options.MaxMoveTime},
		Started:  started,
	}
	if most := e.options.Nodes; most > 0 && (limits.Nodes == 0 || limits.Nodes > most) {
		job.Limits.Nodes = most
	}
	claim := e.claim(&job, atMost)
	defer claim.giveUp()
	if latest > 0 {
		defer time.AfterFunc(latest, func() { claim.promote(terms{urgency: onClock, from: started.Add(latest), soft: atMost}) }).Stop()
	}
	e.await(ctx, claim, &job)
	count := claim.threads()

	var weaker level
	var lines []Info
	if e.options.Elo != 0 {
		weaker, count = levelOf(e.options.Elo), 1
		weaker.limit(&job.Limits, &lines)
	}
	threads := e.takeThreads(count)
	verdict := e.askTables(ctx, g, &job)
	result, err := search.Run(ctx, threads, job, claim)
	switch {
	case errors.Is(err, search.ErrNoMoves):
		e.returnThreads(threads)
		return Decision{Time: time.Since(started)}, ErrNoLegalMove
	case err == nil:
		// After a panic the threads are in no known state and are dropped.
		if err = e.tableFaults(); closed {
			err = ErrClosed
		} else {
			e.reclaim(threads)
		}
	}
	d := Decision{
		Move:     result.Move,
		Ponder:   result.Ponder,
		Score:    result.Score,
		Depth:    result.Depth,
		SelDepth: result.SelDepth,
		PV:       result.PV,
		Nodes:    result.Nodes,
		Time:     time.Since(started),
		Source:   SourceSearch,
	}
	if d.Depth == 0 {
		d.Source = SourceFallback
	}
	if e.options.Elo != 0 {
		weaker.weaken(&d, lines, &limits)
	}
	verdict.amend(&d, &limits)
	return d, err
}

// takeThreads takes idle threads, those used last first, and makes new ones
// as needed.
func (e *Engine) takeThreads(n int) []*search.Thread {
	e.mu.Lock()
	reused := min(n, len(e.idle))
	threads := make([]*search.Thread, 0, n)
	for range reused {
		last := len(e.idle) - 1
		threads = append(threads, e.idle[last])
		e.idle = e.idle[:last]
	}
	spare := e.spare
	e.mu.Unlock()
	for len(threads) < n {
		t, ok := spare.Get().(*search.Thread)
		if !ok {
			t = search.NewThread(e.table, eval.New())
		}
		threads = append(threads, t)
	}
	return threads
}

// reclaim returns the threads of a search as soon as its helpers have left it,
// without a wait for them.
func (e *Engine) reclaim(threads []*search.Thread) {
	if len(threads) == 1 {
		e.returnThreads(threads)
		return
	}
	e.running.Go(func() {
		var fault error
		for _, t := range threads {
			fault = errors.Join(fault, t.Wait())
		}
		if fault == nil {
			e.returnThreads(threads)
		}
	})
}

// returnThreads puts them back in the order in which they were taken. More
// than a few games' worth, of a megabyte and a half each, are kept only as long
// as many games go on.
func (e *Engine) returnThreads(threads []*search.Thread) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := len(threads) - 1; i >= 0; i-- {
		if len(e.idle) < 4*e.options.Threads {
			e.idle = append(e.idle, threads[i])
		} else {
			e.spare.Put(threads[i])
		}
	}
}

// NewGame forgets all positions seen, so that the next answer does not depend
// on earlier ones. It need not be called between games. Call it when no Think
// runs: it waits for threads that are still on their way out of one.
func (e *Engine) NewGame() {
	e.running.Wait()
	e.forget()
}

func (e *Engine) forget() {
	e.table.Clear()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.idle {
		t.Clear()
	}
	e.spare = &sync.Pool{}
}

// Close stops all thinking and waits for it to end. It may be called again.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.close()
	e.running.Wait()
}
