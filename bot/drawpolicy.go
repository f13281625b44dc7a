package bot

import "time"

// DrawPolicy says when the bot offers a draw and when it accepts one. Scores are in centipawns from the bot's side.
type DrawPolicy struct {
	Offer bool
	// OfferHumans and OfferBots say to whom draws are offered.
	OfferHumans, OfferBots bool
	// OfferMinRating is the rating of the weakest opponent to whom draws are offered. One without a rating counts as strong enough.
	OfferMinRating int
	// OfferScore is how far a level score may be from that of a draw, for so many of the bot's moves in a row as OfferMoves says,
	// each of them searched to OfferDepth plies.
	OfferScore, OfferMoves, OfferDepth int
	// OfferFromMove is the number of the first move with which a draw may be offered.
	OfferFromMove int
	// A position is dead, and a draw in it worth an offer, with at most OfferMen men on the board, kings and pawns included, or when
	// nothing was captured and no pawn moved for OfferQuiet moves of both sides, or when it has come before.
	OfferMen, OfferQuiet int
	// Accept makes the bot accept offers when its score is AcceptScore at most, or when endgame tables say that the game is drawn.
	Accept      bool
	AcceptScore int
	// Clock is when a side is in time trouble: with less than that, and less than the other side. An opponent in it is offered no
	// draw; the bot in it also accepts one when the position is level.
	Clock time.Duration
	// Contempt is what a draw costs the bot: all scores above are meant from this much below zero on. ContemptByRating is added to
	// it for each 100 points that the opponent's rating is below the bot's, and taken off for each above.
	Contempt, ContemptByRating int
}

// contempt is what a draw against this opponent costs.
func (d *DrawPolicy) contempt(s *situation) int {
	if s.rating == 0 || s.opponentRating == 0 {
		return d.Contempt
	}
	return d.Contempt + d.ContemptByRating*(s.rating-s.opponentRating)/100
}

// gain is what the bot gives up by a draw: its score and the contempt.
func (d *DrawPolicy) gain(s *situation, a *assessment) int {
	cp := a.score.Centipawns()
	if a.tableDraw() {
		cp = 0
	}
	return cp + d.contempt(s)
}

// level tells whether an assessment is that of a draw.
func (d *DrawPolicy) level(s *situation, a *assessment) bool {
	gain := d.gain(s, a)
	return a.seen(d.OfferDepth) && -d.OfferScore <= gain && gain <= d.OfferScore
}

// accepts tells whether a draw is as good as what the bot has.
func (d *DrawPolicy) accepts(s *situation) bool {
	if !d.Accept || len(s.history) == 0 {
		return false
	}
	now := s.now()
	if now.tableDraw() {
		return true
	}
	most := d.AcceptScore
	if s.timed && s.clock < d.Clock && s.clock < s.opponentClock {
		most = max(most, d.OfferScore)
	}
	return now.seen(1) && d.gain(s, now) <= most
}

// offers tells whether the game is flat and dead and the opponent somebody to offer a draw to.
func (d *DrawPolicy) offers(s *situation) bool {
	switch {
	case !d.Offer, !s.mayOffer, s.opponentOffers, s.moveNumber < d.OfferFromMove:
		return false
	case !s.opponentCanMate:
		return false // the server would take the offer for the end of the game
	case s.opponentGone:
		return false // his time is running
	case s.human && !d.OfferHumans, !s.human && !d.OfferBots:
		return false
	case s.opponentRating != 0 && s.opponentRating < d.OfferMinRating:
		return false
	case s.timed && s.opponentClock < d.Clock && s.opponentClock < s.clock:
		return false // an offer that stands when his flag falls makes it a draw
	case !d.dead(s):
		return false
	}
	return d.level(s, s.now()) && s.row(d.OfferMoves, d.OfferDepth, func(a *assessment) bool { return d.level(s, a) })
}

// dead tells whether nothing is going on any more.
func (d *DrawPolicy) dead(s *situation) bool {
	return s.men <= d.OfferMen || s.quiet >= 2*d.OfferQuiet || s.repeated || s.now().tableDraw()
}
