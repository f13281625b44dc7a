package bot_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// chaosSetup is a game to play and how it comes about.
type chaosSetup struct {
	sandbox.GameSetup
	opponent  string
	challenge bool // else it just starts
}

func (s chaosSetup) String() string {
	return fmt.Sprintf("%v+%v days %d %s against %s, challenge %v", s.Limit, s.Increment, s.Days, s.Variant, s.opponent, s.challenge)
}

// chaosControls are the clocks, limit and increment in seconds. Short ones come more often: they are those that can be lost.
var chaosControls = [][2]int{{60, 0}, {60, 0}, {60, 1}, {30, 0}, {0, 1}, {120, 1}, {180, 0}, {180, 2}, {300, 3}, {600, 5}, {1800, 20}}

func newChaosSetup(r *rand.Rand) (s chaosSetup) {
	s.opponent = [...]string{chaosRival, chaosPersons}[r.IntN(2)]
	s.challenge = r.IntN(3) == 0
	s.White, s.Black = chaosDaemon, s.opponent
	if r.IntN(2) == 0 {
		s.White, s.Black = s.Black, s.White
	}
	s.Variant = [...]lichess.VariantKey{lichess.VariantStandard, lichess.VariantStandard, lichess.VariantChess960}[r.IntN(3)]
	if r.IntN(20) == 0 {
		s.Days = 3
		return s
	}
	control := chaosControls[r.IntN(len(chaosControls))]
	s.Limit, s.Increment = time.Duration(control[0])*time.Second, time.Duration(control[1])*time.Second
	return s
}
