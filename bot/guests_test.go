package bot

import (
	"context"
	"fmt"
	"testing"
	"time"

	"castellan/lichess"
)

// guest is a challenge of 3+2; of a bot when the name begins with one of theirs.
func guest(name string, rating int) *lichess.Challenge {
	c := &lichess.Challenge{
		ID: "new", Challenger: &lichess.ChallengeUser{ID: lichess.UserID(name), Name: name, Rating: rating},
		Variant: lichess.Variant{Key: lichess.VariantStandard}, TimeControl: lichess.ClockControl(180, 2),
	}
	if lichess.UserID(name)[0] == 'r' {
		c.Challenger.Title = lichess.TitleBot
	}
	return c
}

// hall is a bot that plays nothing yet and takes 3+2 and games of days from everybody, four at once.
func hall(t *testing.T, change func(*Options)) *Bot {
	t.Helper()
	client, err := lichess.New(lichess.Options{URL: "http://127.0.0.1:1", Token: "lip_xhall"})
	if err != nil {
		t.Fatal(err)
	}
	blitz := Terms{
		Variants: []string{"standard"}, Speeds: []string{"blitz", "correspondence"}, Casual: true, BaseMax: time.Hour, IncMax: time.Minute,
		DaysMin: 1, DaysMax: 14,
	}
	opts := Options{MaxGames: 4, MaxCorrespondence: 5, Accept: Acceptance{Humans: true, OfHumans: blitz, Bots: true, OfBots: blitz}}
	if change != nil {
		change(&opts)
	}
	return New(client, nil, opts)
}

// plays gives a bot a running game.
func (b *Bot) plays(id, opponent string, timed bool) {
	b.games[id] = &seat{timed: timed, opponent: opponent, bot: opponent != "" && opponent[0] == 'r', finished: make(chan struct{})}
}

