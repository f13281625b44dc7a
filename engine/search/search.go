// Package search finds the best move: iterative deepening principal variation
// search (Marsland and Campbell 1982) over a shared transposition table.
package search

import "castellan/engine/chess"

// search is the value of the node at ply from its side to move, exact between
// alpha and beta, else a bound (fail-soft). With beta-alpha above 1 it is a
// node of the principal variation. cut tells that a cut-off is expected.
func (t *Thread) search(ply, depth, alpha, beta int, cut bool) int {
	f := &t.stack[ply]
	p := &f.pos
	inCheck := p.InCheck()
	// Check extension: a line is not judged while a king is attacked.
	if inCheck && ply < 2*t.rootDepth {
		depth++
	}
	if depth <= 0 {
		return t.quiesce(ply, alpha, beta)
	}
	f.pvLen = 0
	f.checks.known = false
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
	if ply >= MaxPly-1 {
		if inCheck {
			return 0
		}
		return t.eval.Score(p)
	}
	// Mate-distance pruning: a shorter mate is known already.
	alpha = max(alpha, -mate+ply)
	beta = min(beta, mate-ply-1)
	if alpha >= beta {
		return alpha
	}
	// A draw is there to be had.
	if alpha < 0 && t.canRepeat(ply) {
		if alpha = 0; alpha >= beta {
			return 0
		}
	}

	excluded := f.excluded
	key := p.Key()
	var tt entry
	hit := false
	if excluded == chess.NoMove {
		tt, hit = t.table.probe(key, ply)
		if hit && tt.move != chess.NoMove && !p.IsLegal(tt.move) {
			tt, hit = entry{}, false
		}
		// Near the 50-move limit a score from another way here may lie.
		if hit && !pv && tt.depth >= depth && p.HalfmoveClock() < 90 && cuts(tt, alpha, beta) {
			return tt.score
		}
		if tt.move != chess.NoMove {
			t.table.prefetch(p.KeyAfter(tt.move))
		}
	}
	// What the tables know: the value lies from least to most.
	least, most := -infinite, infinite
	if t.tables != nil && excluded == chess.NoMove {
		v, bound := t.lookUp(ply, depth)
		switch {
		case bound == NoBound:
		case decides(v, bound, alpha, beta):
			t.remember(ply, depth, v, bound)
			return v
		case pv && bound == Lower:
			least, alpha = v, max(alpha, v)
		case pv:
			most = v
		}
	}
	ttNoisy := tt.move != chess.NoMove && !isQuiet(p, tt.move)

	// Static evaluation, corrected by the table where its bound says more.
	eval := none
	improving := false
	switch {
	case inCheck:
		f.raw, f.eval = evalUnknown, none
	case excluded != chess.NoMove:
		eval = f.eval
	default:
		if hit && tt.eval != evalUnknown {
			f.raw = tt.eval
		} else {
			f.raw = t.eval.Score(p)
		}
		f.eval = t.corrected(ply, f.raw)
		eval = f.eval
		if hit && (tt.bound == Exact || tt.bound == Lower && tt.score > eval || tt.bound == Upper && tt.score < eval) &&
			!isDecided(tt.score) {
			eval = tt.score
		}
	}
	if !inCheck && ply >= 2 {
		before := t.stack[ply-2].eval
		improving = before == none || f.eval > before
	}
	t.stack[ply+1].killers = [2]chess.Move{}

	if !pv && !inCheck && excluded == chess.NoMove && !isDecided(beta) {
		if v, ok := t.pruneNode(ply, depth, alpha, beta, eval, improving, cut); ok {
			return v
		}
		if t.stopped {
			return 0
		}
		if v, ok := t.probCut(ply, depth, beta, tt, cut); ok || t.stopped {
			return v
		}
	}

	// Internal iterative reduction: without a table move the ordering is poor.
	if depth >= 5 && tt.move == chess.NoMove && excluded == chess.NoMove && (pv || cut) {
		depth--
	}

	picker := &f.pickers[0]
	if excluded != chess.NoMove {
		picker = &f.pickers[1]
	}
	picker.reset(t, ply, tt.move, true)

	var quiets, captures [32]chess.Move
	nQuiets, nCaptures := 0, 0
	next := &t.stack[ply+1]
	best, bestMove, original := least, chess.NoMove, alpha
	count := 0
	for m := picker.pick(); m != chess.NoMove; m = picker.pick() {
		if m == excluded {
			continue
		}
		quiet := isQuiet(p, m)
		count++
		hist := 0
		if quiet {
			hist = t.quietHistory(ply, m)
		}

		if best > -decidedBound && hasOfficer(p) {
			reduced := max(0, depth-reduction(depth, count))
			if quiet && !pv && !f.checks.of(p, m) {
				if depth <= lateMoveDepth && nQuiets >= lateMoves(depth, improving) {
					picker.onlyChecks() // late move pruning
					continue
				}
				if !inCheck && reduced <= futilityDepth && f.eval+futilityBase+futilityMargin*reduced <= alpha {
					picker.onlyChecks() // futility pruning
					continue
				}
			}
			if depth <= seePruneDepth {
				margin := seeNoisyMargin * depth
				if quiet {
					margin = seeQuietMargin * reduced * reduced
				}
				if !seeAtLeast(p, m, margin) {
					continue
				}
			}
		}

		extend := 0
		if m == tt.move && depth >= singularDepth && ply < 2*t.rootDepth && excluded == chess.NoMove &&
			tt.depth >= depth-3 && tt.bound&Lower != 0 && !isDecided(tt.score) {
			extend = t.singular(ply, depth, beta, tt, cut)
			if t.stopped {
				return 0
			}
			if extend == multiCut {
				return tt.score - 2*depth
			}
		}

		if quiet && nQuiets < len(quiets) {
			quiets[nQuiets] = m
			nQuiets++
		} else if !quiet && nCaptures < len(captures) {
			captures[nCaptures] = m
			nCaptures++
		}

		t.play(ply, m)
		newDepth := depth - 1 + extend
		var v int
		switch {
		case depth >= 2 && count > 1 && (quiet || count > 4):
			r := t.lateReduction(lateMove{
				ply: ply, depth: depth, count: count, move: m, quiet: quiet, history: hist,
				pv: pv, cut: cut, improving: improving, ttNoisy: ttNoisy,
			})
			low := max(1, min(newDepth-r, newDepth))
			v = -t.search(ply+1, low, -alpha-1, -alpha, true)
			if v > alpha && low < newDepth && !t.stopped {
				// How large the surprise is says how deep to look again.
				if v > best+deeperMargin {
					newDepth++
				} else if v < best+shallowerMargin {
					newDepth--
				}
				if low < newDepth {
					v = -t.search(ply+1, newDepth, -alpha-1, -alpha, !cut)
				}
				if quiet {
					if v <= alpha {
						t.learnReply(ply, m, -historyBonus(newDepth))
					} else if v >= beta {
						t.learnReply(ply, m, historyBonus(newDepth))
					}
				}
			}
		case !pv || count > 1:
			v = -t.search(ply+1, newDepth, -alpha-1, -alpha, !cut)
		}
		if pv && (count == 1 || v > alpha && !t.stopped) {
			v = -t.search(ply+1, newDepth, -beta, -alpha, false)
		}
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

	if count == 0 {
		switch {
		case excluded != chess.NoMove:
			return alpha
		case inCheck:
			return -mate + ply
		}
		return 0
	}
	best = min(best, most)
	if best >= beta {
		t.learn(ply, depth, bestMove, without(quiets[:nQuiets], bestMove), without(captures[:nCaptures], bestMove))
	}
	if excluded == chess.NoMove {
		bound := Upper
		if best >= beta {
			bound = Lower
		} else if best > original {
			bound = Exact
		}
		t.table.store(key, ply, entry{move: bestMove, score: best, eval: f.raw, depth: depth, bound: bound})
		// A score moved by a capture or beyond a bound says nothing of the evaluation.
		if !inCheck && (bestMove == chess.NoMove || isQuiet(p, bestMove)) && !isDecided(best) &&
			!(bound == Lower && best <= f.eval) && !(bound == Upper && best >= f.eval) {
			t.correct(ply, depth, best)
		}
	}
	return best
}

// without drops the last element if it is the move: the best move is always
// the last one tried.
func without(list []chess.Move, m chess.Move) []chess.Move {
	if n := len(list); n > 0 && list[n-1] == m {
		return list[:n-1]
	}
	return list
}

// isDecided tells whether a score is a mate or the result of a table.
func isDecided(v int) bool { return v >= decidedBound || v <= -decidedBound }

// cuts tells whether a table entry of sufficient depth decides the node.
func cuts(e entry, alpha, beta int) bool {
	switch e.bound {
	case Exact:
		return true
	case Lower:
		return e.score >= beta
	case Upper:
		return e.score <= alpha
	}
	return false
}
