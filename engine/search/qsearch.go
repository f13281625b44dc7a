package search

import "castellan/engine/chess"

// evalUnknown marks a table entry without a static evaluation; it fits in 16
// bits and is out of every evaluator's range.
const evalUnknown = -mate

// quiesce plays captures and queen promotions until the position is quiet, so
// that the static evaluation can be trusted. In check it tries every move.
func (t *Thread) quiesce(ply, alpha, beta int) int {
	f := &t.stack[ply]
	p := &f.pos
	f.pvLen = 0
	if t.nodes >= t.pollAt && t.poll() {
		return 0
	}
	pv := beta-alpha > 1
	if pv {
		t.selDepth = max(t.selDepth, ply)
	}
	if t.drawn(ply) {
		return 0
	}
	inCheck := p.InCheck()
	if ply >= MaxPly-1 {
		if inCheck {
			return 0
		}
		return t.eval.Score(p)
	}

	key := p.Key()
	tt, hit := t.table.probe(key, ply)
	if hit && tt.move != chess.NoMove && !p.IsLegal(tt.move) {
		tt, hit = entry{}, false
	}
	if hit && !pv && p.HalfmoveClock() < 90 && cuts(tt, alpha, beta) {
		return tt.score
	}
	if tt.move != chess.NoMove {
		t.table.prefetch(p.KeyAfter(tt.move))
	}

	original := alpha
	best := -mate + ply
	f.raw, f.eval = evalUnknown, none
	if !inCheck {
		if hit && tt.eval != evalUnknown {
			f.raw = tt.eval
		} else {
			f.raw = t.eval.Score(p)
		}
		f.eval = t.corrected(ply, f.raw)
		// Standing pat: nobody is forced to capture.
		best = f.eval
		if hit && (tt.bound == Lower && tt.score > best || tt.bound == Upper && tt.score < best) && !isDecided(tt.score) {
			best = tt.score
		}
		if best >= beta {
			if !hit {
				t.table.store(key, ply, entry{score: best, eval: f.raw, depth: 0, bound: Lower})
			}
			return best
		}
		alpha = max(alpha, best)
		if tt.move != chess.NoMove && isQuiet(p, tt.move) {
			tt.move = chess.NoMove
		}
	}

	picker := &f.pickers[0]
	picker.reset(t, ply, tt.move, inCheck)
	next := &t.stack[ply+1]
	bestMove := chess.NoMove
	for m := picker.pick(); m != chess.NoMove; m = picker.pick() {
		if !inCheck {
			// Captures that lose material, and all that come after them.
			if picker.stage == stageBad {
				break
			}
			// Delta pruning: even the captured man does not reach alpha.
			if m.Promotion() == chess.NoPieceType {
				if f.eval+70 <= alpha && !seeAtLeast(p, m, 1) {
					best = max(best, f.eval+70)
					continue
				}
				if reach := f.eval + deltaMargin + pieceValue[capturedType(p, m)]; reach <= alpha {
					best = max(best, reach)
					continue
				}
			}
		} else if best > -mateBound && isQuiet(p, m) {
			continue // one answer to the check is enough when it is quiet
		}
		t.play(ply, m)
		v := -t.quiesce(ply+1, -beta, -alpha)
		t.eval.Pop()
		if t.stopped {
			return 0
		}
		if v > best {
			best = v
			if v > alpha {
				bestMove = m
				if pv {
					f.take(m, next)
				}
				alpha = v
				if v >= beta {
					break
				}
			}
		}
	}

	bound := Upper
	if best >= beta {
		bound = Lower
	} else if best > original && bestMove != chess.NoMove {
		bound = Exact
	}
	t.table.store(key, ply, entry{move: bestMove, score: best, eval: f.raw, depth: 0, bound: bound})
	return best
}
