package bot

import (
	"time"

	"castellan/engine/search"
)

// ResignPolicy says when the bot gives up. Scores are in centipawns from the bot's side.
type ResignPolicy struct {
	Enabled bool
	// Humans and Bots say against whom the bot resigns.
	Humans, Bots bool
	// MinRating is the rating of the weakest opponent that is trusted to win: those below may still blunder. One without a rating
	// is trusted.
	MinRating int
	// Score is negative: a position is lost with this score or less. The bot resigns when it was for so many of its moves in a row
	// as Moves says, each of them searched to Depth plies. What endgame tables call lost is lost, too.
	Score, Moves, Depth int
	// FromMove is the number of the first move with which the bot may resign.
	FromMove int
	// OpponentClock is how much time the opponent must have, ten increments counted in. With less he may lose on time.
	OpponentClock time.Duration
	// Stalemate makes the bot play on when it has no moves but the king's, in hope of a stalemate.
	Stalemate bool
}

// lost tells whether an assessment is that of a lost position. A loss that the 50-move rule may save is none.
func (r *ResignPolicy) lost(a *assessment) bool {
	if a.basis == tabled {
		return a.score <= -search.TableWin
	}
	return a.seen(r.Depth) && a.score.Centipawns() <= r.Score
}

// givesUp tells whether the game is lost and the opponent somebody who will win it.
func (r *ResignPolicy) givesUp(s *situation) bool {
	switch {
	case !r.Enabled, s.moveNumber < r.FromMove:
		return false
	case s.human && !r.Humans, !s.human && !r.Bots:
		return false
	case s.opponentRating != 0 && s.opponentRating < r.MinRating:
		return false
	case !s.opponentCanMate, s.opponentGone:
		return false // he cannot win, or not any more
	case s.timed && s.opponentTimeForTenMoves < r.OpponentClock:
		return false
	case r.Stalemate && s.kingOnly:
		return false
	}
	return r.lost(s.now()) && s.row(r.Moves, r.Depth, r.lost)
}
