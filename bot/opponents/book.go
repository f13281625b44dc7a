// Package opponents remembers what happened with other accounts: when they were played, what they declined, and until when
// they are to be left alone. It also chooses whom to challenge next.
//
// A Book belongs to one goroutine. It asks nobody for the time and starts nothing: all its methods are told the time.
package opponents

import (
	"maps"
	"slices"
	"time"

	"castellan/lichess"
)

const (
	// Day is the time within which games and challenges are counted. The server's own day begins with the first one counted and
	// ends as a whole, so that what fits into every stretch of this length fits into that too.
	Day = 24 * time.Hour
	// Recent is the time within which a game speaks against another one with the same opponent.
	Recent = 7 * Day
	// most and mostGames bound what is remembered: accounts, and games with one of them.
	most      = 4096
	mostGames = 1024
	// mostChallenges bounds the challenges that are remembered: more cannot be made within a day.
	mostChallenges = 1024
)

// A Book remembers. Accounts are named by their ids, which are in lower case.
type Book struct {
	accounts   map[string]*account
	challenges []lichess.ChallengeUse // that were made, of a day, the oldest first
	changed    bool                   // since it was saved last
}

// An account is what is remembered of one.
type account struct {
	Bot     bool                 `json:"bot,omitempty"`
	Games   []game               `json:"games,omitempty"` // recent ones, the oldest first
	Ended   time.Time            `json:"ended,omitzero"`  // when the last game with it ended
	Away    time.Time            `json:"away,omitzero"`   // it is left alone until then
	Misses  int                  `json:"misses,omitempty"`
	Refused map[string]time.Time `json:"refused,omitempty"` // until when, by what it does not play; see Terms.kinds
}

type game struct {
	ID string    `json:"id"`
	At time.Time `json:"at"` // when it began
	Doings
}

// Doings are what the bot has done in a game and is not to do again, or not so soon.
type Doings struct {
	Takebacks int  `json:"takebacks,omitempty"` // granted
	OfferedAt int  `json:"offeredAt,omitempty"` // ply of the last draw offer, 0 for none
	Greeted   bool `json:"greeted,omitempty"`   // players or spectators
}

// New returns a book in which nothing stands.
func New() *Book { return &Book{accounts: map[string]*account{}} }

// of returns what is remembered of an account, to be changed.
func (b *Book) of(id string) *account {
	a := b.accounts[id]
	if a == nil {
		a = &account{}
		b.accounts[id] = a
	}
	b.changed = true
	return a
}

// Began takes note of a game, once: it may be told again and again while the game runs. It tells whether it was new.
func (b *Book) Began(id, gameID string, bot bool, now time.Time) bool {
	if id == "" {
		return false
	}
	if a := b.accounts[id]; a != nil && a.Bot == (a.Bot || bot) && slices.ContainsFunc(a.Games, func(g game) bool { return g.ID == gameID }) {
		return false
	}
	b.forget(now)
	a := b.of(id)
	a.Bot = a.Bot || bot
	if slices.ContainsFunc(a.Games, func(g game) bool { return g.ID == gameID }) {
		return false
	}
	a.Games = append(a.Games, game{ID: gameID, At: now})
	a.Games = a.Games[max(len(a.Games)-mostGames, 0):]
	return true
}

// Doings returns what the bot has done in a game; false when the game is not known, so that anything may have been.
func (b *Book) Doings(id, gameID string) (Doings, bool) {
	if a := b.accounts[id]; a != nil {
		for _, g := range a.Games {
			if g.ID == gameID {
				return g.Doings, true
			}
		}
	}
	return Doings{}, false
}

// Did takes note of what the bot has done in a game that is known, of each the most that it is told, in whatever order.
func (b *Book) Did(id, gameID string, d Doings) {
	a := b.accounts[id]
	if a == nil {
		return
	}
	for i := range a.Games {
		if g := &a.Games[i]; g.ID == gameID {
			g.Doings = Doings{max(g.Takebacks, d.Takebacks), max(g.OfferedAt, d.OfferedAt), g.Greeted || d.Greeted}
			b.changed = true
		}
	}
}

// Ended takes note of the end of a game.
func (b *Book) Ended(id string, now time.Time) {
	if id != "" {
		b.of(id).Ended = now
	}
}

// Games counts the games with an account that began within the time given.
func (b *Book) Games(id string, now time.Time, within time.Duration) int {
	a := b.accounts[id]
	if a == nil {
		return 0
	}
	return a.since(now.Add(-within))
}

// PausedUntil returns when so much time has passed since the last game with an account; a time in the past when it has.
func (b *Book) PausedUntil(id string, pause time.Duration) time.Time {
	if a := b.accounts[id]; a != nil && !a.Ended.IsZero() {
		return a.Ended.Add(pause)
	}
	return time.Time{}
}

// IsBot tells whether the account is known to be a BOT account.
func (b *Book) IsBot(id string) bool { return b.accounts[id] != nil && b.accounts[id].Bot }

// BotGames counts the games with bots that began within a day.
func (b *Book) BotGames(now time.Time) (n int) {
	for _, a := range b.accounts {
		if a.Bot {
			n += a.since(now.Add(-Day))
		}
	}
	return n
}

// Challenges counts the challenges that were made within a day.
func (b *Book) Challenges(now time.Time) (n int) {
	for _, c := range b.challenges {
		if now.Sub(c.At) < Day {
			n++
		}
	}
	return n
}

// Used returns when the games with bots and the challenges of a day were, and what these cost, the oldest first.
func (b *Book) Used(now time.Time) (botGames []time.Time, challenges []lichess.ChallengeUse) {
	for _, a := range b.accounts {
		for _, g := range a.Games {
			if a.Bot && now.Sub(g.At) < Day {
				botGames = append(botGames, g.At)
			}
		}
	}
	slices.SortFunc(botGames, time.Time.Compare)
	return botGames, slices.DeleteFunc(slices.Clone(b.challenges), func(c lichess.ChallengeUse) bool { return now.Sub(c.At) >= Day })
}

func (a *account) since(begin time.Time) (n int) {
	for _, g := range a.Games {
		if g.At.After(begin) {
			n++
		}
	}
	return n
}

// forget drops what is of no use any more, and the accounts that were not met for longest when there are too many.
func (b *Book) forget(now time.Time) {
	b.challenges = slices.DeleteFunc(b.challenges, func(c lichess.ChallengeUse) bool { return now.Sub(c.At) >= Day })
	b.challenges = b.challenges[max(len(b.challenges)-mostChallenges, 0):]
	maps.DeleteFunc(b.accounts, func(_ string, a *account) bool {
		a.Games = slices.DeleteFunc(a.Games, func(g game) bool { return now.Sub(g.At) >= Recent })
		maps.DeleteFunc(a.Refused, func(_ string, until time.Time) bool { return !now.Before(until) })
		return len(a.Games) == 0 && len(a.Refused) == 0 && now.Sub(a.Ended) >= Day && now.Sub(a.Away) >= Day
	})
	if len(b.accounts) < most {
		return
	}
	ids := slices.SortedFunc(maps.Keys(b.accounts), func(x, y string) int { return b.accounts[x].met().Compare(b.accounts[y].met()) })
	for _, id := range ids[:len(ids)-most+1] {
		delete(b.accounts, id)
	}
}

// met is when there was last something with the account.
func (a *account) met() time.Time {
	last := a.Ended
	if n := len(a.Games); n > 0 && a.Games[n-1].At.After(last) {
		last = a.Games[n-1].At
	}
	if a.Away.After(last) {
		last = a.Away
	}
	return last
}
