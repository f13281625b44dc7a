package sandbox

import (
	"net/url"
	"slices"
	"strings"

	"castellan/engine/chess"
	"castellan/lichess"
)

// ChallengeSetup is what a challenge asks for. It is what the form of POST
// /api/challenge/{user} holds.
type ChallengeSetup struct {
	HasClock  bool // false with Days 0 is an unlimited game
	Limit     int  // seconds: 0, 15, 30, 45, 60, 90 or a multiple of 60 up to 10800
	Increment int  // seconds: 0 to 60
	Days      int  // a move, without a clock: 1, 2, 3, 5, 7, 10 or 14
	Rated     bool
	Color     lichess.Color      // of the challenger; "" is random
	Variant   lichess.VariantKey // "" is standard
	FEN       string             // casual standard, chess960 and fromPosition only
	Rules     []string           // "noAbort", …; not against bots
}

var allowedRules = []string{"noAbort", "noRematch", "noGiveTime", "noClaimWin", "noEarlyDraw"}

// readChallenge reads the form of a challenge.
func readChallenge(form url.Values) (ChallengeSetup, error) {
	c := ChallengeSetup{
		Color:    lichess.Color(form.Get("color")),
		Variant:  lichess.VariantKey(form.Get("variant")),
		FEN:      strings.TrimSpace(form.Get("fen")),
		HasClock: form.Has("clock.limit") || form.Has("clock.increment"),
	}
	var err error
	if c.Rated, err = boolParam(form, "rated", false); err != nil {
		return c, err
	}
	if c.HasClock {
		for _, name := range []string{"clock.limit", "clock.increment"} {
			if form.Get(name) == "" {
				return c, badRequest("%s: This field is required", name)
			}
		}
		if c.Limit, err = intParam(form, "clock.limit", 0, 0, 10800); err != nil {
			return c, err
		}
		if c.Increment, err = intParam(form, "clock.increment", 0, 0, 60); err != nil {
			return c, err
		}
	}
	if c.Days, err = intParam(form, "days", 0, 1, 14); err != nil {
		return c, err
	}
	for _, rule := range strings.Split(form.Get("rules"), ",") {
		if rule = strings.TrimSpace(rule); rule != "" {
			c.Rules = append(c.Rules, rule)
		}
	}
	return c, nil
}

// check completes the setup with what is implied, and refuses what the server
// does not offer.
func (c *ChallengeSetup) check() error {
	if c.Color == "" {
		c.Color = lichess.ColorRandom
	}
	if c.Variant == "" {
		c.Variant = lichess.VariantStandard
	}
	if _, ok := lichess.VariantByKey(c.Variant); !ok {
		return badRequest("variant: %q is not a variant", c.Variant)
	}
	switch c.Color {
	case lichess.ColorWhite, lichess.ColorBlack, lichess.ColorRandom:
	default:
		return badRequest("color: must be white, black or random")
	}
	for _, rule := range c.Rules {
		if !slices.Contains(allowedRules, rule) {
			return badRequest("rules: %q is not a rule", rule)
		}
	}
	if err := c.checkTime(); err != nil {
		return err
	}
	if err := c.checkPosition(); err != nil {
		return err
	}
	c.Rated = c.Rated && c.mayBeRated()
	return nil
}

func (c *ChallengeSetup) checkTime() error {
	if c.HasClock {
		c.Days = 0
		switch {
		case !slices.Contains([]int{0, 15, 30, 45, 60, 90}, c.Limit) && (c.Limit%60 != 0 || c.Limit < 0 || c.Limit > 10800):
			return badRequest("clock.limit: must be 0, 15, 30, 45, 60, 90 or a multiple of 60 up to 10800")
		case c.Increment < 0 || c.Increment > 60:
			return badRequest("clock.increment: must be a whole number from 0 to 60")
		case c.Limit == 0 && c.Increment == 0:
			return badRequest("clock: Invalid clock")
		}
		return nil
	}
	if !slices.Contains([]int{0, 1, 2, 3, 5, 7, 10, 14}, c.Days) {
		return badRequest("days: must be 1, 2, 3, 5, 7, 10 or 14")
	}
	return nil
}

func (c *ChallengeSetup) checkPosition() error {
	if c.FEN == "" {
		if c.Variant == lichess.VariantFromPosition {
			return badRequest("fen: This field is required")
		}
		return nil
	}
	switch c.Variant {
	case lichess.VariantStandard, lichess.VariantFromPosition, lichess.VariantChess960:
	default:
		return badRequest("fen: cannot be used with the variant %s", c.Variant)
	}
	if c.Rated {
		return badRequest("fen: a rated game cannot start from a position")
	}
	p, err := chess.ParseFEN(c.FEN)
	if err != nil {
		return badRequest("fen: Invalid FEN: %v", err)
	}
	if chess.NewGame(p, chess.Lichess).Outcome().Over() {
		return badRequest("fen: the game would be over at once")
	}
	start := chess.StartPosition()
	c.FEN = p.FEN()
	switch {
	case c.Variant == lichess.VariantChess960:
		if _, err := p.Chess960Number(); err != nil {
			return badRequest("fen: %v", err)
		}
	case c.FEN == start.FEN() && c.Variant == lichess.VariantStandard:
		c.FEN = ""
	default:
		c.Variant = lichess.VariantFromPosition
	}
	return nil
}

// mayBeRated is the server's rule on what can count for ratings: any standard
// game; variants only with a clock that lasts for a game.
func (c *ChallengeSetup) mayBeRated() bool {
	switch {
	case c.Variant == lichess.VariantFromPosition:
		return false
	case c.Variant == lichess.VariantStandard || !c.HasClock:
		return true
	}
	return c.Limit+40*c.Increment >= 30 && (c.Limit > 0 || c.Increment > 1)
}

func (c *ChallengeSetup) timeControl() lichess.TimeControl {
	switch {
	case c.HasClock:
		return lichess.ClockControl(c.Limit, c.Increment)
	case c.Days > 0:
		return lichess.CorrespondenceControl(c.Days)
	}
	return lichess.UnlimitedControl()
}

// perfKey names the rating that a game counts for.
func perfKey(v lichess.VariantKey, speed lichess.Speed) string {
	if v == lichess.VariantStandard || v == lichess.VariantFromPosition {
		return string(speed)
	}
	return string(v)
}

// perfName is the rating's name for people.
func perfName(v lichess.Variant, speed lichess.Speed) string {
	if perfKey(v.Key, speed) != string(speed) {
		return v.Name
	}
	if speed == lichess.SpeedUltraBullet {
		return "UltraBullet"
	}
	return strings.ToUpper(string(speed[:1])) + string(speed[1:])
}

// boardPlayable reports whether people may play at this speed by the Board
// API: not at bullet and faster.
func boardPlayable(speed lichess.Speed) bool {
	return speed != lichess.SpeedUltraBullet && speed != lichess.SpeedBullet
}
