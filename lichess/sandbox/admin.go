package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
)

// GameSetup describes a game that StartGame starts.
type GameSetup struct {
	White, Black     string // account names
	Limit, Increment time.Duration
	Days             int // a move, without a clock; with neither the game is unlimited
	Rated            bool
	Variant          lichess.VariantKey // standard by default, fromPosition when there is a FEN
	FEN              string
}

// StartGame starts a game without a challenge, and without the bounds that
// Lichess sets to clocks: 5 s and 50 ms a move are fine, and bots may play it.
// Both players hear of it by gameStart, also when they connect later.
func (s *Server) StartGame(setup GameSetup) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	white, black := s.accounts[lichess.UserID(setup.White)], s.accounts[lichess.UserID(setup.Black)]
	switch {
	case s.closed:
		return "", errors.New("sandbox: StartGame after Close")
	case white == nil:
		return "", fmt.Errorf("sandbox: no account %q", setup.White)
	case black == nil:
		return "", fmt.Errorf("sandbox: no account %q", setup.Black)
	case white == black:
		return "", fmt.Errorf("sandbox: %s cannot play against itself", white.Name)
	case setup.Limit < 0 || setup.Increment < 0 || setup.Days < 0:
		return "", errors.New("sandbox: a clock cannot be negative")
	}
	rules := ChallengeSetup{Rated: setup.Rated, Days: setup.Days, Variant: setup.Variant, FEN: setup.FEN}
	if err := rules.check(); err != nil {
		return "", fmt.Errorf("sandbox: %w", err)
	}
	variant, _ := lichess.VariantByKey(rules.Variant)
	g, err := s.makeGame(s.newID(), white, black, gameRules{
		variant: variant, fen: rules.FEN, rated: rules.Rated, days: rules.Days,
		hasClock: setup.Limit > 0 || setup.Increment > 0, limit: setup.Limit, increment: setup.Increment,
	})
	if err != nil {
		return "", fmt.Errorf("sandbox: %w", err)
	}
	if g.hasClock {
		g.days = 0
	}
	g.botOK = true
	s.startGame(g)
	return g.id, nil
}

// Game is a game as it stood when it was asked for.
type Game struct {
	ID           string
	White, Black string // account names
	Status       lichess.Status
	Winner       lichess.Color // "" when there is none
	Result       string        // "1-0", "0-1", "1/2-1/2", or "*" while in play and when aborted
	Moves        []string      // UCI, castling as the king's move to the rook
	FEN          string        // the position now
	PGN          string        // with clocks; all moves, also in play
	Chat         []lichess.ChatMessage
}

// Over reports whether the game has ended.
func (g *Game) Over() bool { return g.Status.Over() }

// Game returns a game by its id, false when there is none.
func (s *Server) Game(id string) (Game, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.games[id]
	if g == nil {
		return Game{}, false
	}
	return s.snapshot(g), true
}

// Games returns all games, oldest first.
func (s *Server) Games() []Game {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Game
	for _, g := range s.order {
		all = append(all, s.snapshot(g))
	}
	return all
}

// WaitGame waits for a game to end and returns it. It fails when there is no
// such game, when ctx is done, or when the server is closed before.
func (s *Server) WaitGame(ctx context.Context, id string) (Game, error) {
	s.mu.Lock()
	g := s.games[id]
	s.mu.Unlock()
	if g == nil {
		return Game{}, fmt.Errorf("sandbox: no game %s", id)
	}
	select {
	case <-g.over:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.snapshot(g), nil // which may have been forgotten
	case <-ctx.Done():
		return Game{}, fmt.Errorf("sandbox: game %s is not over: %w", id, ctx.Err())
	case <-s.done:
		return Game{}, fmt.Errorf("sandbox: game %s is not over: the server was closed", id)
	}
}

func (s *Server) snapshot(g *game) Game {
	snapshot := Game{
		ID: g.id, White: g.players[chess.White].Name, Black: g.players[chess.Black].Name,
		Status: g.status, Result: g.result(), Moves: uciMoves(g.chess), FEN: g.position().FEN(),
		Chat: append([]lichess.ChatMessage(nil), g.chat...),
	}
	if g.winner != nil {
		snapshot.Winner = wire(*g.winner)
	}
	pgn, err := s.pgn(g, g.chess, exportFlags{moves: true, clocks: true})
	if err != nil {
		panic("sandbox: " + err.Error()) // the tags and results above are well-formed
	}
	snapshot.PGN = string(pgn)
	return snapshot
}
