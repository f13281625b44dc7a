package sources

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"castellan/engine"
	"castellan/engine/book"
	"castellan/engine/chess"
	"castellan/lichess"
)

// Kind is a source of moves.
type Kind uint8

// The sources.
const (
	Book Kind = iota
	Explorer
	Cloud
	Tablebase
	kinds
)

func (k Kind) String() string {
	return [...]string{"book", "explorer", "cloud", "tablebase"}[k]
}

// Choice says which of the explorer's moves is played.
type Choice uint8

// The ways to choose.
const (
	Weighted Choice = iota // at random, each as often as it was played
	Popular                // the most played
	Score                  // the one with which the games ended best
)

// Options says what is asked and when. Clocks are the bot's own: a source is asked only with so much on it.
type Options struct {
	Order     []Kind                      // what is asked, in this order
	MinClock  [kinds]time.Duration        // by Kind
	Books     map[chess.Color]*book.Books // by the side that the bot plays; they stay the caller's to close
	Reference *lichess.Reference          // for what is online; it stays the caller's to close
	Timeout   time.Duration               // of one question online
	Misses    int                         // in a row, after which an online source is not asked again in a game
	Known     func(*chess.Game) bool      // whether there are endgame tables for a position here; nil for none

	Database lichess.Database // of the explorer
	Choice   Choice           // among its moves …
	MinGames int              // … that were played so often at least
	Plies    int              // of a game in which it is asked; 0 for no limit
	MinDepth int              // least depth of a cloud evaluation, in plies

	Log *slog.Logger // nil discards it
}

// New puts sources before a mind.
func New(behind engine.Mind, o Options) engine.Mind {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &mind{behind: behind, opts: o}
}

type mind struct {
	behind engine.Mind
	opts   Options
}

// ForGame returns what thinks about one game.
func (m *mind) ForGame(name string) engine.Thinker {
	return &thinker{Thinker: m.behind.ForGame(name), opts: &m.opts, log: m.opts.Log.With("game", name)}
}

// thinker asks for the moves of one game.
type thinker struct {
	engine.Thinker
	opts *Options
	log  *slog.Logger

	mu     sync.Mutex // two questions may overlap for a moment
	misses [kinds]int // in a row
}

// clockShare is the part of the clock that one question online may take at most.
const clockShare = 40

// leastTimeout is the least time for which it is worth asking.
const leastTimeout = 30 * time.Millisecond

// idleTimeout is the time of one question in a game without a clock.
const idleTimeout = 10 * time.Second

// Think asks the sources and then, with the rest of the time, what is behind them. Limits that want to know what the engine
// thinks go to it at once.
func (t *thinker) Think(ctx context.Context, g *chess.Game, limits engine.Limits) (engine.Decision, error) {
	clock := limits.Clock(g.Position().SideToMove())
	var left time.Duration // 0 when no clock runs
	if limits.MoveTime == 0 && (limits.WTime > 0 || limits.BTime > 0) {
		left = max(*clock, 1)
	}
	if limits.Infinite || limits.Mate > 0 || limits.MultiPV > 1 || len(limits.SearchMoves) > 0 {
		return t.Thinker.Think(ctx, g, limits)
	}
	if hit := limits.PonderHit; hit != nil {
		if !t.mayAsk(g, left) {
			return t.Thinker.Think(ctx, g, limits)
		}
		// Nobody is asked about a move that may not come.
		select {
		case <-hit:
			limits.PonderHit = nil
		case <-ctx.Done():
			return t.Thinker.Think(ctx, g, limits)
		}
	}
	started := time.Now()
	a := t.ask(ctx, g, left, t.opts.Timeout)
	if a.move != chess.NoMove {
		return a.decision(started), a.fault
	}
	if spent := time.Since(started); *clock > 0 {
		*clock = max(*clock-spent, time.Millisecond)
	}
	limits.SearchMoves = a.only
	d, err := t.Thinker.Think(ctx, g, limits)
	a.amend(&d)
	return d, errors.Join(a.fault, err)
}

// ThinkIdle is Think for games without a clock.
func (t *thinker) ThinkIdle(ctx context.Context, g *chess.Game, think, latest time.Duration) (engine.Decision, error) {
	started := time.Now()
	a := t.ask(ctx, g, 0, idleTimeout)
	switch {
	case a.move != chess.NoMove:
		return a.decision(started), a.fault
	case len(a.only) > 0: // the best first
		a.move = a.only[0]
		return a.decision(started), a.fault
	}
	d, err := t.Thinker.ThinkIdle(ctx, g, think, max(latest-time.Since(started), think))
	return d, errors.Join(a.fault, err)
}

// answer is what the sources have to say about a position: a move, or the moves among which the engine is to choose, or nothing.
type answer struct {
	source engine.Source
	move   chess.Move
	only   []chess.Move
	first  bool // the engine's choice among them counts only if it sees a mate: else the first makes the most progress
	score  engine.Score
	depth  int
	line   []chess.Move // the move and what may follow
	fault  error        // that has to be told, though there may be a move all the same
}

