package bot

import (
	"testing"
	"time"

	"castellan/bot/opponents"
	"castellan/lichess"
)

func TestRefusals(t *testing.T) {
	everything := Terms{
		Variants: []string{"standard", "chess960", "fromPosition"},
		Speeds:   []string{"bullet", "blitz", "rapid", "classical", "correspondence"},
		Rated:    true, Casual: true,
		BaseMax: 3 * time.Hour, IncMax: 3 * time.Minute, DaysMin: 1, DaysMax: 14, Unlimited: true,
	}
	blitz := func(change func(*lichess.Challenge)) *lichess.Challenge {
		c := &lichess.Challenge{
			ID: "abcdefgh", Challenger: &lichess.ChallengeUser{ID: "alice", Name: "Alice", Rating: 1700},
			DestUser: &lichess.ChallengeUser{ID: "castellan", Name: "Castellan", Rating: 2000},
			Variant:  lichess.Variant{Key: lichess.VariantStandard}, TimeControl: lichess.ClockControl(180, 2),
		}
		if change != nil {
			change(c)
		}
		return c
	}
	asBot := func(c *lichess.Challenge) { c.Challenger.Title = lichess.TitleBot }
	both := func(first, second func(*lichess.Challenge)) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) { first(c); second(c) }
	}
	rated := func(c *lichess.Challenge) { c.Rated = true }
	clock := func(limit, inc int) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) { c.TimeControl = lichess.ClockControl(limit, inc) }
	}
	days := func(n int) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) { c.TimeControl = lichess.CorrespondenceControl(n) }
	}
	unlimited := func(c *lichess.Challenge) { c.TimeControl = lichess.UnlimitedControl() }
	variant := func(key lichess.VariantKey) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) { c.Variant.Key = key }
	}
	fen := func(text string) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) { c.Variant.Key, c.InitialFEN = lichess.VariantFromPosition, text }
	}

	// terms changes those for people, to whom the challenges below belong unless they say otherwise; those for bots take nothing then.
	terms := func(change func(*Terms)) func(*Acceptance) {
		return func(a *Acceptance) {
			a.OfBots = Terms{}
			change(&a.OfHumans)
		}
	}
	ofBots := func(change func(*Terms)) func(*Acceptance) {
		return func(a *Acceptance) {
			a.OfHumans = Terms{}
			change(&a.OfBots)
		}
	}

	for _, tt := range []struct {
		name      string
		rules     func(*Acceptance)
		challenge func(*lichess.Challenge)
		want      lichess.DeclineReason // "" for accepted
	}{
		{"plain blitz", nil, nil, ""},
		{"rated", nil, rated, ""},
		{"bot", nil, asBot, ""},
		{"nobody's open challenge", nil, func(c *lichess.Challenge) { c.Challenger = nil }, ""},
		{"chess960", nil, variant(lichess.VariantChess960), ""},
		{"from a position", nil, fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), ""},
		{"three days a move", nil, days(3), ""},
		{"unlimited", nil, unlimited, ""},
		{"0+1", nil, clock(0, 1), ""},

		{"bots refused", func(a *Acceptance) { a.Bots = false }, asBot, lichess.DeclineNoBot},
		{"bots refused, a person asks", func(a *Acceptance) { a.Bots = false }, nil, ""},
		{"people refused", func(a *Acceptance) { a.Humans = false }, nil, lichess.DeclineOnlyBot},
		{"people refused, a bot asks", func(a *Acceptance) { a.Humans = false }, asBot, ""},
		// The reason is what the challenger should ask for instead.
		{"rated refused", terms(func(t *Terms) { t.Rated = false }), rated, lichess.DeclineCasual},
		{"casual refused", terms(func(t *Terms) { t.Casual = false }), nil, lichess.DeclineRated},

		{"variant unknown to the engine", nil, variant(lichess.VariantAtomic), lichess.DeclineVariant},
		{"variant not wanted", terms(func(t *Terms) { t.Variants = []string{"standard", "fromPosition"} }), variant(lichess.VariantChess960), lichess.DeclineVariant},
		{"only standard wanted", terms(func(t *Terms) { t.Variants = []string{"standard"} }), variant(lichess.VariantChess960), lichess.DeclineStandard},
		{"standard not wanted", terms(func(t *Terms) { t.Variants = []string{"chess960"} }), nil, lichess.DeclineVariant},
		{"impossible position", nil, fen("8/8/8/8/8/8/8/8 w - - 0 1"), lichess.DeclineVariant},
		{"position that is mate", nil, fen("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"), lichess.DeclineVariant},

		{"ultra-bullet", nil, clock(15, 0), lichess.DeclineTooFast},
		{"faster than all accepted", terms(func(t *Terms) { t.Speeds = []string{"rapid", "classical"} }), nil, lichess.DeclineTooFast},
		{"slower than all accepted", terms(func(t *Terms) { t.Speeds = []string{"bullet", "blitz"} }), clock(600, 5), lichess.DeclineTooSlow},
		{"between the accepted", terms(func(t *Terms) { t.Speeds = []string{"bullet", "rapid"} }), nil, lichess.DeclineTimeControl},
		{"no correspondence", terms(func(t *Terms) { t.Speeds = []string{"bullet", "blitz"} }), days(3), lichess.DeclineTooSlow},
		{"base too short", terms(func(t *Terms) { t.BaseMin = 4 * time.Minute }), nil, lichess.DeclineTooFast},
		{"base too long", terms(func(t *Terms) { t.BaseMax = 2 * time.Minute }), nil, lichess.DeclineTooSlow},
		{"base just right", terms(func(t *Terms) { t.BaseMin, t.BaseMax = 3*time.Minute, 3*time.Minute }), nil, ""},
		{"increment too small", terms(func(t *Terms) { t.IncMin = 3 * time.Second }), nil, lichess.DeclineTooFast},
		{"increment too large", terms(func(t *Terms) { t.IncMax = time.Second }), nil, lichess.DeclineTooSlow},
		{"too few days", terms(func(t *Terms) { t.DaysMin = 5 }), days(3), lichess.DeclineTooFast},
		{"just enough days", terms(func(t *Terms) { t.DaysMin = 3 }), days(3), ""},
		{"not more days than accepted", terms(func(t *Terms) { t.DaysMax = 3 }), days(3), ""},
		{"too many days", terms(func(t *Terms) { t.DaysMax = 2 }), days(3), lichess.DeclineTooSlow},
		{"unlimited refused", terms(func(t *Terms) { t.Unlimited = false }), unlimited, lichess.DeclineTooSlow},
		{"bullet without increment", terms(func(t *Terms) { t.BulletIncrement = true }), clock(60, 0), lichess.DeclineTooFast},
		{"bullet with increment", terms(func(t *Terms) { t.BulletIncrement = true }), clock(60, 1), ""},
		{"blitz without increment, where bullet needs one", terms(func(t *Terms) { t.BulletIncrement = true }), clock(180, 0), ""},
		{"a clock of the list", terms(func(t *Terms) { t.Clocks = []opponents.Clock{{Limit: 60, Increment: 0}, {Limit: 180, Increment: 2}} }), nil, ""},
		{"a clock faster than the list", terms(func(t *Terms) { t.Clocks = []opponents.Clock{{Limit: 300, Increment: 0}, {Limit: 180, Increment: 3}} }), nil, lichess.DeclineTooFast},
		{"a clock slower than the list", terms(func(t *Terms) { t.Clocks = []opponents.Clock{{Limit: 60, Increment: 0}, {Limit: 180, Increment: 1}} }), nil, lichess.DeclineTooSlow},
		{"a clock between those of the list", terms(func(t *Terms) { t.Clocks = []opponents.Clock{{Limit: 60, Increment: 0}, {Limit: 600, Increment: 0}} }), nil, lichess.DeclineTimeControl},
		// 1+5 is as long as 3+2, so that neither "slower" nor "faster" would be the word for it.
		{"a clock as long as the fastest of the list", terms(func(t *Terms) { t.Clocks = []opponents.Clock{{Limit: 60, Increment: 5}, {Limit: 600, Increment: 0}} }), nil, lichess.DeclineTimeControl},
		{"a clock as long as the slowest of the list", terms(func(t *Terms) { t.Clocks = []opponents.Clock{{Limit: 60, Increment: 5}, {Limit: 60, Increment: 0}} }), nil, lichess.DeclineTimeControl},
		{"increment just right", terms(func(t *Terms) { t.IncMin, t.IncMax = 2*time.Second, 2*time.Second }), nil, ""},
		{"days, with a list of clocks", terms(func(t *Terms) { t.Clocks = []opponents.Clock{{Limit: 60, Increment: 0}} }), days(3), ""},
		{"rating just high enough", terms(func(t *Terms) { t.RatingMin = 1700 }), nil, ""},
		{"rating too low", terms(func(t *Terms) { t.RatingMin = 1701 }), nil, lichess.DeclineGeneric},
		{"rating just low enough", terms(func(t *Terms) { t.RatingMax = 1700 }), nil, ""},
		{"rating too high", terms(func(t *Terms) { t.RatingMax = 1699 }), nil, lichess.DeclineGeneric},
		{"ratings near enough", terms(func(t *Terms) { t.RatingDifference = 300 }), nil, ""},
		{"weaker by too much", terms(func(t *Terms) { t.RatingDifference = 299 }), nil, lichess.DeclineGeneric},
		{"stronger by too much", terms(func(t *Terms) { t.RatingDifference = 299 }), func(c *lichess.Challenge) { c.Challenger.Rating = 2300 }, lichess.DeclineGeneric},
		{"no rating, with bounds", terms(func(t *Terms) { t.RatingMin = 1 }), func(c *lichess.Challenge) { c.Challenger.Rating = 0 }, lichess.DeclineGeneric},
		{"nobody, with bounds", terms(func(t *Terms) { t.RatingMax = 3000 }), func(c *lichess.Challenge) { c.Challenger = nil }, lichess.DeclineGeneric},
		{"no rating, without bounds", nil, func(c *lichess.Challenge) { c.Challenger.Rating = 0 }, ""},
		{"own rating unknown", terms(func(t *Terms) { t.RatingDifference = 10 }), func(c *lichess.Challenge) { c.DestUser = nil }, ""},

		// The same rules, of bots alone.
		{"bot, by the terms for bots", ofBots(func(*Terms) {}), asBot, ""},
		{"bot, rated refused to bots", ofBots(func(t *Terms) { t.Rated = false }), both(asBot, rated), lichess.DeclineCasual},
		{"bot, clock not on the list for bots", ofBots(func(t *Terms) { t.Clocks = []opponents.Clock{{Limit: 60, Increment: 1}} }), asBot, lichess.DeclineTooSlow},
		{"bot, rating too low for a bot", ofBots(func(t *Terms) { t.RatingMin = 1800 }), asBot, lichess.DeclineGeneric},
		{"bot, variant refused to bots", ofBots(func(t *Terms) { t.Variants = []string{"standard"} }), both(asBot, variant(lichess.VariantChess960)), lichess.DeclineStandard},
		{"time control of the future", nil, func(c *lichess.Challenge) { c.TimeControl.Type = "hourglass" }, lichess.DeclineTimeControl},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := Acceptance{Humans: true, OfHumans: everything, Bots: true, OfBots: everything}
			if tt.rules != nil {
				tt.rules(&rules)
			}
			var got lichess.DeclineReason
			r := rules.refuse(blitz(tt.challenge))
			if r != nil {
				got = r.reason
				if r.why == "" {
					t.Error("the refusal says nothing for the log")
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q (%+v)", got, tt.want, r)
			}
		})
	}
}
