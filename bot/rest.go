package bot

import (
	"context"
	"time"
)

// lookInEvery is how often a game that rests looks whether the opponent has offered something: only moves and the end are told
// otherwise.
const lookInEvery = time.Hour

// A game without a clock rests while the opponent thinks: its stream, which would stay open for days, is closed, and opened again
// when the list of running games or the event stream says that the bot is to move, or that the game is over. All else that is known
// of the game stays.

// restSoon lets the game rest when the opponent does not move for some time.
func (g *game) restSoon() {
	if after := g.opts.CorrespondenceRest; after > 0 && g.due.rest.IsZero() {
		g.due.rest = time.Now().Add(after)
	}
}

// onRest begins the rest, or looks in.
func (g *game) onRest(ctx context.Context) {
	if g.resting {
		g.openStream(ctx)
		return
	}
	g.log.Debug("the opponent takes his time, closing the game stream")
	g.closeStream()
	g.stream++ // what the old one still says is not heard
	g.resting = true
	g.due.rest = time.Now().Add(lookInEvery)
}

// wake ends the rest.
func (g *game) wake(ctx context.Context) {
	if g.resting {
		g.openStream(ctx)
	}
}
