package lichess

import (
	"bytes"
	"encoding/json"
)

// Event is one event of the account's event stream: *GameStart, *GameFinish,
// *ChallengeEvent, *ChallengeCanceledEvent, *ChallengeDeclinedEvent or
// *Unknown.
type Event interface{ event() }

// The type names on the event stream.
const (
	TypeGameStart         = "gameStart"
	TypeGameFinish        = "gameFinish"
	TypeChallenge         = "challenge"
	TypeChallengeCanceled = "challengeCanceled"
	TypeChallengeDeclined = "challengeDeclined"
)

// GameStart tells of a game that has begun. The server sends it again for each
// running game whenever the event stream is opened.
type GameStart struct {
	Game GameInfo `json:"game"`
}

// GameFinish tells of a game that has ended. It is not repeated for games that
// ended while no stream was open.
type GameFinish struct {
	Game GameInfo `json:"game"`
}

// ChallengeEvent tells of a challenge that was made: to this account, or by
// it. Pending incoming ones are repeated, without Compat, whenever the stream
// is opened. A rematch offer comes as a challenge with RematchOf.
type ChallengeEvent struct {
	Challenge Challenge `json:"challenge"`
	Compat    *Compat   `json:"compat,omitempty"`
}

// ChallengeCanceledEvent tells of a challenge or rematch offer withdrawn by
// its maker.
type ChallengeCanceledEvent struct {
	Challenge Challenge `json:"challenge"`
}

// ChallengeDeclinedEvent tells of a challenge that was declined.
type ChallengeDeclinedEvent struct {
	Challenge Challenge `json:"challenge"`
}

// Unknown is a line of a stream that could not be used: of a type that this
// package does not know, or broken (Err says how). It is there to be logged.
type Unknown struct {
	Type string // "" when the line has none
	Raw  []byte // the line, cut to a few hundred bytes
	Err  error  // nil when the line is sound and only its type is new
}

func (*GameStart) event()              {}
func (*GameFinish) event()             {}
func (*ChallengeEvent) event()         {}
func (*ChallengeCanceledEvent) event() {}
func (*ChallengeDeclinedEvent) event() {}
func (*Unknown) event()                {}

// MarshalJSON adds the type.
func (e GameStart) MarshalJSON() ([]byte, error) {
	type wire GameStart
	return marshalTyped(TypeGameStart, wire(e))
}

// MarshalJSON adds the type.
func (e GameFinish) MarshalJSON() ([]byte, error) {
	type wire GameFinish
	return marshalTyped(TypeGameFinish, wire(e))
}

// MarshalJSON adds the type.
func (e ChallengeEvent) MarshalJSON() ([]byte, error) {
	type wire ChallengeEvent
	return marshalTyped(TypeChallenge, wire(e))
}

// MarshalJSON adds the type.
func (e ChallengeCanceledEvent) MarshalJSON() ([]byte, error) {
	type wire ChallengeCanceledEvent
	return marshalTyped(TypeChallengeCanceled, wire(e))
}

// MarshalJSON adds the type.
func (e ChallengeDeclinedEvent) MarshalJSON() ([]byte, error) {
	type wire ChallengeDeclinedEvent
	return marshalTyped(TypeChallengeDeclined, wire(e))
}

// marshalTyped writes v, which must marshal as an object, with a leading type
// field. The field is written here so that no sender can forget it.
func marshalTyped(typ string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(`{"type":"` + typ + `"`)
	if len(body) > 2 {
		b.WriteByte(',')
	}
	b.Write(body[1:])
	return b.Bytes(), nil
}
