package bot

import (
	"context"
	"errors"
	"time"

	"castellan/lichess"
)

// An Arena is an arena tournament to play in.
type Arena struct {
	ID       string
	Password string // "" for none
	Team     string // to play for in a battle of teams; "" for none
}

const (
	// pairAgain is how often the bot asks an arena for an opponent: the server forgets a request after a minute.
	pairAgain = 45 * time.Second
	// arenaLook is the longest time between two looks at an arena that has not begun.
	arenaLook = 10 * time.Minute
	// arenaRetry is the pause after a call that failed, or while there is no place.
	arenaRetry = 30 * time.Second
	// arenaTimeout bounds a call.
	arenaTimeout = 45 * time.Second
)

// attendance is the bot's part in an arena, from joining it to its end.
type attendance struct {
	Arena
	kick   chan struct{} // has something when a game of it has ended
	leave  chan struct{} // closed when the bot is to play no more in it
	joined bool          // the server has let the bot in; of the goroutine that attends
}

// arenaPlace is the key of the place that is kept for an arena's next game; no id has this form.
func arenaPlace(id string) string { return "arena " + id }

// attendArena plays in an arena until it is over, unless the bot does so already.
func (b *Bot) attendArena(ctx context.Context, arena Arena) {
	if b.arenas[arena.ID] != nil || b.draining {
		return
	}
	a := &attendance{Arena: arena, kick: make(chan struct{}, 1), leave: make(chan struct{})}
	b.arenas[arena.ID] = a
	b.work.Go(func() {
		b.attend(ctx, a)
		b.tell(func() {
			delete(b.arenas, a.ID)
			delete(b.reserved, arenaPlace(a.ID))
		})
	})
}

// onArenaGame takes the beginning of a game of an arena. One that the bot did not join by itself, it plays on in: somebody has
// joined it with the bot's account, or the process before has.
func (b *Bot) onArenaGame(ctx context.Context, id string) {
	delete(b.reserved, arenaPlace(id))
	b.attendArena(ctx, Arena{ID: id})
}

// leaveArenas makes the bot play in no arena any more.
func (b *Bot) leaveArenas() {
	for _, a := range b.arenas {
		select {
		case <-a.leave:
		default:
			close(a.leave)
		}
	}
}

// afterArenaGame makes the bot ask for the next opponent.
func (b *Bot) afterArenaGame(id string) {
	if a := b.arenas[id]; a != nil {
		select {
		case a.kick <- struct{}{}:
		default:
		}
	}
}

// attend joins an arena, asks for an opponent whenever there is a place for a game, and ends with the arena.
func (b *Bot) attend(ctx context.Context, a *attendance) {
	log := b.log.With("arena", a.ID)
	for {
		var pause time.Duration
		info, err := b.arenaInfo(ctx, a)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, lichess.ErrNotFound):
			log.Error("there is no such arena")
			return
		case err != nil:
			log.Warn("nothing is known of the arena, asking again", "in", arenaRetry.String(), "err", err)
			pause = b.arenaPause(err)
		case info.IsFinished:
			log.Info("the arena is over", "name", info.FullName)
			return
		case info.Started() && info.PairingsClosed:
			pause = arenaRetry
		default:
			var open bool
			if pause, open = b.enter(ctx, a, info); !open {
				return
			}
		}
		select {
		case <-time.After(pause):
		case <-a.kick:
		case <-a.leave:
			b.quitArena(ctx, a)
			return
		case <-ctx.Done():
			return
		}
	}
}

func (b *Bot) arenaInfo(ctx context.Context, a *attendance) (*lichess.Arena, error) {
	ctx, cancel := context.WithTimeout(ctx, arenaTimeout)
	defer cancel()
	return b.client.Arena(ctx, a.ID)
}

// enter joins the arena, or asks for the next opponent in one that has begun. It returns the time until something is to be done again,
// and false when the arena does not want the bot.
func (b *Bot) enter(ctx context.Context, a *attendance, info *lichess.Arena) (pause time.Duration, open bool) {
	log := b.log.With("arena", a.ID, "name", info.FullName)
	entry := lichess.ArenaEntry{Password: a.Password, Team: a.Team, PairNow: info.Started()}
	wait := pairAgain
	if !info.Started() {
		if wait = min(info.StartsIn(), arenaLook); a.joined {
			return wait, true
		}
	} else if !b.arenaWants(ctx, a) {
		return arenaRetry, true
	}
	joining, cancel := context.WithTimeout(ctx, arenaTimeout)
	defer cancel()
	err := b.client.JoinArena(joining, a.ID, entry)
	var refusal *lichess.APIError
	switch {
	case err == nil:
		if !a.joined {
			log.Info("joined the arena", "starts in", info.StartsIn().String())
		}
		a.joined = true
		return wait, true
	case errors.Is(err, lichess.ErrForbidden):
		log.Error("the token lacks the permission " + lichess.ScopeTournament + ", which joining an arena needs; the bot plays on without the arena")
		return 0, false
	case errors.As(err, &refusal) && refusal.Status < 500 && !lichess.IsAuthError(err):
		log.Error("the arena does not want the bot", "err", err)
		return 0, false
	}
	log.Warn("joining the arena failed, trying again", "err", err)
	return b.arenaPause(err), true
}

// arenaPause is the time until a call may be tried again.
func (b *Bot) arenaPause(err error) time.Duration {
	if limit := (*lichess.LimitError)(nil); errors.As(err, &limit) {
		return max(arenaRetry, limit.Wait())
	}
	return arenaRetry
}

// arenaWants tells whether the bot can take a game of the arena now, and keeps the place for it. It waits until the games are known that
// run since before the start.
func (b *Bot) arenaWants(ctx context.Context, a *attendance) bool {
	select {
	case <-b.listed:
	case <-a.leave:
		return false
	case <-ctx.Done():
		return false
	}
	answer := make(chan bool, 1)
	b.tell(func() {
		key := arenaPlace(a.ID)
		// Whom the arena sends is not known before. The places kept for people are for those who ask for a game.
		wants := b.reserved[key] != nil || b.timed("") < b.opts.MaxGames && b.timedBots("") < b.botPlaces()
		for _, s := range b.games {
			wants = wants && s.arena != a.ID
		}
		if wants = wants && !b.draining; wants && b.reserved[key] == nil {
			b.reserved[key] = &seat{timed: true, bot: true}
		}
		answer <- wants
	})
	select {
	case wants := <-answer:
		return wants
	case <-b.stopped:
	case <-ctx.Done():
	}
	return false
}

// quitArena tells the arena that the bot plays no more.
func (b *Bot) quitArena(ctx context.Context, a *attendance) {
	if !a.joined {
		return
	}
	leaving, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if err := b.client.LeaveArena(leaving, a.ID); err != nil {
		b.log.Warn("leaving the arena failed", "arena", a.ID, "err", err)
		return
	}
	b.log.Info("left the arena", "arena", a.ID)
}
