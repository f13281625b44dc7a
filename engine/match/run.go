package match

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"castellan/engine/chess"
)

// Options of a match.
type Options struct {
	Players      [2]Player
	Event        string // of the PGN; "" for "engine match"
	Control      Control
	Margin       time.Duration // by which a move may exceed its time
	Games        int           // at least 1, and even unless Unpaired
	Unpaired     bool          // every opening is played once, with changing colours
	Openings     Openings
	Concurrency  int // boards at a time, each with two processes; 0 is 1
	Adjudication Adjudication
	MaxMoves     int              // after which a game is drawn; 0 for no limit
	SPRT         *SPRT            // ends the match as soon as it has decided; nil for none
	PGN          io.Writer        // gets every finished game; may be nil
	Progress     func(*Report)    // called after each pair that counts, by one goroutine at a time; may be nil
	Now          func() time.Time // nil for time.Now
}

// validate returns everything that is wrong with the options.
func (o *Options) validate() error {
	faults := []error{o.Control.validate(), o.Adjudication.validate()}
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(o.Games < 1 || o.Games > 1e6, "%d games: choose 1 to 1000000", o.Games)
	fault(!o.Unpaired && o.Games%2 != 0, "%s: every opening is played twice, so the number must be even", plural(o.Games, "game", "games"))
	fault(o.Concurrency < 0 || o.Concurrency > 1000, "%d games at a time: choose 1 to 1000", o.Concurrency)
	fault(o.Margin < 0 || o.Margin > time.Minute, "time margin %v: choose 0 to 1m", o.Margin)
	fault(o.MaxMoves < 0, "a limit of %d moves: it must not be negative", o.MaxMoves)
	fault(o.Openings == nil, "there are no openings")
	if o.SPRT != nil {
		faults = append(faults, o.SPRT.Validate())
	}
	a, b := o.Players[0].Name, o.Players[1].Name
	fault(a != "" && a == b, "both engines are called %q", a)
	return errors.Join(faults...)
}

// OptionsError says what is wrong with the options of a match.
type OptionsError struct{ Err error }

func (e *OptionsError) Error() string { return e.Err.Error() }

// Unwrap returns the faults, joined.
func (e *OptionsError) Unwrap() error { return e.Err }

// Run plays a match. It ends early when the SPRT has decided, and with an error when ctx ends, an engine cannot be started or
// cannot be set up, an opening cannot be had or the PGN not be written; the report then holds what was played until then. It
// is nil only beside an *OptionsError.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.validate(); err != nil {
		return nil, &OptionsError{err}
	}
	if o.Event == "" {
		o.Event = "engine match"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &match{options: &o, rounds: o.Games, report: newReport(&o)}
	if !o.Unpaired {
		m.rounds = o.Games / 2
	}
	m.started = o.Now()

	// One table shows first that both engines work, and what they are called.
	first := m.newTable()
	defer first.leave()
	if err := first.prepare(ctx, false); err != nil {
		return m.report, err
	}
	m.name(first)

	group, ctx := errgroup.WithContext(ctx)
	var cancel context.CancelCauseFunc
	ctx, cancel = context.WithCancelCause(ctx)
	defer cancel(nil)
	m.decided = func() { cancel(errDecided) }
	group.Go(func() error { return first.serve(ctx) })
	for range min(max(1, o.Concurrency), m.rounds) - 1 {
		group.Go(func() error {
			t := m.newTable()
			defer t.leave()
			return t.serve(ctx)
		})
	}
	err := group.Wait()
	if errors.Is(err, errDecided) {
		err = nil
	}
	m.report.Elapsed = o.Now().Sub(m.started)
	return m.report, err
}

// errDecided ends the games under way when the test has decided.
var errDecided = errors.New("the test has decided")

// match is what the tables share.
type match struct {
	options *Options
	rounds  int
	started time.Time
	decided func()

	mu     sync.Mutex
	next   int // the round to be played next
	report *Report
}

// name settles what the players are called.
func (m *match) name(t *table) {
	names := &m.report.Names
	for i := range names {
		if names[i] = t.seats[i].player.Name; names[i] == "" {
			names[i] = t.seats[i].engine.Name()
		}
	}
	if names[0] == names[1] {
		names[0] += " A"
		names[1] += " B"
	}
}

