package eval

import "castellan/engine/chess"

const fullScale = 64

// scale says how much of an advantage is worth winning, 0..fullScale: little
// where the material or opposite bishops make it hard.
func scale(p *chess.Position, eg int) int {
	strong := chess.White
	if eg < 0 {
		strong = chess.Black
	}
	pawns := p.Pieces(strong, chess.Pawn)
	if pawns == 0 {
		// Without pawns an edge of a minor piece or less does not win,
		// and two knights alone cannot force mate.
		ours, theirs := officers(p, strong), officers(p, strong.Other())
		switch {
		case ours <= 3:
			return 0
		case ours == 6 && p.Pieces(strong, chess.Knight).Count() == 2:
			return 0
		case ours-theirs <= 3:
			return 8
		}
		return fullScale
	}
	if wrongBishop(p, strong, pawns) {
		return 0
	}
	bishops := p.ByType(chess.Bishop)
	if p.Pieces(chess.White, chess.Bishop).Count() == 1 && p.Pieces(chess.Black, chess.Bishop).Count() == 1 &&
		(bishops&light).Count() == 1 {
		if p.Occupied() == bishops|p.ByType(chess.Pawn)|p.ByType(chess.King) {
			return 28
		}
		return 56
	}
	// Few pawns are easily exchanged for the last piece.
	return min(fullScale, 44+6*pawns.Count())
}

// officers counts pieces in the units of beginners: 3, 3, 5, 9.
func officers(p *chess.Position, c chess.Color) int {
	return 3*(p.Pieces(c, chess.Knight).Count()+p.Pieces(c, chess.Bishop).Count()) +
		5*p.Pieces(c, chess.Rook).Count() + 9*p.Pieces(c, chess.Queen).Count()
}

// wrongBishop is the well-known draw: rook pawns whose corner the bishop does
// not cover, with the bare enemy king in it.
func wrongBishop(p *chess.Position, strong chess.Color, pawns chess.Bitboard) bool {
	weak := strong.Other()
	if pawns&^fileA != 0 && pawns&^fileH != 0 {
		return false
	}
	if p.ByColor(weak) != p.King(weak).Bit() {
		return false
	}
	bishop := p.Pieces(strong, chess.Bishop)
	if p.ByColor(strong) != pawns|bishop|p.King(strong).Bit() {
		return false
	}
	corner := chess.Square(56)
	if pawns&fileH != 0 {
		corner = 63
	}
	if strong == chess.Black {
		corner ^= 56
	}
	if bishop != 0 && (bishop&light != 0) == light.Has(corner) {
		return false
	}
	return kingDistance[p.King(weak)][corner] <= 1
}

// mopUp helps to win against a bare king: drive it to the edge (with bishop
// and knight to a corner of the bishop's colour) and bring the own king near.
// White's view, endgame centipawns.
func mopUp(p *chess.Position, eg int) int {
	strong, sign := chess.White, 1
	if eg < 0 {
		strong, sign = chess.Black, -1
	}
	weak := strong.Other()
	if p.ByColor(weak) != p.King(weak).Bit() {
		return 0
	}
	ours := officers(p, strong)
	if ours < 5 {
		return 0
	}
	king := p.King(weak)
	f, r := int(king.File()), int(king.Rank())
	v := 12*(6-min(f, 7-f)-min(r, 7-r)) + 8*(7-int(kingDistance[king][p.King(strong)]))
	bishops := p.Pieces(strong, chess.Bishop)
	if ours == 6 && bishops.Count() == 1 && p.Pieces(strong, chess.Pawn) == 0 {
		a, h := chess.Square(0), chess.Square(63) // the dark corners
		if bishops&light != 0 {
			a, h = 56, 7
		}
		v += 40 * (7 - int(min(kingDistance[king][a], kingDistance[king][h])))
	}
	return sign * v
}
