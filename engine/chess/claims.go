package chess

// FiftyMoveLimit is the half-move clock at which a draw may be claimed by the 50-move rule (FIDE Laws 9.3).
const FiftyMoveLimit = 100

// Claims tells which draws the side to move may claim in the current position: three occurrences (FIDE Laws 9.2.2) and 50
// moves without capture or pawn move (9.3.2). In a game that is over by Outcome there is nothing to claim.
func (g *Game) Claims() (threefold, fiftyMoves bool) {
	if g.Outcome().Over() {
		return false, false
	}
	return g.Repetitions() >= threefoldLimit, g.Position().halfmove >= FiftyMoveLimit
}

// ClaimsWith tells which draws the side to move may claim by announcing a move that is not played yet: the position after it
// is the third occurrence (FIDE Laws 9.2.1) or ends 50 moves (9.3.1). There is nothing to claim with a move that
// is not legal or ends the game by mate or stalemate, nor in a game that is over. Lichess has no such claim.
func (g *Game) ClaimsWith(m Move) (threefold, fiftyMoves bool) {
	p := g.Position()
	if g.Outcome().Over() || !p.IsLegal(m) {
		return false, false
	}
	next := p.Play(m)
	if !next.HasLegalMove() {
		return false, false
	}
	return g.occurrences(&next, g.Ply()+1) >= threefoldLimit, next.halfmove >= FiftyMoveLimit
}
