package bot

import (
	"fmt"
	"time"

	"castellan/bot/opponents"
	"castellan/lichess"
)

// names are the accounts that may challenge and those that may not, by id.
type names struct{ allow, block map[string]bool }

// SetNames puts other lists in place of Acceptance.Allow and Acceptance.Block. It may be called at any time and from any
// goroutine; what is decided on already stays so.
func (b *Bot) SetNames(allow, block []string) {
	ids := func(list []string) map[string]bool {
		set := map[string]bool{}
		for _, name := range list {
			set[lichess.UserID(name)] = true
		}
		return set
	}
	b.names.Store(&names{ids(allow), ids(block)})
}

// refuse looks for the challenger on the lists.
func (n *names) refuse(u *lichess.ChallengeUser) *refusal {
	id := challengerID(u)
	switch {
	case id != "" && n.block[id]:
		return &refusal{lichess.DeclineGeneric, "the challenger is on the block list"}
	case len(n.allow) > 0 && id == "":
		return &refusal{lichess.DeclineGeneric, "the challenger has no name and there is an allow list"}
	case len(n.allow) > 0 && !n.allow[id]:
		return &refusal{lichess.DeclineGeneric, "the challenger is not on the allow list"}
	}
	return nil
}

// challengerID is the id of an account, "" for nobody.
func challengerID(u *lichess.ChallengeUser) string {
	if u == nil {
		return ""
	}
	return lichess.UserID(u.ID)
}

// refuse says why a challenge is not taken, or nil. That there is no place for it is no reason: noPlace tells.
func (b *Bot) refuse(c *lichess.Challenge) *refusal {
	if r := b.names.Load().refuse(c.Challenger); r != nil {
		return r
	}
	if r := b.opts.Accept.refuse(c); r != nil {
		return r
	}
	if b.opts.Rematch.Decline && c.RematchOf != "" {
		return &refusal{lichess.DeclineGeneric, "rematches are not played"}
	}
	switch {
	case b.draining:
		return &refusal{lichess.DeclineLater, "the bot is about to stop"}
	case c.Challenger.IsBot() && time.Now().Before(b.client.LimitedUntil(lichess.KeyBotVsBotDay)):
		return &refusal{lichess.DeclineLater, "the day's games against bots are used up"}
	case c.Challenger.IsBot() && b.client.BotGamesLeft() <= b.agreedBots():
		return &refusal{lichess.DeclineLater, "the day's last games against bots are agreed on"}
	case !c.TimeControl.RealTime() && b.count("", func(s *seat) bool { return !s.timed }) >= b.opts.MaxCorrespondence:
		return &refusal{lichess.DeclineLater, fmt.Sprintf("%d games without a clock are running", b.opts.MaxCorrespondence)}
	}
	return b.refuseOpponent(c)
}

// refuseOpponent looks at what was played with the challenger, and is.
func (b *Bot) refuseOpponent(c *lichess.Challenge) *refusal {
	id, t := challengerID(c.Challenger), b.opts.Accept.terms(c)
	if id == "" {
		return nil
	}
	now := time.Now()
	// A rematch may be offered before the event that the game is over has come.
	again := c.RematchOf != "" && t.OpponentPause > 0
	// What is agreed on counts for the day, too: two challenges accepted at the same moment are two games.
	switch day := b.book.Games(id, now, opponents.Day) + b.agreedWith(id); {
	case t.OpponentGamesPerDay > 0 && day >= t.OpponentGamesPerDay:
		return &refusal{lichess.DeclineLater, fmt.Sprintf("%d games with this opponent were played within 24 hours", day)}
	case again || now.Before(b.book.PausedUntil(id, t.OpponentPause)):
		return &refusal{lichess.DeclineLater, fmt.Sprintf("there is a pause of %v after a game with the same opponent", t.OpponentPause)}
	}
	return nil
}

// with counts the games with an opponent that are played, agreed on or wanted, but for one that is over.
func (b *Bot) with(id, over string) int { return b.playedWith(id, over) + b.agreedWith(id) }

// playedWith counts those of them that have begun.
func (b *Bot) playedWith(id, over string) (n int) {
	for game, s := range b.games {
		if s.opponent == id && game != over && s.finished != nil {
			n++
		}
	}
	return n
}

// agreedWith counts those of them that have not begun.
func (b *Bot) agreedWith(id string) (n int) {
	for key, s := range b.reserved {
		if o := b.match.out; s.opponent == id && (o == nil || o.key != key || o.unwanted == "") {
			n++
		}
	}
	return n
}

// noPlace says why there is no place now for a challenge that is otherwise taken, "" when there is one.
func (b *Bot) noPlace(c *lichess.Challenge) string {
	id, most := challengerID(c.Challenger), b.opts.Accept.terms(c).OpponentGames
	switch with := b.with(id, c.RematchOf); {
	case id != "" && most > 0 && with >= most:
		return fmt.Sprintf("%d games with this opponent are running", with)
	case !c.TimeControl.RealTime():
		return ""
	case b.timed(c.RematchOf) >= b.opts.MaxGames:
		return fmt.Sprintf("all %d places are taken", b.opts.MaxGames)
	case c.Challenger.IsBot() && b.timedBots(c.RematchOf) >= b.botPlaces():
		return fmt.Sprintf("the %d places that are not kept for people are taken", b.botPlaces())
	}
	return ""
}

// agreedBots counts the games with bots that are agreed on or wanted, and have not begun.
func (b *Bot) agreedBots() (n int) {
	for _, s := range b.reserved {
		if s.bot {
			n++
		}
	}
	return n
}

// botPlaces is how many of the places bots may take.
func (b *Bot) botPlaces() int { return max(b.opts.MaxGames-b.opts.Accept.HumanPlaces, 0) }

// timed counts the slots in use: games with a clock that are played or agreed on, but for one that is known to be over. One that the
// event stream has told the end of has no slot either, though its player may still wait for an answer of the server's.
func (b *Bot) timed(over string) int {
	return b.count(over, func(s *seat) bool { return s.timed })
}

// timedBots counts those of them that are against bots.
func (b *Bot) timedBots(over string) int {
	return b.count(over, func(s *seat) bool { return s.timed && s.bot })
}

func (b *Bot) count(over string, is func(*seat) bool) (n int) {
	for id, s := range b.games {
		if id != over && s.finished != nil && is(s) {
			n++
		}
	}
	for _, s := range b.reserved {
		if is(s) {
			n++
		}
	}
	return n
}

// atBoard tells whether a game with a clock is played, agreed on, or over and not yet left.
func (b *Bot) atBoard() bool {
	for _, seats := range []map[string]*seat{b.games, b.reserved} {
		for _, s := range seats {
			if s.timed {
				return true
			}
		}
	}
	return false
}
