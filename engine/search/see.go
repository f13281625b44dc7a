package search

import "castellan/engine/chess"

// pieceValue is for exchanges and move ordering, in centipawns.
var pieceValue = [7]int{chess.Pawn: 100, chess.Knight: 320, chess.Bishop: 330, chess.Rook: 500, chess.Queen: 950, chess.King: 0}

// seeAtLeast is the static exchange evaluation: it tells whether the captures
// on the move's target square, each side always taking with its least piece,
// gain the mover at least threshold centipawns. Pins are not looked at.
func seeAtLeast(p *chess.Position, m chess.Move, threshold int) bool {
	if m.IsCastle() {
		return threshold <= 0
	}
	from, to := m.From(), m.To()
	mover := p.PieceOn(from)
	occ := p.Occupied()&^from.Bit() | to.Bit()

	gain := pieceValue[p.PieceOn(to).Type()]
	risk := pieceValue[mover.Type()]
	if m.IsEnPassant() {
		gain = pieceValue[chess.Pawn]
		occ &^= chess.NewSquare(to.File(), from.Rank()).Bit()
	}
	if pt := m.Promotion(); pt != chess.NoPieceType {
		gain += pieceValue[pt] - pieceValue[chess.Pawn]
		risk = pieceValue[pt]
	}
	// balance is what the side that moved last has beyond the threshold, first
	// if nothing is taken back, then as if its own man were lost for nothing.
	balance := gain - threshold
	if balance < 0 {
		return false
	}
	if balance >= risk {
		return true
	}
	balance -= risk

	diagonal := p.ByType(chess.Bishop) | p.ByType(chess.Queen)
	straight := p.ByType(chess.Rook) | p.ByType(chess.Queen)
	attackers := p.AttackersTo(to, occ)
	side := mover.Color().Other()
	for {
		attackers &= occ
		ours := attackers & p.ByColor(side)
		if ours == 0 {
			break
		}
		pt := chess.Pawn
		for p.ByType(pt)&ours == 0 {
			pt++
		}
		side = side.Other()
		// A king may not take a guarded piece: the taking does not count.
		if pt == chess.King && attackers&p.ByColor(side) != 0 {
			side = side.Other()
			break
		}
		balance = -balance - 1 - pieceValue[pt]
		if balance >= 0 {
			break
		}
		occ &^= (p.ByType(pt) & ours).First().Bit()
		if pt == chess.Pawn || pt == chess.Bishop || pt == chess.Queen {
			attackers |= chess.BishopAttacks(to, occ) & diagonal
		}
		if pt == chess.Rook || pt == chess.Queen {
			attackers |= chess.RookAttacks(to, occ) & straight
		}
	}
	// The side that could not go on has lost the exchange.
	return side != mover.Color()
}
