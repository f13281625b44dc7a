package sandbox_test

import (
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestRestart(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	running := w.start("Deep", "Fritz", sandbox.GameSetup{})
	fresh := w.start("Deep", "Fritz", sandbox.GameSetup{})
	w.play(running, "deep", "fritz", "e2e4 e7e5")
	w.clock.Advance(time.Second)

	game := w.open("deep", "/api/bot/game/stream/"+running)
	var full lichess.GameFull
	game.next("gameFull", &full)
	w.Restart()
	game.end()
	w.wantTimes(running, 199000, 200000)
	w.wantTimes(fresh, 180000, 180000) // its clock does not run yet
	w.play(running, "deep", "", "g1f3")
	w.wantTimes(running, 201000, 200000)
}
