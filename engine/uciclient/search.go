package uciclient

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Position is where a search begins: a position and the moves played since, so that the engine sees repetitions.
type Position struct {
	FEN   string   // "" for the start of a game of standard chess
	Moves []string // in UCI notation; castling as the option UCI_Chess960 wants it
}

// Limits says when an engine is to stop; what is reached first counts. The zero value is no limit: it thinks until the context
// ends.
type Limits struct {
	Depth    int    // in plies
	Nodes    uint64 // visited
	MoveTime time.Duration

	// The clocks count when either of WTime and BTime is positive. They are sent in whole milliseconds, at least 1.
	WTime, BTime, WInc, BInc time.Duration
	MovesToGo                int // moves until more time comes; 0 for the rest of the game

	// Ponder, when not nil, makes it a search on the opponent's time, after the reply that is expected of him: the limits count
	// from the moment that the channel is closed. Engines are to be told by their option Ponder, where they have it, that this
	// may come.
	Ponder <-chan struct{}
}

// Result is the answer to a position.
type Result struct {
	Move    string        // unchecked; "" when the engine says that it has none
	Ponder  string        // the reply it expects, or ""
	Info    Info          // the last word on the best line
	Elapsed time.Duration // from the order to the answer
}

// Search lets the engine think. When ctx ends, the engine is told to stop and its answer is returned as usual; an engine that
// then says nothing for Command.StopTimeout is killed, and the error is ErrNoAnswer.
//
// Report, when not nil, gets every info line about the search. It is called by the goroutine that reads the engine's output, must be
// quick and must not use the engine; no call comes after Search has returned.
func (e *Engine) Search(ctx context.Context, p Position, l Limits, report func(Info)) (Result, error) {
	if err := e.send(positionCommand(p)); err != nil {
		return Result{}, err
	}
	e.mu.Lock()
	e.search = &progress{report: report}
	select { // an answer that came when nobody waited any more
	case <-e.best:
	default:
	}
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.search = nil
		e.mu.Unlock()
	}()
	started := time.Now()
	if err := e.send(goCommand(l)); err != nil {
		return Result{}, err
	}
	const during = "searching"
	done, hit := ctx.Done(), l.Ponder
	var tooLate <-chan time.Time
	for {
		select {
		case a := <-e.best:
			return result(a, started), nil
		case <-hit:
			hit = nil
			if done == nil {
				continue // it was told to stop
			}
			if err := e.send("ponderhit"); err != nil {
				return Result{}, err
			}
		case <-done:
			done = nil
			if err := e.send("stop"); err != nil {
				return Result{}, err
			}
			timer := time.NewTimer(e.command.StopTimeout)
			defer timer.Stop()
			tooLate = timer.C
		case <-e.exited:
			select {
			case a := <-e.best: // its last word
				return result(a, started), nil
			default:
				return Result{}, e.exitFault(during)
			}
		case <-tooLate:
			e.kill()
			return Result{}, e.fault(during, fmt.Errorf("%w: killed %v after it was told to stop", ErrNoAnswer, e.command.StopTimeout))
		}
	}
}

func result(a answer, started time.Time) Result {
	return Result{Move: a.move, Ponder: a.ponder, Info: a.info, Elapsed: a.at.Sub(started)}
}

func positionCommand(p Position) string {
	command := "position startpos"
	if p.FEN != "" {
		command = "position fen " + p.FEN
	}
	if len(p.Moves) > 0 {
		command += " moves " + strings.Join(p.Moves, " ")
	}
	return command
}

func goCommand(l Limits) string {
	b := []byte("go")
	if l.Ponder != nil {
		b = append(b, " ponder"...)
	}
	number := func(name string, n int64) {
		b = append(b, ' ')
		b = append(b, name...)
		b = append(b, ' ')
		b = strconv.AppendInt(b, n, 10)
	}
	clock := l.WTime > 0 || l.BTime > 0
	if clock {
		number("wtime", max(1, l.WTime.Milliseconds()))
		number("btime", max(1, l.BTime.Milliseconds()))
		number("winc", max(0, l.WInc.Milliseconds()))
		number("binc", max(0, l.BInc.Milliseconds()))
		if l.MovesToGo > 0 {
			number("movestogo", int64(l.MovesToGo))
		}
	}
	if l.MoveTime > 0 {
		number("movetime", max(1, l.MoveTime.Milliseconds()))
	}
	if l.Depth > 0 {
		number("depth", int64(l.Depth))
	}
	if l.Nodes > 0 {
		number("nodes", int64(min(l.Nodes, 1<<62)))
	}
	if !clock && l.MoveTime <= 0 && l.Depth <= 0 && l.Nodes == 0 {
		b = append(b, " infinite"...)
	}
	return string(b)
}
