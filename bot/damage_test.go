package bot_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// Each opening of the game's stream is followed by as many lines without a state as could have pushed one out.
func TestLinesWithoutStateMakeNoStorm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		most       int // openings
	}{
		{"of an unknown type", `{"type":"crowd","n":3}`, 2},
		{"chat", `{"type":"chatLine","room":"spectator","username":"crowd","text":"hi"}`, 3},
		{"damaged", `{"type":"gameState","moves":`, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{line: func(path, line string) []string {
				lines := []string{line}
				if strings.HasPrefix(path, gameStream) && parse(line).is(lichess.TypeGameFull) {
					for range 40 {
						lines = append(lines, tt.line)
					}
				}
				return lines
			}})
			a.startAt(n.URL, "castellan", quick())
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 10 * time.Minute})
			a.plies(id, 1)
			a.stays("few openings", 3*time.Second, func() bool { return n.count(gameStream+id) <= tt.most })
			a.move(id, "e7e5")
			a.plies(id, 3)
		})
	}
}

// A line is damaged on the way, once.
func TestDamagedLineCostsNoGame(t *testing.T) {
	t.Parallel()
	var badByte, badFull func(line string) string
	badByte = func(line string) string {
		if parse(line).is(lichess.TypeGameState) {
			return strings.Replace(line, "e7e5", "e7\xff5", 1)
		}
		return line
	}
	badFull = func(line string) string {
		f := parse(line)
		if !f.is(lichess.TypeGameFull) {
			return line
		}
		delete(f, "white")
		delete(f, "black")
		return f.String()
	}
	without := func(field string) func(line string) string {
		return func(line string) string {
			f := parse(line)
			if !f.is(lichess.TypeGameFull) {
				return line
			}
			delete(f, field)
			return f.String()
		}
	}
	const noCastling = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"
	inState := func(old, new string) func(line string) string {
		return func(line string) string {
			if parse(line).is(lichess.TypeGameState) {
				return strings.Replace(line, old, new, 1)
			}
			return line
		}
	}
	for _, tt := range []struct {
		name      string
		fromStart bool // the damage hits the first line of all, else one after two moves and the loss of the stream
		cut       bool
		damage    func(line string) string
		told      string // in the log
		fen       string // to start from
	}{
		{"a bad byte in the moves", true, false, badByte, "says what cannot be", ""},
		{"another type", true, false, inState(`"type":"gameState"`, `"type":"gameStat"`), "line skipped", ""},
		{"another status", true, false, inState(`"status":"started"`, `"status":"stared"`), "none that is known", ""},
		{"no clock in the first line", true, false, without("clock"), "says what cannot be", ""},
		{"no start position in the first line", true, false, without("initialFen"), "says what cannot be", noCastling},
		{"another start position in the first line", true, false, func(line string) string {
			return strings.Replace(line, "/PPPPPPPP/", "/PPPPPPP1/", 1)
		}, "", noCastling},
		{"no players in the first line", true, false, badFull, "says what cannot be", ""},
		{"no players after a reconnect", false, true, badFull, "says what cannot be", ""},
		{"a move missing after a reconnect", false, true, func(line string) string {
			f := parse(line)
			if !f.is(lichess.TypeGameFull) {
				return line
			}
			_, f.state()["moves"], _ = strings.Cut(f.state()["moves"].(string), " ")
			return f.String()
		}, "says what cannot be", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			var damaging atomic.Bool
			damaging.Store(tt.fromStart)
			n := newTap(t, a.URL, tapping{line: func(path, line string) []string {
				if strings.HasPrefix(path, gameStream) && damaging.Load() {
					if damaged := tt.damage(line); damaged != line {
						damaging.Store(false)
						return []string{damaged}
					}
				}
				return []string{line}
			}})
			d := a.startAt(n.URL, "castellan", quick())
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute, FEN: tt.fen})
			a.plies(id, 1)
			a.move(id, "e7e5")
			a.plies(id, 3)
			if tt.cut {
				damaging.Store(true)
				n.cut()
				a.until("the damage is done", func() bool { return !damaging.Load() })
			}
			a.move(id, "a7a6")
			a.plies(id, 5)
			if damaging.Load() || !d.log.has(tt.told) {
				t.Error("nothing was damaged")
			}
		})
	}
}

