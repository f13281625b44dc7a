package lichess

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// TimeControlType says which fields of a TimeControl count.
type TimeControlType string

// The kinds of time control.
const (
	TimeControlClock          TimeControlType = "clock"
	TimeControlCorrespondence TimeControlType = "correspondence"
	TimeControlUnlimited      TimeControlType = "unlimited"
)

// TimeControl is the time control of a challenge.
type TimeControl struct {
	Type        TimeControlType
	Limit       int    // seconds at the start, for a clock
	Increment   int    // seconds a move, for a clock
	Show        string // "3+2", for a clock
	DaysPerTurn int    // days a move, for correspondence
}

// ClockControl returns a real-time control of limit seconds and increment
// seconds a move.
func ClockControl(limit, increment int) TimeControl {
	return TimeControl{Type: TimeControlClock, Limit: limit, Increment: increment, Show: ShowClock(limit, increment)}
}

// CorrespondenceControl returns a control of so many days a move.
func CorrespondenceControl(days int) TimeControl {
	return TimeControl{Type: TimeControlCorrespondence, DaysPerTurn: days}
}

// UnlimitedControl returns a game without any clock.
func UnlimitedControl() TimeControl { return TimeControl{Type: TimeControlUnlimited} }

// RealTime reports whether the game is played by the clock in one sitting.
func (t TimeControl) RealTime() bool { return t.Type == TimeControlClock }

// Speed classes the time control. Whatever has no clock is correspondence.
func (t TimeControl) Speed() Speed {
	if t.Type == TimeControlClock {
		return SpeedOf(t.Limit, t.Increment)
	}
	return SpeedCorrespondence
}

// String returns "3+2", "3 days" or "unlimited".
func (t TimeControl) String() string {
	switch t.Type {
	case TimeControlClock:
		return ShowClock(t.Limit, t.Increment)
	case TimeControlCorrespondence:
		if t.DaysPerTurn == 1 {
			return "1 day"
		}
		return fmt.Sprintf("%d days", t.DaysPerTurn)
	}
	return string(t.Type)
}

// ShowClock writes a clock as the server shows it: minutes and seconds of
// increment, with fractions of a minute as "¼", "½", "¾" and "1.5".
func ShowClock(limit, increment int) string {
	minutes := ""
	switch limit {
	case 15:
		minutes = "¼"
	case 30:
		minutes = "½"
	case 45:
		minutes = "¾"
	default:
		minutes = strconv.FormatFloat(float64(limit)/60, 'f', -1, 64)
	}
	return minutes + "+" + strconv.Itoa(increment)
}

type clockJSON struct {
	Type      TimeControlType `json:"type"`
	Limit     int             `json:"limit"`
	Increment int             `json:"increment"`
	Show      string          `json:"show"`
}

type correspondenceJSON struct {
	Type        TimeControlType `json:"type"`
	DaysPerTurn int             `json:"daysPerTurn"`
}

// MarshalJSON writes the fields that belong to the type and no others.
func (t TimeControl) MarshalJSON() ([]byte, error) {
	switch t.Type {
	case TimeControlClock:
		show := t.Show
		if show == "" {
			show = ShowClock(t.Limit, t.Increment)
		}
		return json.Marshal(clockJSON{t.Type, t.Limit, t.Increment, show})
	case TimeControlCorrespondence:
		return json.Marshal(correspondenceJSON{t.Type, t.DaysPerTurn})
	}
	return json.Marshal(struct {
		Type TimeControlType `json:"type"`
	}{t.Type})
}

// UnmarshalJSON reads any of the three forms.
func (t *TimeControl) UnmarshalJSON(data []byte) error {
	var wire struct {
		clockJSON
		DaysPerTurn int `json:"daysPerTurn"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*t = TimeControl{
		Type: wire.Type, Limit: wire.Limit, Increment: wire.Increment, Show: wire.Show,
		DaysPerTurn: wire.DaysPerTurn,
	}
	return nil
}
