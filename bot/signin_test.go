package bot_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// TestTokenTestThatSaysNothingIsAskedAgain knows that only a plain no to this very token is one.
func TestTokenTestThatSaysNothingIsAskedAgain(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var asked atomic.Int32
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.URL.Path != "/api/token/test" {
			return false
		}
		switch asked.Add(1) {
		case 1:
			return replyJSON(w, http.StatusOK, `{}`)
		case 2:
			return reply(w, http.StatusBadGateway, "text/html", "<html><title>502 Bad Gateway</title></html>")
		case 3:
			return replyJSON(w, http.StatusOK, `{"lip_another":null}`)
		}
		return false
	}})
	d := a.startAt(n.URL, "castellan", quick())
	a.until("the bot is online", func() bool { return d.log.has("msg=online") })
	if got := n.count("/api/token/test"); got != 4 {
		t.Errorf("the token was tested %d times", got)
	}
}

func TestClosedAccountEndsTheBotWithASentence(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		return r.URL.Path == "/api/account" && replyJSON(w, http.StatusOK, `{"id":"castellan","username":"Castellan","title":"BOT","disabled":true}`)
	}})
	d := a.startAt(n.URL, "castellan", quick())
	if err := <-d.done; err == nil || !strings.Contains(err.Error(), "the account Castellan is closed") {
		t.Errorf("the end was %v", err)
	}
}

// TestTokenIsInNoLogOfAGame lets a server send the token back in every kind of text that the bot logs.
func TestTokenIsInNoLogOfAGame(t *testing.T) {
	t.Parallel()
	const secret = "lip_castellan"
	a := newArena(t, sandbox.Options{})
	var moves, tests atomic.Int32
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		switch {
		case r.URL.Path == "/api/token/test" && tests.Add(1) == 1:
			return replyJSON(w, http.StatusBadRequest, `{"error":"bad token `+secret+`"}`)
		case isMove(r) && moves.Add(1) == 1:
			return replyJSON(w, http.StatusBadRequest, `{"error":"no move for `+secret+`"}`)
		case isMove(r) && moves.Load() == 2:
			return reply(w, http.StatusBadGateway, "text/html", "<html><title>"+r.Header.Get("Authorization")+"</title></html>")
		case strings.HasSuffix(r.URL.Path, "/chat"):
			return replyJSON(w, http.StatusTooManyRequests, `{"error":"`+secret+`","ratelimit":{"key":"`+secret+`","seconds":5}}`)
		}
		return false
	}})
	opts := quick()
	opts.Chat.Greeting = "Good luck!"
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	n.inject(gameStream+id, fields{"type": lichess.TypeChatLine, "room": "player", "username": secret, "text": "I know " + secret}.String())
	n.inject(gameStream+id, `{"type":"news","text":"`+secret+`"}`)
	n.inject(gameStream+id, `{"broken `+secret)
	n.inject(eventStream, `{"type":"challenge","challenge":{"id":"`+secret+`"}}`)
	a.move(id, "e7e5")
	a.plies(id, 3)
	a.resigns(id)
	a.until("the end", func() bool { return d.log.has("game over") })
	for _, seen := range []string{"bad token", "no move for", "502", "I know", "line skipped", "chat line not sent"} {
		if !d.log.has(seen) {
			t.Errorf("nothing in the log tells of %q", seen)
		}
	}
	for line := range strings.Lines(d.log.String()) {
		if strings.Contains(line, secret) {
			t.Errorf("the token is in the log: %s", line)
		}
	}
}
