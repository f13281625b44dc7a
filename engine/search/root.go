package search

import (
	"slices"

	"castellan/engine/chess"
)

// rootMove is a move of the root position and the line found behind it.
type rootMove struct {
	move     chess.Move
	score    int // of this iteration, or -infinite when only a bound is known
	previous int // of the iteration before
	nodes    uint64
	depth    int // of the iteration that the score, when there is one, and the line are from
	selDepth int
	pv       [MaxPly]chess.Move
	pvLen    int
}

// listRootMoves fills the moves to be searched, ordered so that even the
// first is a sensible one.
func (t *Thread) listRootMoves() {
	f := &t.stack[0]
	p := &f.pos
	var list chess.MoveList
	p.LegalMoves(&list)
	tt, _ := t.table.probe(p.Key(), 0)
	guess := func(m chess.Move) int {
		if m == tt.move {
			return infinite
		}
		t.play(0, m)
		t.nodes-- // not a part of the search
		v := pieceValue[chess.Pawn]
		if child := &t.stack[1].pos; !child.InCheck() {
			v = -t.eval.Score(child)
		} else if !child.HasLegalMove() {
			v = mate
		}
		t.eval.Pop()
		if !seeAtLeast(p, m, 0) {
			v -= pieceValue[chess.Knight]
		}
		return v
	}
	// A root move is large: what is sorted is small.
	type guessed struct {
		move  chess.Move
		value int
	}
	var room [64]guessed
	moves := room[:0]
	for _, m := range list.Slice() {
		if only := t.run.limits.SearchMoves; len(only) > 0 && !slices.Contains(only, m) {
			continue
		}
		moves = append(moves, guessed{m, guess(m)})
	}
	slices.SortStableFunc(moves, func(a, b guessed) int { return b.value - a.value })
	t.rootMoves = slices.Grow(t.rootMoves[:0], len(moves))
	for _, m := range moves {
		r := rootMove{move: m.move, previous: -infinite, score: -infinite}
		r.pv[0], r.pvLen = m.move, 1
		t.rootMoves = append(t.rootMoves, r)
	}
}

// deepen is iterative deepening: one ply more after another until the limits
// stop it.
func (t *Thread) deepen() {
	r := t.run
	if t.setPoll(); t.id > 0 && t.pollAt == t.nodes {
		return // all nodes are granted, and the first move is played before a look at that
	}
	lines := min(max(1, r.limits.MultiPV), len(t.rootMoves))
	stable := 0
	var told []Info // the last reports, one for each line
	for depth := 1; depth < MaxPly; depth++ {
		if r.limits.Depth > 0 && depth > r.limits.Depth && t.id == 0 {
			break
		}
		t.rootDepth = depth
		lastBest := t.rootMoves[0].move
		before := t.nodes
		for i := range t.rootMoves {
			t.rootMoves[i].previous = t.rootMoves[i].score
			t.rootMoves[i].nodes = 0
		}
		for t.first = 0; t.first < lines && !t.stopped; t.first++ {
			t.aspire(depth)
			slices.SortStableFunc(t.rootMoves[:t.first+1], func(a, b rootMove) int { return b.score - a.score })
		}
		if t.stopped {
			if best := &t.rootMoves[0]; best.score == -infinite { // not one move was searched
				best.score, best.depth, best.selDepth = t.eval.Score(&t.stack[0].pos), depth, depth
			}
			if t.id == 0 {
				r.reportLate(t, told)
			}
			break
		}
		if t.id > 0 {
			continue
		}
		r.depth = depth
		told = r.reportLines(t, lines)

		best := &t.rootMoves[0]
		if best.move == lastBest {
			stable++
		} else {
			stable = 0
		}
		effort := 1.0
		if spent := t.nodes - before; spent > 0 {
			effort = float64(best.nodes) / float64(spent)
		}
		drop := 0
		if best.previous > -mateBound {
			drop = best.previous - best.score
		}
		if r.enough(t, depth, stable, effort, drop) {
			break
		}
	}
}

// aspire searches the root with a narrow window around the last score and
// widens it until the score lies inside.
func (t *Thread) aspire(depth int) {
	line := t.rootMoves[t.first:]
	alpha, beta, window := -infinite, infinite, aspirationWindow
	if last := line[0].previous; depth >= aspirationDepth && last > -infinite {
		alpha, beta = max(last-window, -infinite), min(last+window, infinite)
	}
	reduced := 0
	for {
		t.selDepth = 0
		v := t.searchRoot(max(1, depth-reduced), alpha, beta)
		slices.SortStableFunc(line, func(a, b rootMove) int { return b.score - a.score })
		if t.stopped {
			return
		}
		switch {
		case v <= alpha:
			t.run.reportBound(t, Upper)
			beta = (alpha + beta) / 2
			alpha = max(v-window, -infinite)
			reduced = 0
		case v >= beta:
			t.run.reportBound(t, Lower)
			beta = min(v+window, infinite)
			reduced = min(reduced+1, 3)
		default:
			return
		}
		window += window
		if window > 600 || isDecided(v) {
			alpha, beta = -infinite, infinite
		}
	}
}

// searchRoot is search for the root: its moves are known, sorted by the last
// iteration, and the lines found before this one are left out.
func (t *Thread) searchRoot(depth, alpha, beta int) int {
	f, next := &t.stack[0], &t.stack[1]
	p := &f.pos
	f.raw, f.eval = evalUnknown, none
	if !p.InCheck() {
		f.raw = t.eval.Score(p)
		f.eval = t.corrected(0, f.raw)
	}
	next.killers = [2]chess.Move{}
	best, original := -infinite, alpha
	moves := t.rootMoves[t.first:]
	for i := range moves {
		rm := &moves[i]
		m := rm.move
		before := t.nodes
		quiet := isQuiet(p, m)
		t.play(0, m)
		v := 0
		full := i == 0
		if !full {
			r := 0
			if depth >= 3 && i >= 3 && quiet {
				r = max(0, reduction(depth, i)-1)
			}
			v = -t.search(1, depth-1-r, -alpha-1, -alpha, true)
			if v > alpha && r > 0 && !t.stopped {
				v = -t.search(1, depth-1, -alpha-1, -alpha, true)
			}
			full = v > alpha && !t.stopped
		}
		if full {
			v = -t.search(1, depth-1, -beta, -alpha, false)
		}
		t.eval.Pop()
		rm.nodes += t.nodes - before
		if t.stopped {
			return 0
		}
		if i > 0 && v <= alpha {
			rm.score = -infinite
		} else {
			rm.score, rm.depth, rm.selDepth = v, t.rootDepth, max(t.selDepth, t.rootDepth)
			rm.pv[0] = m
			rm.pvLen = 1 + copy(rm.pv[1:], next.pv[:next.pvLen])
		}
		best = max(best, v)
		if v > alpha {
			alpha = v
			if v >= beta {
				break
			}
		}
	}
	if t.first == 0 && len(t.run.limits.SearchMoves) == 0 {
		bound := Upper
		if best >= beta {
			bound = Lower
		} else if best > original {
			bound = Exact
		}
		move := chess.NoMove
		if bound != Upper {
			for i := range moves {
				if moves[i].score == best {
					move = moves[i].move
				}
			}
		}
		t.table.store(p.Key(), 0, entry{move: move, score: best, eval: f.raw, depth: depth, bound: bound})
	}
	return best
}
