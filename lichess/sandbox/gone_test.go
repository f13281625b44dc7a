package sandbox_test

import (
	"fmt"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// left returns a game of the given clock in which Mary has left and it is her
// turn, and the stream of Deep.
func (w *world) left(setup sandbox.GameSetup) (id string, deep *lines) {
	w.t.Helper()
	id = w.start("Deep", "Mary", setup)
	deep = w.watch("deep", id)
	deep.next("gameFull", nil)
	mary := w.watch("mary", id)
	mary.next("gameFull", nil)
	w.play(id, "deep", "mary", "e2e4 e7e5 g1f3")
	for range 3 {
		deep.state()
	}
	mary.close()
	w.awaitLeave(id)
	return id, deep
}

// awaitLeave waits until the server has seen that a stream was closed, which
// it does only by the network.
func (w *world) awaitLeave(id string) {
	w.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		var status []struct{ Online bool }
		w.get("", "/api/users/status?ids=mary").decode(w.t, &status)
		if !status[0].Online {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatal("the server does not see that the stream is closed")
		}
	}
}

func (l *lines) gone() (gone bool, seconds int) {
	l.t.Helper()
	for {
		line := l.raw()
		if line == "" {
			continue // blank lines of the stream
		}
		if line == `{"type":"opponentGone","gone":false}` {
			return false, 0
		}
		if _, err := fmt.Sscanf(line, `{"type":"opponentGone","gone":true,"claimWinInSeconds":%d}`, &seconds); err != nil {
			l.t.Fatalf("line %s, want opponentGone", line)
		}
		return true, seconds
	}
}

func TestOpponentGone(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id, deep := w.left(sandbox.GameSetup{})
	claim := gamePath("deep", id, "claim-victory")
	w.refused("deep", claim, "", 400, "You cannot claim the win on this game")
	w.refused("deep", gamePath("deep", id, "claim-draw"), "", 400, "You cannot claim draw on this game")
	// Gone after 1 s; told from more than 5 s on, each 5 s; claimable after 40 s.
	w.clock.Advance(41 * time.Second)
	for _, want := range []int{31, 26, 21, 16, 11, 6, 1} {
		if gone, n := deep.gone(); !gone || n != want {
			t.Fatalf("gone %v, claim in %d s; want %d", gone, n, want)
		}
	}
	w.clock.Advance(5 * time.Second)
	if gone, n := deep.gone(); !gone || n != 0 {
		t.Fatalf("gone %v, claim in %d s; want 0", gone, n)
	}
	w.ok("deep", claim, "")
	w.ended(id, lichess.StatusTimeout, "white")
}

func TestClaimDraw(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id, _ := w.left(sandbox.GameSetup{})
	w.clock.Advance(42 * time.Second)
	w.ok("deep", gamePath("deep", id, "claim-draw"), "")
	w.ended(id, lichess.StatusTimeout, "")
}

func TestOpponentComesBack(t *testing.T) {
	for _, how := range []string{"by a stream", "by a move"} {
		w := newWorld(t, sandbox.Options{})
		id, deep := w.left(sandbox.GameSetup{})
		w.clock.Advance(15 * time.Second)
		if gone, _ := deep.gone(); !gone {
			t.Fatal("not gone")
		}
		if how == "by a stream" {
			w.watch("mary", id).next("gameFull", nil)
		} else {
			w.play(id, "mary", "", "b8c6")
		}
		for range 2 { // one more countdown, then back
			if gone, _ := deep.gone(); !gone {
				break
			}
		}
		w.clock.Advance(30 * time.Second)
		if how == "by a stream" {
			w.refused("deep", gamePath("deep", id, "claim-victory"), "", 400, "cannot claim the win")
		} else {
			deep.state()
			w.ok("deep", gamePath("deep", id, "claim-victory"), "") // no effect in the own turn
			w.ended(id, lichess.StatusStarted, "")
		}
	}
}

func TestGoneWait(t *testing.T) {
	for _, test := range []struct {
		name  string
		setup sandbox.GameSetup
		moves string // after 1. e4 e5 2. Nf3, Black to move at the end
		wait  time.Duration
	}{
		{"blitz", sandbox.GameSetup{}, "", 40 * time.Second},
		{"rapid", sandbox.GameSetup{Limit: 10 * time.Minute}, "", 80 * time.Second},
		{"classical", sandbox.GameSetup{Limit: 30 * time.Minute}, "", 120 * time.Second},
		{"a queen behind", sandbox.GameSetup{}, "d8h4 f3h4", 40 * time.Second / 3},
		{"four points behind", sandbox.GameSetup{FEN: "r1bqkbnr/ppppppp1/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}, "", 40 * time.Second / 3},
		{"three points behind", sandbox.GameSetup{FEN: "r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}, "", 40 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sandbox.Options{})
			id, _ := w.left(test.setup)
			w.clock.Advance(time.Second) // now she counts as gone
			if test.moves != "" {
				w.play(id, "mary", "deep", test.moves) // moves of hers begin the wait anew
			}
			w.clock.Advance(test.wait - time.Millisecond)
			w.refused("deep", gamePath("deep", id, "claim-victory"), "", 400, "cannot claim the win")
			w.clock.Advance(time.Millisecond)
			w.ok("deep", gamePath("deep", id, "claim-victory"), "")
			w.ended(id, lichess.StatusTimeout, "white")
		})
	}
}

// Who cannot mate wins nothing by the other's leaving.
func TestClaimWithoutMaterialIsADraw(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{FEN: "4k3/4p3/8/8/8/8/8/4K3 w - - 0 1"})
	w.watch("deep", id).next("gameFull", nil)
	w.play(id, "deep", "mary", "e1e2 e7e6 e2e3")
	w.clock.Advance(41 * time.Second)
	w.ok("deep", gamePath("deep", id, "claim-victory"), "")
	w.ended(id, lichess.StatusTimeout, "")
}

// In one's own turn, and without a clock, a claim succeeds and does nothing.
func TestClaimWithoutEffect(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	slow := w.start("Deep", "Mary", sandbox.GameSetup{Days: 1})
	w.play(slow, "deep", "mary", "e2e4 e7e5 g1f3")
	mine, _ := w.left(sandbox.GameSetup{})
	w.play(mine, "mary", "", "b8c6")
	w.clock.Advance(2 * time.Minute)
	for _, id := range []string{slow, mine} {
		w.ok("deep", gamePath("deep", id, "claim-victory"), "")
		w.ok("deep", gamePath("deep", id, "claim-draw"), "")
		w.ended(id, lichess.StatusStarted, "")
	}
}

// Nothing is told when the clock of the one who left will run out first.
func TestGoneIsNotToldNearTheFlag(t *testing.T) {
	w := newWorld(t, sandbox.Options{KeepAlive: time.Hour})
	id, deep := w.left(sandbox.GameSetup{Limit: 40 * time.Second})
	w.clock.Advance(45 * time.Second)
	if s := deep.state(); s.Status != lichess.StatusOutOfTime || s.Winner != "white" {
		t.Errorf("%+v", s)
	}
	w.ended(id, lichess.StatusOutOfTime, "white")
}
