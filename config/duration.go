package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time. Its bounds are the tags min and max.
type Duration time.Duration

// Decode reads a number with units, such as 200ms, 1m30s or 2h, or a bare whole number, which is seconds: the clocks
// of chess are told in seconds.
func (d *Duration) Decode(value string) error {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		if seconds < 0 || seconds > math.MaxInt64/int64(time.Second) {
			return errors.New("is out of range")
		}
		*d = Duration(seconds) * Duration(time.Second)
		return nil
	}
	duration, err := time.ParseDuration(value)
	if err != nil {
		return errors.New("is not a length of time such as 90, 200ms, 1m30s or 2h")
	}
	*d = Duration(duration)
	return nil
}

// String is the duration without units of zero: 2h, not 2h0m0s.
func (d Duration) String() string {
	text := time.Duration(d).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// outside says on which side of its bounds, as written in tags, a duration is; "" when it is inside. It tells how the
// value was understood, because a forgotten unit is the usual reason.
func (d Duration) outside(minimum, maximum string) string {
	var low, high Duration
	if low.Decode(minimum) == nil && d < low {
		return fmt.Sprintf("is %v, which is too short", d)
	}
	if high.Decode(maximum) == nil && d > high {
		return fmt.Sprintf("is %v, which is too long", d)
	}
	return ""
}
