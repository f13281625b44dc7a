package match

import (
	"errors"
	"fmt"

	"castellan/engine/chess"
	"castellan/engine/uciclient"
)

// Adjudication says when the runner ends a game because both engines agree on it. The zero value lets all games be played out.
type Adjudication struct {
	// A draw: from full move DrawFrom of the game on, the scores of DrawMoves moves of both sides in a row were within DrawScore
	// centipawns of zero. DrawMoves 0 is never.
	DrawFrom, DrawMoves, DrawScore int
	// A win: for ResignMoves moves in a row one side's scores were at most -ResignScore centipawns and the other's at least
	// ResignScore. ResignMoves 0 is never.
	ResignMoves, ResignScore int
}

// DefaultAdjudication has the rules of Fishtest, the test framework of Stockfish.
var DefaultAdjudication = Adjudication{DrawFrom: 34, DrawMoves: 8, DrawScore: 20, ResignMoves: 3, ResignScore: 600}

func (a Adjudication) validate() error {
	if a.DrawFrom < 0 || a.DrawMoves < 0 || a.DrawScore < 0 || a.ResignMoves < 0 {
		return fmt.Errorf("adjudication %+v: no number may be negative", a)
	}
	if a.ResignMoves > 0 && a.ResignScore <= 0 {
		return errors.New("adjudication: the score to resign at must be above 0")
	}
	return nil
}

// adjudicator follows the scores of a game.
type adjudicator struct {
	rules           Adjudication
	level           int    // plies in a row with a score near zero
	losing, winning [2]int // moves in a row with a hopeless and with a winning score, by color
}

// add takes the score of a side's move, nil when the engine gave none, and the number of plies played. It returns the outcome
// when the game is decided.
func (a *adjudicator) add(side chess.Color, score *uciclient.Score, ply int) (chess.Outcome, bool) {
	if score == nil {
		a.level, a.losing[side], a.winning[side] = 0, 0, 0
		return chess.Outcome{}, false
	}
	cp := score.Centipawns()
	count := func(n *int, holds bool) {
		if holds {
			*n++
		} else {
			*n = 0
		}
	}
	r := a.rules
	count(&a.level, cp >= -r.DrawScore && cp <= r.DrawScore)
	count(&a.losing[side], cp <= -r.ResignScore)
	count(&a.winning[side], cp >= r.ResignScore)
	for _, loser := range []chess.Color{chess.White, chess.Black} {
		if r.ResignMoves > 0 && a.losing[loser] >= r.ResignMoves && a.winning[loser.Other()] >= r.ResignMoves {
			return chess.Resigned(loser), true
		}
	}
	if r.DrawMoves > 0 && a.level >= 2*r.DrawMoves && ply >= 2*r.DrawFrom {
		return chess.Agreed(), true
	}
	return chess.Outcome{}, false
}
