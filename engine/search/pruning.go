package search

import "castellan/engine/chess"

// The margins below are in centipawns, depths in plies.

const (
	reverseFutilityDepth  = 8
	reverseFutilityMargin = 75
	razorDepth            = 2
	razorMargin           = 260
	nullDepth             = 3
	futilityDepth         = 8
	futilityBase          = 90
	futilityMargin        = 85
	lateMoveDepth         = 8
	seePruneDepth         = 8
	seeQuietMargin        = -22 // times depth squared
	seeNoisyMargin        = -95 // times depth
	singularDepth         = 6
	aspirationDepth       = 5
	aspirationWindow      = 18
	deltaMargin           = 180
)

// lateMoves is how many quiet moves are tried at a shallow depth.
func lateMoves(depth int, improving bool) int {
	n := 4 + depth*depth
	if !improving {
		n = n*3/5 + 1
	}
	return n
}

// nullReduction is how many plies less the null move is searched.
func nullReduction(depth, eval, beta int) int {
	return 3 + depth/4 + min((eval-beta)/200, 3)
}

// pruneNode tries to settle a node off the principal variation without
// searching its moves.
func (t *Thread) pruneNode(ply, depth, alpha, beta, eval int, improving, cut bool) (int, bool) {
	f := &t.stack[ply]
	// Reverse futility: so far above beta that a quiet move will hold it.
	margin := reverseFutilityMargin * depth
	if improving {
		margin -= reverseFutilityMargin
	}
	if depth <= reverseFutilityDepth && eval-margin >= beta {
		return (eval + beta) / 2, true
	}
	// Razoring: so far below alpha that only captures can help.
	if depth <= razorDepth && eval+razorMargin*depth <= alpha {
		if v := t.quiesce(ply, alpha, alpha+1); v <= alpha || t.stopped {
			return v, true
		}
	}
	// Null move: if passing is good enough, moving is too.
	if depth >= nullDepth && eval >= beta && f.eval >= beta-20*depth+120 && ply >= t.nullBelow &&
		(ply == 0 || t.stack[ply-1].move != chess.NoMove) && hasOfficer(&f.pos) {
		r := nullReduction(depth, eval, beta)
		t.playNull(ply)
		v := -t.search(ply+1, depth-r, -beta, -beta+1, !cut)
		t.eval.Pop()
		if t.stopped {
			return 0, true
		}
		if v >= beta {
			if isDecided(v) {
				v = beta
			}
			if depth < 12 || t.nullBelow > 0 {
				return v, true
			}
			// Verify deep cuts without null moves, against zugzwang.
			t.nullBelow = ply + 3*(depth-r)/4
			verified := t.search(ply, depth-r, beta-1, beta, false)
			t.nullBelow = 0
			if verified >= beta || t.stopped {
				return v, true
			}
		}
	}
	return 0, false
}
