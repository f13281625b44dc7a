package bot

import (
	"castellan/engine/chess"
	"castellan/lichess"
)

// judge asks for the verdict on the game as it stands, the bot to move.
func (g *game) judge() verdict { return judge(g.situation(), &g.opts.Draw, &g.opts.Resign) }

// situation gathers what a verdict depends on.
func (g *game) situation() *situation {
	p := g.board.Position()
	us, them := lichess.Color(g.us.String()), lichess.Color(g.us.Other().String())
	opponent := g.opponent()
	clock := g.state.Time(them).Duration()
	return &situation{
		moveNumber:      p.FullmoveNumber(),
		history:         g.history,
		men:             p.Occupied().Count(),
		quiet:           p.HalfmoveClock(),
		repeated:        g.board.Repetitions() > 1,
		kingOnly:        g.ourTurn() && kingOnly(p),
		opponentOffers:  g.offers.draw.standing,
		opponentCanMate: p.CanMate(g.us.Other()),
		opponentGone:    g.absent,
		mayOffer:        g.board.Ply() >= 2 && !opponent.IsAI() && g.offers.mayOffer(g.board.Ply()),

		human:  !opponent.IsBot() && !opponent.IsAI(),
		rating: g.full.Player(us).Rating, opponentRating: opponent.Rating,
		timed: g.timed && g.board.Ply() >= 2,
		clock: g.timeLeft(), opponentClock: clock,
		opponentTimeForTenMoves: clock + 10*g.state.Increment(them).Duration(),
	}
}

// kingOnly tells whether the side to move has no legal moves but the king's.
func kingOnly(p *chess.Position) bool {
	var legal chess.MoveList
	p.LegalMoves(&legal)
	for _, m := range legal.Slice() {
		if p.PieceOn(m.From()).Type() != chess.King {
			return false
		}
	}
	return true
}
