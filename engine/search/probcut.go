package search

import "castellan/engine/chess"

const (
	probCutDepth  = 5   // least depth, in plies
	probCutMargin = 180 // centipawns above beta that the shallow search must reach
	probCutLess   = 4   // plies less that it searches
)

// probCut fails a node high when a capture keeps the score well above beta in
// a shallower search: the full search will most likely stay above beta then
// (Buro, "ProbCut: An Effective Selective Extension of the Alpha-Beta
// Algorithm", 1995).
func (t *Thread) probCut(ply, depth, beta int, tt entry, cut bool) (int, bool) {
	f := &t.stack[ply]
	target := beta + probCutMargin
	if depth < probCutDepth || isDecided(target) {
		return 0, false
	}
	if tt.bound != NoBound && tt.depth > depth-probCutLess && tt.score < target {
		return 0, false // known to fail
	}
	move := tt.move
	if move != chess.NoMove && isQuiet(&f.pos, move) {
		move = chess.NoMove
	}
	picker := &f.pickers[0]
	picker.reset(t, ply, move, false)
	for m := picker.pick(); m != chess.NoMove; m = picker.pick() {
		if !seeAtLeast(&f.pos, m, target-f.eval) {
			continue
		}
		t.play(ply, m)
		v := -t.quiesce(ply+1, -target, -target+1)
		if v >= target && !t.stopped {
			v = -t.search(ply+1, depth-probCutLess, -target, -target+1, !cut)
		}
		t.eval.Pop()
		if t.stopped {
			return 0, false
		}
		if v >= target {
			t.table.store(f.pos.Key(), ply, entry{move: m, score: v, eval: f.raw, depth: depth - probCutLess + 1, bound: Lower})
			return v, true
		}
	}
	return 0, false
}
