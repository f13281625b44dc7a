package search

import (
	"unsafe"

	"castellan/engine/chess"
)

// corrections remember by how much the search and the static evaluation
// differed lately, by features of the position that the evaluation may judge
// wrong: the pawns, each side's other men, and the last two moves.
// (https://www.chessprogramming.org/Static_Evaluation_Correction_History)
type corrections struct {
	pawns    [2][correctionSize]int16    // by side to move and pawn key
	officers [2][2][correctionSize]int16 // by side to move, colour and the colour's officers
	moves    [2][12][64]int16            // by side to move and the last move's man and target
}

const (
	correctionSize  = 1 << 14
	maxCorrection   = 1024 // bounds every entry on either side
	correctionScale = 80   // units of the weighted sum that make a centipawn
	pawnCorrection  = 5    // weights in the sum
	menCorrection   = 4
	moveCorrection  = 4
)

// correctionEntries are the entries that belong to a node.
type correctionEntries [4]*int16

func (t *Thread) correctionEntries(ply int) correctionEntries {
	p := &t.stack[ply].pos
	us := p.SideToMove()
	c := &t.corrections
	e := correctionEntries{
		&c.pawns[us][p.PawnKey()%correctionSize],
		&c.officers[us][chess.White][officersIndex(p, chess.White)],
		&c.officers[us][chess.Black][officersIndex(p, chess.Black)],
		&t.noCorrection,
	}
	if ply > 0 {
		if m := t.stack[ply-1].move; m != chess.NoMove {
			e[3] = &c.moves[us][pieceIndex(t.stack[ply-1].pos.PieceOn(m.From()))][m.To()]
		}
	}
	return e
}

// prefetch has the entries fetched that lie in large tables.
func (e *correctionEntries) prefetch() {
	for _, at := range e[:3] {
		prefetch(unsafe.Pointer(at))
	}
}

// corrected is a static evaluation with what was learnt added.
func (t *Thread) corrected(ply, eval int) int {
	e := &t.stack[ply].learnt
	sum := pawnCorrection*int(*e[0]) + menCorrection*(int(*e[1])+int(*e[2])) + moveCorrection*int(*e[3])
	return max(-maxStatic, min(eval+sum/correctionScale, maxStatic))
}

// correct learns from the score of a search to the given depth.
func (t *Thread) correct(ply, depth, score int) {
	bonus := (score - t.stack[ply].eval) * depth / 8
	bonus = max(-maxCorrection/4, min(bonus, maxCorrection/4))
	for _, e := range t.stack[ply].learnt {
		*e += int16(bonus - int(*e)*max(bonus, -bonus)/maxCorrection)
	}
	t.noCorrection = 0
}

// officersIndex hashes where a side's men other than pawns stand, by
// multiplication with odd random constants.
func officersIndex(p *chess.Position, c chess.Color) uint64 {
	own := p.ByColor(c)
	h := uint64(own&p.ByType(chess.Knight)) * 0x9e3779b97f4a7c15
	h += uint64(own&p.ByType(chess.Bishop)) * 0xbf58476d1ce4e5b9
	h += uint64(own&p.ByType(chess.Rook)) * 0x94d049bb133111eb
	h += uint64(own&p.ByType(chess.Queen)) * 0xd6e8feb86659fd93
	h += uint64(own&p.ByType(chess.King)) * 0xa0761d6478bd642f
	h ^= h >> 32
	return h * 0xe7037ed1a0b428db >> (64 - 14)
}
