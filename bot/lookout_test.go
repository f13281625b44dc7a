package bot_test

import (
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
