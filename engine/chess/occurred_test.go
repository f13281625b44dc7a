package chess

import (
	"strings"
	"testing"
)

func TestOccurredAfter(t *testing.T) {
	for _, test := range []struct {
		moves, move string
		want        int
	}{
		{"", "e2e4", 0},
		{"g1f3 g8f6 f3g1", "f6g8", 1},
		{"g1f3 g8f6 f3g1 f6g8", "g1f3", 1},
		{"g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", "f6g8", 2},
		{"g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", "f6d5", 0},
		{"g1f3 g8f6 e2e3 e7e6 f3g1", "f6g8", 0}, // nothing before a pawn move comes again
	} {
		g := NewGame(StartPosition(), LichessBot)
		for m := range strings.FieldsSeq(test.moves) {
			if err := g.PlayUCI(m); err != nil {
				t.Fatal(err)
			}
		}
		m, err := g.Position().ParseUCI(test.move)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.OccurredAfter(m); got != test.want {
			t.Errorf("after %q, %s: %d times, want %d", test.moves, test.move, got, test.want)
		}
		if err := g.Play(m); err != nil || g.Repetitions() != test.want+1 {
			t.Errorf("after %q and %s: %d repetitions", test.moves, test.move, g.Repetitions())
		}
	}
}
