package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"castellan/engine/chess"
	"castellan/engine/uciclient"
)

// What a PGN's Termination tag may say (section 9.8.1 of the standard).
const (
	terminationNormal       = "normal"
	terminationAdjudication = "adjudication"
	terminationTime         = "time forfeit"
	terminationAbandoned    = "abandoned"
	terminationInfraction   = "rules infraction"
)

// ending is how a game ended.
type ending struct {
	outcome     chess.Outcome
	termination string
	words       string    // for people
	faults      [2]Faults // by color
}

// board is one game: the runner's view of it.
type board struct {
	seats    [2]*seat // by color
	clocks   *clocks
	judge    adjudicator
	maxPlies int
	chess960 bool

	searched [2]Searched // by color

	game  *chess.Game
	fen   string   // "" when the game starts from the start position
	moves []string // in UCI notation
	notes []chess.Note
}

// newBoard sets a game up. The seats must be ready.
func newBoard(o *Options, opening Opening, white, black *seat) (*board, error) {
	game, err := opening.game()
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	b := &board{
		seats: [2]*seat{white, black}, clocks: newClocks(o.Control, o.Margin), judge: adjudicator{rules: o.Adjudication},
		maxPlies: 2 * o.MaxMoves, chess960: isChess960(opening.Start), game: game, notes: make([]chess.Note, 1),
	}
	switch start := opening.Start; {
	case start == chess.StartPosition():
	case b.chess960:
		b.fen = start.ShredderFEN()
	default:
		b.fen = start.FEN()
	}
	for i, m := range opening.Moves {
		before := game.PositionAt(i)
		b.moves = append(b.moves, before.UCI(m, b.chess960))
		b.notes = append(b.notes, chess.Note{Comment: "book"})
	}
	return b, nil
}

// play plays the game to its end. An error means that ctx ended first.
func (b *board) play(ctx context.Context) (ending, error) {
	for {
		if o := b.game.Outcome(); o.Over() {
			return ending{outcome: o, termination: terminationNormal, words: o.Reason.String()}, nil
		}
		if b.maxPlies > 0 && b.game.Ply() >= b.maxPlies {
			return ending{outcome: chess.Agreed(), termination: terminationAdjudication, words: "drawn at the limit of moves"}, nil
		}
		end, over := b.move(ctx)
		if err := context.Cause(ctx); err != nil {
			return ending{}, err
		}
		if over {
			return end, nil
		}
	}
}

// move lets the side to move think and plays its move; over tells that the game has ended by it.
func (b *board) move(ctx context.Context) (end ending, over bool) {
	side := b.game.Position().SideToMove()
	seat := b.seats[side]
	allowed := b.clocks.allowed(side)
	thinking, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	r, err := seat.engine.Search(thinking, uciclient.Position{FEN: b.fen, Moves: b.moves}, b.clocks.limits(side), nil)
	switch {
	case ctx.Err() != nil:
		return ending{}, false
	case errors.Is(err, uciclient.ErrNoAnswer):
		seat.dismiss()
		return b.timeLoss(side, fmt.Sprintf("%v does not answer", side)), true
	case err != nil:
		seat.dismiss()
		end = b.loss(side, terminationAbandoned, fmt.Sprintf("%v crashes: %v", side, err))
		end.faults[side].Crashes++
		return end, true
	case !b.clocks.spend(side, r.Elapsed):
		return b.timeLoss(side, fmt.Sprintf("%v exceeds its time: %.3f s for a move, %.3f s left", side, r.Elapsed.Seconds(), allowed.Seconds())), true
	}
	m, err := b.game.Position().ParseUCI(r.Move)
	if err != nil {
		// Who knows what it believes to be the position: the next game is for a fresh process.
		seat.dismiss()
		if r.Move == "" {
			err = errors.New("says that it has no move")
		}
		end = b.loss(side, terminationInfraction, fmt.Sprintf("%v plays an illegal move: %v", side, err))
		end.faults[side].IllegalMoves++
		return end, true
	}
	b.moves = append(b.moves, b.game.Position().UCI(m, b.chess960))
	if err := b.game.Play(m); err != nil {
		panic(err) // it was found legal just now
	}
	b.note(side, r)
	b.searched[side].move(r.Info.Nodes)
	if o, decided := b.judge.add(side, r.Info.Score, b.game.Ply()); decided && !b.game.Outcome().Over() {
		return ending{outcome: o, termination: terminationAdjudication, words: "adjudicated by both engines' scores"}, true
	}
	return ending{}, false
}

// note writes down the score from the mover's side, the depth and the time of a move, as match runners do: "+0.31/12 0.052s".
func (b *board) note(side chess.Color, r uciclient.Result) {
	n := chess.Note{Comment: fmt.Sprintf("%s/%d %.3fs", scoreText(r.Info.Score), r.Info.Depth, r.Elapsed.Seconds())}
	if b.clocks.running() {
		left := b.clocks.left[side].Round(time.Millisecond)
		n.Clock = &left
	}
	b.notes = append(b.notes, n)
}

func scoreText(s *uciclient.Score) string {
	switch {
	case s == nil:
		return "?"
	case s.Mate && s.Value > 0:
		return fmt.Sprintf("+M%d", s.Value)
	case s.Mate:
		return fmt.Sprintf("-M%d", -s.Value)
	}
	return fmt.Sprintf("%+.2f", float64(s.Value)/100)
}

// timeLoss is the ending when a side's time has run out: a draw when the other cannot mate.
func (b *board) timeLoss(side chess.Color, words string) ending {
	end := ending{outcome: b.game.Position().OnTime(side), termination: terminationTime, words: words}
	end.faults[side].TimeLosses++
	return end
}

// loss is the ending by a fault, which the other side's material does not mend.
func (b *board) loss(side chess.Color, termination, words string) ending {
	o := chess.Outcome{Reason: chess.Abandonment, Decisive: true, Winner: side.Other()}
	return ending{outcome: o, termination: termination, words: words}
}
