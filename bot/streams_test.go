package bot_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot"
	"castellan/lichess/sandbox"
)

func TestEventStreamThatEndsAtOnceIsOpenedAgain(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var opened atomic.Int32
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		return r.URL.Path == eventStream && opened.Add(1) <= 2 && reply(w, http.StatusOK, "application/x-ndjson", "\n")
	}})
	d := a.startAt(n.URL, "castellan", quick())
	// Not before the third opening, which comes after a pause.
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	if opened := n.count(eventStream); opened != 3 {
		t.Errorf("the event stream was opened %d times", opened)
	}
	if lost := strings.Count(d.log.String(), "stream lost"); lost != 2 {
		t.Errorf("the loss of two streams was told %d times", lost)
	}
}

func TestEventStreamThatAlwaysEndsMakesNoStorm(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		return r.URL.Path == eventStream && reply(w, http.StatusOK, "application/x-ndjson", "\n")
	}})
	a.startAt(n.URL, "castellan", quick())
	a.until("some openings", func() bool { return n.count(eventStream) >= 3 })
	a.stays("few openings", 2*time.Second, func() bool { return n.count(eventStream) <= 6 })
}

func TestSecondDaemonOfTheAccountIsToldOfAndMakesNoStorm(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	a := newArena(t, sandbox.Options{OnRequest: func(_, path string) {
		if path == eventStream {
			opened.Add(1)
		}
	}})
	first := a.start("castellan", quick())
	a.until("the first is online", func() bool { return opened.Load() == 1 })
	second := a.start("castellan", quick())
	a.until("each has lost its stream", func() bool {
		return first.log.has("replaced by another client of this account") && second.log.has("replaced by another client of this account")
	})
	plainly := func(d *daemon) int {
		return strings.Count(d.log.String(), `level=ERROR msg="the server keeps closing the event stream: another program`)
	}
	a.until("each says what is wrong", func() bool { return plainly(first) > 0 && plainly(second) > 0 })
	a.stays("few openings, told once", time.Second, func() bool { return opened.Load() <= 12 && plainly(first) == 1 && plainly(second) == 1 })
}

func TestServerThatRestarts(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var down atomic.Bool
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
		return down.Load() && reply(w, http.StatusBadGateway, "text/html", "<html><title>502 Bad Gateway</title></html>")
	}})
	d := a.startAt(n.URL, "castellan", quick())
	var games []string
	for range 2 {
		id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
		games = append(games, id)
		a.plies(id, 1)
	}
	down.Store(true)
	n.cut()
	for _, id := range games {
		a.move(id, "e7e5")
	}
	a.until("several tries", func() bool { return n.spoiled.Load() >= 8 })
	down.Store(false)
	for _, id := range games {
		a.post("/api/round/"+id+"/add-time/20", nil)
		a.plies(id, 3)
	}
	// The event stream is back as well.
	id, _ := a.challenges("Person", blitz, d)
	a.until("a new game", func() bool { _, ok := a.Game(id); return ok })
	if seated := strings.Count(d.log.String(), "msg=game "); seated > 3 {
		t.Errorf("%d players were seated at three games", seated)
	}
}

// TestGameThatCannotBePlayedIsGivenUpOnce lets the server tell of such a game again and again, as it does whenever the event stream is
// opened.
func TestGameThatCannotBePlayedIsGivenUpOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, start string
		streams     int // openings of the game's stream
	}{
		{"told with the start", `{"type":"gameStart","game":{"gameId":"abcdefgh","fullId":"abcdefghijkl","speed":"blitz","compat":{"bot":false,"board":true}}}`, 0},
		{"told by its stream", `{"type":"gameStart","game":{"gameId":"abcdefgh","fullId":"abcdefghijkl","speed":"blitz"}}`, 1},
		{"of another variant", `{"type":"gameStart","game":{"gameId":"abcdefgh","fullId":"abcdefghijkl","speed":"blitz","variant":{"key":"atomic"}}}`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				return r.URL.Path == gameStream+"abcdefgh" &&
					replyJSON(w, http.StatusBadRequest, `{"error":"This game cannot be played with the Bot API."}`)
			}})
			opts := quick()
			opts.MaxGames = 2
			d := a.startAt(n.URL, "castellan", opts)
			other := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
			a.plies(other, 1)
			for range 3 {
				n.inject(eventStream, tt.start)
			}
			a.until("the game is given up", func() bool { return d.log.has("cannot be played") || d.log.has("does not let the bot play") })
			n.inject(eventStream, tt.start)
			a.placeIsFree(d)
			if opened := n.count(gameStream + "abcdefgh"); opened != tt.streams {
				t.Errorf("its stream was opened %d times", opened)
			}
		})
	}
}

func TestTokenThatIsRevokedEndsTheBotWithASentence(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var revoked atomic.Bool
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
		return revoked.Load() && replyJSON(w, http.StatusUnauthorized, `{"error":"No such token"}`)
	}})
	d := a.startAt(n.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	revoked.Store(true)
	n.cut()
	var fatal *bot.FatalError
	if err := <-d.done; !errors.As(err, &fatal) || !strings.Contains(fatal.Advice, "make a new one") {
		t.Errorf("the end was %v", err)
	}
}

// TestLossOfGameStreamIsToldOnce cuts a game's stream and refuses it a few times: that is one event, so one warning; and each
// line about the game tells which game it is about.
func TestLossOfGameStreamIsToldOnce(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var opened atomic.Int32
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !strings.HasPrefix(r.URL.Path, gameStream) {
			return false
		}
		again := opened.Add(1)
		return again >= 2 && again <= 4 && replyJSON(w, http.StatusBadGateway, "{}")
	}})
	d := a.startAt(n.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	n.cut()
	a.until("the stream is back", func() bool { return d.log.has(`msg="game stream is back" game=` + id) })
	warnings := 0
	for line := range strings.Lines(d.log.String()) {
		if strings.Contains(line, "level=WARN") && (strings.Contains(line, id) || strings.Contains(line, "/game/")) {
			warnings++
			if !strings.Contains(line, `msg="game stream lost" game=`+id) {
				t.Errorf("an unexpected warning: %s", line)
			}
		}
		if (strings.Contains(line, "/game/") || strings.Contains(line, id)) && !strings.Contains(line, "game="+id) {
			t.Errorf("a line about the game does not say so: %s", line)
		}
	}
	if warnings != 1 {
		t.Errorf("the loss of one stream makes %d warnings:\n%s", warnings, d.log.String())
	}
}
