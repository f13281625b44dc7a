package search

import (
	"time"

	"castellan/engine/chess"
)

// Limits says when to stop. Whatever is reached first counts; the zero value
// thinks until the context is cancelled.
type Limits struct {
	Depth int // in plies; 0 for no limit
	// Nodes is over all threads; 0 for no limit. One thread searches exactly
	// as many; several together search not more, and leave less than a quarter
	// or one for each.
	Nodes uint64
	// LeastDepth plies are searched before Nodes counts; it is for limits of so
	// few nodes that nothing would be finished at all.
	LeastDepth int
	Mate       int // stop once a mate in so many moves or fewer is found; 0 for no limit

	MoveTime time.Duration // think this long, less the overhead; 0 for no limit

	// The clocks. All zero means that there is no clock; a zero clock beside
	// another that is not means that no time is left.
	WTime, BTime, WInc, BInc time.Duration
	MovesToGo                int // moves until more time comes; 0 for the rest of the game

	// Overhead is what this move loses to the network and the server, where
	// that was measured; the policy's is the least that is reckoned with.
	Overhead time.Duration

	Infinite bool // ignore the clocks and MoveTime

	// PonderHit, when not nil, lets the search think on the opponent's time:
	// time is counted only from the moment that the channel is closed.
	PonderHit <-chan struct{}

	SearchMoves []chess.Move // only these; empty for all legal moves
	MultiPV     int          // how many best lines to find; 0 is 1

	// Report, when not nil, gets every finished iteration and, after three
	// seconds, aspiration failures too. When the move that is played was not
	// in the last one, because no iteration was finished or one that was cut
	// short found better, it gets the lines with that move as the first. It is
	// called by the search between nodes and must be quick.
	Report func(Info)
}

// Clock is that of a side.
func (l *Limits) Clock(side chess.Color) *time.Duration {
	if side == chess.White {
		return &l.WTime
	}
	return &l.BTime
}

// Info is what the search knows after an iteration.
type Info struct {
	Depth, SelDepth int // in plies, nominal and deepest
	MultiPV         int // 1 for the best line, 2 for the second
	Score           Score
	Bound           Bound
	Nodes           uint64
	Time            time.Duration
	Hashfull        int    // permille of the table used lately
	TableHits       uint64 // positions found in endgame tables
	PV              []chess.Move
}

// Result is the answer of a search.
type Result struct {
	Move, Ponder    chess.Move // Ponder is the expected reply, or NoMove
	Score           Score
	Depth, SelDepth int // Depth is 0 when not one iteration was finished
	Nodes           uint64
	Time            time.Duration
	PV              []chess.Move // legal to the last move
}
