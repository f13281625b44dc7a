package lichess

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func challengeCall(ctx context.Context, c *Client) error { return onceCalls["challenge"](ctx, c) }

// wantLimit checks that err is a limit of so long.
func wantLimit(t *testing.T, err error, wait time.Duration, local bool) {
	t.Helper()
	var limit *LimitError
	if !errors.As(err, &limit) {
		t.Fatalf("%v, want a limit", err)
	}
	if limit.Wait() != wait || limit.Local != local {
		t.Errorf("wait %v, local %v, want %v, %v", limit.Wait(), limit.Local, wait, local)
	}
}

// TestBareLimitOnChallenges: a 429 without a time holds back challenges, for
// longer each time, and nothing else.
func TestBareLimitOnChallenges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var challenges atomic.Int32
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/api/challenge/pawnstar") && challenges.Add(1) <= 10 {
				answer(w, 429, `{"error":"Too many requests. Try again later."}`)
				return
			}
			replies(w, r)
		})
		defer stop()
		want := time.Minute
		for try := range 10 {
			wantLimit(t, challengeCall(t.Context(), c), want, false)
			wantLimit(t, challengeCall(t.Context(), c), want, true)
			if n := int(challenges.Load()); n != try+1 {
				t.Fatalf("%d requests, want %d: a known limit is not asked about", n, try+1)
			}
			start := time.Now()
			for name, call := range onceCalls {
				if !strings.HasPrefix(name, "challenge") {
					if err := call(t.Context(), c); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
			if took := time.Since(start); took > 0 {
				t.Errorf("the other calls took %v", took)
			}
			time.Sleep(want)
			want = min(2*want, bareChallengeLimitCeiling)
		}
		if err := challengeCall(t.Context(), c); err != nil {
			t.Error(err)
		}
		challenges.Store(0)
		wantLimit(t, challengeCall(t.Context(), c), time.Minute, false)
	})
}

// TestTimedLimits: a 429 that says how long is taken at its word.
func TestTimedLimits(t *testing.T) {
	for _, tc := range []struct {
		name, after, body string
		want              time.Duration
	}{
		{"body", "", `{"error":"x","ratelimit":{"key":"challenge.user","seconds":77}}`, 77 * time.Second},
		{"body before header", "5", `{"error":"x","ratelimit":{"key":"challenge.user","seconds":77}}`, 77 * time.Second},
		{"header in seconds", "33", ``, 33 * time.Second},
		{"header as a date", "Sat, 01 Jan 2000 00:02:00 GMT", `<html>`, 2 * time.Minute},
		{"date gone by", "Fri, 31 Dec 1999 00:00:00 GMT", ``, time.Minute},
		{"header is nonsense", "soon", ``, time.Minute},
		{"too long", "99999999999999", ``, maxLimitWait},
		{"far too long", "", `{"error":"x","ratelimit":{"key":"k","seconds":9223372036854775807}}`, maxLimitWait},
		{"negative", "-5", `{"error":"x","ratelimit":{"key":"k","seconds":-9}}`, time.Minute},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // time begins with the year 2000
				c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
					if tc.after != "" {
						w.Header().Set("Retry-After", tc.after)
					}
					answer(w, 429, tc.body)
				})
				defer stop()
				wantLimit(t, challengeCall(t.Context(), c), tc.want, false)
				if list := c.Limits(); len(list) != 1 || list[0].Name != "challenge" || time.Until(list[0].Until) != tc.want {
					t.Errorf("in force: %v", list)
				}
				time.Sleep(tc.want)
				if list := c.Limits(); len(list) != 0 {
					t.Errorf("still in force: %v", list)
				}
			})
		})
	}
}

// TestBotLimit: the daily limit of games against bots is known by its key and
// holds nothing back, since it does not count for people.
func TestBotLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const body = `{"error":"You played enough","ratelimit":{"key":"bot.vsBot.day","seconds":3600}}`
		var status atomic.Int32
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if s := int(status.Load()); s != 0 {
				answer(w, s, body)
				return
			}
			replies(w, r)
		})
		defer stop()
		status.Store(400)
		var api *APIError
		if err := challengeCall(t.Context(), c); !errors.As(err, &api) {
			t.Fatal(err)
		}
		if wait, ok := api.OpponentLimit(); !ok || wait != time.Hour {
			t.Errorf("the opponent is limited for %v, %v", wait, ok)
		}
		if !c.LimitedUntil(KeyBotVsBotDay).IsZero() {
			t.Error("the opponent's limit is taken for our own")
		}
		status.Store(429)
		err := safeCalls["accept"](t.Context(), c)
		wantLimit(t, err, time.Hour, false)
		if until := c.LimitedUntil(KeyBotVsBotDay); time.Until(until) != time.Hour {
			t.Errorf("until %v", until)
		}
		status.Store(0)
		for _, call := range []func(context.Context, *Client) error{safeCalls["accept"], onceCalls["challenge"], onceCalls["move"]} {
			if err := call(t.Context(), c); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Hour)
		if !c.LimitedUntil(KeyBotVsBotDay).IsZero() {
			t.Error("the limit does not end")
		}
	})
}

