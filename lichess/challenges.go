package lichess

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// ChallengeRequest says what to challenge somebody to.
type ChallengeRequest struct {
	Rated       bool
	TimeControl TimeControl
	Color       Color      // "" means ColorRandom
	Variant     VariantKey // "" means VariantStandard
	FEN         string     // "" means the usual position
	// ToBot says that the user is known to be a BOT account. Such a challenge
	// costs one point of the 25 a minute and 200 a day that the server allows,
	// any other five.
	ToBot bool
}

// Days that a correspondence game may have for each move.
var challengeDays = []int{1, 2, 3, 5, 7, 10, 14}

// CheckClock tells whether the server allows a challenge with a clock of limit
// seconds and increment seconds a move. It takes 0, 15, 30, 45, 60 or 90
// seconds, or whole minutes up to 180, and an increment of up to 60 seconds.
func CheckClock(limit, increment int) error {
	minutes := limit%60 == 0 && limit >= 0 && limit <= 180*60
	switch {
	case !minutes && !slices.Contains([]int{15, 30, 45, 90}, limit):
		return fmt.Errorf("lichess: %d s is not a base time that the server takes: use 0, 15, 30, 45, 60, 90 s or whole minutes up to 180", limit)
	case increment < 0 || increment > 60:
		return fmt.Errorf("lichess: %d s is not an increment that the server takes: use 0 to 60 s", increment)
	}
	return nil
}

// Check tells whether the server takes such a request.
func (r *ChallengeRequest) Check() error {
	var faults []error
	switch r.TimeControl.Type {
	case TimeControlClock:
		faults = append(faults, CheckClock(r.TimeControl.Limit, r.TimeControl.Increment))
	case TimeControlCorrespondence:
		if !slices.Contains(challengeDays, r.TimeControl.DaysPerTurn) {
			faults = append(faults, fmt.Errorf("lichess: %d days a move are not possible: use 1, 2, 3, 5, 7, 10 or 14", r.TimeControl.DaysPerTurn))
		}
	case TimeControlUnlimited:
	default:
		faults = append(faults, fmt.Errorf("lichess: the challenge has no time control"))
	}
	if r.Color != "" && r.Color != ColorWhite && r.Color != ColorBlack && r.Color != ColorRandom {
		faults = append(faults, fmt.Errorf("lichess: %q is not a colour: use white, black or random", CleanText(string(r.Color), 60)))
	}
	if r.Variant != "" {
		if _, ok := VariantByKey(r.Variant); !ok {
			faults = append(faults, fmt.Errorf("lichess: %q is not a variant", CleanText(string(r.Variant), 60)))
		}
	}
	if r.FEN != "" && r.Rated {
		faults = append(faults, errors.New("lichess: a game from a given position cannot be rated"))
	}
	if r.FEN != "" && !slices.Contains([]VariantKey{"", VariantStandard, VariantFromPosition, VariantChess960}, r.Variant) {
		faults = append(faults, errors.New("lichess: only standard chess and Chess960 can begin from a given position"))
	}
	return errors.Join(faults...)
}

// values returns the form of the request.
func (r *ChallengeRequest) values() url.Values {
	v := url.Values{"rated": {strconv.FormatBool(r.Rated)}, "color": {string(ColorRandom)}, "variant": {string(VariantStandard)}}
	switch r.TimeControl.Type {
	case TimeControlClock:
		v.Set("clock.limit", strconv.Itoa(r.TimeControl.Limit))
		v.Set("clock.increment", strconv.Itoa(r.TimeControl.Increment))
	case TimeControlCorrespondence:
		v.Set("days", strconv.Itoa(r.TimeControl.DaysPerTurn))
	}
	if r.Color != "" {
		v.Set("color", string(r.Color))
	}
	if r.Variant != "" {
		v.Set("variant", string(r.Variant))
	}
	if r.FEN != "" {
		v.Set("fen", r.FEN)
	}
	return v
}

