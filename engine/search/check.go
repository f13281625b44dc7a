package search

import "castellan/engine/chess"

// checks tells whether a move gives check with the man that it moves; checks
// uncovered behind it, by castling and en passant are not seen.
func checks(p *chess.Position, m chess.Move) bool {
	us := p.SideToMove()
	to, king := m.To(), p.King(us.Other())
	kind := p.PieceOn(m.From()).Type()
	if m.IsPromotion() {
		kind = m.Promotion()
	}
	if kind == chess.Pawn {
		return chess.PawnAttacks(us, to).Has(king)
	}
	if kind == chess.King {
		return false
	}
	return reaches(kind, to, p.Occupied()&^m.From().Bit()).Has(king)
}
