package chess

const lightSquares = ^darkSquares

// IsDeadMaterial tells whether no sequence of moves can end in mate because of the men left: king against king, a single
// minor piece more, or any number of bishops that all stand on squares of one colour. Other dead positions, such as blocked
// pawns, are not recognised; Lichess's rule is the same (scalachess, InsufficientMatingMaterial).
func (p *Position) IsDeadMaterial() bool {
	if p.types[Pawn-1]|p.types[Rook-1]|p.types[Queen-1] != 0 {
		return false
	}
	if p.Occupied().Count() <= 3 {
		return true
	}
	bishops := p.types[Bishop-1]
	return p.types[Knight-1] == 0 && (bishops&lightSquares == 0 || bishops&darkSquares == 0)
}

// CanMate tells whether a side could still give mate with the opponent's help, judged by material alone. If not, it cannot
// win when the opponent's time runs out or he leaves: the game is drawn. It cannot with a lone king; with one knight against
// nothing but queens; or with bishops on one colour against neither knight nor pawn nor a bishop on the other colour
// (Lichess's rule, scalachess; a little wider than FIDE's 6.9, which asks about the very position).
func (p *Position) CanMate(c Color) bool {
	own := p.colors[c&1] &^ p.types[King-1]
	their := p.colors[c.Other()&1]
	if own&(p.types[Pawn-1]|p.types[Rook-1]|p.types[Queen-1]) != 0 {
		return true
	}
	knights, bishops := own&p.types[Knight-1], own&p.types[Bishop-1]
	switch {
	case own == 0:
		return false
	case knights != 0 && bishops != 0 || knights.many():
		return true
	case knights != 0:
		return their&^(p.types[King-1]|p.types[Queen-1]) != 0
	}
	if bishops&lightSquares != 0 && bishops&darkSquares != 0 {
		return true
	}
	otherColour := lightSquares
	if bishops&lightSquares != 0 {
		otherColour = darkSquares
	}
	return their&(p.types[Knight-1]|p.types[Pawn-1]|p.types[Bishop-1]&otherColour) != 0
}
