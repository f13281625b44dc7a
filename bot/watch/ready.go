package watch

import (
	"fmt"
	"time"
)

// aliveWithin is how old the last line of the event stream may be: the server sends one each 7 s, and the client gives a silent
// stream up after 15 s.
const aliveWithin = 20 * time.Second

// NotReady says what is wrong when the bot cannot be challenged and would not hear of its games: nothing when all is well. heard
// is when the last line of the event stream came.
func (s *Snapshot) NotReady(heard, now time.Time) (reasons []string) {
	if s.Account == "" {
		reasons = append(reasons, "the server has not confirmed the token and the account yet")
	}
	if !s.Connected {
		why := ""
		if s.LostBy != "" {
			why = ": " + s.LostBy
		}
		return append(reasons, "the event stream is not open"+why)
	}
	if age := now.Sub(s.LastSign(heard)); age > aliveWithin {
		reasons = append(reasons, fmt.Sprintf("the last line of the event stream came %s ago", age.Round(time.Second)))
	}
	return reasons
}

// LastSign returns when the event stream gave a sign of life for the last time: a line, or its opening, since a new stream begins
// with silence. heard is when its last line came; the zero time stands for never.
func (s *Snapshot) LastSign(heard time.Time) time.Time {
	if s.Connected && heard.Before(s.Since) {
		return s.Since
	}
	return heard
}
