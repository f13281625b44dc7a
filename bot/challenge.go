package bot

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
)

// A refusal is why a challenge is not taken: the reason that the challenger is told and one for the log.
type refusal struct {
	reason lichess.DeclineReason
	why    string
}

// refuse says why the bot does not play a challenge, or nil when it does. It looks at the challenge alone, not at how busy
// the bot is.
func (a *Acceptance) refuse(c *lichess.Challenge) *refusal {
	if u := c.Challenger; u != nil {
		named := func(name string) bool { return lichess.UserID(name) == lichess.UserID(u.ID) }
		switch {
		case slices.ContainsFunc(a.Block, named):
			return &refusal{lichess.DeclineGeneric, "the challenger is on the block list"}
		case len(a.Allow) > 0 && !slices.ContainsFunc(a.Allow, named):
			return &refusal{lichess.DeclineGeneric, "the challenger is not on the allow list"}
		}
	} else if len(a.Allow) > 0 {
		return &refusal{lichess.DeclineGeneric, "the challenger has no name and there is an allow list"}
	}
	switch {
	case c.Challenger.IsBot() && !a.Bots:
		return &refusal{lichess.DeclineNoBot, "bots are not accepted"}
	case !c.Challenger.IsBot() && !a.Humans:
		return &refusal{lichess.DeclineOnlyBot, "only bots are accepted"}
	}
	if r := a.refuseVariant(c); r != nil {
		return r
	}
	// The reason names what the challenger may ask for instead: "casual" means "send me a casual challenge".
	switch {
	case c.Rated && !a.Rated:
		return &refusal{lichess.DeclineCasual, "rated games are not accepted"}
	case !c.Rated && !a.Casual:
		return &refusal{lichess.DeclineRated, "casual games are not accepted"}
	}
	return a.refuseTimeControl(c.TimeControl)
}

func (a *Acceptance) refuseVariant(c *lichess.Challenge) *refusal {
	key := c.Variant.Key
	if !playable(key) || !slices.Contains(a.Variants, string(key)) {
		reason := lichess.DeclineVariant
		if len(a.Variants) == 1 && a.Variants[0] == string(lichess.VariantStandard) {
			reason = lichess.DeclineStandard
		}
		return &refusal{reason, fmt.Sprintf("variant %s is not accepted", key)}
	}
	if c.InitialFEN != "" {
		start, err := startOf(c.InitialFEN)
		if err != nil {
			return &refusal{lichess.DeclineVariant, "the start position cannot be played: " + err.Error()}
		}
		if !start.HasLegalMove() {
			return &refusal{lichess.DeclineVariant, "the start position has no legal move"}
		}
	}
	return nil
}

// playable tells whether the engine knows the variant's rules.
func playable(key lichess.VariantKey) bool {
	switch key {
	case lichess.VariantStandard, lichess.VariantChess960, lichess.VariantFromPosition:
		return true
	}
	return false
}

// startOf reads the start position of a game as the server writes it.
func startOf(initialFEN string) (chess.Position, error) {
	if initialFEN == "" || initialFEN == lichess.StartPosition {
		return chess.StartPosition(), nil
	}
	return chess.ParseFEN(initialFEN)
}

// speedOrder lists the speeds from fast to slow.
var speedOrder = []lichess.Speed{
	lichess.SpeedUltraBullet, lichess.SpeedBullet, lichess.SpeedBlitz, lichess.SpeedRapid, lichess.SpeedClassical, lichess.SpeedCorrespondence,
}

func (a *Acceptance) refuseTimeControl(tc lichess.TimeControl) *refusal {
	speed := tc.Speed()
	switch {
	case !speed.BotPlayable():
		return &refusal{lichess.DeclineTooFast, "bots cannot play ultra-bullet"}
	case !slices.Contains(a.Speeds, string(speed)):
		return &refusal{a.speedReason(speed), fmt.Sprintf("speed %s is not accepted", speed)}
	}
	switch tc.Type {
	case lichess.TimeControlUnlimited:
		if !a.Unlimited {
			return &refusal{lichess.DeclineTooSlow, "games without a clock are not accepted"}
		}
	case lichess.TimeControlCorrespondence:
		if tc.DaysPerTurn < a.DaysMin {
			return &refusal{lichess.DeclineTooFast, fmt.Sprintf("%d days a move are below the accepted %d", tc.DaysPerTurn, a.DaysMin)}
		}
		if tc.DaysPerTurn > a.DaysMax {
			return &refusal{lichess.DeclineTooSlow, fmt.Sprintf("%d days a move are above the accepted %d", tc.DaysPerTurn, a.DaysMax)}
		}
	case lichess.TimeControlClock:
		if r := refuseRange("base time", tc.Limit, a.BaseMin, a.BaseMax); r != nil {
			return r
		}
		return refuseRange("increment", tc.Increment, a.IncMin, a.IncMax)
	default:
		return &refusal{lichess.DeclineTimeControl, fmt.Sprintf("time control %q is unknown", tc.Type)}
	}
	return nil
}

// speedReason asks for a slower or faster game when all accepted speeds lie on that side, else for another time control.
func (a *Acceptance) speedReason(speed lichess.Speed) lichess.DeclineReason {
	rank := slices.Index(speedOrder, speed)
	slower, faster := false, false
	for _, accepted := range a.Speeds {
		if i := slices.Index(speedOrder, lichess.Speed(accepted)); i > rank {
			slower = true
		} else {
			faster = true
		}
	}
	switch {
	case slower && !faster:
		return lichess.DeclineTooFast
	case faster && !slower:
		return lichess.DeclineTooSlow
	}
	return lichess.DeclineTimeControl
}

func refuseRange(name string, seconds int, low, high time.Duration) *refusal {
	d := time.Duration(seconds) * time.Second
	switch {
	case d < low:
		return &refusal{lichess.DeclineTooFast, fmt.Sprintf("%s %v is below the accepted %v", name, d, low)}
	case d > high:
		return &refusal{lichess.DeclineTooSlow, fmt.Sprintf("%s %v is above the accepted %v", name, d, high)}
	}
	return nil
}

// describe names a challenge for the log.
func describe(c *lichess.Challenge) string {
	mode := "casual"
	if c.Rated {
		mode = "rated"
	}
	return strings.Join([]string{c.TimeControl.String(), mode, string(c.Variant.Key)}, " ")
}
