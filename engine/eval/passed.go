package eval

import "castellan/engine/chess"

// passers adds what of passed pawns depends on more than the pawns: a free
// way, and the kings.
func (us *side) passers(p *chess.Position, c chess.Color, them *side, pawns *pawnEntry) {
	for left := pawns.passed & p.ByColor(c); left != 0; {
		sq := left.PopFirst()
		rank := relative(c, sq) >> 3
		if rank < 3 {
			continue
		}
		stop := sq + 8
		if c == chess.Black {
			stop = sq - 8
		}
		us.add(passedOurKing+term(rank), int(kingDistance[us.king][stop]))
		us.add(passedTheirKing+term(rank), int(kingDistance[them.king][stop]))
		if !p.Occupied().Has(stop) {
			us.add(passedFree+term(rank), 1)
			if !them.attacks.Has(stop) {
				us.add(passedSafe+term(rank), 1)
			}
		}
		if unstoppable(p, c, sq, them.king) {
			us.add(unstoppablePawn, 1)
		}
	}
}

// unstoppable is the rule of the square: the enemy has nothing but a king and
// pawns, the way is free, and the king comes too late.
func unstoppable(p *chess.Position, c chess.Color, sq, king chess.Square) bool {
	them := c.Other()
	if p.ByColor(them) != p.Pieces(them, chess.Pawn)|king.Bit() {
		return false
	}
	if forwardFill(c, sq.Bit())&^sq.Bit()&p.Occupied() != 0 {
		return false
	}
	goal := chess.NewSquare(sq.File(), 7)
	if c == chess.Black {
		goal = chess.NewSquare(sq.File(), 0)
	}
	distance := int(kingDistance[king][goal])
	if p.SideToMove() == them {
		distance--
	}
	return distance > min(7-relative(c, sq)>>3, 5)
}
