package bot_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// TestMovesAtOnceWhenTheClockIsLow tells a bot that would think for a minute of a clock that is nearly over, as the first line of a
// stream that is opened again and in the states of a running one. The real clock has an hour left, so that it is the bot that is
// timed and not the machine.
func TestMovesAtOnceWhenTheClockIsLow(t *testing.T) {
	t.Parallel()
	for _, left := range []int{0, 1, 30, 50, 180, 1000} {
		t.Run(fmt.Sprintf("%d ms", left), func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			first := a.start("castellan", quick())
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour})
			a.plies(id, 1)
			first.kill()
			a.move(id, "e7e5")
			n := newTap(t, a.URL, tapping{line: changingStates(func(state fields) { state["wtime"] = left })})
			a.startWith(n.URL, "castellan", quick(), engine.Options{MaxMoveTime: time.Minute})
			a.until("the stream", func() bool { return n.count(gameStream) == 1 })
			start := time.Now()
			a.plies(id, 3)
			a.move(id, "b8c6")
			a.plies(id, 5)
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("two moves took %v", took)
			}
			if ends := n.count("/resign") + n.count("/abort"); ends > 0 {
				t.Errorf("the bot asked for the end of the game %d times", ends)
			}
		})
	}
}

// TestClockThatStartsAtZero plays 0+1, where 3 s are on the clock at the start, with an engine that takes all the time that it may.
func TestClockThatStartsAtZero(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.CorrespondenceThink = time.Minute
	a.startWith(n.URL, "castellan", opts, engine.Options{MoveOverhead: 200 * time.Millisecond})
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Increment: time.Second})
	a.plies(id, 1)
	for i, move := range []string{"a7a6", "a6a5"} {
		a.move(id, move)
		a.plies(id, 2*i+3)
	}
	if g := a.game(id); g.Status.Over() {
		t.Errorf("the game ended by %s", g.Status)
	}
}

// TestCorrespondenceTakesNoPlace resumes twenty games of some days a move, one of which has been waiting for long, beside one place
// for a game with a clock.
func TestCorrespondenceTakesNoPlace(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var games []string
	for range 20 {
		games = append(games, a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Days: 3}))
	}
	n := newTap(t, a.URL, tapping{line: changingStates(func(state fields) {
		if state["wtime"] == float64(3*24*time.Hour/time.Millisecond) {
			state["wtime"] = 14 * 24 * time.Hour / time.Millisecond
		}
	})})
	opts := quick()
	opts.MaxGames = 1
	d := a.startAt(n.URL, "castellan", opts)
	for _, id := range games {
		a.plies(id, 1)
	}
	// They go on, nobody is aborted or claimed from, and the place for a game with a clock is free.
	a.move(games[7], "e7e5")
	a.plies(games[7], 3)
	a.placeIsFree(d)
	if n.count("/abort")+n.count("/claim") > 0 {
		t.Errorf("requests: %q", n.requests("/abort"))
	}
}

// TestSlowNetworkAndConnectionsThatAreClosed plays 0+1 over a way of 100 ms and back, on which a connection that is idle for a moment
// is closed.
func TestSlowNetworkAndConnectionsThatAreClosed(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newIdleNetwork(t, a.URL, 20*time.Millisecond, func(_ *network, w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if !isMove(r) {
			pass.ServeHTTP(w, r)
			return
		}
		time.Sleep(50 * time.Millisecond)
		late := httptest.NewRecorder()
		pass.ServeHTTP(late, r)
		time.Sleep(50 * time.Millisecond)
		w.WriteHeader(late.Code)
		w.Write(late.Body.Bytes())
	})
	a.startAt(n.URL, "castellan", quick())
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Increment: time.Second})
	a.until("forty moves each", func() bool { g := a.game(id); return g.Status.Over() || len(g.Moves) >= 80 })
	if g := a.game(id); g.Status == lichess.StatusOutOfTime {
		t.Errorf("the game ended by %s after %d moves", g.Status, len(g.Moves))
	}
}

// TestUrgentGamesComeFirst comes back to 25 correspondence games, the last three of which have five minutes left.
func TestUrgentGamesComeFirst(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var games []string
	for range 25 {
		games = append(games, a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Days: 3}))
	}
	urgent := games[len(games)-3:]
	n := newTap(t, a.URL, tapping{line: func(path, line string) []string {
		return changingStates(func(state fields) {
			if slices.Contains(urgent, strings.TrimPrefix(path, gameStream)) {
				state["wtime"] = 5 * time.Minute / time.Millisecond
			}
		})(path, line)
	}})
	opts := quick()
	opts.CorrespondenceThink = 50 * time.Millisecond
	d := a.startWith(n.URL, "castellan", opts, engine.Options{MaxMoveTime: 50 * time.Millisecond})
	for _, id := range games {
		a.plies(id, 1)
	}
	var decided []string
	for line := range strings.Lines(d.log.String()) {
		if strings.Contains(line, "msg=move ") {
			decided = append(decided, line)
		}
	}
	early := strings.Join(decided[:12], "")
	for _, id := range urgent {
		if !strings.Contains(early, id) {
			t.Errorf("game %s, with five minutes left, was not among the first", id)
		}
	}
}