// takeRound returns the next round, counted from 0.
func (m *match) takeRound() (n int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n = m.next
	m.next++
	return n, n < m.rounds
}

// finished takes down a game.
func (m *match) finished(pgn []byte, faults [2]Faults, searched [2]Searched) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range faults {
		m.report.Faults[i].add(faults[i])
		m.report.Searched[i].add(searched[i])
	}
	m.report.Finished++
	if m.options.PGN == nil {
		return nil
	}
	if _, err := m.options.PGN.Write(pgn); err != nil {
		return fmt.Errorf("writing the PGN: %w", err)
	}
	return nil
}

// count counts the results of a round, in halves of a point for the first player, and looks whether the test has decided.
// What comes after that is left out, so that the report shows what the decision was based on.
func (m *match) count(halves []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.report.Decision != Undecided {
		return
	}
	m.report.add(halves)
	m.report.Elapsed = m.options.Now().Sub(m.started)
	if m.report.Decision != Undecided {
		m.decided()
	}
	if m.options.Progress != nil {
		m.options.Progress(m.report)
	}
}

// table is a board with the two engines that play on it, round after round.
type table struct {
	match *match
	seats [2]*seat // by player
}

func (m *match) newTable() *table {
	return &table{m, [2]*seat{{player: m.options.Players[0]}, {player: m.options.Players[1]}}}
}

func (t *table) leave() {
	for _, s := range t.seats {
		s.dismiss()
	}
}

// prepare makes both engines ready for a game.
func (t *table) prepare(ctx context.Context, chess960 bool) error {
	var faults [2]Faults
	for i, s := range t.seats {
		crashed, err := s.prepare(ctx, chess960)
		if err != nil {
			return err
		}
		if crashed {
			faults[i].Crashes++
		}
	}
	runtime.GC() // what it takes from an engine that thinks would count as the engine's time
	t.match.mu.Lock()
	defer t.match.mu.Unlock()
	for i := range faults {
		t.match.report.Faults[i].add(faults[i])
	}
	return nil
}

// serve plays rounds until there are no more.
func (t *table) serve(ctx context.Context) error {
	for {
		round, ok := t.match.takeRound()
		if !ok {
			return nil
		}
		opening, err := t.match.options.Openings(ctx, round)
		if err != nil {
			return endOf(ctx, err)
		}
		var halves []int
		if t.match.options.Unpaired {
			halves = make([]int, 1)
		} else {
			halves = make([]int, 2)
		}
		for i := range halves {
			white := i // the first player has White in the first game
			if t.match.options.Unpaired {
				white = round % 2
			}
			if halves[i], err = t.playGame(ctx, opening, white, fmt.Sprintf("%d.%d", round+1, i+1)); err != nil {
				return endOf(ctx, err)
			}
		}
		t.match.count(halves)
	}
}

// endOf returns why ctx ended, if it did: an error that came after that is its consequence.
func endOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// playGame plays one game with the player of the given index as White, and returns the first player's halves of a point.
func (t *table) playGame(ctx context.Context, opening Opening, white int, round string) (halves int, err error) {
	if err := t.prepare(ctx, isChess960(opening.Start)); err != nil {
		return 0, err
	}
	m := t.match
	b, err := newBoard(m.options, opening, t.seats[white], t.seats[1-white])
	if err != nil {
		return 0, err
	}
	started := m.options.Now()
	end, err := b.play(ctx)
	if err != nil {
		return 0, err
	}
	names := [2]string{m.report.Names[white], m.report.Names[1-white]}
	text, err := b.pgn(m.options.Event, round, names, started, end)
	if err != nil {
		return 0, err
	}
	if err := m.finished(text, [2]Faults{end.faults[white], end.faults[1-white]}, [2]Searched{b.searched[white], b.searched[1-white]}); err != nil {
		return 0, err
	}
	switch {
	case !end.outcome.Decisive:
		return 1, nil
	case (end.outcome.Winner == chess.White) == (white == 0):
		return 2, nil
	}
	return 0, nil
}
