package archive

import (
	"testing"
	"time"

	"castellan/engine/chess"
)

// TestFinerClocksAreKept completes clocks in whole seconds, as the server tells them later, from those that the bot saw.
func TestFinerClocksAreKept(t *testing.T) {
	notes := func(clocks ...time.Duration) *chess.PGNGame {
		g := &chess.PGNGame{Game: chess.NewGame(chess.StartPosition(), chess.LichessBot), Notes: make([]chess.Note, 1)}
		for i, move := range []string{"e2e4", "e7e5", "g1f3", "b8c6", "f1c4"} {
			if err := g.Game.PlayUCI(move); err != nil {
				t.Fatal(err)
			}
			n := chess.Note{}
			if clocks[i] != 0 {
				n.Clock = &clocks[i]
			}
			g.Notes = append(g.Notes, n)
		}
		return g
	}
	const s, tenth = time.Second, 100 * time.Millisecond
	// Both sides of a second; another clock altogether; one that is fine already; one that nobody saw.
	game := notes(58*s, 59*s, 30*s, 41*s+3*tenth, 0)
	complete(game, notes(57*s+6*tenth, 59*s+4*tenth, 28*s+5*tenth, 41*s+5*tenth, 0))
	for i, want := range []time.Duration{57*s + 6*tenth, 59*s + 4*tenth, 30 * s, 41*s + 3*tenth} {
		if got := *game.Notes[i+1].Clock; got != want {
			t.Errorf("ply %d: %v, want %v", i+1, got, want)
		}
	}
	if game.Notes[5].Clock != nil {
		t.Errorf("a clock of %v that nobody saw", *game.Notes[5].Clock)
	}
}
