package match

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"castellan/engine/chess"
	"castellan/engine/uciclient"
)

// Control says how long each side may think. A clock or MoveTime, Nodes and Depth can be combined: what is reached first
// ends the thought.
type Control struct {
	Clock    Clock
	MoveTime time.Duration // the same for every move; 0 for none; not together with a clock
	Nodes    uint64        // of every search; 0 for no limit
	Depth    int           // of every search, in plies; 0 for no limit
}

// Clock is a time control: a time to begin with, an increment after each move, and, when Moves is not 0, Base once more
// after so many moves.
type Clock struct {
	Base, Increment time.Duration
	Moves           int
}

// UnmarshalText reads a clock as match runners write it, in seconds: "60+0.6", "40/60", "40/60+0.5" or "60".
func (c *Clock) UnmarshalText(text []byte) error {
	rest := string(text)
	var moves, increment string
	if before, after, ok := strings.Cut(rest, "/"); ok {
		moves, rest = before, after
	}
	base, increment, hasIncrement := strings.Cut(rest, "+")
	var clock Clock
	var err error
	if moves != "" {
		if clock.Moves, err = strconv.Atoi(moves); err != nil || clock.Moves < 1 || clock.Moves > 1000 {
			return fmt.Errorf("time control %q: the moves before the / must be 1 to 1000", text)
		}
	}
	if clock.Base, err = seconds(base); err != nil {
		return fmt.Errorf("time control %q: base: %w", text, err)
	}
	if hasIncrement {
		if clock.Increment, err = seconds(increment); err != nil {
			return fmt.Errorf("time control %q: increment: %w", text, err)
		}
	}
	if clock.Base == 0 && clock.Increment == 0 {
		return fmt.Errorf("time control %q: there must be some time; write seconds, such as 10+0.1 or 40/60", text)
	}
	*c = clock
	return nil
}

func seconds(text string) (time.Duration, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1e6) {
		return 0, fmt.Errorf("%q is not a number of seconds", text)
	}
	return time.Duration(v * float64(time.Second)), nil
}

// String returns the clock as UnmarshalText reads it, which is also what a PGN's TimeControl tag wants.
func (c Clock) String() string {
	s := strconv.FormatFloat(c.Base.Seconds(), 'f', -1, 64)
	if c.Moves > 0 {
		s = strconv.Itoa(c.Moves) + "/" + s
	}
	if c.Increment > 0 {
		s += "+" + strconv.FormatFloat(c.Increment.Seconds(), 'f', -1, 64)
	}
	return s
}

// String returns the whole control in words.
func (c Control) String() string {
	var parts []string
	if c.Clock != (Clock{}) {
		parts = append(parts, c.Clock.String()+" s")
	}
	if c.MoveTime > 0 {
		parts = append(parts, c.MoveTime.String()+" a move")
	}
	if c.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("%d nodes", c.Nodes))
	}
	if c.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth %d", c.Depth))
	}
	return strings.Join(parts, ", ")
}

// validate returns what is wrong with the control.
func (c Control) validate() error {
	switch {
	case c == Control{}:
		return errors.New("how long to think is missing: a clock, a time for each move, nodes or a depth")
	case c.Clock != (Clock{}) && c.MoveTime != 0:
		return errors.New("a clock and a time for each move exclude each other")
	case c.MoveTime < 0 || c.MoveTime > time.Hour:
		return fmt.Errorf("%v for each move: choose up to an hour", c.MoveTime)
	case c.Depth < 0 || c.Depth > 1000:
		return fmt.Errorf("depth %d: choose 1 to 1000", c.Depth)
	}
	return nil
}

// patience is how long a move may take when nothing else bounds it.
const patience = 5 * time.Minute

// clocks are the clocks of a game, by color.
type clocks struct {
	control Control
	margin  time.Duration
	left    [2]time.Duration
	moves   [2]int
}

func newClocks(c Control, margin time.Duration) *clocks {
	return &clocks{control: c, margin: margin, left: [2]time.Duration{c.Clock.Base, c.Clock.Base}}
}

func (c *clocks) running() bool { return c.control.Clock != (Clock{}) }

// allowed is the longest that the next move may take, the margin included.
func (c *clocks) allowed(side chess.Color) time.Duration {
	switch {
	case c.running():
		return c.left[side] + c.margin
	case c.control.MoveTime > 0:
		return c.control.MoveTime + c.margin
	}
	return patience
}

// limits is what to tell the engine.
func (c *clocks) limits(side chess.Color) uciclient.Limits {
	l := uciclient.Limits{Depth: c.control.Depth, Nodes: c.control.Nodes, MoveTime: c.control.MoveTime}
	if c.running() {
		l.WTime, l.BTime = max(c.left[chess.White], time.Millisecond), max(c.left[chess.Black], time.Millisecond)
		l.WInc, l.BInc = c.control.Clock.Increment, c.control.Clock.Increment
		if n := c.control.Clock.Moves; n > 0 {
			l.MovesToGo = n - c.moves[side]%n
		}
	}
	return l
}

// spend takes the time of a move off a clock, and tells whether it was in time.
func (c *clocks) spend(side chess.Color, elapsed time.Duration) bool {
	if elapsed > c.allowed(side) {
		c.left[side] = 0
		return false
	}
	if c.running() {
		c.left[side] = max(0, c.left[side]-elapsed) + c.control.Clock.Increment
		c.moves[side]++
		if n := c.control.Clock.Moves; n > 0 && c.moves[side]%n == 0 {
			c.left[side] += c.control.Clock.Base
		}
	}
	return true
}
