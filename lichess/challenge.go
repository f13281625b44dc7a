package lichess

import (
	"encoding/json"
	"strings"
)

// ChallengeStatus is the state of a challenge.
type ChallengeStatus string

// The states of a challenge. A real-time challenge that its challenger has not
// looked at for 20 s goes offline, without any event.
const (
	ChallengeCreated  ChallengeStatus = "created"
	ChallengeOffline  ChallengeStatus = "offline"
	ChallengeCanceled ChallengeStatus = "canceled"
	ChallengeDeclined ChallengeStatus = "declined"
	ChallengeAccepted ChallengeStatus = "accepted"
)

// DeclineReason is why a challenge is declined.
type DeclineReason string

// The reasons in the spelling in which they are sent.
const (
	DeclineGeneric     DeclineReason = "generic"
	DeclineLater       DeclineReason = "later"
	DeclineTooFast     DeclineReason = "tooFast"
	DeclineTooSlow     DeclineReason = "tooSlow"
	DeclineTimeControl DeclineReason = "timeControl"
	DeclineRated       DeclineReason = "rated"
	DeclineCasual      DeclineReason = "casual"
	DeclineStandard    DeclineReason = "standard"
	DeclineVariant     DeclineReason = "variant"
	DeclineNoBot       DeclineReason = "noBot"
	DeclineOnlyBot     DeclineReason = "onlyBot"
)

// DeclineReasons lists all reasons.
var DeclineReasons = [...]DeclineReason{
	DeclineGeneric, DeclineLater, DeclineTooFast, DeclineTooSlow, DeclineTimeControl, DeclineRated,
	DeclineCasual, DeclineStandard, DeclineVariant, DeclineNoBot, DeclineOnlyBot,
}

// ParseDeclineReason reads a reason in any case, as the server does: both
// "tooFast" and the "toofast" of a challenge's declineReasonKey. What it does
// not know is DeclineGeneric.
func ParseDeclineReason(s string) DeclineReason {
	for _, r := range DeclineReasons {
		if strings.EqualFold(string(r), s) {
			return r
		}
	}
	return DeclineGeneric
}

// Key returns the lower-case form that the server uses in declineReasonKey.
func (r DeclineReason) Key() string { return strings.ToLower(string(r)) }

// Challenge is a challenge, also one that is already accepted, declined or
// canceled. A game that comes of it has the same id.
type Challenge struct {
	ID               string          `json:"id"`
	URL              string          `json:"url"`
	Status           ChallengeStatus `json:"status"`
	Challenger       *ChallengeUser  `json:"challenger"` // nil for an open challenge by nobody
	DestUser         *ChallengeUser  `json:"destUser"`   // nil for an open challenge
	Variant          Variant         `json:"variant"`
	Rated            bool            `json:"rated"`
	Speed            Speed           `json:"speed"`
	TimeControl      TimeControl     `json:"timeControl"`
	Color            Color           `json:"color"`      // the challenger's wish
	FinalColor       Color           `json:"finalColor"` // the challenger's colour in the game
	Perf             ChallengePerf   `json:"perf"`
	InitialFEN       string          `json:"initialFen,omitempty"`
	RematchOf        string          `json:"rematchOf,omitempty"` // id of the game before
	Direction        string          `json:"direction,omitempty"` // "in" or "out"; never in stream events
	Rules            []string        `json:"rules,omitempty"`
	Open             json.RawMessage `json:"open,omitempty"` // an object when the challenge is open
	DeclineReason    string          `json:"declineReason,omitempty"`
	DeclineReasonKey string          `json:"declineReasonKey,omitempty"`
}

// ChallengeUser is a side of a challenge.
type ChallengeUser struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Rating      int    `json:"rating,omitempty"`
	Provisional bool   `json:"provisional,omitempty"`
	Online      bool   `json:"online,omitempty"`
	Lag         int    `json:"lag,omitempty"` // 1 (bad) to 4 (good) bars
	Flair       string `json:"flair,omitempty"`
	Patron      bool   `json:"patron,omitempty"`
}

// IsBot reports whether the user is a BOT account.
func (u *ChallengeUser) IsBot() bool { return u != nil && u.Title == TitleBot }

// ChallengePerf names the rating that is at stake, for people.
type ChallengePerf struct {
	Icon string `json:"icon"`
	Name string `json:"name"`
}

// ChallengeList holds the pending challenges of an account.
type ChallengeList struct {
	In  []Challenge `json:"in"`
	Out []Challenge `json:"out"`
}