// CreateChallenge challenges a user. The server tells of an answer on the
// event stream, but not of a challenge that nobody looked at: cancel it after
// some time. A request that is not possible at all is refused without asking
// the server, and so is one beyond the server's limits, by a *LimitError.
func (c *Client) CreateChallenge(ctx context.Context, user string, r ChallengeRequest) (*Challenge, error) {
	if err := errors.Join(checkArg("user name", nameForm, user), r.Check()); err != nil {
		return nil, err
	}
	var challenge Challenge
	req := form(r.values(), user)
	req.costs = c.challengeCosts(&r)
	if err := c.get(ctx, epChallenge, req, &challenge); err != nil {
		return nil, err
	}
	if err := challenge.check(); err != nil {
		return nil, fmt.Errorf("lichess: %s: the reply is not a challenge: %w", epChallenge, err)
	}
	return &challenge, nil
}

// challengeCosts is what a challenge counts against the server's limits.
func (c *Client) challengeCosts(r *ChallengeRequest) []cost {
	points := r.Points()
	return []cost{{&c.limits.challengeMinute, points}, {&c.limits.challengeDay, points}}
}

// Points is what the challenge costs of the 25 points a minute and 200 a day that the server gives an account: 1 to a bot, 5 to a person.
func (r *ChallengeRequest) Points() int { return ChallengePoints(r.ToBot) }

// ChallengePoints is what a challenge to a bot, or to a person, costs.
func ChallengePoints(toBot bool) int {
	if toBot {
		return pointsForBot
	}
	return pointsForPerson
}

// ChallengeUse is a challenge that was made, and its points.
type ChallengeUse struct {
	At     time.Time
	Points int
}

// ChallengeAI starts a casual game against the server's engine at level 1 to 8.
// A bot may do so 20 times a day.
func (c *Client) ChallengeAI(ctx context.Context, level int, r ChallengeRequest) (*AIGame, error) {
	r.Rated = false
	if err := r.Check(); err != nil {
		return nil, err
	}
	if level < 1 || level > 8 {
		return nil, fmt.Errorf("lichess: level %d does not exist: use 1 to 8", level)
	}
	values := r.values()
	values.Del("rated")
	values.Set("level", strconv.Itoa(level))
	var game AIGame
	req := form(values)
	req.costs = []cost{{&c.limits.aiDay, 1}}
	if err := c.get(ctx, epChallengeAI, req, &game); err != nil {
		return nil, err
	}
	return &game, nil
}

// AcceptChallenge accepts a challenge or rematch offer. The game begins with
// the GameStart event. A refusal is Uncertain when an earlier try of the same
// call had no answer: that one may have gone through.
func (c *Client) AcceptChallenge(ctx context.Context, id string) error {
	if err := checkArg("challenge id", idForm, id); err != nil {
		return err
	}
	return c.post(ctx, epAccept, request{args: []string{id}})
}

// DeclineChallenge declines a challenge or rematch offer. The error matches
// ErrNotFound when it is gone.
func (c *Client) DeclineChallenge(ctx context.Context, id string, reason DeclineReason) error {
	if err := checkArg("challenge id", idForm, id); err != nil {
		return err
	}
	return c.post(ctx, epDecline, form(url.Values{"reason": {string(reason)}}, id))
}

// CancelChallenge withdraws an own challenge. When it has just been accepted
// the server aborts the game. The error matches ErrNotFound when it is gone.
func (c *Client) CancelChallenge(ctx context.Context, id string) error {
	if err := checkArg("challenge id", idForm, id); err != nil {
		return err
	}
	return c.post(ctx, epCancel, request{args: []string{id}})
}

// Challenges lists the pending challenges. It needs the scope challenge:read.
func (c *Client) Challenges(ctx context.Context) (*ChallengeList, error) {
	var list ChallengeList
	if err := c.get(ctx, epChallenges, request{}, &list); err != nil {
		return nil, err
	}
	return &list, nil
}

// ShowChallenge returns a challenge, also one that was just answered, but not
// a rematch offer. It needs the scope challenge:read.
func (c *Client) ShowChallenge(ctx context.Context, id string) (*Challenge, error) {
	if err := checkArg("challenge id", idForm, id); err != nil {
		return nil, err
	}
	var challenge Challenge
	if err := c.get(ctx, epShow, request{args: []string{id}}, &challenge); err != nil {
		return nil, err
	}
	return &challenge, nil
}
