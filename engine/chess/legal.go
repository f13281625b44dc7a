package chess

// IsLegal tells whether m is a legal move here. Any 16 bits may be asked about, so that a move out of a shared hash table
// can be trusted after it.
func (p *Position) IsLegal(m Move) bool {
	from := m.From()
	man := p.PieceOn(from)
	if man == NoPiece || man.Color() != p.side {
		return false
	}
	if m&kindMask == kindNormal && m>>12&3 == 0 && man.Type() != Pawn {
		return p.isLegalPieceMove(m, man.Type())
	}
	// Pawns and castling have many special cases and are few: ask the generator.
	var c constraints
	p.constrain(&c)
	var list MoveList
	switch {
	case man.Type() == Pawn:
		if p.checkers.many() {
			return false
		}
		pinned := c.targets & c.pinLine(from)
		p.addPawnGroup(&list, &c, from.Bit(), pinned, forcing|quiet)
		p.addEnPassant(&list, &c)
	case m.IsCastle():
		p.addCastlings(&list, &c)
	}
	for _, legal := range list.Slice() {
		if legal == m {
			return true
		}
	}
	return false
}

func (p *Position) isLegalPieceMove(m Move, t PieceType) bool {
	from, to := m.From(), m.To()
	occ := p.Occupied()
	var reach Bitboard
	switch t {
	case Knight:
		reach = KnightAttacks(from)
	case Bishop:
		reach = BishopAttacks(from, occ)
	case Rook:
		reach = RookAttacks(from, occ)
	case Queen:
		reach = QueenAttacks(from, occ)
	case King:
		reach = KingAttacks(from)
	}
	if !reach.Has(to) || p.colors[p.side&1].Has(to) {
		return false
	}
	them := p.side.Other()
	if t == King {
		return p.AttackersTo(to, occ^from.Bit())&p.colors[them&1] == 0
	}
	// Not king: what attacks the king once the man has moved, other than a man it took?
	occ = occ&^from.Bit() | to.Bit()
	return p.AttackersTo(p.King(p.side), occ)&p.colors[them&1]&^to.Bit() == 0
}

// IsCapture tells whether a legal move takes a man, en passant included.
func (p *Position) IsCapture(m Move) bool {
	return m.IsEnPassant() || !m.IsCastle() && p.Occupied().Has(m.To())
}
