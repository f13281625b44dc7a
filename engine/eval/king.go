package eval

import (
	"math/bits"

	"castellan/engine/chess"
)

// DangerPenalty is what units of danger to a king cost in the middle game, in
// centipawns: with the square, since attackers help each other.
func DangerPenalty(units int) int {
	units = max(0, min(units, MaxDanger))
	return units * units / DangerDivisor
}

// Constants of DangerPenalty.
const (
	MaxDanger     = 800
	DangerDivisor = 1024
)

// kingDanger gathers what is left of the danger to the own king, if there is
// an attack worth the name.
func (us *side) kingDanger(p *chess.Position, c chess.Color, them *side) {
	queen := p.Pieces(c.Other(), chess.Queen) != 0
	if them.attackers < 2 && !(them.attackers == 1 && queen) {
		us.danger.units = 0
		if us.danger.counts != nil {
			*us.danger.counts = dangerCounts{}
		}
		return
	}
	weak := us.zone & them.attacks &^ (us.attacks &^ us.byPiece[chess.King])
	us.danger.add(dangerWeak, weak.Count())
	if !queen {
		us.danger.add(dangerNoQueen, 1)
	}
	us.danger.add(dangerPawns, (us.zone & p.Pieces(c, chess.Pawn)).Count())
	us.danger.add(dangerMinor, (us.zone & p.ByColor(c) & (p.ByType(chess.Knight) | p.ByType(chess.Bishop))).Count())

	// Checks that the enemy can give without loss, or by the queen on a square
	// that the king alone guards.
	free := ^p.ByColor(c.Other()) &^ us.attacks
	files := chess.RookAttacks(us.king, p.Occupied())
	diagonals := chess.BishopAttacks(us.king, p.Occupied())
	us.check(chess.Knight, chess.KnightAttacks(us.king)&free, them)
	us.check(chess.Bishop, diagonals&free, them)
	us.check(chess.Rook, files&free, them)
	us.check(chess.Queen, (files|diagonals)&free, them)
}

func (us *side) check(pt chess.PieceType, from chess.Bitboard, them *side) {
	if them.byPiece[pt]&from != 0 {
		us.danger.add(dangerCheck+dangerTerm(pt-chess.Knight), 1)
	}
}

// shelter looks at the pawns of both sides on the king's file and its
// neighbours.
func (us *side) shelter(p *chess.Position, c chess.Color, pawns *pawnEntry) {
	if us.counts == nil && pawns.shelterKing[c] == us.king {
		us.sum += pawns.shelterScore[c]
		return
	}
	t := tally{counts: us.counts, sign: us.sign}
	front := forwardFill(c, rankMask[us.king.Rank()])
	centre := max(1, min(us.king.File(), 6))
	for f := centre - 1; f <= centre+1; f++ {
		own := nearestRank(c, p.Pieces(c, chess.Pawn)&front&fileMask[f])
		t.add(shelter+term(8*min(f, 7-f)+own), 1)
		enemy := nearestRank(c, p.Pieces(c.Other(), chess.Pawn)&front&fileMask[f])
		distance := 0
		if enemy > 0 {
			distance = max(1, enemy-relative(c, us.king)>>3)
		}
		if own > 0 && enemy == own+1 {
			t.add(blockedStorm+term(distance), 1)
		} else {
			t.add(storm+term(distance), 1)
		}
	}
	us.sum += t.sum
	pawns.shelterKing[c], pawns.shelterScore[c] = us.king, t.sum
}

// nearestRank is the rank, as c sees it, of the pawn nearest to c's side, or 0
// for none.
func nearestRank(c chess.Color, pawns chess.Bitboard) int {
	if pawns == 0 {
		return 0
	}
	if c == chess.White {
		return pawns.First().Rank()
	}
	return bits.LeadingZeros64(uint64(pawns)) / 8
}
