package bot_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/lichess/sandbox"
)

// The event that a game has begun gets lost, and the bot plays it all the same.
func TestGameWhoseBeginningIsNotTold(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	tap := newTap(t, a.URL, tapping{line: func(path, line string) []string {
		if path == eventStream && strings.Contains(line, `"gameStart"`) {
			return nil
		}
		return []string{line}
	}})
	a.startAt(tap.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 5 * time.Minute})
	a.until("a move", func() bool { return len(a.game(id).Moves) > 0 })
}

// The event that a game has begun is damaged, or pushed out of the server's queue by others: the bot does not wait for its next look
// to find out.
func TestGameWhoseBeginningIsDamaged(t *testing.T) {
	t.Parallel()
	replaced := func(old, new string) func(string) []string {
		return func(line string) []string { return []string{strings.Replace(line, old, new, 1)} }
	}
	for _, tt := range []struct {
		name  string
		spoil func(line string) []string
	}{
		{"no JSON", replaced(`"gameStart"`, "\"game\x00tart\"")},
		{"another type", replaced(`"gameStart"`, `"game#tart"`)},
		{"another variant", replaced(`"key":"standard"`, `"key":"stan#ard"`)},
		{"not for bots", replaced(`"bot":true`, `"b#t":true`)},
		{"lost among many", func(string) []string {
			return slices.Repeat([]string{`{"type":"challengeCanceled","challenge":{"id":"abcdefgh"}}`}, 32)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			spoilt := make(chan bool, 8)
			tap := newTap(t, a.URL, tapping{line: func(path, line string) []string {
				if path != eventStream || !strings.Contains(line, `"gameStart"`) {
					return []string{line}
				}
				lines := tt.spoil(line)
				spoilt <- lines[0] != line
				return lines
			}})
			a.startAt(tap.URL, "castellan", quick())
			a.until("the look after the start", func() bool { return tap.count("/api/account/playing") > 0 })
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 5 * time.Minute})
			begun := time.Now()
			a.until("a move", func() bool { return len(a.game(id).Moves) > 0 })
			if took := time.Since(begun); took > 40*time.Second {
				t.Errorf("the first move took %v", took)
			}
			if !<-spoilt {
				t.Error("nothing was damaged")
			}
		})
	}
}

// Every word of a game's end gets lost while both streams stay open: the bot finds out and has its place free again.
func TestGameWhoseEndIsNotTold(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	ended := func(line string) bool {
		return strings.Contains(line, `"resign"`) || strings.Contains(line, `"gameFinish"`)
	}
	opts := quick()
	opts.MaxGames = 1
	tap := newTap(t, a.URL, tapping{
		line: func(path, line string) []string {
			if ended(line) && !strings.Contains(line, `"gameFull"`) {
				return nil
			}
			return []string{line}
		},
		hold: func(path string) bool { return strings.HasPrefix(path, gameStream) },
	})
	d := a.startAt(tap.URL, "castellan", opts)
	// Without a clock nothing else would ever end the wait.
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person"})
	a.until("a move", func() bool { return len(a.game(id).Moves) == 1 })
	a.post("/api/board/game/"+id+"/move/e7e5", nil)
	a.until("another move", func() bool { return len(a.game(id).Moves) == 3 })
	a.post("/api/board/game/"+id+"/resign", nil)
	a.finished(id)
	a.until("the bot's look", func() bool { return d.log.has("the server does not list") })
	a.until("the end in the bot's eyes", func() bool { return d.log.has("game over") })
}

// The account's list of games is refused while games run: only the look fails, and moves are not held up.
func TestLimitOnTheListOfGamesHoldsUpNoGame(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	const list = "/api/account/playing"
	tap := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		return r.URL.Path == list && replyJSON(w, http.StatusTooManyRequests,
			`{"error":"Too many requests","ratelimit":{"key":"account.playing","seconds":600}}`)
	}})
	d := a.startAt(tap.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 5 * time.Minute})
	a.plies(id, 1)
	a.until("a look that is refused", func() bool { return tap.count(list) > 0 })
	begun := time.Now()
	a.post("/api/board/game/"+id+"/move/a7a6", nil)
	a.plies(id, 3)
	if took := time.Since(begun); took > patience/2 {
		t.Errorf("a move took %v", took)
	}
	other := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
	a.plies(other, 1)
	select {
	case err := <-d.done:
		t.Fatalf("the daemon has ended: %v", err)
	default:
	}
	a.post("/api/board/game/"+id+"/resign", nil)
	a.until("the end in the bot's eyes", func() bool { return d.log.has("game over") })
}
