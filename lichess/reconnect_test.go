package lichess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestGameStreamReconnects: at once the first time, with pauses then, until the
// game is over.
func TestGameStreamReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opens atomic.Int32
		var times []time.Duration
		start := time.Now()
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			times = append(times, time.Since(start))
			switch opens.Add(1) {
			case 1: // a good connection that falls silent
				line(w, fullLine)
				pause(r, 10*time.Second)
				line(w, stateLine(1))
				pause(r, time.Hour)
			case 2:
				answer(w, 502, "<html>")
			case 3: // (a connection that just closes is tried again by net/http itself)
				conn, _, _ := w.(http.Hijacker).Hijack()
				io.WriteString(conn, "no HTTP\r\n\r\n")
				conn.Close()
			case 4:
				answer(w, 429, `{"error":"x","ratelimit":{"key":"x","seconds":25}}`)
			case 5: // a clean end in the middle of the game
				line(w, fullLine)
				pause(r, 10*time.Second)
			default:
				line(w, fullLine)
				line(w, overLine)
			}
		})
		defer stop()
		var got []string
		for e, err := range c.GameStream(t.Context(), "Ab3dEf9h") {
			got = append(got, tell(e, err))
		}
		wantEvents(t, got,
			"connected 0", "full 0", "state 1 started", "lost", // idle
			"lost", "lost", "lost", // 502, dropped, 429
			"connected 4", "full 0", "lost",
			"connected 1", "full 0", "state 1 resign", "end: the game is over")
		for i, want := range []struct{ least, most time.Duration }{
			{0, 0},
			{30 * time.Second, 30 * time.Second}, // idle after 10 s + 20 s, then at once
			{30*time.Second + gameBackoff.first*3/4, 30*time.Second + gameBackoff.first},
			{30*time.Second + gameBackoff.first*9/4, 30*time.Second + gameBackoff.first*3},
			{55 * time.Second, 57 * time.Second}, // as long as the limit says
			{65 * time.Second, 67 * time.Second}, // after 10 good seconds at once
		} {
			if times[i] < want.least || times[i] > want.most {
				t.Errorf("opening %d at %v, want %v to %v", i+1, times[i], want.least, want.most)
			}
		}
	})
}

// TestGameStreamSurvivesARestart: the server is away for two minutes.
func TestGameStreamSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opens atomic.Int32
		c, s, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			line(w, fullLine)
			if opens.Add(1) == 1 {
				pause(r, 10*time.Second)
				return
			}
			line(w, overLine)
		})
		defer stop()
		const away = 2 * time.Minute
		start := time.Now()
		time.AfterFunc(9*time.Second, func() { s.setRefuse(syscall.ECONNREFUSED) })
		time.AfterFunc(9*time.Second+away, func() { s.setRefuse(nil) })
		tries, last := 0, ""
		for e, err := range c.GameStream(t.Context(), "Ab3dEf9h") {
			if last = tell(e, err); last == "lost" {
				tries++
				c.Close() // so that the next try must connect anew
			}
		}
		if took := time.Since(start); last != "end: the game is over" || took > 9*time.Second+away+gameBackoff.ceiling || tries > 30 {
			t.Errorf("%q after %v and %d tries", last, took, tries)
		}
	})
}