// A status that is not known, and stays, is an end like any other.
func TestUnknownStatusIsAnEnd(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var ended atomic.Bool
	n := newTap(t, a.URL, tapping{line: func(path, line string) []string {
		if strings.HasPrefix(path, gameStream) && ended.Load() {
			line = strings.Replace(line, `"status":"started"`, `"status":"adjourned"`, 1)
		}
		return []string{line}
	}})
	d := a.startAt(n.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	ended.Store(true)
	a.move(id, "e7e5")
	a.until("the end", func() bool { return d.log.has("status=adjourned moves=2") })
	if opens := n.count(gameStream + id); opens != 2 {
		t.Errorf("the stream was opened %d times: once at first, and once to be sure", opens)
	}
}

// The stream of a game that is played is refused once when it is opened again.
func TestStrayRefusalCostsNoGame(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound} {
		for media, body := range map[string]string{"application/json": `{"error":"no"}`, "text/html": "<html><title>Log in</title></html>"} {
			t.Run(fmt.Sprint(status, " ", media), func(t *testing.T) {
				t.Parallel()
				a := newArena(t, sandbox.Options{})
				var refusing atomic.Bool
				n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
					return strings.HasPrefix(r.URL.Path, gameStream) && refusing.CompareAndSwap(true, false) && reply(w, status, media, body)
				}})
				a.startAt(n.URL, "castellan", quick())
				id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
				a.plies(id, 1)
				refusing.Store(true)
				n.cut()
				a.until("the refusal", func() bool { return !refusing.Load() })
				a.move(id, "e7e5")
				a.plies(id, 3)
			})
		}
	}
}

// The refusal, or the damage, lasts until the game is given up; it runs on and is found again by the look at the running games.
func TestGameThatWasGivenUpAndStillRunsIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, end string
		refuse    bool
	}{
		{"refused", "does not let the bot play", true},
		{"damaged", "cannot be played by the bot", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// No flag falls; the clock shows so little that the bot's pauses are short.
			a := newArena(t, sandbox.Options{Clock: sandbox.NewManualClock(time.Now())})
			var bad atomic.Bool
			n := newTap(t, a.URL, tapping{
				answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
					return tt.refuse && bad.Load() && strings.HasPrefix(r.URL.Path, gameStream) &&
						replyJSON(w, http.StatusNotFound, `{"error":"No such game"}`)
				},
				line: func(path, line string) []string {
					if f := parse(line); bad.Load() && f.is(lichess.TypeGameFull) {
						f.state()["moves"] = "e7e5"
						return []string{f.String()}
					}
					return []string{line}
				},
			})
			opts := quick()
			opts.ClaimWhenGone = false // a person without a stream counts as gone
			d := a.startAt(n.URL, "castellan", opts)
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 5 * time.Second})
			a.plies(id, 1)
			a.move(id, "e7e5")
			a.plies(id, 3)
			before, since := n.count(gameStream+id), time.Now()
			bad.Store(true)
			n.cut()
			a.until("the end of patience", func() bool { return d.log.has(tt.end) })
			if tries := n.count(gameStream+id) - before; tries != 6 || time.Since(since) < 3*time.Second {
				t.Errorf("given up after %d tries in %v", tries, time.Since(since))
			}
			bad.Store(false)
			a.challenges("Person", blitz, d) // after which the bot looks at the running games soon
			a.until("another try", func() bool { return d.log.has("trying it again") })
			a.move(id, "a7a6")
			a.plies(id, 5)
		})
	}
}
