package bot

import (
	"context"
	"maps"
	"time"

	"castellan/lichess"
)

const (
	// lookSoon is when the bot asks which games it has after something that may have begun one: the events that say so have
	// come by then, or are lost. The server keeps 32 lines for a slow reader.
	lookSoon = 5 * time.Second
	// lookEvery is the time between two looks otherwise.
	lookEvery = time.Minute
	// mostListed is how many games the server lists.
	mostListed = 50
	// leftWait is how long a list may be on its way that still has a game that is over.
	leftWait = 20 * time.Second
	// listTimeout bounds one look.
	listTimeout = 20 * time.Second
)

// lookOut asks now and then which games run, until ctx ends: the event that a game has begun can get lost, and so can every word
// of its end.
func (b *Bot) lookOut(ctx context.Context) {
	next := time.NewTimer(lookSoon)
	defer next.Stop()
	// A look that is due soon is not put off by the wish for another, which comes after it.
	soon, again := true, false
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.lookNow:
			if again = soon; !soon {
				next.Reset(lookSoon)
			}
			soon = true
		case <-next.C:
			if soon, again = again, false; soon {
				next.Reset(lookSoon)
			} else {
				next.Reset(lookEvery)
			}
			listing, cancel := context.WithTimeout(ctx, listTimeout)
			list, err := b.client.Playing(listing, mostListed)
			cancel()
			if err != nil {
				b.log.Debug("the running games could not be listed", "err", err)
				continue
			}
			b.tell(func() { b.onPlaying(ctx, list.NowPlaying) })
		}
	}
}

// lookAgain makes the bot look soon.
func (b *Bot) lookAgain() {
	select {
	case b.lookNow <- struct{}{}:
	default:
	}
}

// onPlaying compares the games that run with those that are played.
func (b *Bot) onPlaying(ctx context.Context, running []lichess.GameInfo) {
	maps.DeleteFunc(b.left, func(_ string, at time.Time) bool { return time.Since(at) >= leftWait })
	listed := map[string]bool{}
	defer func() {
		select {
		case <-b.listed:
		default:
			close(b.listed)
		}
	}()
	for i := range running {
		id := running[i].GameID
		listed[id] = true
		switch why, known := b.unplayable[id]; {
		case b.games[id] != nil:
			b.wakeGame(&running[i])
		case time.Since(b.left[id]) < leftWait:
		case known && why == givenUp:
			b.log.Warn("a game still runs that was given up, trying it again", "game", id)
			b.seat(ctx, &running[i], nil)
		case known && why == byItsTerms && playableBy(&running[i]):
			b.log.Warn("a game may be playable by what the list tells of it, trying it", "game", id)
			b.seat(ctx, &running[i], nil)
		case !known:
			b.log.Warn("a game runs whose beginning was not told", "game", id)
			b.onGameStart(ctx, &running[i])
		}
	}
	if len(running) >= mostListed {
		return // there may be more than the server lists
	}
	for id, s := range b.games {
		switch {
		case listed[id]:
			s.missed = 0
		case s.missed == 0:
			s.missed++ // it may have begun, or ended, in this very moment
			b.lookAgain()
		default:
			s.missed = 0
			b.log.Warn("a game is played that the server does not list, looking at it", "game", id)
			b.work.Go(s.resync)
		}
	}
}

// wakeGame tells a game that is played already that it is the bot's turn in it, if it is: it may rest.
func (b *Bot) wakeGame(info *lichess.GameInfo) {
	if s := b.games[info.GameID]; s != nil && !s.timed && info.IsMyTurn {
		b.work.Go(s.wake)
	}
}