func TestGuestsByWhatWasPlayed(t *testing.T) {
	now := time.Now()
	humans := func(change func(*Terms)) func(*Options) {
		return func(o *Options) { change(&o.Accept.OfHumans) }
	}
	for _, tt := range []struct {
		name   string
		opts   func(*Options)
		before func(*Bot)
		from   func(*lichess.Challenge)
		want   string // the reason to decline, "waits" for no place now, "" for accepted
	}{
		{"nothing was before", nil, nil, nil, ""},
		{"blocked, in another case", func(o *Options) { o.Accept.Block = []string{"ALICE"} }, nil, nil, "generic"},
		{"another is blocked", func(o *Options) { o.Accept.Block = []string{"bob"} }, nil, nil, ""},
		{"not on the allow list", func(o *Options) { o.Accept.Allow = []string{"bob"} }, nil, nil, "generic"},
		{"on the allow list", func(o *Options) { o.Accept.Allow = []string{"Alice"} }, nil, nil, ""},
		{"nobody, with an allow list", func(o *Options) { o.Accept.Allow = []string{"bob"} }, nil, func(c *lichess.Challenge) { c.Challenger = nil }, "generic"},
		{"nobody, without one", nil, nil, func(c *lichess.Challenge) { c.Challenger = nil }, ""},
		{"lists replaced while running", func(o *Options) { o.Accept.Block = []string{"alice"} }, func(b *Bot) { b.SetNames(nil, []string{"bob"}) }, nil, ""},
		{"blocked while running", nil, func(b *Bot) { b.SetNames(nil, []string{"aLice"}) }, nil, "generic"},

		{"as many games at once as may be", humans(func(t *Terms) { t.OpponentGames = 2 }), func(b *Bot) { b.plays("g1", "alice", true); b.plays("g2", "alice", false) }, nil, "waits"},
		{"one game at once less", humans(func(t *Terms) { t.OpponentGames = 2 }), func(b *Bot) { b.plays("g1", "alice", true); b.plays("g2", "bob", true) }, nil, ""},
		{"agreed on counts too", humans(func(t *Terms) { t.OpponentGames = 1 }), func(b *Bot) { b.reserved["g1"] = &seat{opponent: "alice", timed: true} }, nil, "waits"},
		{"over does not count", humans(func(t *Terms) { t.OpponentGames = 1 }), func(b *Bot) { b.plays("g1", "alice", true); b.games["g1"].finished = nil }, nil, ""},
		{"rematch of the only game", humans(func(t *Terms) { t.OpponentGames = 1 }), func(b *Bot) { b.plays("g1", "alice", true) }, func(c *lichess.Challenge) { c.RematchOf = "g1" }, ""},
		{"any number at once", nil, func(b *Bot) { b.plays("g1", "alice", true); b.plays("g2", "alice", true) }, nil, ""},

		{"as many games a day as may be", humans(func(t *Terms) { t.OpponentGamesPerDay = 2 }), func(b *Bot) { b.had("alice", now, 0, 23*time.Hour) }, nil, "later"},
		{"agreed on counts for the day", humans(func(t *Terms) { t.OpponentGamesPerDay = 2 }), func(b *Bot) {
			b.had("alice", now, 0)
			b.reserved["g1"] = &seat{opponent: "alice", timed: true}
		}, nil, "later"},
		{"one game of yesterday", humans(func(t *Terms) { t.OpponentGamesPerDay = 2 }), func(b *Bot) { b.had("alice", now, 0, 25*time.Hour) }, nil, ""},
		{"games of others", humans(func(t *Terms) { t.OpponentGamesPerDay = 2 }), func(b *Bot) { b.had("bob", now, 0, time.Hour, 2*time.Hour) }, nil, ""},
		{"five rematches in a row", humans(func(t *Terms) { t.OpponentGamesPerDay = 5 }), func(b *Bot) { b.had("alice", now, 0, 1, 2, 3, 4) }, func(c *lichess.Challenge) { c.RematchOf = "g0" }, "later"},

		{"within the pause", humans(func(t *Terms) { t.OpponentPause = time.Hour }), func(b *Bot) { b.book.Ended("alice", now.Add(-59*time.Minute)) }, nil, "later"},
		{"after the pause", humans(func(t *Terms) { t.OpponentPause = time.Hour }), func(b *Bot) { b.book.Ended("alice", now.Add(-61*time.Minute)) }, nil, ""},
		{"pause with another", humans(func(t *Terms) { t.OpponentPause = time.Hour }), func(b *Bot) { b.book.Ended("bob", now) }, nil, ""},
		{"rematch, with a pause", humans(func(t *Terms) { t.OpponentPause = time.Hour }), func(b *Bot) { b.plays("g1", "alice", true) }, func(c *lichess.Challenge) { c.RematchOf = "g1" }, "later"},
		{"rematch, without a pause", nil, func(b *Bot) { b.plays("g1", "alice", true); b.book.Ended("alice", now) }, func(c *lichess.Challenge) { c.RematchOf = "g1" }, ""},

		{"all places taken", func(o *Options) { o.MaxGames = 2 }, func(b *Bot) { b.plays("g1", "bob", true); b.plays("g2", "", true) }, nil, "waits"},
		{"one place left", func(o *Options) { o.MaxGames = 3 }, func(b *Bot) { b.plays("g1", "bob", true); b.plays("g2", "", true) }, nil, ""},
		{"agreed on takes a place", func(o *Options) { o.MaxGames = 1 }, func(b *Bot) { b.reserved["g1"] = &seat{timed: true} }, nil, "waits"},
		{"days take no place", func(o *Options) { o.MaxGames = 1 }, func(b *Bot) { b.plays("g1", "bob", false) }, nil, ""},
		{"days need no place", func(o *Options) { o.MaxGames = 1 }, func(b *Bot) { b.plays("g1", "bob", true) }, func(c *lichess.Challenge) { c.TimeControl = lichess.CorrespondenceControl(3) }, ""},
		{"rematch in the place of its game", func(o *Options) { o.MaxGames = 1 }, func(b *Bot) { b.plays("g1", "alice", true) }, func(c *lichess.Challenge) { c.RematchOf = "g1" }, ""},
		{"bot, the rest is for people", func(o *Options) { o.Accept.HumanPlaces = 3 }, func(b *Bot) { b.plays("g1", "rival", true) }, asRobot, "waits"},
		{"bot, a place for bots is free", func(o *Options) { o.Accept.HumanPlaces = 3 }, func(b *Bot) { b.plays("g1", "bob", true) }, asRobot, ""},
		{"person, a place for people is free", func(o *Options) { o.Accept.HumanPlaces = 3 }, func(b *Bot) { b.plays("g1", "rival", true) }, nil, ""},
		{"person in a place for bots", func(o *Options) { o.Accept.HumanPlaces = 1 }, func(b *Bot) { b.plays("g1", "bob", true); b.plays("g2", "carol", true) }, nil, ""},
		{"bot, all places are for people", func(o *Options) { o.Accept.HumanPlaces = 4 }, nil, asRobot, "waits"},

		{"about to stop", nil, func(b *Bot) { b.draining = true }, nil, "later"},
		{"too many games of days", nil, func(b *Bot) {
			for i := range 5 {
				b.plays(fmt.Sprint("g", i), "bob", false)
			}
		}, func(c *lichess.Challenge) { c.TimeControl = lichess.CorrespondenceControl(3) }, "later"},
		{"too many games of days, a clock asked for", nil, func(b *Bot) {
			for i := range 5 {
				b.plays(fmt.Sprint("g", i), "bob", false)
			}
		}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := hall(t, tt.opts)
			if tt.before != nil {
				tt.before(b)
			}
			c := guest("Alice", 1700)
			if tt.from != nil {
				tt.from(c)
			}
			got := ""
			if r := b.refuse(c); r != nil {
				got = string(r.reason)
				if r.why == "" {
					t.Error("the refusal says nothing for the log")
				}
			} else if b.noPlace(c) != "" {
				got = "waits"
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func asRobot(c *lichess.Challenge) {
	c.Challenger = &lichess.ChallengeUser{ID: "rob", Name: "Rob", Title: lichess.TitleBot}
}

// had gives a bot games with an opponent that began so long ago.
func (b *Bot) had(id string, now time.Time, ago ...time.Duration) {
	for i := range ago {
		at := ago[len(ago)-1-i]
		b.book.Began(id, fmt.Sprint("old", at), false, now.Add(-at))
	}
}

// cancelled is a context that has ended, so that nothing is sent.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestQueueOrder(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts func(*Acceptance)
		come []*lichess.Challenge
		want string // names in the order in which they get a place
	}{
		{"first come", func(*Acceptance) {}, []*lichess.Challenge{guest("alice", 1500), guest("rob", 2500), guest("bob", 2000)}, "alice rob bob"},
		{"best", func(a *Acceptance) { a.QueueBest = true }, []*lichess.Challenge{guest("alice", 1500), guest("rob", 2500), guest("bob", 2000)}, "rob bob alice"},
		{"best, alike", func(a *Acceptance) { a.QueueBest = true }, []*lichess.Challenge{guest("bob", 1500), guest("alice", 1500)}, "bob alice"},
		{"people first", func(a *Acceptance) { a.PreferHumans = true }, []*lichess.Challenge{guest("rob", 2500), guest("alice", 1500), guest("bob", 2000)}, "alice bob rob"},
		{"people first, best", func(a *Acceptance) { a.PreferHumans, a.QueueBest = true, true }, []*lichess.Challenge{guest("rob", 2500), guest("alice", 1500), guest("bob", 2000)}, "bob alice rob"},
		{"bots first", func(a *Acceptance) { a.PreferBots = true }, []*lichess.Challenge{guest("alice", 1500), guest("rob", 1000), guest("bob", 2000)}, "rob alice bob"},
		{"the last gives way", func(a *Acceptance) { a.PreferHumans, a.Queue = true, 2 }, []*lichess.Challenge{guest("rob", 2500), guest("alice", 1500), guest("bob", 2000)}, "alice bob"},
		{"the newcomer does not fit", func(a *Acceptance) { a.Queue = 2 }, []*lichess.Challenge{guest("rob", 2500), guest("alice", 1500), guest("bob", 2000)}, "rob alice"},
		{"one for each", func(*Acceptance) {}, []*lichess.Challenge{guest("alice", 2500), guest("alice", 1500), guest("bob", 2000)}, "alice bob"},
		{"nobody may wait", func(a *Acceptance) { a.Queue = 0 }, []*lichess.Challenge{guest("alice", 2500)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := hall(t, func(o *Options) {
				o.Accept.Queue, o.Accept.QueueWait = 3, time.Minute
				tt.opts(&o.Accept)
			})
			close(b.stopped)
			for i, c := range tt.come {
				c.ID = fmt.Sprint("c", i)
				why := b.enqueue(cancelled(), c, b.opts.Accept.Queue, b.opts.Accept.QueueWait, b.log)
				if (why == "") != b.waits(c.ID) {
					t.Errorf("%s: it says %q, and waits: %v", c.Challenger.Name, why, b.waits(c.ID))
				}
			}
			b.work.Wait()
			got := ""
			for _, w := range b.queue {
				if got != "" {
					got += " "
				}
				got += w.challenge.Challenger.Name
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
