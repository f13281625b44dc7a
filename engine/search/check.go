package search

import "castellan/engine/chess"

// checkSquares are the squares from which a man of a kind would attack the king of the side that is not to move, by
// kind: worked out once for a node, when it is first asked.
type checkSquares struct {
	known   bool
	squares [7]chess.Bitboard
}

// of tells whether a move gives check with the man that it moves; checks
// uncovered behind it, by castling and en passant are not seen. A man that moves away from the king along a line
// would have given check before, so that where it stood does not matter, but for pawns that promote.
func (c *checkSquares) of(p *chess.Position, m chess.Move) bool {
	us := p.SideToMove()
	king := p.King(us.Other())
	if m.IsPromotion() {
		return reaches(m.Promotion(), m.To(), p.Occupied()&^m.From().Bit()).Has(king)
	}
	if !c.known {
		c.known = true
		bishop, rook := chess.BishopAttacks(king, p.Occupied()), chess.RookAttacks(king, p.Occupied())
		c.squares = [7]chess.Bitboard{
			chess.Pawn:   chess.PawnAttacks(us.Other(), king),
			chess.Knight: chess.KnightAttacks(king),
			chess.Bishop: bishop,
			chess.Rook:   rook,
			chess.Queen:  bishop | rook,
		}
	}
	return c.squares[p.PieceOn(m.From()).Type()].Has(m.To())
}
