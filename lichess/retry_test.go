package lichess

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Every call of the client, by the treatment it gets after a failure.
var (
	safeCalls = map[string]func(context.Context, *Client) error{
		"account":   func(ctx context.Context, c *Client) error { _, err := c.Account(ctx); return err },
		"token":     func(ctx context.Context, c *Client) error { _, err := c.TestToken(ctx); return err },
		"playing":   func(ctx context.Context, c *Client) error { _, err := c.Playing(ctx, 9); return err },
		"online":    func(ctx context.Context, c *Client) error { _, err := c.OnlineBots(ctx, 9); return err },
		"export":    func(ctx context.Context, c *Client) error { _, err := c.ExportPGN(ctx, "Ab3dEf9h"); return err },
		"chat read": func(ctx context.Context, c *Client) error { _, err := c.ReadChat(ctx, "Ab3dEf9h"); return err },
		"list":      func(ctx context.Context, c *Client) error { _, err := c.Challenges(ctx); return err },
		"show":      func(ctx context.Context, c *Client) error { _, err := c.ShowChallenge(ctx, "Ab3dEf9h"); return err },
		"accept":    func(ctx context.Context, c *Client) error { return c.AcceptChallenge(ctx, "Ab3dEf9h") },
		"decline":   func(ctx context.Context, c *Client) error { return c.DeclineChallenge(ctx, "Ab3dEf9h", DeclineLater) },
		"cancel":    func(ctx context.Context, c *Client) error { return c.CancelChallenge(ctx, "Ab3dEf9h") },
	}
	onceCalls = map[string]func(context.Context, *Client) error{
		"move":          func(ctx context.Context, c *Client) error { return c.Move(ctx, "Ab3dEf9h", "e2e4", false) },
		"abort":         func(ctx context.Context, c *Client) error { return c.Abort(ctx, "Ab3dEf9h") },
		"resign":        func(ctx context.Context, c *Client) error { return c.Resign(ctx, "Ab3dEf9h") },
		"draw":          func(ctx context.Context, c *Client) error { return c.Draw(ctx, "Ab3dEf9h", true) },
		"takeback":      func(ctx context.Context, c *Client) error { return c.Takeback(ctx, "Ab3dEf9h", false) },
		"claim victory": func(ctx context.Context, c *Client) error { return c.ClaimVictory(ctx, "Ab3dEf9h") },
		"claim draw":    func(ctx context.Context, c *Client) error { return c.ClaimDraw(ctx, "Ab3dEf9h") },
		"chat":          func(ctx context.Context, c *Client) error { return c.Chat(ctx, "Ab3dEf9h", RoomPlayer, "hi") },
		"upgrade":       func(ctx context.Context, c *Client) error { return c.UpgradeAccount(ctx) },
		"challenge": func(ctx context.Context, c *Client) error {
			_, err := c.CreateChallenge(ctx, "pawnstar", ChallengeRequest{TimeControl: ClockControl(180, 2)})
			return err
		},
		"challenge AI": func(ctx context.Context, c *Client) error {
			_, err := c.ChallengeAI(ctx, 3, ChallengeRequest{TimeControl: ClockControl(180, 2)})
			return err
		},
	}
	gameCalls = []string{"move", "draw", "takeback"}
	// endCalls end a game, and so are safe to repeat, and they have its clock.
	endCalls = []string{"abort", "resign", "claim victory", "claim draw"}
)

// replies is what a healthy server answers to all of them.
func replies(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/token/test":
		answer(w, 200, `{"`+testToken+`":{"userId":"rookery","scopes":"bot:play","expires":null}}`)
	case "/api/account":
		answer(w, 200, `{"id":"rookery","username":"Rookery","title":"BOT"}`)
	case "/api/challenge/pawnstar":
		answer(w, 200, `{"id":"Ab3dEf9h"}`)
	case "/api/bot/game/Ab3dEf9h/chat":
		answer(w, 200, `[]`)
	case "/api/bot/online":
		answer(w, 200, `{"id":"a","username":"A"}`+"\n\n"+`{"id":"b","username":"B"}`+"\n")
	default:
		answer(w, 200, `{"ok":true}`)
	}
}

