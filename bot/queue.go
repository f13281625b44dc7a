package bot

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"castellan/lichess"
)

// A waiting challenge is one that the bot would play, if it had a place. It is answered when there is one, and else declined in
// time: a challenge that nobody answers keeps its maker waiting.
type waiting struct {
	challenge *lichess.Challenge
	until     time.Time
	log       *slog.Logger
}

// makeWayWait is how long a person's challenge waits at least while the bot's own, which has the place, is withdrawn.
const makeWayWait = 10 * time.Second

// crossingWait is how long a challenge waits at least that an opponent makes whom the bot is still playing: who asks for another game
// as soon as one is over may be heard before its end is.
const crossingWait = 2 * time.Second

// enqueue lets a challenge wait for a place, in which case another may have to give way. It says why not, "" when it does.
func (b *Bot) enqueue(ctx context.Context, c *lichess.Challenge, room int, wait time.Duration, log *slog.Logger) (why string) {
	if id := challengerID(c.Challenger); id != "" && slices.ContainsFunc(b.queue, func(w *waiting) bool { return challengerID(w.challenge.Challenger) == id }) {
		return "another challenge of the same opponent waits for a place already"
	}
	if room <= 0 {
		return "nobody may wait"
	}
	w := &waiting{c, time.Now().Add(wait), log}
	b.queue = append(b.queue, w)
	slices.SortStableFunc(b.queue, func(x, y *waiting) int { return b.opts.Accept.compare(x.challenge, y.challenge) })
	if len(b.queue) > room {
		last := b.queue[len(b.queue)-1]
		b.queue = b.queue[:len(b.queue)-1]
		if last == w {
			return fmt.Sprintf("%d others wait for a place", room)
		}
		b.refuseWith(ctx, last.challenge, &refusal{lichess.DeclineLater, "another challenge goes before, and no more may wait"}, last.log)
	}
	return ""
}

// compare is negative when x gets a place before y, and 0 when the one does that waits longer.
func (a *Acceptance) compare(x, y *lichess.Challenge) int {
	before := func(first, second bool) int {
		switch {
		case first && !second:
			return -1
		case second && !first:
			return 1
		}
		return 0
	}
	order := 0
	switch {
	case a.PreferHumans:
		order = before(!x.Challenger.IsBot(), !y.Challenger.IsBot())
	case a.PreferBots:
		order = before(x.Challenger.IsBot(), y.Challenger.IsBot())
	}
	if order == 0 && a.QueueBest {
		return rating(y) - rating(x)
	}
	return order
}

// rating is that of the challenger, 0 for nobody's.
func rating(c *lichess.Challenge) int {
	if c.Challenger == nil {
		return 0
	}
	return c.Challenger.Rating
}

// serveQueue gives the places that there are to those who wait, and declines what has waited for too long.
func (b *Bot) serveQueue(ctx context.Context) {
	now := time.Now()
	for _, w := range slices.Clone(b.queue) {
		// What was played meanwhile counts too.
		r := b.refuse(w.challenge)
		switch noPlace := b.noPlace(w.challenge); {
		case r != nil:
		case noPlace == "":
			b.leaveQueue(w.challenge.ID)
			b.take(ctx, w.challenge, w.log)
			continue
		case now.Before(w.until):
			continue
		default:
			r = &refusal{lichess.DeclineLater, noPlace + ", and have been for as long as a challenge waits"}
		}
		b.leaveQueue(w.challenge.ID)
		b.refuseWith(ctx, w.challenge, r, w.log)
	}
}

// leaveQueue forgets a challenge that waits, if it does.
func (b *Bot) leaveQueue(id string) {
	b.queue = slices.DeleteFunc(b.queue, func(w *waiting) bool { return w.challenge.ID == id })
}

// waits tells whether a challenge waits.
func (b *Bot) waits(id string) bool {
	return slices.ContainsFunc(b.queue, func(w *waiting) bool { return w.challenge.ID == id })
}
