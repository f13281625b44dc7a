package chess

// UCI returns the move as UCI text. In standard chess castling is the king's move of two squares ("e1g1"); with
// kingTakesRook it is "e1h1", which Lichess sends in every variant and engines use under UCI_Chess960.
func (p *Position) UCI(m Move, kingTakesRook bool) string {
	if m.IsCastle() && !kingTakesRook {
		kingTo, _ := m.castleTo()
		return m.From().String() + kingTo.String()
	}
	return m.String()
}

// ParseUCI reads a legal move as UCI text: two squares and, exactly when a pawn promotes, one of n, b, r, q in lower case.
// Castling is read as king-takes-rook and, for a king on the e-file, as its move to the g- or c-file where that is no step
// of one square. The error is a *SyntaxError or an *IllegalMoveError.
func (p *Position) ParseUCI(text string) (Move, error) {
	if len(text) != 4 && len(text) != 5 {
		return NoMove, &SyntaxError{"UCI move", text, `must be two squares and perhaps a promotion, such as "e2e4" or "e7e8q"`}
	}
	from, ok1 := ParseSquare(text[:2])
	to, ok2 := ParseSquare(text[2:4])
	if !ok1 || !ok2 {
		return NoMove, &SyntaxError{"UCI move", text, "has something other than squares from a1 to h8"}
	}
	var promotion PieceType
	if len(text) == 5 {
		switch text[4] {
		case 'n':
			promotion = Knight
		case 'b':
			promotion = Bishop
		case 'r':
			promotion = Rook
		case 'q':
			promotion = Queen
		default:
			return NoMove, &SyntaxError{"UCI move", text, "promotes to something other than n, b, r or q"}
		}
	}
	var list MoveList
	p.LegalMoves(&list)
	for _, m := range list.Slice() {
		if m.From() == from && m.To() == to && m.Promotion() == promotion {
			return m, nil
		}
	}
	if promotion == NoPieceType && from.File() == E1.File() {
		for _, m := range list.Slice() {
			if m.IsCastle() && m.From() == from {
				if kingTo, _ := m.castleTo(); kingTo == to {
					return m, nil
				}
			}
		}
	}
	return NoMove, &IllegalMoveError{text, p.FEN()}
}