// TestRepetition fails the first two tries of every call in every way and
// counts what the server sees.
func TestRepetition(t *testing.T) {
	lost := func(w http.ResponseWriter) { drop(w) }
	html := func(w http.ResponseWriter) { answer(w, 502, "<html><title>502 Bad Gateway</title></html>") }
	limited := func(w http.ResponseWriter) { answer(w, 429, `{"error":"Too many requests. Try again later."}`) }
	bad := func(w http.ResponseWriter) { answer(w, 400, `{"error":"Not your turn, or game already over"}`) }
	for _, fault := range []struct {
		name       string
		fail       func(http.ResponseWriter)
		repeatSafe bool // expected for the calls that are safe to repeat
		repeatGame bool // expected for the calls of a running game
		uncertain  bool // expected of the error of a call that was not repeated
	}{
		{"answer lost", lost, true, false, true},
		{"502 with HTML", html, true, false, true},
		{"bare 429", limited, false, true, false},
		{"400", bad, false, false, false},
	} {
		run := func(name string, call func(context.Context, *Client) error, wantRepeat bool) {
			t.Run(fault.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var requests atomic.Int32
					c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
						if requests.Add(1) <= 2 {
							fault.fail(w)
							return
						}
						replies(w, r)
					})
					defer stop()
					start := time.Now()
					err := call(t.Context(), c)
					took := time.Since(start)
					switch n := requests.Load(); {
					case wantRepeat && (err != nil || n != 3 || took < firstBackoff):
						t.Errorf("%d requests in %v and %v, want 3 with pauses and success", n, took, err)
					case !wantRepeat && (err == nil || n != 1):
						t.Errorf("%d requests and error %v, want 1 and an error", n, err)
					case !wantRepeat && Uncertain(err) != fault.uncertain:
						t.Errorf("Uncertain(%v) = %v", err, !fault.uncertain)
					}
				})
			})
		}
		for name, call := range safeCalls {
			run(name, call, fault.repeatSafe)
		}
		for name, call := range onceCalls {
			ends := slices.Contains(endCalls, name)
			run(name, call, (ends || slices.Contains(gameCalls, name)) && fault.repeatGame || ends && fault.repeatSafe)
		}
	}
}

// TestRefusedConnectionIsRepeated: what was never sent may be sent again,
// whatever it is.
func TestRefusedConnectionIsRepeated(t *testing.T) {
	for _, calls := range []map[string]func(context.Context, *Client) error{safeCalls, onceCalls} {
		for name, call := range calls {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c, s, stop := newPipeClient(t, Options{}, replies)
					defer stop()
					s.setRefuse(syscall.ECONNREFUSED)
					go func() { time.Sleep(time.Second); s.setRefuse(nil) }()
					if err := call(t.Context(), c); err != nil {
						t.Error(err)
					}
					s.setRefuse(syscall.ECONNREFUSED)
					c.Close()
					err := call(t.Context(), c)
					var network *NetworkError
					if !errors.As(err, &network) || !network.Unsent || Uncertain(err) {
						t.Errorf("%v is not known to be unsent", err)
					}
				})
			})
		}
	}
}

// TestDeadlineIsNeverSleptPast: a call with little time fails while there is
// still some of it left, or at its end, never later.
func TestDeadlineIsNeverSleptPast(t *testing.T) {
	for _, tc := range []struct {
		name   string
		call   string
		budget time.Duration
		atMost time.Duration
		reply  func(http.ResponseWriter, *http.Request)
	}{
		{"429 that asks for an hour", "move", 20 * time.Second, 0, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			answer(w, 429, `{"error":"later"}`)
		}},
		{"429 that asks for 3 s of 2 s", "move", 2 * time.Second, 0, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, 429, `{"error":"later","ratelimit":{"key":"x","seconds":3}}`)
		}},
		{"bare 429", "move", time.Second, time.Second, func(w http.ResponseWriter, _ *http.Request) { answer(w, 429, "") }},
		{"503 that asks for an hour", "account", time.Minute, 0, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			answer(w, 503, "")
		}},
		{"no answer", "move", 700 * time.Millisecond, 700 * time.Millisecond, func(_ http.ResponseWriter, r *http.Request) { pause(r, time.Hour) }},
		{"no answer, no deadline", "move", time.Hour, gameTimeout, func(_ http.ResponseWriter, r *http.Request) { pause(r, time.Hour) }},
		{"no answer to a read", "account", time.Hour, readTimeout, func(_ http.ResponseWriter, r *http.Request) { pause(r, time.Hour) }},
		{"slow body of a read", "account", time.Hour, readTimeout, func(w http.ResponseWriter, r *http.Request) { line(w, "{"); pause(r, time.Hour) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) { tc.reply(w, r) })
				defer stop()
				call := onceCalls[tc.call]
				if call == nil {
					call = safeCalls[tc.call]
				}
				ctx, cancel := context.WithTimeout(t.Context(), tc.budget)
				defer cancel()
				start := time.Now()
				err := call(ctx, c)
				if took := time.Since(start); err == nil || took > tc.atMost {
					t.Errorf("%v after %v, want an error within %v", err, took, tc.atMost)
				}
			})
		})
	}
}

