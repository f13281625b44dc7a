package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Clock is a chess clock that the server takes for a challenge.
type Clock struct {
	Limit     int // seconds at the start: 0, 15, 30, 45, 90 or whole minutes up to 180
	Increment int // seconds for each move, 0 to 60
}

// String is the clock as it is written in a variable: minutes and seconds, as in 3+2.
func (c Clock) String() string {
	return strconv.FormatFloat(float64(c.Limit)/60, 'f', -1, 64) + "+" + strconv.Itoa(c.Increment)
}

// speed classes a clock as the server does, by the base time and 40 increments.
func (c Clock) speed() string {
	switch estimate := c.Limit + 40*c.Increment; {
	case estimate < 30:
		return "ultraBullet"
	case estimate < 180:
		return "bullet"
	case estimate < 480:
		return "blitz"
	case estimate < 1500:
		return "rapid"
	}
	return "classical"
}

const clocksLegal = "clocks such as 3+2 separated by commas: minutes 0, 0.25, 0.5, 0.75, 1.5 or whole up to 180, then seconds for each move, 0 to 60"

// Clocks is a list of clocks, each once.
type Clocks []Clock

// Decode splits at commas and reads each item. A clock that the server does not take, or that bots may not play, is refused.
func (c *Clocks) Decode(value string) error {
	items, err := splitItems(value)
	if err != nil {
		return err
	}
	var clocks Clocks
	for _, item := range items {
		clock, err := parseClock(item)
		if err != nil {
			return err
		}
		if !slices.Contains(clocks, clock) {
			clocks = append(clocks, clock)
		}
	}
	*c = clocks
	return nil
}

// String is the list as it is written in a variable.
func (c Clocks) String() string {
	var items []string
	for _, clock := range c {
		items = append(items, clock.String())
	}
	return strings.Join(items, ",")
}

func parseClock(text string) (Clock, error) {
	base, increment, two := strings.Cut(text, "+")
	minutes, err := strconv.ParseFloat(strings.TrimSpace(base), 64)
	if !two || err != nil {
		return Clock{}, fmt.Errorf("%s is no clock", quote(text))
	}
	seconds, err := strconv.Atoi(strings.TrimSpace(increment))
	if err != nil {
		return Clock{}, fmt.Errorf("%s is no clock", quote(text))
	}
	whole := minutes == float64(int(minutes)) && minutes >= 0 && minutes <= 180
	switch {
	case !whole && !slices.Contains([]float64{0.25, 0.5, 0.75, 1.5}, minutes):
		return Clock{}, fmt.Errorf("%s has a base time that the server does not take", quote(text))
	case seconds < 0 || seconds > 60:
		return Clock{}, fmt.Errorf("%s has an increment that the server does not take", quote(text))
	}
	clock := Clock{Limit: int(minutes * 60), Increment: seconds}
	if clock.speed() == "ultraBullet" {
		return Clock{}, fmt.Errorf("%s is ultrabullet, which is closed to bots", quote(text))
	}
	return clock, nil
}