// TestLimitOnMoves: when even moves are limited the address is; the side calls
// leave the room to them, and moves are never refused without asking.
func TestLimitOnMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limited atomic.Bool
		limited.Store(true)
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if limited.Load() {
				answer(w, 429, "")
				return
			}
			replies(w, r)
		})
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		wantLimit(t, onceCalls["move"](ctx, c), bareGameLimitWait, false)
		limited.Store(false)
		if err := onceCalls["move"](t.Context(), c); err != nil {
			t.Error(err)
		}
		wantLimit(t, onceCalls["chat"](t.Context(), c), time.Minute, true)
		time.Sleep(time.Minute)
		if err := onceCalls["chat"](t.Context(), c); err != nil {
			t.Error(err)
		}
	})
}

// TestMovesPassTheGate: calls on the side that hang do not hold up a move, nor
// are more of them under way at a time than there are places.
func TestMovesPassTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var side, most atomic.Int32
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/account/playing" {
				n := side.Add(1)
				defer side.Add(-1)
				if n > most.Load() {
					most.Store(n)
				}
				pause(r, 5*time.Second)
			}
			replies(w, r)
		})
		defer stop()
		for range 6 {
			go safeCalls["playing"](t.Context(), c)
		}
		synctest.Wait()
		start := time.Now()
		if err := onceCalls["move"](t.Context(), c); err != nil || time.Since(start) > 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		time.Sleep(time.Minute)
		if most.Load() != sidePlaces {
			t.Errorf("%d side calls at a time, want %d", most.Load(), sidePlaces)
		}
	})
}

// TestEventsBackoffKeepsTheLimit: even when each connection ends at once and
// chance makes all pauses as short as it can, the pauses alone keep within the
// limit on openings.
func TestEventsBackoffKeepsTheLimit(t *testing.T) {
	opens, at := 1, time.Duration(0)
	for n := 1; ; n++ {
		full := min(eventsBackoff.first<<min(n-1, 20), eventsBackoff.ceiling)
		if at += full - full/4; at >= DefaultEventWindow {
			break
		}
		opens++
	}
	if opens > DefaultEventOpens-2 {
		t.Errorf("%d openings in %v", opens, DefaultEventWindow)
	}
}

func TestBackoffPause(t *testing.T) {
	b := backoff{first: time.Second, ceiling: 8 * time.Second}
	for n, full := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 5: 8 * time.Second, 1000: 8 * time.Second} {
		for range 100 {
			if p := b.pause(n); p > full || p < full-full/4 {
				t.Errorf("pause(%d) = %v, want up to %v", n, p, full)
			}
		}
	}
	b.atOnce = true
	if b.pause(1) != 0 || b.pause(2) == 0 || b.pause(2) > time.Second {
		t.Error("only the first try comes at once")
	}
}

// TestKnownLimits: the client stops by itself where the server would, says
// until when, and goes on when there is room again. Other calls are free.
func TestKnownLimits(t *testing.T) {
	bot := func(ctx context.Context, c *Client) error {
		_, err := c.CreateChallenge(ctx, "pawnstar", ChallengeRequest{TimeControl: ClockControl(180, 2), ToBot: true})
		return err
	}
	for _, tc := range []struct {
		name  string
		call  func(context.Context, *Client) error
		every time.Duration // between the calls
		room  int           // calls that go through
		wait  time.Duration // after them
	}{
		{"challenges to people", challengeCall, time.Second, 5, 55 * time.Second},
		{"challenges to bots", bot, time.Second, 25, 35 * time.Second},
		{"challenges to people all day", challengeCall, time.Minute, 40, 24*time.Hour - 40*time.Minute},
		{"challenges to bots all day", bot, time.Minute, 200, 24*time.Hour - 200*time.Minute},
		{"games against the engine", onceCalls["challenge AI"], time.Minute, 20, 24*time.Hour - 20*time.Minute},
		{"reads of the account", safeCalls["account"], time.Second, 30, 5*time.Minute - 30*time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var requests atomic.Int32
				c, _, stop := newPipeClient(t, Options{KeepLimits: true}, func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					replies(w, r)
				})
				defer stop()
				for i := range tc.room {
					if err := tc.call(t.Context(), c); err != nil {
						t.Fatalf("call %d: %v", i+1, err)
					}
					time.Sleep(tc.every)
				}
				wantLimit(t, tc.call(t.Context(), c), tc.wait, true)
				wantLimit(t, tc.call(t.Context(), c), tc.wait, true)
				if int(requests.Load()) != tc.room {
					t.Errorf("%d requests, want %d", requests.Load(), tc.room)
				}
				for _, free := range []func(context.Context, *Client) error{onceCalls["move"], onceCalls["chat"], safeCalls["accept"]} {
					if err := free(t.Context(), c); err != nil {
						t.Error(err)
					}
				}
				time.Sleep(tc.wait)
				if err := tc.call(t.Context(), c); err != nil {
					t.Errorf("after the wait: %v", err)
				}
			})
		})
	}
}