// TestMoveWithCancelledContext: the caller's cancel ends a call at once.
func TestMoveWithCancelledContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, stop := newPipeClient(t, Options{}, func(_ http.ResponseWriter, r *http.Request) { pause(r, time.Hour) })
		defer stop()
		reason := errors.New("the game is over")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(reason) })
		start := time.Now()
		err := c.Move(ctx, "Ab3dEf9h", "e2e4", false)
		if !errors.Is(err, reason) || !Uncertain(err) || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestTokenTest: only a clear no for this very token is a no.
func TestTokenTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int32
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Error("a token that may be bad must not be used to ask about itself")
			}
			switch requests.Add(1) {
			case 1:
				answer(w, 200, `{}`)
			case 2:
				answer(w, 502, `<html>`)
			case 3:
				replies(w, r)
			case 4:
				answer(w, 200, `{"`+testToken+`":null}`)
			default:
				answer(w, 200, `{}`)
			}
		})
		defer stop()
		if info, err := c.TestToken(t.Context()); err != nil || info.UserID != "rookery" || !info.HasScope(ScopeBotPlay) || info.HasScope("bot") {
			t.Error(info, err)
		}
		if _, err := c.TestToken(t.Context()); !IsAuthError(err) {
			t.Errorf("%v, want an error that says that the token is bad", err)
		}
		if _, err := c.TestToken(t.Context()); err == nil || IsAuthError(err) {
			t.Errorf("%v, want an error that says nothing about the token", err)
		}
	})
}

// TestUnsentLooksAtAllTries: a call is unsent only when none of its tries can
// have arrived, and each try is judged by itself.
func TestUnsentLooksAtAllTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *pipeServer // for the handler
		var requests atomic.Int32
		c, s, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if requests.Add(1); r.Method == http.MethodGet {
				s.setRefuse(syscall.ECONNREFUSED)
				drop(w)
				return
			}
			if requests.Load() == 1 {
				s.setRefuse(syscall.ECONNREFUSED)
				w.Header().Set("Connection", "close")
				answer(w, 429, "")
				return
			}
			replies(w, r)
		})
		defer stop()
		time.AfterFunc(time.Second, func() { s.setRefuse(nil) })
		if err := onceCalls["move"](t.Context(), c); err != nil || requests.Load() != 2 {
			t.Errorf("%v after %d requests: a 429 and a refused connection are no reason to give up", err, requests.Load())
		}
		err := safeCalls["playing"](t.Context(), c)
		if network := (*NetworkError)(nil); !errors.As(err, &network) || network.Unsent {
			t.Errorf("%v: the first try may have arrived", err)
		}
	})
}

// TestConnectionClosedInTheMoment: a server that closes what is at rest for a
// minute, and calls after exactly a minute. A request that finds its connection
// just closed never arrived and is sent again at once, whatever it is.
func TestConnectionClosedInTheMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests, calls atomic.Int32
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			replies(w, r)
		})
		defer stop()
		for range 300 {
			for _, name := range []string{"move", "challenge"} {
				calls.Add(1)
				start := time.Now()
				if err := onceCalls[name](t.Context(), c); err != nil || time.Since(start) > 0 {
					t.Fatalf("%s: %v after %v", name, err, time.Since(start))
				}
				time.Sleep(time.Minute)
			}
		}
		if requests.Load() != calls.Load() {
			t.Errorf("%d requests in %d calls", requests.Load(), calls.Load())
		}
	})
}

// TestAcceptingAgain: the answer to an acceptance is lost, and the server knows the challenge no more. That is no refusal.
func TestAcceptingAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int32
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
			if requests.Add(1) == 1 {
				drop(w)
				return
			}
			answer(w, 404, `{"error":"No such challenge"}`)
		})
		defer stop()
		if err := c.AcceptChallenge(t.Context(), "Ab3dEf9h"); !Uncertain(err) || !errors.Is(err, ErrNotFound) || requests.Load() != 2 {
			t.Errorf("%v after %d requests", err, requests.Load())
		}
		if err := c.AcceptChallenge(t.Context(), "Ab3dEf9h"); Uncertain(err) || !errors.Is(err, ErrNotFound) {
			t.Errorf("%v, want a plain refusal", err)
		}
	})
}
