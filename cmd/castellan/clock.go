package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// clockFlag is a time control on the command line. "3+2" is 3 minutes and 2 seconds a move, as Lichess writes it; match
// runners write seconds, which is meant when the increment has a fraction ("5+0.05") or the base ends in s ("10s+1").
type clockFlag struct {
	base, increment time.Duration
}

// UnmarshalText reads a clock.
func (c *clockFlag) UnmarshalText(text []byte) error {
	base, increment, ok := strings.Cut(string(text), "+")
	if !ok {
		return fmt.Errorf("clock %q: write base and increment, such as 3+2 (minutes and seconds) or 5+0.05 (seconds)", text)
	}
	unit := time.Minute
	if trimmed, seconds := strings.CutSuffix(base, "s"); seconds || strings.Contains(increment, ".") {
		base, unit = trimmed, time.Second
	}
	var err1, err2 error
	c.base, err1 = parseAmount(base, unit)
	c.increment, err2 = parseAmount(increment, time.Second)
	switch {
	case err1 != nil:
		return fmt.Errorf("clock %q: base: %w", text, err1)
	case err2 != nil:
		return fmt.Errorf("clock %q: increment: %w", text, err2)
	case c.base == 0 && c.increment == 0:
		return fmt.Errorf("clock %q: there must be some time", text)
	case c.base > 3*time.Hour || c.increment > 3*time.Minute:
		return fmt.Errorf("clock %q: at most three hours and three minutes a move", text)
	}
	return nil
}

func parseAmount(text string, unit time.Duration) (time.Duration, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v > 1e6 || v != v {
		return 0, fmt.Errorf("%q is not a number of at least 0", text)
	}
	return time.Duration(v * float64(unit)), nil
}

// String returns the clock in a form that UnmarshalText reads.
func (c clockFlag) String() string {
	if c.base%time.Minute == 0 && c.increment%time.Second == 0 {
		return fmt.Sprintf("%g+%g", c.base.Minutes(), c.increment.Seconds())
	}
	return fmt.Sprintf("%gs+%g", c.base.Seconds(), c.increment.Seconds())
}