// TestChallengesFromBeforeCountByTheirPoints: what another run of the program has made costs the account what it did.
func TestChallengesFromBeforeCountByTheirPoints(t *testing.T) {
	for _, tc := range []struct {
		points []int
		wait   time.Duration
	}{{[]int{5, 5, 5, 5}, 0}, {[]int{1, 5, 5, 5, 5}, 29 * time.Second}, {[]int{5, 5, 5, 5, 1}, 29 * time.Second}, {[]int{1, 1, 1, 1, 1}, 0}} {
		synctest.Test(t, func(t *testing.T) {
			c, _, stop := newPipeClient(t, Options{KeepLimits: true}, replies)
			defer stop()
			var uses []ChallengeUse
			for i, points := range tc.points {
				uses = append(uses, ChallengeUse{time.Now().Add(time.Duration(i-31) * time.Second), points})
			}
			c.Recall(nil, uses)
			err := challengeCall(t.Context(), c)
			if tc.wait > 0 {
				wantLimit(t, err, tc.wait, true)
			} else if err != nil {
				t.Errorf("after %v: %v", tc.points, err)
			}
		})
	}
}

// TestRepetitionsCount: a read that the client itself repeats is one more for
// the server.
func TestRepetitionsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int32
		c, _, stop := newPipeClient(t, Options{KeepLimits: true}, func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			answer(w, 502, "")
		})
		defer stop()
		for range 20 {
			c.Account(t.Context())
		}
		if n := requests.Load(); n > 30 {
			t.Errorf("%d requests, the server allows 30 in 5 minutes", n)
		}
	})
}

// TestGamesAgainstBotsAreCounted: the day's last one puts the limit in force
// before the server says so. People and games seen before do not count.
func TestGamesAgainstBotsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, stop := newPipeClient(t, Options{KeepLimits: true}, func(w http.ResponseWriter, r *http.Request) {
			id := r.URL.Path[len("/api/bot/game/stream/"):]
			white := `{"id":"rook","name":"Rook","title":"BOT"}`
			if strings.HasPrefix(id, "Person") {
				white = `{"id":"rook","name":"Rook","title":null}`
			}
			line(w, `{"type":"gameFull","id":"`+id+`","white":`+white+`,"black":{"id":"rookery","name":"Rookery","title":"BOT"},`+
				`"state":{"type":"gameState","moves":"","status":"mate"}}`)
		})
		defer stop()
		play := func(id string) {
			for range c.GameStream(t.Context(), id) {
			}
		}
		start := time.Now()
		for i := range maxBotGames {
			if until := c.LimitedUntil(KeyBotVsBotDay); !until.IsZero() {
				t.Fatalf("limited after %d games", i)
			}
			play(fmt.Sprintf("Game%d", i))
			play(fmt.Sprintf("Game%d", i))
			play(fmt.Sprintf("Person%d", i))
			time.Sleep(time.Minute)
		}
		if until := c.LimitedUntil(KeyBotVsBotDay); !until.Equal(start.Add(24 * time.Hour)) {
			t.Errorf("limited until %v", until)
		}
	})
}

// TestDemandedWaitAsADate: it counts from the moment of the answer by the server's clock, whatever ours shows.
func TestDemandedWaitAsADate(t *testing.T) {
	for _, off := range []time.Duration{-2 * time.Hour, 0, 2 * time.Hour} {
		sent := time.Now().Add(off)
		header := http.Header{}
		header.Set("Date", sent.UTC().Format(http.TimeFormat))
		header.Set("Retry-After", sent.Add(30*time.Second).UTC().Format(http.TimeFormat))
		if wait := demandedWait(header, nil); wait != 30*time.Second {
			t.Errorf("a server whose clock is off by %v wants 30 s: %v", off, wait)
		}
	}
}

// TestBareLimitOfOneMoment: what all games meet at once is no reason to wait longer and longer.
func TestBareLimitOfOneMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits(30, 10*time.Minute, true)
		for range 8 {
			if wait := time.Until(l.refused(featureGame, "", 0)); wait != bareGameLimitWait {
				t.Fatalf("a wait of %v", wait)
			}
		}
		time.Sleep(bareGameLimitWait)
		if wait := time.Until(l.refused(featureGame, "", 0)); wait != 2*bareGameLimitWait {
			t.Errorf("refused again after the pause: a wait of %v", wait)
		}
		l.accepted(featureGame)
		if wait := time.Until(l.refused(featureGame, "", 0)); wait != bareGameLimitWait {
			t.Errorf("refused after a success: a wait of %v", wait)
		}
	})
}
