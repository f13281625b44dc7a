package search

import "math"

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
	singularDepth         = 8
	aspirationDepth       = 5
	aspirationWindow      = 18
	deltaMargin           = 180
)

// reductions is how many plies less a late quiet move is searched, by depth
// and by how many moves came before: both count with their logarithm.
var reductions = func() (r [64][64]int) {
	for d := 1; d < 64; d++ {
		for n := 1; n < 64; n++ {
			r[d][n] = int(1024 * (0.75 + math.Log(float64(d))*math.Log(float64(n))/2.3))
		}
	}
	return r
}()

func reduction(depth, moves int) int {
	return reductions[min(depth, 63)][min(moves, 63)] / 1024
}

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
