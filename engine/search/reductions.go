package search

import (
	"math"

	"castellan/engine/chess"
)

// ply1024 is one ply: reductions are reckoned in fractions of it.
const ply1024 = 1024

// reductions is by how much less a late quiet move is searched, in 1024ths of
// a ply, by depth and by how many moves came before: both count with their
// logarithm.
var reductions = func() (r [64][64]int) {
	for d := 1; d < 64; d++ {
		for n := 1; n < 64; n++ {
			r[d][n] = int(ply1024 * (0.75 + math.Log(float64(d))*math.Log(float64(n))/2.3))
		}
	}
	return r
}()

func reduction(depth, moves int) int {
	return reductions[min(depth, 63)][min(moves, 63)] / ply1024
}

const (
	quietHistoryShare   = 8  // history that takes or adds 1024ths of a ply
	captureHistoryShare = 16 // the same for captures
	cutReduction        = 1200
	worseReduction      = 800
	deeperMargin        = 50 // centipawns by which a reduced move must surprise to be searched deeper
	shallowerMargin     = 8  // and below which it is searched less deep
)

// lateMove is what the reduction of a move depends on.
type lateMove struct {
	ply, depth, count           int
	move                        chess.Move
	quiet                       bool
	history                     int // of a quiet move
	pv, cut, improving, ttNoisy bool
}

// lateReduction is by how many plies less a late move, already played, is
// searched at first (late move reduction). It may be negative.
func (t *Thread) lateReduction(l lateMove) int {
	f := &t.stack[l.ply]
	r := reductions[min(l.depth, 63)][min(l.count, 63)]
	if l.quiet {
		r -= l.history / quietHistoryShare
		if l.ttNoisy {
			r += ply1024
		}
	} else {
		r = r/2 - int(*t.captureHistory(&f.pos, l.move))/captureHistoryShare
	}
	if l.cut {
		r += cutReduction
	}
	if !l.improving {
		r += worseReduction
	}
	if l.pv {
		r -= ply1024
	}
	if l.move == f.killers[0] || l.move == f.killers[1] {
		r -= ply1024
	}
	if t.stack[l.ply+1].pos.InCheck() {
		r -= ply1024
	}
	return r / ply1024
}
