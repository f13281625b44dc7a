package chess

// Play returns the position after a legal move. A move that is not legal here gives a position without meaning; ask
// IsLegal about moves from outside.
func (p *Position) Play(m Move) Position {
	next := *p
	next.play(m)
	return next
}

// PlayInto is Play with a place for the position, which spares a copy.
func (p *Position) PlayInto(next *Position, m Move) {
	*next = *p
	next.play(m)
}

// KeyAfter returns the key of the position after a legal move faster than playing it, to fetch what is kept under that key ahead of
// time. It leaves out what changes seldom: it is wrong after castling, en passant and promotions, when castling rights
// are lost, and when a double step may be taken en passant.
func (p *Position) KeyAfter(m Move) uint64 {
	from, to := m.From(), m.To()
	man := p.PieceOn(from)
	key := p.key ^ zobrist.black ^ zobrist.man[man][from] ^ zobrist.man[man][to]
	if captured := p.PieceOn(to); captured != NoPiece {
		key ^= zobrist.man[captured][to]
	}
	if p.ep != NoSquare {
		key ^= zobrist.ep[p.ep.File()]
	}
	return key
}

// PlayNull returns the position with the other side to move and nothing else done, as null-move pruning wants it. It
// must not be called in check.
func (p *Position) PlayNull() Position {
	next := *p
	next.key ^= zobrist.black
	if next.ep != NoSquare {
		next.key ^= zobrist.ep[next.ep.File()]
		next.ep = NoSquare
	}
	next.side = p.side.Other()
	next.halfmove = min(p.halfmove+1, maxClock)
	next.fullmove = min(p.fullmove+uint16(p.side), maxClock)
	return next
}

// play makes a legal move in place.
func (p *Position) play(m Move) {
	us, them := p.side, p.side.Other()
	from, to := m.From(), m.To()
	man := p.PieceOn(from)

	key := p.key ^ zobrist.black
	if p.ep != NoSquare {
		key ^= zobrist.ep[p.ep.File()]
		p.ep = NoSquare
	}
	if p.halfmove < maxClock {
		p.halfmove++
	}
	if p.fullmove < maxClock {
		p.fullmove += uint16(us)
	}
	doubleStep := false

	if m.IsCastle() {
		rook := p.PieceOn(to)
		kingTo, rookTo := m.castleTo()
		// Both are lifted before either is set down: in Chess960 one may land where the other stood.
		p.remove(man, from)
		p.remove(rook, to)
		p.put(man, kingTo)
		p.put(rook, rookTo)
		key ^= zobrist.man[man][from] ^ zobrist.man[man][kingTo] ^ zobrist.man[rook][to] ^ zobrist.man[rook][rookTo]
	} else {
		captureOn := to
		if m.IsEnPassant() {
			captureOn = to ^ 8 // the pawn stands one rank behind the square it passed over
		}
		if captured := p.PieceOn(captureOn); captured != NoPiece {
			p.remove(captured, captureOn)
			p.halfmove = 0
			k := zobrist.man[captured][captureOn&63]
			key ^= k
			if captured.Type() == Pawn {
				p.pawnKey ^= k
			}
		}
		p.remove(man, from)
		if man.Type() == Pawn {
			p.halfmove = 0
			p.pawnKey ^= zobrist.man[man][from]
			key ^= zobrist.man[man][from]
			if m.IsPromotion() {
				man = NewPiece(us, m.Promotion())
			} else {
				p.pawnKey ^= zobrist.man[man][to]
				doubleStep = from^to == 16
			}
			key ^= zobrist.man[man][to]
		} else {
			key ^= zobrist.man[man][from] ^ zobrist.man[man][to]
		}
		p.put(man, to)
	}

	if p.castling != 0 {
		lost := castlingBits(from.Bit() | to.Bit())
		if man.Type() == King {
			lost |= 0xff << (8 * us)
		}
		if lost &= p.castling; lost != 0 {
			key ^= castlingKey(lost)
			p.castling ^= lost
		}
	}

	p.side = them
	p.key = key
	p.checkers = p.attackersOf(us, p.King(them))
	if doubleStep {
		p.setEnPassant(to ^ 8)
	}
}

// attackersOf returns the men of colour c, king apart, that attack a square on the board as it is.
func (p *Position) attackersOf(c Color, s Square) Bitboard {
	attackers := PawnAttacks(c.Other(), s)&p.Pieces(c, Pawn) | KnightAttacks(s)&p.Pieces(c, Knight)
	// The look-up on the empty board is small and usually finds no slider in line, which spares the larger one.
	if sliders := p.diagonals(c); emptyBishop[s&63]&sliders != 0 {
		attackers |= BishopAttacks(s, p.Occupied()) & sliders
	}
	if sliders := p.orthogonals(c); emptyRook[s&63]&sliders != 0 {
		attackers |= RookAttacks(s, p.Occupied()) & sliders
	}
	return attackers
}

// setEnPassant records the square that a double step passed over if the side to move has a legal en passant capture on
// it, and keeps the key in step. Only then are two positions different for repetition (FIDE Laws 9.2.3).
func (p *Position) setEnPassant(s Square) {
	for takers := p.pawnsBeside(s); takers != 0; {
		if p.enPassantIsLegal(takers.PopFirst(), s) {
			p.ep = s
			p.key ^= zobrist.ep[s.File()]
			return
		}
	}
}

// pawnsBeside returns the pawns of the side to move that could capture on s.
func (p *Position) pawnsBeside(s Square) Bitboard {
	return PawnAttacks(p.side.Other(), s) & p.Pieces(p.side, Pawn)
}

// enPassantIsLegal tells whether the pawn on from may capture en passant on s without leaving its king attacked. Two pawns
// leave one rank at once, so no pin shows it: look at the board as it would be.
func (p *Position) enPassantIsLegal(from, s Square) bool {
	us, them := p.side, p.side.Other()
	captured := (s ^ 8).Bit()
	occ := p.Occupied() ^ from.Bit() ^ captured | s.Bit()
	king := p.King(us)
	return BishopAttacks(king, occ)&p.diagonals(them) == 0 &&
		RookAttacks(king, occ)&p.orthogonals(them) == 0 &&
		(KnightAttacks(king)&p.Pieces(them, Knight)|PawnAttacks(us, king)&p.Pieces(them, Pawn)&^captured) == 0
}