// TestGameStreamGivesUp when the server refuses for good, without another try.
func TestGameStreamGivesUp(t *testing.T) {
	for status, body := range map[int]string{
		400: `{"error":"This game cannot be played with the Bot API."}`, 404: `{"error":"No such game"}`,
		401: `{"error":"No such token"}`, 403: `{"error":"Missing scope: bot:play"}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			var opens atomic.Int32
			c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				opens.Add(1)
				answer(w, status, body)
			})
			defer stop()
			for e, err := range c.GameStream(t.Context(), "Ab3dEf9h") {
				var api *APIError
				if e != nil || !errors.As(err, &api) || api.Status != status || IsAuthError(err) != (status == 401 || status == 403) || errors.Is(err, ErrNotFound) != (status == 404) {
					t.Errorf("%v %v", e, err)
				}
			}
			if opens.Load() != 1 {
				t.Errorf("%d: %d tries", status, opens.Load())
			}
		})
	}
}

// TestEventStreamNeverStorms opens the event stream of a server that answers
// and ends at once, for three hours, and counts.
func TestEventStreamNeverStorms(t *testing.T) {
	for name, tc := range map[string]struct {
		lives  time.Duration // of each connection
		o      Options
		window time.Duration
		most   int
		least  int
	}{
		"ends at once":     {0, Options{}, 10 * time.Minute, 30, 10},
		"lives for 15 s":   {15 * time.Second, Options{}, 10 * time.Minute, 30, 8},
		"lives for 61 s":   {61 * time.Second, Options{}, 10 * time.Minute, 30, 8},
		"own, lower limit": {0, Options{EventOpens: 5, EventWindow: 10 * time.Minute}, 10 * time.Minute, 5, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var opens []time.Time
				c, _, stop := newPipeClient(t, tc.o, func(w http.ResponseWriter, r *http.Request) {
					opens = append(opens, time.Now())
					line(w, startLine)
					for end := time.Now().Add(tc.lives); time.Now().Before(end) && r.Context().Err() == nil; {
						pause(r, min(7*time.Second, time.Until(end)))
						line(w, "")
					}
				})
				defer stop()
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
				defer cancel()
				starts := 0
				for e, err := range c.EventStream(ctx) {
					if _, ok := e.(*GameStart); ok {
						starts++
					}
					if e == nil && !errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
					}
				}
				if starts != len(opens) {
					t.Errorf("%d events of %d connections", starts, len(opens))
				}
				for i := range opens {
					n := 0
					for _, at := range opens[i:] {
						if at.Sub(opens[i]) < tc.window {
							n++
						}
					}
					if n > tc.most || n < tc.least && opens[i].Before(opens[0].Add(2*time.Hour)) {
						t.Errorf("%d openings in 10 minutes, want %d to %d", n, tc.least, tc.most)
						break
					}
				}
			})
		})
	}
}

// TestEventStreamWaitsForTheLimit and ends when the token is no longer good.
func TestEventStreamWaitsForTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times []time.Duration
		start := time.Now()
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			switch times = append(times, time.Since(start)); len(times) {
			case 1:
				answer(w, 429, `{"error":"Please don't poll this endpoint, it is intended to be streamed."}`)
			case 2:
				answer(w, 429, `{"error":"x","ratelimit":{"key":"x","seconds":333}}`)
			default:
				answer(w, 401, `{"error":"No such token"}`)
			}
		})
		defer stop()
		var got []string
		for e, err := range c.EventStream(t.Context()) {
			if got = append(got, tell(e, err)); e == nil && !errors.Is(err, ErrUnauthorized) {
				t.Error(err)
			}
		}
		wantEvents(t, got, "lost", "lost", "end: *lichess.APIError")
		if times[1] != time.Minute || times[2] != time.Minute+333*time.Second {
			t.Errorf("opened at %v", times)
		}
	})
}

// TestEventsOverflow: a consumer that does not take its events for far too long
// loses the connection, not the events.
func TestEventsOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const games = 2 * maxWaitingEvents
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			for i := range games {
				line(w, fmt.Sprintf(`{"type":"gameStart","game":{"gameId":"Game%d"}}`, i))
				line(w, `{"type":"boardTilt"}`)
			}
			pause(r, time.Hour)
		})
		defer stop()
		starts := 0
		var last error
		for e, err := range c.Events(t.Context()) {
			if start, ok := e.(*GameStart); ok {
				if want := fmt.Sprintf("Game%d", starts); start.Game.GameID != want {
					t.Fatalf("%s, want %s", start.Game.GameID, want)
				}
				if starts++; starts == 1 {
					time.Sleep(time.Second)
				}
			}
			last = err
		}
		if !errors.Is(last, ErrTooSlow) || starts < maxWaitingEvents {
			t.Errorf("%v after %d events", last, starts)
		}
	})
}
