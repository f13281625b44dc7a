package search

import "castellan/engine/chess"

// multiCut is returned by singular when even without the table's move the
// node fails high.
const multiCut = -100

// singular finds how much to extend the table's move: one ply when all other
// moves are clearly worse.
func (t *Thread) singular(ply, depth, beta int, tt entry, cut bool) int {
	f := &t.stack[ply]
	target := tt.score - 2*depth
	f.excluded = tt.move
	v := t.search(ply, (depth-1)/2, target-1, target, cut)
	f.excluded = chess.NoMove
	switch {
	case v < target:
		return 1
	case target >= beta:
		return multiCut
	case tt.score >= beta:
		return -1
	}
	return 0
}
