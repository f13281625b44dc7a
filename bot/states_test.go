package bot_test

import (
	"strings"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// searches counts the searches for a move of the bot's own, finished or not.
func (d *daemon) searches() int {
	n := 0
	for line := range strings.Lines(d.log.String()) {
		if strings.Contains(line, "msg=thinking ") && strings.Contains(line, "ponder=false") {
			n++
		}
	}
	return n
}

func TestRepeatedStateStartsNoSecondSearch(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	d := a.startWith(n.URL, "castellan", quick(), engine.Options{MaxMoveTime: 300 * time.Millisecond})
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 10 * time.Minute})
	a.plies(id, 1)
	a.move(id, "e7e5")
	a.until("the second search", func() bool { return d.searches() == 2 })
	// The same moves again, while the bot thinks: with a draw offer, and twice with time added.
	a.post("/api/board/game/"+id+"/draw/yes", nil)
	a.post("/api/round/"+id+"/add-time/15", nil)
	a.post("/api/round/"+id+"/add-time/15", nil)
	a.plies(id, 3)
	// And when it has moved.
	a.post("/api/round/"+id+"/add-time/15", nil)
	a.move(id, "g8f6")
	a.until("the third search", func() bool { return d.searches() == 3 })
	// And once more with a final status, which begins no other search. (On a slow machine the third one has ended before.)
	a.resigns(id)
	a.until("the end", func() bool { return d.log.has("game over") })
	d.Drain()
	<-d.done
	if moves, searches := n.count("/move/"), d.searches(); moves < 2 || moves > 3 || searches != 3 {
		t.Errorf("three moves of a game, the last one perhaps cut short, took %d requests and %d searches: %q", moves, searches, n.requests("/move/"))
	}
}

// TestNothingIsPlayedInAGameThatIsOver ends games by the third repetition with the bot to move and by mate, and lets the news of it come
// in all the ways that have been seen.
func TestNothingIsPlayedInAGameThatIsOver(t *testing.T) {
	t.Parallel()
	const (
		// The bot as Black has one move in each position; White walks to and fro.
		repetition = "k7/p2K4/P7/8/8/8/8/8 b - - 0 1"
		mate       = "k7/p2K4/P7/8/8/8/8/6RR b - - 0 1"
	)
	lastState := func(line string) bool { state := parse(line).state(); return state != nil && state.over() }
	holdGame := func(path string) bool { return strings.HasPrefix(path, gameStream) }
	for _, tt := range []struct {
		name string
		fen  string
		line func(path, line string) []string
		hold func(string) bool
	}{
		{"started, then drawn", repetition, nil, nil},
		{"only the finish on the event stream", repetition, func(path, line string) []string {
			if holdGame(path) && lastState(line) {
				return nil
			}
			return []string{line}
		}, holdGame},
		{"no finish on the event stream", repetition, func(path, line string) []string {
			if parse(line).is(lichess.TypeGameFinish) {
				return nil
			}
			return []string{line}
		}, nil},
		{"neither, until the game is opened again", repetition, func(path, line string) []string {
			f := parse(line)
			if f.is(lichess.TypeGameFinish) || f.is(lichess.TypeGameState) && lastState(line) {
				return nil
			}
			return []string{line}
		}, holdGame},
		{"mated, by a line that says that the game goes on", mate, func(path, line string) []string {
			f := parse(line)
			if f.is(lichess.TypeGameState) && f.over() {
				f["status"] = lichess.StatusStarted
				return []string{f.String()}
			}
			return []string{line}
		}, holdGame},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{line: tt.line, hold: tt.hold})
			opts := quick()
			opts.MaxGames = 1
			d := a.startAt(n.URL, "castellan", opts)
			id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute, FEN: tt.fen})
			want := 1
			a.plies(id, 1)
			if tt.fen == mate {
				a.move(id, "g1g2")
				a.plies(id, 3)
				want = 2
				a.move(id, "h1h8")
			} else {
				want = 4
				for i, move := range []string{"d7d8", "d8d7", "d7d8", "d8d7"} {
					a.plies(id, 2*i+1)
					a.move(id, move)
				}
			}
			a.finished(id)
			a.until("the game is closed", func() bool { return d.log.has("game over") })
			if moves, searches := n.count("/move/"), d.searches(); moves != want || searches != want {
				t.Errorf("%d requests and %d searches for %d moves: %q", moves, searches, want, n.requests("/move/"))
			}
			a.placeIsFree(d)
		})
	}
}

// placeIsFree wants a bot with one place left to take exactly one more game.
func (a arena) placeIsFree(d *daemon) {
	a.t.Helper()
	a.until("a place", func() bool {
		_, taken := a.challenges("Person", blitz, d)
		return taken
	})
	if _, taken := a.challenges("Person", blitz, d); taken {
		a.t.Error("a second game was accepted, and there is place for one")
	}
}

func TestStateInsideTheFirstLineIsAState(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	first := a.start("castellan", quick())
	resumed := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(resumed, 1)
	first.kill()
	a.move(resumed, "e7e5")
	begun := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	// After the first line nothing comes but keep-alives.
	n := newTap(t, a.URL, tapping{line: func(_, line string) []string {
		if parse(line).is(lichess.TypeGameState) {
			return nil
		}
		return []string{line}
	}})
	a.startAt(n.URL, "castellan", quick())
	a.plies(resumed, 3)
	a.plies(begun, 1)
}

func TestSideAndHalfMoveClockOfTheStartCount(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	d := a.startWith(a.URL, "castellan", quick(), engine.Options{MaxMoveTime: 50 * time.Millisecond})
	// A queen ahead, Black to move, and the fifty moves are over before anything can be won.
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute, FEN: "3qk3/8/8/8/4K3/8/8/8 b - - 97 80"})
	a.plies(id, 1)
	a.move(id, "e4f3")
	if g := a.finished(id); g.Status != lichess.StatusDraw || len(g.Moves) != 3 {
		t.Errorf("the game ended by %s after the moves %v", g.Status, g.Moves)
	}
	a.until("the end", func() bool { return d.log.has("game over") })
	_, last, _ := strings.Cut(d.log.String(), "msg=thinking game="+id+" ply=2")
	if !strings.Contains(last, `score="cp 0"`) || !strings.Contains(last, "result=draw") {
		t.Error("the bot does not see that its last move makes a draw")
	}
}

func TestDrawOfferThatHasLapsedIsNotTakenForANewOne(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	// Once up, the flag stays up for the rest of the game.
	up := false
	n := newTap(t, a.URL, tapping{line: changingStates(func(state fields) {
		if up = up || state["bdraw"] == true; up {
			state["bdraw"] = true
		}
	})})
	opts := quick()
	opts.Draw = bot.DrawPolicy{Accept: true, AcceptScore: -10000}
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	a.move(id, "e7e5")
	a.plies(id, 3)
	a.post("/api/board/game/"+id+"/draw/yes", nil)
	a.until("an answer", func() bool { return n.count("/draw/") == 1 })
	a.move(id, "b8c6")
	a.plies(id, 5)
	a.move(id, "g8f6")
	a.plies(id, 7)
	a.resigns(id)
	a.until("the end", func() bool { return d.log.has("game over") })
	if offers := strings.Count(d.log.String(), "the opponent offers a draw"); offers != 1 || n.count("/draw/") != 1 {
		t.Errorf("one offer was seen %d times and answered by %q", offers, n.requests("/draw/"))
	}
}
