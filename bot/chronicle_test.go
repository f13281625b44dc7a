package bot

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"castellan/bot/watch"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
)

// TestChronicleForgetsWhatWasTakenBack gives a game states as they may come: a takeback and the moves after it in one line.
func TestChronicleForgetsWhatWasTakenBack(t *testing.T) {
	client, err := lichess.New(lichess.Options{URL: "http://localhost", Token: "lip_xOfThisTest"})
	if err != nil {
		t.Fatal(err)
	}
	var last *watch.Game
	g := &game{
		id: "abcdefgh", client: client, log: slog.New(slog.DiscardHandler), us: chess.White, timed: true, full: &lichess.GameFull{},
		opts: &Options{Watch: func(e watch.Event) {
			if game, is := e.(*watch.Game); is {
				last = game
			}
		}},
	}
	state := func(white, black int, fresh bool, moves ...string) {
		t.Helper()
		board := chess.NewGame(chess.StartPosition(), chess.LichessBot)
		for _, m := range moves {
			if err := board.PlayUCI(m); err != nil {
				t.Fatal(err)
			}
		}
		g.board, g.moves, g.seenAt = board, moves, time.Now()
		g.state = &lichess.GameState{Moves: strings.Join(moves, " "), WTime: lichess.Millis(white) * 1000, BTime: lichess.Millis(black) * 1000}
		g.noteState(fresh, true, false)
	}
	clocks := func() (all []int) {
		for _, n := range last.Notes[1:] {
			if n.Clock == nil {
				all = append(all, -1)
			} else {
				all = append(all, int(n.Clock.Seconds()))
			}
		}
		return all
	}
	expect := func(want ...int) {
		t.Helper()
		if got := clocks(); len(got) != len(want) {
			t.Errorf("clocks %v, want %v", got, want)
		} else {
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("clocks %v, want %v", got, want)
				}
			}
		}
	}
	state(60, 60, true)
	move, err := g.board.Position().ParseUCI("e2e4")
	if err != nil {
		t.Fatal(err)
	}
	g.noteThought(engine.Decision{Move: move, Depth: 5})
	state(59, 60, false, "e2e4")
	expect(59)
	if last.Notes[1].Thought == nil {
		t.Error("the thought of the move is missing")
	}
	before := last
	state(59, 58, false, "e2e4", "e7e5")
	expect(59, 58)
	state(50, 51, false, "d2d4", "d7d5") // another game from the first move on
	expect(50, 51)
	if last.Notes[1].Thought != nil {
		t.Error("a thought is told of a move that it was not about")
	}
	state(40, 41, true, "d2d4", "d7d5", "c2c4", "e7e6") // two moves are new, and White's clock has run since
	expect(50, 51, -1, 41)
	state(40, 41, false, "d2d4", "d7d5")
	expect(50, 51)
	if len(before.Notes) != 2 || before.Notes[1].Clock.Seconds() != 59 {
		t.Error("what was published has changed")
	}
}
