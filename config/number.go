package config

import (
	"errors"
	"strconv"
	"strings"
)

// Int is a whole number, always read as decimal: 010 is ten. Its bounds are the tags min and max.
type Int int

// Decode reads a number with an optional sign.
func (n *Int) Decode(value string) error {
	number, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32) // every bound is far inside 32 bits
	if errors.Is(err, strconv.ErrRange) {
		return errors.New("is out of range")
	}
	if err != nil {
		return errors.New("is not a whole number")
	}
	*n = Int(number)
	return nil
}

// String is the number in decimal.
func (n Int) String() string { return strconv.Itoa(int(n)) }

// outside says on which side of its bounds, as written in tags, a number is; "" when it is inside.
func (n Int) outside(minimum, maximum string) string {
	var low, high Int
	if low.Decode(minimum) == nil && n < low {
		return "is too small"
	}
	if high.Decode(maximum) == nil && n > high {
		return "is too large"
	}
	return ""
}
