package eval

import "castellan/engine/chess"

const fullScale = 64

// scale says how much of strong's advantage is worth winning, 0..fullScale:
// little where the material or opposite bishops make it hard.
func scale(p *chess.Position, strong chess.Color, pawnInfo *pawnEntry) int {
	pawns := p.Pieces(strong, chess.Pawn)
	if pawns == 0 {
		return pawnless(p, strong)
	}
	if wrongBishop(p, strong, pawns) {
		return 0
	}
	bishops := p.ByType(chess.Bishop)
	if p.Pieces(chess.White, chess.Bishop).Count() == 1 && p.Pieces(chess.Black, chess.Bishop).Count() == 1 &&
		(bishops&light).Count() == 1 {
		if p.Occupied() == bishops|p.ByType(chess.Pawn)|p.ByType(chess.King) {
			return min(fullScale, 20+6*(pawnInfo.passed&pawns).Count())
		}
		return 56
	}
	// Few pawns are easily exchanged for the last piece.
	return min(fullScale, 44+6*pawns.Count())
}

// pawnless is scale for a side without pawns: an edge of a minor piece or less
// does not win.
func pawnless(p *chess.Position, strong chess.Color) int {
	ours, theirs := officers(p, strong), officers(p, strong.Other())
	bishops := p.Pieces(strong, chess.Bishop)
	switch {
	case ours <= 3:
		return 0
	case ours == 6 && p.Pieces(strong, chess.Knight).Count() == 2:
		return 0
	case ours == 6 && bishops.Count() == 2 && (bishops&light == 0 || bishops&^light == 0):
		return 0
	case ours-theirs <= 3:
		return 8
	}
	return fullScale
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
	if !lone(p, weak) {
		return false
	}
	bishop := p.Pieces(strong, chess.Bishop)
	if p.ByColor(strong) != pawns|bishop|p.King(strong).Bit() {
		return false
	}
	corner := chess.A8
	if pawns&fileH != 0 {
		corner = chess.H8
	}
	if strong == chess.Black {
		corner ^= 56
	}
	if bishop != 0 && (bishop&light != 0) == light.Has(corner) {
		return false
	}
	return kingDistance[p.King(weak)][corner] <= 1
}

// lone tells whether a side has nothing but its king.
func lone(p *chess.Position, c chess.Color) bool { return p.ByColor(c) == p.King(c).Bit() }

// loneKing is the score against a bare king, from white's view, made from the
// score so far. It tells whether the ending is one of its own: a single pawn
// is looked up, and enough pieces get help to mate. Without pawns the help is
// all that counts beside the material: what is good elsewhere only distracts.
func loneKing(p *chess.Position, v int) (score int, special bool) {
	strong, sign := chess.White, 1
	if lone(p, chess.White) {
		strong, sign = chess.Black, -1
	}
	pawns := p.Pieces(strong, chess.Pawn)
	ours := officers(p, strong)
	if ours == 0 && pawns.Count() == 1 {
		return sign * kpkScore(p, strong, pawns.First()), true
	}
	if ours < 5 {
		return v, false
	}
	help := sign * drive(p, strong)
	if pawns != 0 {
		return v + help, true
	}
	return help + sign*ours*100, true
}

// drive is how near strong is to mating the bare king: it must go to the edge
// (with bishop and knight to a corner of the bishop's colour), and the other
// king must come near.
func drive(p *chess.Position, strong chess.Color) int {
	king := p.King(strong.Other())
	f, r := king.File(), king.Rank()
	v := winBonus + 20*(7-int(kingDistance[king][p.King(strong)])) + 20*(6-min(f, 7-f)-min(r, 7-r))
	bishops := p.Pieces(strong, chess.Bishop)
	if officers(p, strong) == 6 && bishops.Count() == 1 && p.Pieces(strong, chess.Pawn) == 0 {
		corner := 7 - f - r // 0 on the diagonal from a8, 7 in the dark corners
		if bishops&light != 0 {
			corner = f - r
		}
		// Each step to the corner must outweigh what the pieces lose by letting
		// the king pass, all along the edge, and the more the nearer it is.
		knight := p.Pieces(strong, chess.Knight).First()
		v += 100*max(corner, -corner) + 12*corner*corner + 10*(7-int(kingDistance[king][knight])) - cornerMean
	}
	return v
}

const (
	// winBonus lifts a won ending above any advantage with pieces on both sides.
	winBonus = 300
	// cornerMean is about what the way to the corner is worth on average, so
	// that it does not make bishop and knight look better than with a pawn too.
	cornerMean = 300
	// wonPawn is a won king and pawn against king, less than a queen's worth.
	wonPawn     = 400
	wonPawnStep = 30
)

func kpkScore(p *chess.Position, strong chess.Color, pawn chess.Square) int {
	if !kpkWon(strong, p.King(strong), pawn, p.King(strong.Other()), p.SideToMove()) {
		return 0
	}
	return wonPawn + wonPawnStep*(relative(strong, pawn)>>3)
}
