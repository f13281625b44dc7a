package search

import "fmt"

// Score is the value of a position from the side to move, in centipawns, or
// a forced mate. The zero value is a draw.
type Score int

const (
	// mate is the score of having mated now; mate in n plies is mate-n.
	mate = 32000
	// mateBound is the lowest score that means a forced mate.
	mateBound = mate - MaxPly
	// maxStatic bounds static evaluations on either side.
	maxStatic = 20000
	// infinite is beyond every score.
	infinite = mate + 1
	// none marks a static evaluation that was not made.
	none = -infinite - 1
)

// MaxPly bounds the depth of the search tree, quiescence included.
const MaxPly = 128

// Mate tells whether the score is a forced mate and in how many moves: 3 when
// the side to move mates in three, -3 when it is mated in three, 0 with ok
// when it is mated now.
func (s Score) Mate() (moves int, ok bool) {
	switch {
	case s >= mateBound:
		return (mate - int(s) + 1) / 2, true
	case s <= -mateBound:
		return -(mate + int(s)) / 2, true
	}
	return 0, false
}

// MateIn is the score for mating in the given number of moves (negative: for
// being mated).
func MateIn(moves int) Score {
	if moves > 0 {
		return Score(mate - 2*moves + 1)
	}
	return Score(-mate - 2*moves)
}

// Centipawns is the score as a number for comparisons. Forced mates lie
// beyond 30000 on either side, wins and losses that an endgame table promises at
// 25000 less the plies to them, every other score within 20000.
func (s Score) Centipawns() int { return int(s) }

// String is the score as UCI writes it: "cp 31" or "mate -3".
func (s Score) String() string {
	if n, ok := s.Mate(); ok {
		return fmt.Sprintf("mate %d", n)
	}
	return fmt.Sprintf("cp %d", int(s))
}

// Bound says how a score relates to the true value.
type Bound uint8

const (
	NoBound Bound = iota
	Upper         // the true value is at most this
	Lower         // the true value is at least this
	Exact
)
