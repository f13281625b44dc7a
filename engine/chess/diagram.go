package chess

// Diagram returns a drawing of the board in plain text, seen from White: ten lines with ranks and files at the edge, men as in
// a FEN, dots for empty squares, and whose turn it is.
func (p *Position) Diagram() string {
	var b []byte
	for rank := 7; rank >= 0; rank-- {
		b = append(b, '1'+byte(rank), ' ')
		for file := range 8 {
			man := "."
			if on := p.PieceOn(NewSquare(file, rank)); on != NoPiece {
				man = on.String()
			}
			b = append(b, ' ')
			b = append(b, man...)
		}
		b = append(b, '\n')
	}
	b = append(b, "\n   a b c d e f g h    "...)
	if p.side == White {
		return string(append(b, "White to move\n"...))
	}
	return string(append(b, "Black to move\n"...))
}
