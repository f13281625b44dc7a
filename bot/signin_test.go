package bot_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot"
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

// TestTokenThatIsRevokedInMidGame keeps the event stream open: what the game asks for is all that tells.
func TestTokenThatIsRevokedInMidGame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, refusal, tested, advice string }{
		{"revoked", `{"error":"No such token"}`, `{"lip_castellan":null}`, "make a new one"},
		{"without its scope", `{"error":"Missing scope: bot:play"}`, `{"lip_castellan":{"userId":"castellan","scopes":"","expires":null}}`, "lacks the permission bot:play"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			var revoked atomic.Bool
			n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				switch {
				case !revoked.Load():
					return false
				case r.URL.Path == "/api/token/test":
					return replyJSON(w, http.StatusOK, tt.tested)
				case strings.Contains(tt.refusal, "scope"):
					return replyJSON(w, http.StatusForbidden, tt.refusal)
				}
				return replyJSON(w, http.StatusUnauthorized, tt.refusal)
			}})
			d := a.startAt(n.URL, "castellan", quick())
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 3 * time.Minute})
			a.plies(id, 1)
			revoked.Store(true)
			a.move(id, "e7e5")
			select {
			case err := <-d.done:
				var fatal *bot.FatalError
				if !errors.As(err, &fatal) || !strings.Contains(fatal.Advice, tt.advice) {
					t.Errorf("the end was %v", err)
				}
			case <-time.After(patience):
				t.Error("the bot goes on with a token that is not accepted")
			}
		})
	}
}

// TestStrayRefusalOfTheToken: something on the way refuses a move and then the event stream. The token is good, and the game is played.
func TestStrayRefusalOfTheToken(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var moves, events atomic.Int32
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		return (isMove(r) && moves.Add(1) == 1 || r.URL.Path == eventStream && events.Add(1) == 2) &&
			replyJSON(w, http.StatusUnauthorized, `{"error":"Please log in"}`)
	}})
	d := a.startAt(n.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 3 * time.Minute})
	a.plies(id, 1)
	n.cut()
	a.until("the event stream again", func() bool { return events.Load() >= 3 })
	a.move(id, "e7e5")
	a.plies(id, 3)
	select {
	case err := <-d.done:
		t.Errorf("the bot ended: %v", err)
	default:
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
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat"):
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
	n.inject(gameStream+id, fields{"type": lichess.TypeChatLine, "room": "player", "username": "x", "text": "hidden lip_\u200bcastellan"}.String())
	n.inject(gameStream+id, `{"type":"chatLine","room":"player","username":"x","text":"escaped lip\u005fcastellan"}`)
	n.inject(gameStream+id, `{"type":"news","text":"`+secret+`"}`)
	n.inject(gameStream+id, `{"broken `+secret)
	n.inject(eventStream, `{"type":"challenge","challenge":{"id":"`+secret+`"}}`)
	a.move(id, "e7e5")
	a.plies(id, 3)
	a.resigns(id)
	a.until("the end", func() bool { return d.log.has("game over") })
	for _, seen := range []string{"bad token", "no move for", "502", "I know", "hidden", "escaped", "line skipped", "chat line not sent"} {
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
