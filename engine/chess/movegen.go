package chess

// constraints is what legality asks of the side to move's moves, worked out once for a position so that every move
// generated is legal and none has to be tried out.
type constraints struct {
	us, them Color
	king     Square
	own, occ Bitboard
	// targets are the squares where a man other than the king may land: anywhere but on own men; in check only where it
	// takes the checker or stands in between; nowhere in double check.
	targets Bitboard
	// pinned are own men that shield the king from a slider: they may move along the line through their king alone.
	pinned Bitboard
	// attacked is where the king may not go: see kingDanger. Nothing until somebody asks.
	attacked Bitboard
}

// constrain works out the constraints of a position, into c because returning them by value costs a tenth of a perft.
func (p *Position) constrain(c *constraints) {
	us, them := p.side, p.side.Other()
	*c = constraints{us: us, them: them, king: p.King(us), own: p.colors[us&1], occ: p.Occupied()}
	c.targets = ^c.own
	if p.checkers != 0 {
		if p.checkers.many() {
			c.targets = 0
		} else {
			c.targets = between[c.king&63][p.checkers.First()&63] | p.checkers
		}
	}
	// A slider that would attack the king if nothing stood in the way pins the single man of ours that does.
	snipers := emptyBishop[c.king&63]&p.diagonals(them) | emptyRook[c.king&63]&p.orthogonals(them)
	for snipers != 0 {
		shield := between[c.king&63][snipers.PopFirst()&63] & c.occ
		if shield&c.own != 0 && !shield.many() {
			c.pinned |= shield
		}
	}
}

// attackedBy returns every square that colour c attacks on a board with the given occupation.
func (p *Position) attackedBy(c Color, occ Bitboard) Bitboard {
	pawns := p.Pieces(c, Pawn)
	attacked := (pawns &^ fileA).shift(c.up()-1) | (pawns &^ fileH).shift(c.up()+1) | KingAttacks(p.King(c))
	for b := p.Pieces(c, Knight); b != 0; {
		attacked |= KnightAttacks(b.PopFirst())
	}
	for b := p.diagonals(c); b != 0; {
		attacked |= BishopAttacks(b.PopFirst(), occ)
	}
	for b := p.orthogonals(c); b != 0; {
		attacked |= RookAttacks(b.PopFirst(), occ)
	}
	return attacked
}

// kingTargets returns where the king may step, castling apart.
func (p *Position) kingTargets(c *constraints) Bitboard {
	targets := KingAttacks(c.king) &^ c.own
	if targets == 0 {
		return 0
	}
	return targets &^ p.kingDanger(c)
}

// kingDanger returns the squares that the enemy attacks when the king does not stand in the way: it must not shield the
// squares behind it from a slider. It is worked out once for a position, and only when a king's move depends on it.
func (p *Position) kingDanger(c *constraints) Bitboard {
	if c.attacked == 0 { // once worked out it is never empty: the enemy king attacks something
		c.attacked = p.attackedBy(c.them, c.occ^c.king.Bit())
	}
	return c.attacked
}

// castlings returns the squares of the rooks with which the side to move may castle now.
func (p *Position) castlings(c *constraints) (rooks Bitboard) {
	rights := p.castling.of(c.us)
	if rights == 0 || p.checkers != 0 {
		return 0
	}
	for candidates := rights.squares(); candidates != 0; {
		rook := candidates.PopFirst()
		kingTo, rookTo := newMove(kindCastle, c.king, rook).castleTo()
		kingPath := between[c.king&63][kingTo&63] | kingTo.Bit()
		rookPath := between[rook&63][rookTo&63] | rookTo.Bit()
		if (kingPath|rookPath)&(c.occ&^(c.king.Bit()|rook.Bit())) != 0 {
			continue
		}
		// In Chess960 the rook may be all that stands between the king and a rook or queen on the back rank.
		if c.pinned.Has(rook) {
			continue
		}
		if kingPath&p.kingDanger(c) == 0 {
			rooks |= rook.Bit()
		}
	}
	return rooks
}

// pawnMoves returns the squares reached by pushes of one and two squares and by captures towards the a- and the h-file,
// for a set of pawns that may all land on the same squares.
func (p *Position) pawnMoves(c *constraints, pawns, targets Bitboard) (one, two, west, east Bitboard) {
	up := c.us.up()
	one = pawns.shift(up) &^ c.occ
	two = (one & (rank1 << 16 << (24 * c.us))).shift(up) &^ c.occ & targets
	enemies := p.colors[c.them&1] & targets
	west = (pawns &^ fileA).shift(up-1) & enemies
	east = (pawns &^ fileH).shift(up+1) & enemies
	return one & targets, two, west, east
}

// LegalMoves fills the list with every legal move.
func (p *Position) LegalMoves(list *MoveList) {
	list.n = 0
	var c constraints
	p.constrain(&c)
	p.addKingMoves(list, &c, allSquares)
	if !p.checkers.many() {
		p.addCastlings(list, &c)
		p.addPieceMoves(list, &c, c.targets)
		p.addPawnMoves(list, &c, c.targets, forcing|quiet)
		p.addEnPassant(list, &c)
	}
}

