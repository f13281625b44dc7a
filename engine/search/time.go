package search

import (
	"time"

	"castellan/engine/chess"
)

// Budget is the time for one move.
type Budget struct {
	Soft time.Duration // start no further iteration after this; scaled by how settled the move is
	Hard time.Duration // stop within an iteration; 0 for no limit
}

// Policy is what the owner of the search adds to the clocks.
type Policy struct {
	Overhead time.Duration // lost on every move to network and scheduling
	MaxTime  time.Duration // cap for moves on long clocks, such as correspondence; 0 for none
}

const (
	leastTime   = 200 * time.Microsecond // a first iteration or two,
	leastShare  = 100                    // or this part of what is left if that is less,
	quickest    = 20 * time.Microsecond  // but time for one move in any case
	hiccup      = 10 * time.Millisecond  // what another process or the kernel takes at a time now and then; no increment gives it back
	movesLeft   = 26                     // expected rest of a game without a move count
	longestTime = 365 * 24 * time.Hour   // clocks above this are cut, so that sums cannot overflow
)

// NewBudget divides the clock of the side to move. It is a pure function.
//
// Soft is a share of the remaining time plus most of the increment; Hard
// allows a multiple of it for a position in trouble, but never a part of the
// clock so large that the rest of the game is short of time. With 50 ms left
// and no increment Hard is under 15 ms.
func NewBudget(l *Limits, side chess.Color, p Policy) Budget {
	switch {
	case l.Infinite:
		return Budget{}
	case l.MoveTime > 0:
		t := max(l.MoveTime-p.Overhead, l.MoveTime/2, leastTime)
		return Budget{Soft: t, Hard: t}
	case l.WTime == 0 && l.BTime == 0 && l.WInc == 0 && l.BInc == 0:
		return Budget{}
	}
	left, inc := l.WTime, l.WInc
	if side == chess.Black {
		left, inc = l.BTime, l.BInc
	}
	left = max(0, min(left, longestTime))
	inc = max(0, min(inc, longestTime))
	overhead := max(0, min(p.Overhead, longestTime))

	// A clock shorter than the overhead still has to be divided somehow.
	spare := overhead
	if inc == 0 && l.MovesToGo == 0 {
		spare += hiccup
	}
	usable := max(left-spare, left/10)
	moves := movesLeft
	if l.MovesToGo > 0 {
		moves = min(l.MovesToGo, movesLeft)
	}
	// Every move to come pays the overhead too, as far as the increment
	// does not pay for it.
	reserve := overhead - min(overhead, inc)
	spread := max(usable-time.Duration(moves-1)*reserve, usable/3)

	soft := spread/time.Duration(moves) + inc*3/4
	// The increment comes only after the move: most of the clock must be
	// left, but for the last move before more time.
	share := usable * 6 / 10
	if l.MovesToGo == 1 {
		share = usable * 9 / 10
	}
	hard := min(soft*4, share)
	if p.MaxTime > 0 {
		hard = min(hard, p.MaxTime)
	}
	least := max(min(leastTime, left/leastShare), quickest)
	hard = max(hard, least)
	return Budget{Soft: max(least, min(soft, hard)), Hard: hard}
}

// scaled is the soft limit after an iteration. A best move that has stood for
// several iterations and took most of the nodes needs less time; a falling
// score needs more.
//
// stable is the number of iterations since the best move changed, effort the
// part of the nodes spent on it (0..1), drop how far the score fell since the
// previous iteration in centipawns.
func (b Budget) scaled(stable int, effort float64, drop int) time.Duration {
	f := 1.3 - 0.1*float64(min(stable, 6))
	f *= 1.6 - 0.9*effort
	f *= 1 + float64(max(0, min(drop, 60)))/80
	return min(time.Duration(float64(b.Soft)*f), b.Hard)
}
