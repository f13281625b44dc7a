package search

import "castellan/engine/chess"

// canRepeat tells whether the side to move has a move back to a position of
// the tree below the root, which would be a draw: it need not be worse off
// than that. All that differs from such a position is one of its men, with a
// free way to where it stood. Pins are not looked at.
// (https://www.chessprogramming.org/Repetitions#Upcoming_Repetitions finds
// the same by hashing; here the positions are at hand.)
func (t *Thread) canRepeat(ply int) bool {
	f := &t.stack[ply]
	if f.reversible < 3 {
		return false
	}
	p := &f.pos
	us, them := p.SideToMove(), p.SideToMove().Other()
	for back := 3; back <= f.reversible && ply-back > 0; back += 2 {
		then := &t.stack[ply-back].pos
		moved := then.ByColor(us) ^ p.ByColor(us)
		if then.ByColor(them) != p.ByColor(them) || moved.Count() != 2 {
			continue
		}
		from, to := (moved & p.ByColor(us)).First(), (moved & then.ByColor(us)).First()
		man := p.PieceOn(from)
		if man == then.PieceOn(to) && sameMen(p, then, man.Type()) && reaches(man.Type(), from, p.Occupied()).Has(to) &&
			p.CastlingRooks(us) == then.CastlingRooks(us) && p.CastlingRooks(them) == then.CastlingRooks(them) &&
			then.EnPassant() == chess.NoSquare {
			return true
		}
	}
	return false
}

// sameMen tells whether all men but those of one kind stand alike.
func sameMen(a, b *chess.Position, but chess.PieceType) bool {
	for kind := chess.Pawn; kind <= chess.King; kind++ {
		if kind != but && a.ByType(kind) != b.ByType(kind) {
			return false
		}
	}
	return true
}

// reaches is where a man other than a pawn may go from a square.
func reaches(kind chess.PieceType, from chess.Square, occ chess.Bitboard) chess.Bitboard {
	switch kind {
	case chess.Knight:
		return chess.KnightAttacks(from)
	case chess.Bishop:
		return chess.BishopAttacks(from, occ)
	case chess.Rook:
		return chess.RookAttacks(from, occ)
	case chess.Queen:
		return chess.QueenAttacks(from, occ)
	case chess.King:
		return chess.KingAttacks(from)
	}
	return 0
}