// decision is the answer as a decision; there must be a move.
func (a *answer) decision(started time.Time) engine.Decision {
	d := engine.Decision{Move: a.move, Score: a.score, Depth: a.depth, PV: a.line, Time: time.Since(started), Source: a.source}
	if len(d.PV) == 0 {
		d.PV = []chess.Move{a.move}
	}
	if len(d.PV) > 1 {
		d.Ponder = d.PV[1]
	}
	return d
}

// amend puts what is known for sure into the decision of the engine among the moves that keep the result.
func (a *answer) amend(d *engine.Decision) {
	if len(a.only) == 0 || d.Move == chess.NoMove {
		return
	}
	d.Source = a.source
	moves, mate := d.Score.Mate()
	if mate && (moves > 0) == (a.score > 0) && a.score != 0 {
		return
	}
	d.Score = a.score
	if a.first && d.Move != a.only[0] {
		d.Move, d.Ponder, d.PV = a.only[0], chess.NoMove, a.only[:1:1]
	}
}

// mayAsk tells whether any source may have something to say about a position.
func (t *thinker) mayAsk(g *chess.Game, left time.Duration) bool {
	for _, k := range t.opts.Order {
		if left > 0 && left < t.opts.MinClock[k] {
			continue
		}
		if k == Book && t.bookHas(g) || k != Book && t.applies(k, g) {
			return true
		}
	}
	return false
}

// bookHas tells whether the books may have a move.
func (t *thinker) bookHas(g *chess.Game) bool {
	books := t.opts.Books[g.Position().SideToMove()]
	if books == nil {
		return false
	}
	m, err := books.Choose(g)
	return m != chess.NoMove || err != nil
}

// applies tells whether an online source is worth asking about a position.
func (t *thinker) applies(k Kind, g *chess.Game) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.misses[k] >= t.opts.Misses {
		return false
	}
	start := g.Start()
	switch k {
	case Explorer:
		return (t.opts.Plies == 0 || g.Ply() < t.opts.Plies) && (t.opts.Database == lichess.DatabaseLichess || !start.IsChess960())
	case Cloud:
		return true
	case Tablebase:
		return inTablebase(g.Position()) && (t.opts.Known == nil || !t.opts.Known(g))
	}
	return false
}

// ask asks one source after the other. left is what the clock shows, 0 when none runs; a question takes no longer than longest.
func (t *thinker) ask(ctx context.Context, g *chess.Game, left, longest time.Duration) (a answer) {
	started := time.Now()
	var fault error
	for _, k := range t.opts.Order {
		now := left - time.Since(started)
		if floor := t.opts.MinClock[k]; left > 0 && floor > 0 && now < floor {
			continue
		}
		if k == Book {
			if a, fault = t.askBook(g); a.move != chess.NoMove {
				a.fault = fault
				return a
			}
			continue
		}
		timeout := longest
		if left > 0 {
			timeout = min(timeout, now/clockShare)
		}
		if timeout < leastTimeout || ctx.Err() != nil || !t.applies(k, g) {
			continue
		}
		asking, cancel := context.WithTimeout(ctx, timeout)
		var err error
		switch k {
		case Explorer:
			a, err = t.askExplorer(asking, g)
		case Cloud:
			a, err = t.askCloud(asking, g)
		case Tablebase:
			a, err = t.askTablebase(asking, g)
		}
		cancel()
		if ctx.Err() != nil {
			break // nobody wants to know any more
		}
		if t.note(k, err); err == nil {
			a.fault = fault
			return a
		}
	}
	return answer{fault: fault}
}

// errMiss says that a source knows nothing of use about a position.
var errMiss = errors.New("nothing of use is known of this position")

// note counts misses. A source that is held back by its failures has missed once more, and not been asked.
func (t *thinker) note(k Kind, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.misses[k] = 0
		return
	}
	t.misses[k]++
	t.log.Debug("no move from a source", "source", k.String(), "misses", t.misses[k], "err", err)
}

func (t *thinker) askBook(g *chess.Game) (answer, error) {
	books := t.opts.Books[g.Position().SideToMove()]
	if books == nil {
		return answer{}, nil
	}
	m, err := books.Choose(g)
	return answer{source: engine.SourceBook, move: m}, err
}

// variantOf is the variant of a game as the services name it.
func variantOf(g *chess.Game) lichess.VariantKey {
	if start := g.Start(); start.IsChess960() {
		return lichess.VariantChess960
	}
	return lichess.VariantStandard
}

// legal reads a move from outside: it must be legal and bring no position of the game about again.
func legal(g *chess.Game, text string) (chess.Move, bool) {
	m, err := g.Position().ParseUCI(text)
	if err != nil || g.OccurredAfter(m) > 0 {
		return chess.NoMove, false
	}
	return m, true
}
