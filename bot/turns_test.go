package bot_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/lichess/sandbox"
)

// TestShortClockComesBackFirst has 63 games with ten minutes and one with half a minute lose their streams, while the server fails
// for so long that all together have used up the openings that they may make at once. The opponent moves meanwhile in the short one.
func TestShortClockComesBackFirst(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var down atomic.Bool
	var opens atomic.Int64
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if strings.HasPrefix(r.URL.Path, gameStream) {
			opens.Add(1)
		}
		if down.Load() {
			http.Error(w, "<html>502</html>", http.StatusBadGateway)
			return true
		}
		return false
	}})
	opts := quick()
	opts.MaxGames = 100
	a.startAt(n.URL, "castellan", opts)
	for range 63 {
		id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: 10 * time.Minute})
		a.move(id, "e2e4")
		a.plies(id, 2)
	}
	short := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: 30 * time.Second})
	a.move(short, "e2e4")
	a.plies(short, 2)
	before := opens.Load()
	down.Store(true)
	n.cut()
	a.move(short, "d2d4")
	a.until("the openings are used up", func() bool { return opens.Load()-before >= 128 })
	down.Store(false)
	a.plies(short, 4) // or its flag falls, with which this fails
}
