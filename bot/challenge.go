package bot

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"castellan/bot/opponents"
	"castellan/engine/chess"
	"castellan/lichess"
)

// A refusal is why a challenge is not taken: the reason that the challenger is told and one for the log.
type refusal struct {
	reason lichess.DeclineReason
	why    string
}

// terms are those for the challenger.
func (a *Acceptance) terms(c *lichess.Challenge) *Terms {
	if c.Challenger.IsBot() {
		return &a.OfBots
	}
	return &a.OfHumans
}

// refuse says why the bot does not play a challenge, or nil when it does. It looks at the challenge alone, not at how busy
// the bot is and what was before.
func (a *Acceptance) refuse(c *lichess.Challenge) *refusal {
	switch {
	case c.Challenger.IsBot() && !a.Bots:
		return &refusal{lichess.DeclineNoBot, "bots are not accepted"}
	case !c.Challenger.IsBot() && !a.Humans:
		return &refusal{lichess.DeclineOnlyBot, "only bots are accepted"}
	}
	t := a.terms(c)
	if r := t.refuseVariant(c); r != nil {
		return r
	}
	// The reason names what the challenger may ask for instead: "casual" means "send me a casual challenge".
	switch {
	case c.Rated && !t.Rated:
		return &refusal{lichess.DeclineCasual, "rated games are not accepted"}
	case !c.Rated && !t.Casual:
		return &refusal{lichess.DeclineRated, "casual games are not accepted"}
	}
	if r := t.refuseTimeControl(c.TimeControl); r != nil {
		return r
	}
	return t.refuseRating(c)
}

// refuseRating has no better reason to give than the general one.
func (t *Terms) refuseRating(c *lichess.Challenge) *refusal {
	if t.RatingMin <= 0 && t.RatingMax <= 0 && t.RatingDifference <= 0 {
		return nil
	}
	if c.Challenger == nil || c.Challenger.Rating == 0 {
		return &refusal{lichess.DeclineGeneric, "the challenger has no rating, and there are bounds to it"}
	}
	rating := c.Challenger.Rating
	switch {
	case rating < t.RatingMin:
		return &refusal{lichess.DeclineGeneric, fmt.Sprintf("a rating of %d is below the accepted %d", rating, t.RatingMin)}
	case t.RatingMax > 0 && rating > t.RatingMax:
		return &refusal{lichess.DeclineGeneric, fmt.Sprintf("a rating of %d is above the accepted %d", rating, t.RatingMax)}
	case t.RatingDifference > 0 && c.DestUser != nil && c.DestUser.Rating != 0 && max(rating-c.DestUser.Rating, c.DestUser.Rating-rating) > t.RatingDifference:
		return &refusal{lichess.DeclineGeneric, fmt.Sprintf("ratings of %d and %d are more than the accepted %d apart", rating, c.DestUser.Rating, t.RatingDifference)}
	}
	return nil
}

func (t *Terms) refuseVariant(c *lichess.Challenge) *refusal {
	key := c.Variant.Key
	if !playable(key) || !slices.Contains(t.Variants, string(key)) {
		reason := lichess.DeclineVariant
		if len(t.Variants) == 1 && t.Variants[0] == string(lichess.VariantStandard) {
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

func (t *Terms) refuseTimeControl(tc lichess.TimeControl) *refusal {
	speed := tc.Speed()
	switch {
	case !speed.BotPlayable():
		return &refusal{lichess.DeclineTooFast, "bots cannot play ultra-bullet"}
	case !slices.Contains(t.Speeds, string(speed)):
		return &refusal{t.speedReason(speed), fmt.Sprintf("speed %s is not accepted", speed)}
	}
	switch tc.Type {
	case lichess.TimeControlUnlimited:
		if !t.Unlimited {
			return &refusal{lichess.DeclineTooSlow, "games without a clock are not accepted"}
		}
	case lichess.TimeControlCorrespondence:
		if tc.DaysPerTurn < t.DaysMin {
			return &refusal{lichess.DeclineTooFast, fmt.Sprintf("%d days a move are below the accepted %d", tc.DaysPerTurn, t.DaysMin)}
		}
		if tc.DaysPerTurn > t.DaysMax {
			return &refusal{lichess.DeclineTooSlow, fmt.Sprintf("%d days a move are above the accepted %d", tc.DaysPerTurn, t.DaysMax)}
		}
	case lichess.TimeControlClock:
		if r := refuseRange("base time", tc.Limit, t.BaseMin, t.BaseMax); r != nil {
			return r
		}
		if r := refuseRange("increment", tc.Increment, t.IncMin, t.IncMax); r != nil {
			return r
		}
		if t.BulletIncrement && speed == lichess.SpeedBullet && tc.Increment == 0 {
			return &refusal{lichess.DeclineTooFast, "bullet without an increment is not accepted"}
		}
		if len(t.Clocks) > 0 && !slices.Contains(t.Clocks, opponents.Clock{Limit: tc.Limit, Increment: tc.Increment}) {
			return &refusal{t.clockReason(tc), fmt.Sprintf("the clock %s is not on the list of those accepted", tc)}
		}
	default:
		return &refusal{lichess.DeclineTimeControl, fmt.Sprintf("time control %q is unknown", tc.Type)}
	}
	return nil
}

// speedReason asks for a slower or faster game when all accepted speeds lie on that side, else for another time control.
func (t *Terms) speedReason(speed lichess.Speed) lichess.DeclineReason {
	rank := slices.Index(speedOrder, speed)
	slower, faster := false, false
	for _, accepted := range t.Speeds {
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

// clockReason asks for a slower or faster game when all accepted clocks lie on that side, else for another time control.
func (t *Terms) clockReason(tc lichess.TimeControl) lichess.DeclineReason {
	asked := lichess.EstimatedSeconds(tc.Limit, tc.Increment)
	slower, faster := true, true
	for _, c := range t.Clocks {
		slower, faster = slower && c.Estimate() > asked, faster && c.Estimate() < asked
	}
	switch {
	case slower:
		return lichess.DeclineTooFast
	case faster:
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
