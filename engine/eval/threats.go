package eval

import "castellan/engine/chess"

// threats adds attacks on enemy men.
func (us *side) threats(p *chess.Position, c chess.Color, them *side) {
	theirs := p.ByColor(c.Other()) &^ them.king.Bit()
	theirPawns := p.Pieces(c.Other(), chess.Pawn)
	officers := theirs &^ theirPawns
	for left := officers & us.byPiece[chess.Pawn]; left != 0; {
		us.add(pawnThreat+term(p.PieceOn(left.PopFirst()).Type()-chess.Knight), 1)
	}
	unguarded := theirs &^ them.byPiece[chess.Pawn]
	for left := (officers | unguarded) & (us.byPiece[chess.Knight] | us.byPiece[chess.Bishop]); left != 0; {
		us.add(minorThreat+term(p.PieceOn(left.PopFirst()).Type()-chess.Pawn), 1)
	}
	queens := p.Pieces(c.Other(), chess.Queen)
	for left := (queens | unguarded) & us.byPiece[chess.Rook]; left != 0; {
		us.add(rookThreat+term(p.PieceOn(left.PopFirst()).Type()-chess.Pawn), 1)
	}
	us.add(hanging, (theirs & us.attacks &^ them.attacks).Count())
	us.add(restricted, (us.attacks & them.attacks &^ them.byPiece[chess.Pawn]).Count())

	free := ^p.Occupied()
	step := stepAhead(c, p.Pieces(c, chess.Pawn)) & free
	third := rankMask[2]
	if c == chess.Black {
		third = rankMask[5]
	}
	step |= stepAhead(c, step&third) & free
	safe := step &^ them.byPiece[chess.Pawn] & (us.attacks | ^them.attacks)
	us.add(pushThreat, (pawnAttackSet(c, safe) & officers).Count())
}

// space counts safe squares in the centre of the own half, where pieces find
// a place.
func (us *side) space(p *chess.Position, c chess.Color, pawns *pawnEntry) {
	centre := (fileMask[2] | fileMask[3] | fileMask[4] | fileMask[5])
	if c == chess.White {
		centre &= rankMask[1] | rankMask[2] | rankMask[3]
	} else {
		centre &= rankMask[6] | rankMask[5] | rankMask[4]
	}
	us.add(space, (centre &^ p.Pieces(c, chess.Pawn) &^ pawns.attacks[c.Other()]).Count())
}
