package engine

import (
	"context"
	"time"

	"castellan/engine/chess"
)

// Mind is what a bot thinks with: the engine of this package, somebody else's in its place, or either with something to ask before.
type Mind interface {
	// ForGame returns what thinks about one game. The name of the game is for the log.
	ForGame(name string) Thinker
}

// Thinker finds the moves of one game. What is promised of Engine's methods holds for all: a decision has a legal move whenever there is
// one, within what the clock allows. A call whose context has ended may still be on its way back when the next is made.
type Thinker interface {
	Think(ctx context.Context, g *chess.Game, limits Limits) (Decision, error)
	ThinkIdle(ctx context.Context, g *chess.Game, think, latest time.Duration) (Decision, error)
	// Close tells that the game has ended. It does not wait for anything.
	Close()
}

// ForGame returns the engine itself: it needs to know nothing of a game.
func (e *Engine) ForGame(string) Thinker { return anyGame{e} }

type anyGame struct{ *Engine }

// Close does nothing: the engine is there for the other games.
func (anyGame) Close() {}
