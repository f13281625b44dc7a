package lichess

import (
	"fmt"
	"testing"
)

// TestAddGameEvent writes an event in a letter: F and f are gameFull, s a state
// in play, X a final state, g the opponent's absence, c a chat line, u an
// unknown line. The number after it is that of its arrival.
func TestAddGameEvent(t *testing.T) {
	for _, tc := range []struct{ arrive, want string }{
		{"Fs", "F0 s1"},
		{"Fsss", "F0 s3"},
		{"sF", "F1"},     // a new start carries the state
		{"FsF", "F2"},    // on one connection there is only one, but the bound must hold
		{"FsX", "F0 X2"}, // the end replaces what was in play
		{"FXs", "F0 X1"}, // but is not replaced by it
		{"FXX", "F0 X2"}, // it is by a newer end, which may name the rematch
		{"sgs", "g1 s2"}, // the absence came before the last move
		{"gsg", "s1 g2"}, // and here after it
		{"scs", "c1 s2"}, // talk stays
		{"cucsu", "c0 u1 c2 s3 u4"},
		{"FcgscXg", "F0 c1 c4 X5 g6"},
	} {
		var waiting []GameEvent
		names := map[GameEvent]string{}
		for i, letter := range tc.arrive {
			var e GameEvent
			switch letter {
			case 'F':
				e = &GameFull{State: GameState{Status: StatusStarted}}
			case 's':
				e = &GameState{Status: StatusStarted}
			case 'X':
				e = &GameState{Status: StatusMate}
			case 'g':
				e = &OpponentGone{Gone: true}
			case 'c':
				e = &ChatLine{}
			case 'u':
				e = &Unknown{}
			}
			names[e] = fmt.Sprintf("%c%d", letter, i)
			var err error
			if waiting, err = addGameEvent(waiting, e); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		for i, e := range waiting {
			if i > 0 {
				got += " "
			}
			got += names[e]
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.arrive, got, tc.want)
		}
	}
}
