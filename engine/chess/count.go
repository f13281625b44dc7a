package chess

// CountMoves returns the number of legal moves without listing them: what a perft asks at its last ply.
func (p *Position) CountMoves() int {
	var c constraints
	p.constrain(&c)
	n := p.kingTargets(&c).Count()
	if p.checkers.many() {
		return n
	}
	n += p.castlings(&c).Count()

	for b := p.Pieces(c.us, Knight) &^ c.pinned; b != 0; {
		n += (KnightAttacks(b.PopFirst()) & c.targets).Count()
	}
	// A queen is counted as a bishop and as a rook: the two share no square.
	for b := p.diagonals(c.us) &^ c.pinned; b != 0; {
		n += (BishopAttacks(b.PopFirst(), c.occ) & c.targets).Count()
	}
	for b := p.orthogonals(c.us) &^ c.pinned; b != 0; {
		n += (RookAttacks(b.PopFirst(), c.occ) & c.targets).Count()
	}
	pawns := p.Pieces(c.us, Pawn)
	n += p.countPawnMoves(&c, pawns&^c.pinned, c.targets)

	for b := c.pinned &^ p.types[Knight-1]; b != 0; {
		from := b.PopFirst()
		targets := c.targets & line[c.king&63][from&63]
		switch {
		case pawns.Has(from):
			n += p.countPawnMoves(&c, from.Bit(), targets)
		default:
			if p.diagonals(c.us).Has(from) {
				n += (BishopAttacks(from, c.occ) & targets).Count()
			}
			if p.orthogonals(c.us).Has(from) {
				n += (RookAttacks(from, c.occ) & targets).Count()
			}
		}
	}
	if p.ep != NoSquare {
		for takers := p.pawnsBeside(p.ep); takers != 0; {
			if p.enPassantIsLegal(takers.PopFirst(), p.ep) {
				n++
			}
		}
	}
	return n
}

func (p *Position) countPawnMoves(c *constraints, pawns, targets Bitboard) int {
	one, two, west, east := p.pawnMoves(c, pawns, targets)
	last := rank1 | rank8
	n := one.Count() + two.Count() + west.Count() + east.Count()
	if promoting := (one | west | east) & last; promoting != 0 {
		n += 3 * ((one & last).Count() + (west & last).Count() + (east & last).Count())
	}
	return n
}

// HasLegalMove tells whether the side to move has any legal move: if not, it is mated or stalemated.
func (p *Position) HasLegalMove() bool {
	var c constraints
	p.constrain(&c)
	if p.kingTargets(&c) != 0 {
		return true
	}
	return p.CountMoves() != 0
}
