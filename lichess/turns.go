package lichess

import (
	"context"
	"time"
)

// turn is an opening of a game's stream that waits until all games together may make another.
type turn struct {
	flag time.Time // when the bot's time is used up
}

// turnLook is how often an opening that goes after others looks whether it goes next.
const turnLook = 50 * time.Millisecond

// beginGame tells whether the stream of a game is opened for the first time, which is not counted, since games begin no faster
// than challenges are answered, and else what the game's clock showed last.
func (l *limits) beginGame(gameID string) (known pace, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, before := l.opened[gameID]
	if !before {
		if len(l.opened) >= mostOpened {
			clear(l.opened)
		}
		l.opened[gameID] = pace{}
	}
	return known, !before
}

// noteClock keeps what a game's clock shows, for the next who opens its stream.
func (l *limits) noteClock(gameID string, p pace) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened[gameID] = p
}

// awaitTurn waits until all games together may open another stream, and counts it. Of those that wait the one goes first whose time
// is used up first, and not the one that came first: after an outage all games want to come back, again and again, and a
// bullet game cannot wait for those that have minutes.
func (l *limits) awaitTurn(ctx context.Context, flag time.Time) error {
	own := &turn{flag}
	l.mu.Lock()
	l.turns[own] = struct{}{}
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.turns, own)
		l.mu.Unlock()
	}()
	for {
		wait, mine := l.takeTurn(own)
		if mine {
			return nil
		}
		if err := sleep(ctx, max(wait, turnLook)); err != nil {
			return err
		}
	}
}

// takeTurn takes an opening when there is one and nobody goes before, and else returns how long there is none.
func (l *limits) takeTurn(own *turn) (wait time.Duration, mine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if wait := l.gameOpens.room(now); wait > 0 {
		return wait, false
	}
	for other := range l.turns {
		if other.flag.Before(own.flag) {
			return 0, false
		}
	}
	l.gameOpens.take(now)
	return 0, true
}

// unopened takes back what awaitTurn counted: nothing has reached the server.
func (l *limits) unopened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gameOpens.giveBack()
}
