package search

import "castellan/engine/chess"

// stage is where a picker stands; it gives out moves in this order.
type stage uint8

const (
	stageTable     stage = iota // the transposition table's move
	stageMakeNoisy              // generate captures and queen promotions
	stageNoisy                  // those that lose nothing, best victims first
	stageMakeQuiet              // generate the rest
	stageQuiet                  // killers, then by history
	stageBad                    // captures that lose material
	stageDone
)

// picker hands out the moves of one node, the most promising first, and
// generates as late as it can.
type picker struct {
	thread *Thread
	ply    int
	stage  stage
	quiets bool // false: captures and queen promotions only
	checks bool // of the quiet moves only those that give check
	table  chess.Move

	list  chess.MoveList
	moves [chess.MaxMoves]scoredMove
	next  int
	end   int
	bad   [64]chess.Move
	bads  int
	badAt int
}

// scoredMove is a move below its score, so that one comparison of two words finds the better.
type scoredMove int64

const moveBits = 16

func scored(m chess.Move, score int) scoredMove { return scoredMove(score)<<moveBits | scoredMove(m) }

func (s scoredMove) move() chess.Move { return chess.Move(s) }
func (s scoredMove) score() int       { return int(s >> moveBits) }

// reset starts over for the node at ply. A table move must be legal.
func (k *picker) reset(t *Thread, ply int, table chess.Move, quiets bool) {
	k.thread, k.ply, k.table, k.quiets = t, ply, table, quiets
	k.next, k.end, k.bads, k.badAt = 0, 0, 0, 0
	k.stage, k.checks = stageTable, false
}

// pick gives the next move, or NoMove when there is none left.
func (k *picker) pick() chess.Move {
	p := &k.thread.stack[k.ply].pos
	for {
		switch k.stage {
		case stageTable:
			k.stage = stageMakeNoisy
			if k.table != chess.NoMove {
				return k.table
			}
		case stageMakeNoisy:
			k.makeNoisy(p)
			k.stage = stageNoisy
		case stageNoisy:
			m, score := k.best()
			if m == chess.NoMove {
				k.stage = stageMakeQuiet
				if !k.quiets {
					k.stage = stageBad
				}
				continue
			}
			if !seeAtLeast(p, m, -score/64) && k.bads < len(k.bad) {
				k.bad[k.bads] = m
				k.bads++
				continue
			}
			return m
		case stageMakeQuiet:
			k.makeQuiet(p)
			k.stage = stageQuiet
		case stageQuiet:
			if m, _ := k.best(); m != chess.NoMove {
				return m
			}
			k.stage = stageBad
		case stageBad:
			if k.badAt < k.bads {
				k.badAt++
				return k.bad[k.badAt-1]
			}
			k.stage = stageDone
		default:
			return chess.NoMove
		}
	}
}

// onlyChecks drops the quiet moves to come that do not give check.
func (k *picker) onlyChecks() {
	if k.checks {
		return
	}
	k.checks = true
	if k.stage != stageQuiet {
		return
	}
	f := &k.thread.stack[k.ply]
	left := k.moves[k.next:k.end]
	k.end = k.next
	for _, s := range left {
		if f.checks.of(&f.pos, s.move()) {
			k.moves[k.end] = s
			k.end++
		}
	}
}

// best takes the highest-scored move that is left, the first of equals: one step of a selection
// sort, since often only a few moves are wanted.
func (k *picker) best() (chess.Move, int) {
	if k.next >= k.end {
		return chess.NoMove, 0
	}
	left := k.moves[k.next:k.end]
	at, top := 0, left[0]|(1<<moveBits-1)
	for i, s := range left {
		if s > top {
			at, top = i, s|(1<<moveBits-1)
		}
	}
	best := left[at]
	left[at] = left[0]
	k.next++
	m := best.move()
	k.thread.table.prefetch(k.thread.stack[k.ply].pos.KeyAfter(m)) // most likely it is searched next
	return m, best.score()
}

// makeNoisy scores captures by victim (most valuable first) and by history.
func (k *picker) makeNoisy(p *chess.Position) {
	p.LegalCaptures(&k.list)
	k.next, k.end = 0, 0
	for _, m := range k.list.Slice() {
		if m == k.table {
			continue
		}
		score := 8 * pieceValue[capturedType(p, m)]
		if m.Promotion() == chess.Queen {
			score += 4 * pieceValue[chess.Queen]
		}
		score += int(*k.thread.captureHistory(p, m)) / 4
		k.moves[k.end] = scored(m, score)
		k.end++
	}
}

const killerScore = 1 << 20

// makeQuiet scores the moves that makeNoisy left out.
func (k *picker) makeQuiet(p *chess.Position) {
	t := k.thread
	f := &t.stack[k.ply]
	p.LegalQuiets(&k.list)
	quiet := &t.hist.quiet[p.SideToMove()]
	one, two, four := t.reply(k.ply, 1), t.reply(k.ply, 2), t.reply(k.ply, 4)
	k.next, k.end = 0, 0
	for _, m := range k.list.Slice() {
		if m == k.table || k.checks && !f.checks.of(p, m) {
			continue
		}
		var score int
		switch m {
		case f.killers[0]:
			score = killerScore + 1
		case f.killers[1]:
			score = killerScore
		default:
			piece := pieceIndex(p.PieceOn(m.From()))
			score = int(quiet[m.From()][m.To()]) + int(one[piece][m.To()]) + int(two[piece][m.To()]) + int(four[piece][m.To()])/2
			if m.IsPromotion() {
				score -= killerScore // a rook, bishop or knight
			}
		}
		k.moves[k.end] = scored(m, score)
		k.end++
	}
}
