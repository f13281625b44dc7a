package bot

import (
	"testing"
	"time"

	"castellan/lichess"
)

func TestRefusals(t *testing.T) {
	everything := Acceptance{
		Variants: []string{"standard", "chess960", "fromPosition"},
		Speeds:   []string{"bullet", "blitz", "rapid", "classical", "correspondence"},
		Rated:    true, Casual: true, Humans: true, Bots: true,
		BaseMax: 3 * time.Hour, IncMax: 3 * time.Minute, DaysMin: 1, DaysMax: 14, Unlimited: true,
	}
	blitz := func(change func(*lichess.Challenge)) *lichess.Challenge {
		c := &lichess.Challenge{
			ID: "abcdefgh", Challenger: &lichess.ChallengeUser{ID: "alice", Name: "Alice"},
			Variant: lichess.Variant{Key: lichess.VariantStandard}, TimeControl: lichess.ClockControl(180, 2),
		}
		if change != nil {
			change(c)
		}
		return c
	}
	asBot := func(c *lichess.Challenge) { c.Challenger.Title = lichess.TitleBot }
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

		{"blocked, in another case", func(a *Acceptance) { a.Block = []string{"ALICE"} }, nil, lichess.DeclineGeneric},
		{"not on the allow list", func(a *Acceptance) { a.Allow = []string{"bob"} }, nil, lichess.DeclineGeneric},
		{"on the allow list", func(a *Acceptance) { a.Allow = []string{"Alice"} }, nil, ""},
		{"nobody, with an allow list", func(a *Acceptance) { a.Allow = []string{"bob"} }, func(c *lichess.Challenge) { c.Challenger = nil }, lichess.DeclineGeneric},
		{"bots refused", func(a *Acceptance) { a.Bots = false }, asBot, lichess.DeclineNoBot},
		{"bots refused, a person asks", func(a *Acceptance) { a.Bots = false }, nil, ""},
		{"people refused", func(a *Acceptance) { a.Humans = false }, nil, lichess.DeclineOnlyBot},
		{"people refused, a bot asks", func(a *Acceptance) { a.Humans = false }, asBot, ""},
		// The reason is what the challenger should ask for instead.
		{"rated refused", func(a *Acceptance) { a.Rated = false }, rated, lichess.DeclineCasual},
		{"casual refused", func(a *Acceptance) { a.Casual = false }, nil, lichess.DeclineRated},

		{"variant unknown to the engine", nil, variant(lichess.VariantAtomic), lichess.DeclineVariant},
		{"variant not wanted", func(a *Acceptance) { a.Variants = []string{"standard", "fromPosition"} }, variant(lichess.VariantChess960), lichess.DeclineVariant},
		{"only standard wanted", func(a *Acceptance) { a.Variants = []string{"standard"} }, variant(lichess.VariantChess960), lichess.DeclineStandard},
		{"standard not wanted", func(a *Acceptance) { a.Variants = []string{"chess960"} }, nil, lichess.DeclineVariant},
		{"impossible position", nil, fen("8/8/8/8/8/8/8/8 w - - 0 1"), lichess.DeclineVariant},
		{"position that is mate", nil, fen("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"), lichess.DeclineVariant},

		{"ultra-bullet", nil, clock(15, 0), lichess.DeclineTooFast},
		{"faster than all accepted", func(a *Acceptance) { a.Speeds = []string{"rapid", "classical"} }, nil, lichess.DeclineTooFast},
		{"slower than all accepted", func(a *Acceptance) { a.Speeds = []string{"bullet", "blitz"} }, clock(600, 5), lichess.DeclineTooSlow},
		{"between the accepted", func(a *Acceptance) { a.Speeds = []string{"bullet", "rapid"} }, nil, lichess.DeclineTimeControl},
		{"no correspondence", func(a *Acceptance) { a.Speeds = []string{"bullet", "blitz"} }, days(3), lichess.DeclineTooSlow},
		{"base too short", func(a *Acceptance) { a.BaseMin = 4 * time.Minute }, nil, lichess.DeclineTooFast},
		{"base too long", func(a *Acceptance) { a.BaseMax = 2 * time.Minute }, nil, lichess.DeclineTooSlow},
		{"base just right", func(a *Acceptance) { a.BaseMin, a.BaseMax = 3*time.Minute, 3*time.Minute }, nil, ""},
		{"increment too small", func(a *Acceptance) { a.IncMin = 3 * time.Second }, nil, lichess.DeclineTooFast},
		{"increment too large", func(a *Acceptance) { a.IncMax = time.Second }, nil, lichess.DeclineTooSlow},
		{"too few days", func(a *Acceptance) { a.DaysMin = 5 }, days(3), lichess.DeclineTooFast},
		{"too many days", func(a *Acceptance) { a.DaysMax = 2 }, days(3), lichess.DeclineTooSlow},
		{"unlimited refused", func(a *Acceptance) { a.Unlimited = false }, unlimited, lichess.DeclineTooSlow},
		{"time control of the future", nil, func(c *lichess.Challenge) { c.TimeControl.Type = "hourglass" }, lichess.DeclineTimeControl},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := everything
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
