package lichess

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"time"
)

// gameBackoff comes back at once after the loss of a connection that was of
// any use, since the clock runs, and goes on trying for as long as a restart of
// the server takes. A game's clock shortens the pauses, see gamePacer.
var gameBackoff = backoff{first: 250 * time.Millisecond, ceiling: 8 * time.Second, atOnce: true, healthy: time.Second}

// Bounds of the time that the opening of a game stream may take. The server
// answers it at once, so the first try after a loss is given up soon: what it
// hangs on, the search for the server's name for one, may have passed
// meanwhile. Each further try has twice as long.
const (
	gameFirstAnswer = 1500 * time.Millisecond
	gameAnswer      = 5 * time.Second
)

// A game has a log of its own, in which its player tells of a lost stream.
var gameKind = kind[GameEvent]{epGame, DecodeGameEvent, addGameEvent, gameOver, []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
}, gameFirstAnswer, gameAnswer, true, slog.LevelDebug}

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
// or cannot be played by bots. A web page in its place is no refusal.
//
// A lost stream is opened again at once, and then with pauses that are short
// beside the time on the bot's clock. As long as the stream is in use the
// client keeps a connection warm for moves.
func (c *Client) GameStream(ctx context.Context, gameID string) iter.Seq2[GameEvent, error] {
	return func(yield func(GameEvent, error) bool) {
		if err := checkArg("game id", idForm, gameID); err != nil {
			yield(nil, err)
			return
		}
		c.warmer.hold()
		defer c.warmer.release()
		// A consumer may open the stream anew by itself, again and again.
		known, first := c.limits.beginGame(gameID)
		pacer := &gamePacer{client: c, gameID: gameID, free: first, pace: known}
		reconnect(ctx, c, gameKind, gameBackoff, pacer, []string{gameID}, func(e GameEvent, err error) bool {
			pacer.note(e)
			return yield(e, err)
		})
	}
}

// pace is what is known of a game's clock.
type pace struct {
	timed bool
	color Color // the bot's; "" while it is not known
	state *GameState
	at    time.Time // when state came
	flag  time.Time // when the bot's time is used up at the earliest, for the turn of the next opening; zero after an event
}

// gamePacer fits the pauses of a game's stream to the clock of the game.
type gamePacer struct {
	client  *Client
	gameID  string
	free    bool // the next opening is, of gameOpens
	counted bool // the last opening was
	pace
}

// note takes the clock from an event.
func (p *gamePacer) note(e GameEvent) {
	switch e := e.(type) {
	case *GameFull:
		p.pace = pace{timed: e.Clock != nil, color: e.ColorOf(p.client.Username()), state: &e.State, at: time.Now()}
		if e.White.IsBot() && e.Black.IsBot() {
			p.client.limits.playBot(e.ID)
		}
	case *GameState:
		p.state, p.at, p.flag = e, time.Now(), time.Time{}
	default:
		return
	}
	known := p.pace
	if p.state.Status.Over() {
		known = pace{} // nobody needs it, and its moves take room
	}
	p.client.limits.noteClock(p.gameID, known)
}

// left returns the least that the bot may have on its clock, false in a game
// without one.
func (p *gamePacer) left() (time.Duration, bool) {
	if !p.timed || p.state == nil {
		return 0, false
	}
	least := min(p.state.WTime, p.state.BTime)
	if p.color != "" {
		least = p.state.Time(p.color)
	}
	if left := least.Duration() - time.Since(p.at); left > 0 {
		return left, true
	}
	// Then the game is lost, or the clock has not run for it was the opponent's
	// turn, and shows what it did: no reason to try in more of a hurry.
	return max(least.Duration(), 0), true
}

const (
	// clockShare is the part of the time left that a pause may take at most.
	clockShare = 20
	// leastPause is the shortest pause that is ever taken, but for the first.
	leastPause = 250 * time.Millisecond
	// limitShare is the part of the time left that a limit is heeded at most:
	// to wait longer for it would lose the game in any case.
	limitShare = 4
	// answerShare is the part of the time left that the answer to an opening may
	// take at most: what the try hangs on may be over long before it is given up.
	answerShare = 4
	// unknownLeft is what a clock is taken for of which nothing is known yet.
	unknownLeft = 30 * time.Second
	// untimedLeft is what stands for the time of a game without a clock.
	untimedLeft = 24 * time.Hour
)

// lost keeps the pause short beside the time left.
func (p *gamePacer) lost(err error, _, pause time.Duration) time.Duration {
	left, timed := p.left()
	if timed {
		pause = min(pause, max(left/clockShare, leastPause))
	}
	if limit := (*LimitError)(nil); errors.As(err, &limit) {
		wait := limit.Wait()
		if timed {
			wait = min(wait, max(left/limitShare, leastPause))
		}
		pause = max(pause, wait)
	}
	if network := (*NetworkError)(nil); errors.As(err, &network) && network.Unsent && p.counted {
		p.client.limits.unopened() // it has cost the server nothing
	}
	return pause
}

// turn keeps all games together within gameOpens.
func (p *gamePacer) turn(ctx context.Context) error {
	if p.counted = !p.free; p.free {
		p.free = false
		return nil
	}
	left, timed := p.left()
	switch {
	case p.state == nil:
		left = unknownLeft
	case !timed:
		left = untimedLeft
	}
	// A game that is tried in vain goes before the others until its time would be used up, and not for ever: then it is lost, or
	// its clock does not run.
	switch now := time.Now(); {
	case p.flag.IsZero():
		p.flag = now.Add(left)
	case now.After(p.flag):
		p.flag = now.Add(max(left, unknownLeft))
	}
	p.client.limits.noteClock(p.gameID, p.pace)
	return p.client.limits.awaitTurn(ctx, p.flag)
}

// patience keeps a try short beside the time left, but not shorter than the
// first one.
func (p *gamePacer) patience(answer time.Duration) time.Duration {
	if left, timed := p.left(); timed {
		return min(answer, max(left/answerShare, gameFirstAnswer))
	}
	return answer
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
