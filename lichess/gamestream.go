package lichess

import (
	"context"
	"iter"
	"time"
)

// gameBackoff comes back at once after the loss of a good connection, since the
// clock runs, and goes on trying for as long as a restart of the server takes.
var gameBackoff = backoff{first: 250 * time.Millisecond, ceiling: 8 * time.Second, atOnce: true, healthy: 5 * time.Second}

var gameKind = kind[GameEvent]{epGame, DecodeGameEvent, addGameEvent, gameOver}

// Game opens the stream of a game once and yields its events, *GameFull first.
// The last pair has a nil event and the error that says why the stream ended:
// it matches ErrGameOver when the last state was final, else ErrStreamEnded,
// ErrIdle or ErrLineTooLong, or is an *APIError, *LimitError, *NetworkError,
// or the cause of the context's end.
//
// Events that wait while the consumer is busy are condensed: a newer state
// replaces an older one, since each carries all moves.
func (c *Client) Game(ctx context.Context, gameID string) iter.Seq2[GameEvent, error] {
	return func(yield func(GameEvent, error) bool) {
		if err := checkArg("game id", idForm, gameID); err != nil {
			yield(nil, err)
			return
		}
		once(ctx, c, gameKind, []string{gameID}, yield)
	}
}

// GameStream yields the events of a game across connections, with *Connected
// and *Disconnected between them. Each connection begins with a new *GameFull,
// from which everything can be rebuilt, except chat and the opponent's absence,
// which the server does not repeat. It ends with an error that matches
// ErrGameOver, with the cause of the context's end, or with the *APIError of a
// server that refuses for good, for instance because the game does not exist
// or cannot be played by bots.
func (c *Client) GameStream(ctx context.Context, gameID string) iter.Seq2[GameEvent, error] {
	return func(yield func(GameEvent, error) bool) {
		if err := checkArg("game id", idForm, gameID); err != nil {
			yield(nil, err)
			return
		}
		reconnect(ctx, c, gameKind, gameBackoff, []string{gameID}, yield)
	}
}

// gameOver reports whether the event carries a final state.
func gameOver(e GameEvent) bool {
	switch e := e.(type) {
	case *GameFull:
		return e.State.Status.Over()
	case *GameState:
		return e.Status.Over()
	}
	return false
}
