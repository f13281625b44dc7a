package bot

import (
	"slices"

	"castellan/engine/search"
)

// assessment is what the bot thought of its own position when it moved.
type assessment struct {
	ply   int          // number of moves played before it
	score search.Score // from the bot's side
	depth int          // 0 when the search found no time to look
	book  bool         // the move is a book's: there is no score
}

// situation is all that the decision to go on, to offer, to accept or to resign depends on.
type situation struct {
	moveNumber      int          // of the move about to be played
	history         []assessment // the bot's own, oldest first, the present one last
	opponentOffers  bool         // a draw
	opponentCanMate bool         // by material: if not, an offer ends the game at once, whatever the score
	mayOffer        bool         // the server would pass an offer on
}

type verdict uint8

const (
	goOn verdict = iota
	offerDraw
	acceptDraw
	resign
)

func (v verdict) String() string {
	return [...]string{"go on", "offer a draw", "accept the draw", "resign"}[v]
}

// judge decides how a game goes on, from the bot's own past thoughts alone. Moves out of a book come without a score: they neither
// count in a row of level or lost positions nor break it, and no game ends on one.
func judge(s situation, draw *DrawPolicy, res *ResignPolicy) verdict {
	if len(s.history) == 0 {
		return goOn
	}
	now := s.history[len(s.history)-1]
	if now.book {
		return goOn
	}
	searched := slices.DeleteFunc(slices.Clone(s.history), func(a assessment) bool { return a.book })
	if s.opponentOffers && draw.accepts(now) {
		return acceptDraw
	}
	if res.Enabled && s.moveNumber >= res.FromMove && lastAll(searched, res.Moves, func(a assessment) bool {
		return a.depth > 0 && a.score.Centipawns() <= res.Score
	}) {
		return resign
	}
	if draw.Offer && s.mayOffer && s.opponentCanMate && !s.opponentOffers && s.moveNumber >= draw.OfferFromMove &&
		lastAll(searched, draw.OfferMoves, func(a assessment) bool {
			cp := a.score.Centipawns()
			return a.depth > 0 && -draw.OfferScore <= cp && cp <= draw.OfferScore
		}) {
		return offerDraw
	}
	return goOn
}

// accepts tells whether a draw is as good as what the bot has.
func (d *DrawPolicy) accepts(now assessment) bool {
	return d.Accept && now.depth > 0 && now.score.Centipawns() <= d.AcceptScore
}

// lastAll tells whether the last n of the history, at least one, all fulfil a condition.
func lastAll(history []assessment, n int, is func(assessment) bool) bool {
	n = max(n, 1)
	return len(history) >= n && !slices.ContainsFunc(history[len(history)-n:], func(a assessment) bool { return !is(a) })
}
