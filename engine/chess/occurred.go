package chess

// OccurredAfter returns how often the position after a legal move has occurred in the game before.
func (g *Game) OccurredAfter(m Move) int {
	next := g.Position().Play(m)
	return g.occurrences(&next, g.Ply()+1) - 1
}

// IsChess960 tells whether somebody may castle otherwise than standard chess has it, so that a program must know Chess960 to play on
// from the position.
func (p *Position) IsChess960() bool {
	for _, c := range []Color{White, Black} {
		king, corners := E1, A1.Bit()|H1.Bit()
		if c == Black {
			king, corners = E8, A8.Bit()|H8.Bit()
		}
		if rooks := p.CastlingRooks(c); rooks != 0 && (p.King(c) != king || rooks&^corners != 0) {
			return true
		}
	}
	return false
}
