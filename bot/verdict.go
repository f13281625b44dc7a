package bot

import (
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/search"
)

// basis is what an assessment rests on.
type basis uint8

const (
	glance   basis = iota // there was no time to look: the score says nothing
	searched              // at least one finished iteration of the search
	tabled                // endgame tables: the result is certain
	booked                // a book or the like: there is no score
)

// assessment is what the bot thought of its own position when it moved.
type assessment struct {
	ply   int          // number of moves played before it
	score search.Score // from the bot's side
	depth int          // in plies
	basis basis
	only  bool // there was nothing to choose, so that hardly any thought was given to it
}

// assess turns a decision into an assessment. only tells that the move was the only legal one.
func assess(ply int, d *engine.Decision, only bool) assessment {
	a := assessment{ply: ply, score: d.Score, depth: d.Depth, only: only}
	switch d.Basis() {
	case engine.BasisGlance:
		a.basis = glance
	case engine.BasisTables:
		a.basis = tabled
	case engine.BasisSearch:
		a.basis = searched
	default:
		a.basis = booked
	}
	return a
}

// seen tells whether the score rests on a search of at least that depth, on a forced mate, or on endgame tables.
func (a *assessment) seen(depth int) bool {
	_, mate := a.score.Mate()
	return a.basis == tabled || a.basis == searched && (mate || a.depth >= max(depth, 1))
}

// tableDraw tells whether endgame tables say that the position is drawn under the 50-move rule. A win that the rule takes away has
// a score of 1, such a loss one of -1.
func (a *assessment) tableDraw() bool {
	return a.basis == tabled && -1 <= a.score && a.score <= 1
}

// situation is all that the decision to go on, to offer, to accept or to resign depends on.
type situation struct {
	moveNumber int          // of the move about to be played
	history    []assessment // the bot's own, oldest first, the present one last

	men      int  // on the board, kings and pawns included
	quiet    int  // plies since the last capture or pawn move
	repeated bool // the position has come before
	kingOnly bool // the bot has no legal moves but the king's

	opponentOffers  bool // a draw
	opponentCanMate bool // by material: if not, an offer ends the game at once, whatever the score
	opponentGone    bool // the server says that he has left
	mayOffer        bool // the server would pass an offer on

	human                   bool          // the opponent is neither a bot nor the server's engine
	rating, opponentRating  int           // 0 for none
	timed                   bool          // both clocks run
	clock, opponentClock    time.Duration // what they show
	opponentTimeForTenMoves time.Duration // his clock and ten increments
}

// now is the assessment of the position on the board.
func (s *situation) now() *assessment { return &s.history[len(s.history)-1] }

// row tells whether the last n moves of the bot, one at least, all fulfil a condition. Moves that say nothing about the position
// neither count in the row nor break it: those out of a book, and those that were forced and got less than depth.
func (s *situation) row(n, depth int, is func(*assessment) bool) bool {
	n = max(n, 1)
	for _, a := range slices.Backward(s.history) {
		if a.basis == booked || a.only && !a.seen(depth) {
			continue
		}
		if !is(&a) {
			return false
		}
		if n--; n == 0 {
			return true
		}
	}
	return false
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

// judge decides how a game goes on. It depends on the situation and the policies alone. No game ends, and no draw is offered, on a
// move that comes without a score.
func judge(s *situation, draw *DrawPolicy, res *ResignPolicy) verdict {
	switch {
	case len(s.history) == 0 || s.now().basis == booked:
		return goOn
	case s.opponentOffers && draw.accepts(s):
		return acceptDraw
	case res.givesUp(s):
		return resign
	case draw.offers(s):
		return offerDraw
	}
	return goOn
}
