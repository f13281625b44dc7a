package lichess

import (
	"bytes"
	"encoding/json"
)

// OK is the reply of calls that have nothing to tell.
type OK struct {
	OK bool `json:"ok"`
}

// ErrorBody is the body of a refused call.
type ErrorBody struct {
	Error     string     `json:"error"`
	RateLimit *RateLimit `json:"ratelimit,omitempty"`
}

// KeyBotVsBotDay is the RateLimit key of the daily number of games against
// other bots.
const KeyBotVsBotDay = "bot.vsBot.day"

// RateLimit names a limit of the server and how long it lasts. It comes with
// 429 when this account is limited, and with 400 when the opponent is.
type RateLimit struct {
	Key     string `json:"key"`
	Seconds int64  `json:"seconds"`
}

// UnmarshalJSON accepts as error any JSON value: a form that was filled in
// wrongly is answered by an object of messages by field.
func (b *ErrorBody) UnmarshalJSON(data []byte) error {
	var wire struct {
		Error     json.RawMessage `json:"error"`
		RateLimit json.RawMessage `json:"ratelimit"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*b = ErrorBody{}
	if err := json.Unmarshal(wire.Error, &b.Error); err != nil {
		var compact bytes.Buffer
		if json.Compact(&compact, wire.Error) == nil {
			b.Error = compact.String()
		}
	}
	var limit RateLimit
	if len(wire.RateLimit) > 0 && json.Unmarshal(wire.RateLimit, &limit) == nil && limit != (RateLimit{}) {
		b.RateLimit = &limit
	}
	return nil
}
