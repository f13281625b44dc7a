package search

import "castellan/engine/chess"

// maxHistory bounds every history value on either side.
const maxHistory = 16384

// continuation scores moves by piece and target square, as replies to one
// earlier move.
type continuation [12][64]int16

// history remembers which moves caused cut-offs, for ordering and reductions.
type history struct {
	quiet   [2][64][64]int16     // by colour, from, to
	capture [12][64][7]int16     // by piece, to, kind captured
	follow  [12][64]continuation // by an earlier move's piece and to
	none    continuation         // stands in where there is no earlier move
}

func (h *history) clear() { *h = history{} }

// pieceIndex numbers the twelve kinds of men from 0.
func pieceIndex(p chess.Piece) int {
	return int(p.Color())*6 + int(p.Type()) - 1
}

// nudge moves a value towards its bound, less the nearer it is ("gravity").
func nudge(v *int16, bonus int) {
	size := bonus
	if size < 0 {
		size = -size
	}
	*v += int16(bonus - int(*v)*size/maxHistory)
}

func historyBonus(depth int) int { return min(160*depth-60, 1600) }

// capturedType is the kind of man that a move takes, or NoPieceType.
func capturedType(p *chess.Position, m chess.Move) chess.PieceType {
	switch {
	case m.IsCastle():
		return chess.NoPieceType
	case m.IsEnPassant():
		return chess.Pawn
	}
	return p.PieceOn(m.To()).Type()
}

// isQuiet tells the moves that Position.LegalCaptures leaves out: those that
// take nothing, and promotions to less than a queen.
func isQuiet(p *chess.Position, m chess.Move) bool {
	switch {
	case m.IsPromotion():
		return m.Promotion() != chess.Queen
	case m.IsCastle():
		return true
	case m.IsEnPassant():
		return false
	}
	return p.PieceOn(m.To()) == chess.NoPiece
}

func (t *Thread) captureHistory(p *chess.Position, m chess.Move) *int16 {
	return &t.hist.capture[pieceIndex(p.PieceOn(m.From()))][m.To()][capturedType(p, m)]
}

// quietHistory sums what is known about a quiet move, within three times
// maxHistory.
func (t *Thread) quietHistory(ply int, m chess.Move) int {
	f := &t.stack[ply]
	piece := pieceIndex(f.pos.PieceOn(m.From()))
	return int(t.hist.quiet[f.pos.SideToMove()][m.From()][m.To()]) +
		int(t.reply(ply, 1)[piece][m.To()]) +
		int(t.reply(ply, 2)[piece][m.To()])
}

// reply is the continuation table of the move made back plies ago.
func (t *Thread) reply(ply, back int) *continuation {
	if ply < back {
		return &t.hist.none
	}
	return t.stack[ply-back].follow
}

// learn rewards the move that caused a cut-off and blames those tried before.
func (t *Thread) learn(ply, depth int, best chess.Move, quiets, captures []chess.Move) {
	f := &t.stack[ply]
	p := &f.pos
	bonus := historyBonus(depth)
	if isQuiet(p, best) {
		if f.killers[0] != best {
			f.killers[1], f.killers[0] = f.killers[0], best
		}
		t.learnQuiet(ply, best, bonus)
		for _, m := range quiets {
			t.learnQuiet(ply, m, -bonus)
		}
	} else {
		nudge(t.captureHistory(p, best), bonus)
	}
	for _, m := range captures {
		nudge(t.captureHistory(p, m), -bonus)
	}
}

func (t *Thread) learnQuiet(ply int, m chess.Move, bonus int) {
	p := &t.stack[ply].pos
	nudge(&t.hist.quiet[p.SideToMove()][m.From()][m.To()], bonus)
	t.learnReply(ply, m, bonus)
}

// learnReply is learnQuiet for m as a reply to earlier moves.
func (t *Thread) learnReply(ply int, m chess.Move, bonus int) {
	piece := pieceIndex(t.stack[ply].pos.PieceOn(m.From()))
	for _, back := range [...]int{1, 2, 4} {
		if back <= ply {
			nudge(&t.reply(ply, back)[piece][m.To()], bonus)
		}
	}
}