// LegalCaptures fills the list with the legal captures, en passant included, and the promotions to a queen: the moves
// that a quiescence search looks at.
func (p *Position) LegalCaptures(list *MoveList) {
	list.n = 0
	var c constraints
	p.constrain(&c)
	enemies := p.colors[c.them&1]
	p.addKingMoves(list, &c, enemies)
	if !p.checkers.many() {
		p.addPieceMoves(list, &c, c.targets&enemies)
		p.addPawnMoves(list, &c, c.targets, forcing)
		p.addEnPassant(list, &c)
	}
}

// LegalQuiets fills the list with the legal moves that LegalCaptures leaves out, in the order in which LegalMoves has them.
func (p *Position) LegalQuiets(list *MoveList) {
	list.n = 0
	var c constraints
	p.constrain(&c)
	p.addKingMoves(list, &c, ^c.occ)
	if !p.checkers.many() {
		p.addCastlings(list, &c)
		p.addPieceMoves(list, &c, c.targets&^c.occ)
		p.addPawnMoves(list, &c, c.targets, quiet)
	}
}

// moveKinds says which moves of the pawns are wanted.
type moveKinds uint8

const (
	forcing moveKinds = 1 << iota // captures, and promotions to a queen
	quiet                         // the others
)

func (p *Position) addKingMoves(list *MoveList, c *constraints, wanted Bitboard) {
	if KingAttacks(c.king)&wanted&^c.own != 0 {
		addMoves(list, c.king, p.kingTargets(c)&wanted)
	}
}

func (p *Position) addCastlings(list *MoveList, c *constraints) {
	for rooks := p.castlings(c); rooks != 0; {
		list.add(newMove(kindCastle, c.king, rooks.PopFirst()))
	}
}

func addMoves(list *MoveList, from Square, to Bitboard) {
	for to != 0 {
		list.add(newMove(kindNormal, from, to.PopFirst()))
	}
}

// addPieceMoves adds the moves of knights, bishops, rooks and queens to the given squares.
func (p *Position) addPieceMoves(list *MoveList, c *constraints, targets Bitboard) {
	for b := p.Pieces(c.us, Knight) &^ c.pinned; b != 0; { // a pinned knight never stays on its line
		from := b.PopFirst()
		addMoves(list, from, KnightAttacks(from)&targets)
	}
	for b := p.diagonals(c.us); b != 0; {
		from := b.PopFirst()
		addMoves(list, from, BishopAttacks(from, c.occ)&targets&c.pinLine(from))
	}
	for b := p.orthogonals(c.us); b != 0; {
		from := b.PopFirst()
		addMoves(list, from, RookAttacks(from, c.occ)&targets&c.pinLine(from))
	}
}

// pinLine returns the squares a man may go to without laying its king bare.
func (c *constraints) pinLine(from Square) Bitboard {
	if c.pinned.Has(from) {
		return line[c.king&63][from&63]
	}
	return allSquares
}

// addPawnMoves adds the moves of the pawns, en passant apart.
func (p *Position) addPawnMoves(list *MoveList, c *constraints, targets Bitboard, wanted moveKinds) {
	pawns := p.Pieces(c.us, Pawn)
	p.addPawnGroup(list, c, pawns&^c.pinned, targets, wanted)
	for pinned := pawns & c.pinned; pinned != 0; {
		from := pinned.PopFirst()
		p.addPawnGroup(list, c, from.Bit(), targets&line[c.king&63][from&63], wanted)
	}
}

func (p *Position) addPawnGroup(list *MoveList, c *constraints, pawns, targets Bitboard, wanted moveKinds) {
	one, two, west, east := p.pawnMoves(c, pawns, targets)
	up := c.us.up()
	last := rank1 | rank8
	addPromotions(list, one&last, up, wanted)
	addPromotions(list, west&last, up-1, wanted)
	addPromotions(list, east&last, up+1, wanted)
	if wanted&forcing != 0 {
		addPawnSteps(list, west&^last, up-1)
		addPawnSteps(list, east&^last, up+1)
	}
	if wanted&quiet != 0 {
		addPawnSteps(list, one&^last, up)
		addPawnSteps(list, two, 2*up)
	}
}

func addPawnSteps(list *MoveList, to Bitboard, delta int) {
	for to != 0 {
		s := to.PopFirst()
		list.add(newMove(kindNormal, Square(int(s)-delta), s))
	}
}

func addPromotions(list *MoveList, to Bitboard, delta int, wanted moveKinds) {
	for to != 0 {
		s := to.PopFirst()
		from := Square(int(s) - delta)
		if wanted&forcing != 0 {
			list.add(newPromotion(from, s, Queen))
		}
		if wanted&quiet != 0 {
			list.add(newPromotion(from, s, Knight))
			list.add(newPromotion(from, s, Rook))
			list.add(newPromotion(from, s, Bishop))
		}
	}
}

func (p *Position) addEnPassant(list *MoveList, c *constraints) {
	if p.ep == NoSquare {
		return
	}
	for takers := p.pawnsBeside(p.ep); takers != 0; {
		if from := takers.PopFirst(); p.enPassantIsLegal(from, p.ep) {
			list.add(newMove(kindEnPassant, from, p.ep))
		}
	}
}
