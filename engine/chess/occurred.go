package chess

// OccurredAfter returns how often the position after a legal move has occurred in the game before.
func (g *Game) OccurredAfter(m Move) int {
	next := g.Position().Play(m)
	return g.occurrences(&next, g.Ply()+1) - 1
}
