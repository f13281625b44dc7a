package eval

import "castellan/engine/chess"

// pieces adds placement, mobility and what is said of single pieces, and
// gathers attacks for the terms that follow.
func (us *side) pieces(p *chess.Position, c chess.Color, them *side, pawns *pawnEntry) {
	occ := p.Occupied()
	queens := p.Pieces(c, chess.Queen)
	us.place(chess.King, relative(c, us.king))

	for left := p.Pieces(c, chess.Knight); left != 0; {
		sq := left.PopFirst()
		att := chess.KnightAttacks(sq)
		us.piece(c, chess.Knight, sq, att, knightMobility, them)
		us.minor(p, c, sq, knightOutpost, pawns)
	}
	bishops := p.Pieces(c, chess.Bishop)
	for left := bishops; left != 0; {
		sq := left.PopFirst()
		att := chess.BishopAttacks(sq, occ&^queens)
		us.piece(c, chess.Bishop, sq, att, bishopMobility, them)
		us.minor(p, c, sq, bishopOutpost, pawns)
		same := light
		if !light.Has(sq) {
			same = ^light
		}
		us.add(bishopPawns, (p.Pieces(c, chess.Pawn) & same).Count())
	}
	if bishops&light != 0 && bishops&^light != 0 {
		us.add(bishopPair, 1)
	}
	rooks := p.Pieces(c, chess.Rook)
	for left := rooks; left != 0; {
		sq := left.PopFirst()
		att := chess.RookAttacks(sq, occ&^(queens|rooks))
		us.piece(c, chess.Rook, sq, att, rookMobility, them)
		us.rook(p, c, sq, them)
	}
	for left := queens; left != 0; {
		sq := left.PopFirst()
		us.piece(c, chess.Queen, sq, chess.QueenAttacks(sq, occ), queenMobility, them)
	}
}

func (us *side) place(pt chess.PieceType, sq int) {
	us.add(pieceSquare+term(int(pt-chess.Pawn)*64+sq), 1)
}

// piece is what all pieces have in common.
func (us *side) piece(c chess.Color, pt chess.PieceType, sq chess.Square, att chess.Bitboard, mobility term, them *side) {
	us.add(material+term(pt-chess.Pawn), 1)
	us.place(pt, relative(c, sq))
	us.add(mobility+term((att&us.area).Count()), 1)
	us.attacks |= att
	us.byPiece[pt] |= att
	us.phase += phaseWeight[pt]
	if hits := att & them.zone; hits != 0 {
		us.attackers++
		them.danger.add(dangerAttacker+dangerTerm(pt-chess.Knight), 1)
		them.danger.add(dangerSquare, hits.Count())
	}
}

// minor is for knights and bishops: an outpost is guarded by a pawn, and no
// enemy pawn can ever drive the piece off.
func (us *side) minor(p *chess.Position, c chess.Color, sq chess.Square, outpost term, pawns *pawnEntry) {
	if r := relative(c, sq) >> 3; r >= 3 && r <= 5 && pawns.attacks[c].Has(sq) && !pawns.spans[c.Other()].Has(sq) {
		us.add(outpost, 1)
	}
	if stepBack(c, p.ByType(chess.Pawn)).Has(sq) {
		us.add(minorBehindPawn, 1)
	}
}

func (us *side) rook(p *chess.Position, c chess.Color, sq chess.Square, them *side) {
	file := fileMask[sq.File()]
	if file&p.ByType(chess.Pawn) == 0 {
		us.add(rookOpen, 1)
	} else if file&p.Pieces(c, chess.Pawn) == 0 {
		us.add(rookHalfOpen, 1)
	}
	if relative(c, sq)>>3 == 6 &&
		(relative(c, them.king)>>3 == 7 || rankMask[sq.Rank()]&p.Pieces(c.Other(), chess.Pawn) != 0) {
		us.add(rookSeventh, 1)
	}
}
