package lichess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
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
			{25 * time.Second, 25 * time.Second}, // idle after 10 s + 15 s, then at once
			{25*time.Second + gameBackoff.first*3/4, 25*time.Second + gameBackoff.first},
			{25*time.Second + gameBackoff.first*9/4, 25*time.Second + gameBackoff.first*3},
			{50 * time.Second, 52 * time.Second}, // as long as the limit says
			{60 * time.Second, 62 * time.Second}, // after 10 good seconds at once
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

// clockLine is a gameFull with so much time left for both.
func clockLine(left time.Duration) string {
	return fmt.Sprintf(`{"type":"gameFull","id":"Ab3dEf9h","initialFen":"startpos","clock":{"initial":60000,"increment":0},`+
		`"state":{"type":"gameState","moves":"e2e4 e7e5","wtime":%[1]d,"btime":%[1]d,"status":"started"}}`, left.Milliseconds())
}

// TestGameStreamInBullet: whatever cuts the stream, the bot is blind for a
// small part of its clock only.
func TestGameStreamInBullet(t *testing.T) {
	for name, tc := range map[string]struct {
		lives      time.Duration // of each connection
		left       time.Duration // on the clock
		blind      time.Duration // at most, in a row
		least      int           // openings; 0 means 2
		most       int
		refuse     func(w http.ResponseWriter)
		refuseFrom int // this opening on
	}{
		"cut every 2 s":           {lives: 2 * time.Second, left: 10 * time.Second, blind: 0, most: 6},
		"cut at once, 10 s left":  {left: 10 * time.Second, blind: 500 * time.Millisecond, most: 40},
		"cut at once, 60 s left":  {left: time.Minute, blind: 3 * time.Second, most: 90},
		"cut at once, 0.1 s left": {left: 100 * time.Millisecond, blind: 250 * time.Millisecond, most: 5},
		"bare 429": {left: 10 * time.Second, blind: 2500 * time.Millisecond, most: 30, refuseFrom: 2,
			refuse: func(w http.ResponseWriter) { answer(w, 429, "") }},
		"429 for an hour": {left: 10 * time.Second, blind: 2500 * time.Millisecond, most: 30, refuseFrom: 2,
			refuse: func(w http.ResponseWriter) { answer(w, 429, `{"error":"x","ratelimit":{"key":"x","seconds":3600}}`) }},
		"silence": {left: 20 * time.Second, blind: gameAnswer + 500*time.Millisecond, least: 8, most: 12, refuseFrom: 2,
			refuse: func(w http.ResponseWriter) { time.Sleep(time.Minute) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var opens atomic.Int32
				c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
					if n := opens.Add(1); tc.refuse != nil && int(n) >= tc.refuseFrom {
						tc.refuse(w)
						return
					}
					line(w, clockLine(tc.left-time.Since(start)))
					pause(r, tc.lives)
				})
				defer stop()
				ctx, cancel := context.WithTimeout(t.Context(), tc.left)
				defer cancel()
				lost := start
				for e, err := range c.GameStream(ctx, "Ab3dEf9h") {
					switch e.(type) {
					case *Disconnected:
						lost = time.Now()
					default:
						if blind := time.Since(lost); blind > tc.blind && !lost.Equal(start) && err == nil {
							t.Errorf("blind for %v, %v before the flag", blind, tc.left-time.Since(start))
						}
						lost = start
					}
					if d, ok := e.(*Disconnected); ok && d.Wait > tc.blind {
						t.Errorf("waits for %v, %v before the flag", d.Wait, tc.left-time.Since(start))
					}
				}
				if n := int(opens.Load()); n > tc.most || n < max(tc.least, 2) {
					t.Errorf("%d openings, want %d to %d", n, max(tc.least, 2), tc.most)
				}
				time.Sleep(2 * time.Minute) // for the silent server
			})
		})
	}
}

// TestGameStreamsNeverStorm: 64 games whose streams are cut at once, for half
// an hour.
func TestGameStreamsNeverStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const games = 64
		var opens atomic.Int32
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			opens.Add(1)
			line(w, clockLine(3*time.Second))
		})
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
		defer cancel()
		var group sync.WaitGroup
		for range games {
			group.Go(func() {
				for range c.GameStream(ctx, "Ab3dEf9h") {
				}
			})
		}
		time.Sleep(time.Second)
		if n := opens.Load(); n < 2*games {
			t.Errorf("%d openings at first, want each game to come back at once", n)
		}
		group.Wait()
		if n := opens.Load(); n > 2*games+2*30*60+2*games || n < 2*30*60 {
			t.Errorf("%d openings in half an hour", n)
		}
	})
}

// TestRivals: two programs on one account close each other's stream, for three
// hours. Each says so, once, and both together open it no more often than the
// server allows.
func TestRivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var opens []time.Time
		end := func() {}
		handler := func(w http.ResponseWriter, r *http.Request) {
			ended := make(chan struct{})
			mu.Lock()
			opens = append(opens, time.Now())
			end()
			end = sync.OnceFunc(func() { close(ended) })
			mu.Unlock()
			for {
				line(w, "")
				select {
				case <-ended:
					return
				case <-r.Context().Done():
					return
				case <-time.After(7 * time.Second):
				}
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		var group sync.WaitGroup
		var logs [2]bytes.Buffer
		for i := range logs {
			c, _, stop := newPipeClient(t, Options{Logger: slog.New(slog.NewTextHandler(&logs[i], nil))}, handler)
			defer stop()
			group.Go(func() {
				for range c.EventStream(ctx) {
				}
			})
			time.Sleep(3 * time.Second)
		}
		group.Wait()
		mu.Lock()
		defer mu.Unlock()
		for i := range opens {
			n := 0
			for _, at := range opens[i:] {
				if at.Sub(opens[i]) < DefaultEventWindow {
					n++
				}
			}
			if n > DefaultEventOpens {
				t.Fatalf("%d openings in 10 minutes from %v on", n, opens[i].Sub(opens[0]))
			}
		}
		for i := range logs {
			if n := strings.Count(logs[i].String(), "level=ERROR"); n != 1 || !strings.Contains(logs[i].String(), "another program") {
				t.Errorf("%d error lines:\n%.3000s", n, logs[i].String())
			}
		}
	})
}

// TestRestartIsNoRival: a server that ends the stream, is away and comes back,
// each quarter of an hour.
func TestRestartIsNoRival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var log bytes.Buffer
		c, _, stop := newPipeClient(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(w http.ResponseWriter, r *http.Request) {
			if time.Since(start)%(15*time.Minute) > 13*time.Minute {
				answer(w, 502, "<html>")
				return
			}
			for time.Since(start)%(15*time.Minute) <= 13*time.Minute && r.Context().Err() == nil {
				line(w, "")
				pause(r, 7*time.Second)
			}
		})
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		lost := 0
		for e := range c.EventStream(ctx) {
			if _, ok := e.(*Disconnected); ok {
				lost++
			}
		}
		if strings.Contains(log.String(), "another program") || lost < 24 {
			t.Errorf("%d times lost:\n%.2000s", lost, log.String())
		}
	})
}

// TestEventStreamOutlivesBadAnswers: nothing but a refused token ends it.
func TestEventStreamOutlivesBadAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opens atomic.Int32
		statuses := []int{302, 400, 404, 405, 408, 418, 451, 500, 503}
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if n := int(opens.Add(1)); n <= len(statuses) {
				w.Header().Set("Location", "/login")
				answer(w, statuses[n-1], "<html>")
				return
			}
			answer(w, 401, `{"error":"No such token"}`)
		})
		defer stop()
		var last error
		for _, err := range c.EventStream(t.Context()) {
			last = err
		}
		if !errors.Is(last, ErrUnauthorized) || int(opens.Load()) != len(statuses)+1 {
			t.Errorf("%v after %d tries", last, opens.Load())
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

// TestGameStreamWantsItsFirstLine soon, and gives the server longer each time.
func TestGameStreamWantsItsFirstLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opens atomic.Int32
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if opens.Add(1) <= 3 {
				w.(http.Flusher).Flush()
				pause(r, time.Hour)
				return
			}
			pause(r, 4*time.Second) // a slow server is waited for at last
			line(w, fullLine)
			line(w, overLine)
		})
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start, lost := time.Now(), []time.Duration(nil)
		var last error
		for e, err := range c.GameStream(ctx, "Ab3dEf9h") {
			if _, ok := e.(*Disconnected); ok {
				lost = append(lost, time.Since(start).Round(100*time.Millisecond))
				start = time.Now()
			}
			last = err
		}
		if !errors.Is(last, ErrGameOver) || len(lost) != 3 || lost[0] != gameFirstAnswer || lost[1] != gameFirstAnswer || lost[2] < 2*gameFirstAnswer {
			t.Errorf("lost after %v, at last: %v", lost, last)
		}
	})
}

// TestGameStreamOutlivesWebPages that come from something on the way with a
// status like the server's own.
func TestGameStreamOutlivesWebPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opens atomic.Int32
		statuses := []int{200, 400, 401, 403, 404}
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if n := int(opens.Add(1)); n <= len(statuses) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				answer(w, statuses[n-1], "<html>Log in to our wireless network</html>")
				return
			}
			answer(w, 404, `{"error":"No such game"}`)
		})
		defer stop()
		var last error
		for _, err := range c.GameStream(t.Context(), "Ab3dEf9h") {
			last = err
		}
		if !errors.Is(last, ErrNotFound) || int(opens.Load()) != len(statuses)+1 {
			t.Errorf("%v after %d tries", last, opens.Load())
		}
	})
}

// TestGameStreamOpenedByItsConsumerNeverStorms: each of these streams is new to
// the client.
func TestGameStreamOpenedByItsConsumerNeverStorms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			answer(w, 404, `{"error":"No such game"}`)
		})
		defer stop()
		start := time.Now()
		for range 200 {
			for range c.GameStream(t.Context(), "Ab3dEf9h") {
			}
		}
		if took := time.Since(start); took < 30*time.Second || took > 40*time.Second {
			t.Errorf("200 openings took %v", took)
		}
	})
}

// TestGameStreamKeepsItsPlace: a consumer who opens the stream anew while it
// waits for its turn makes nobody wait longer.
func TestGameStreamKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines atomic.Bool // else the stream is refused
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if lines.Load() {
				line(w, clockLine(3*time.Second))
				return
			}
			answer(w, 404, `{"error":"No such game"}`)
		})
		defer stop()
		open := func(patience time.Duration) (took time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			start := time.Now()
			for range c.GameStream(ctx, "Ab3dEf9h") {
			}
			return time.Since(start)
		}
		for open(time.Minute) == 0 { // until no opening is free
		}
		for range 1000 {
			open(time.Millisecond)
		}
		if took := open(time.Minute); took > 2*time.Second {
			t.Errorf("after a thousand openings that were given up the next waits for %v", took)
		}
		lines.Store(true) // and ends at once, so that it waits to be opened again
		for range 20 {
			open(600 * time.Millisecond)
		}
		lines.Store(false)
		if took := open(time.Minute); took > 3*time.Second {
			t.Errorf("after twenty pauses that were given up the next opening waits for %v", took)
		}
	})
}

// TestGameStreamTriesWithinItsClock: a try that hangs is given up in time for
// another, however long there has been no answer.
func TestGameStreamTriesWithinItsClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const left = 16 * time.Second
		var opens atomic.Int32
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if opens.Add(1) == 1 {
				line(w, clockLine(left))
				return
			}
			pause(r, time.Hour)
		})
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), left)
		defer cancel()
		start, lost := time.Now(), time.Duration(0)
		for e := range c.GameStream(ctx, "Ab3dEf9h") {
			if _, ok := e.(*Disconnected); !ok {
				continue
			}
			now := time.Since(start)
			if took, most := now-lost, max((left-lost)/answerShare, gameFirstAnswer)+time.Second; took > most {
				t.Errorf("a try takes %v with %v left", took, left-lost)
			}
			lost = now
		}
		if opens.Load() < 7 {
			t.Errorf("%d openings", opens.Load())
		}
	})
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
				var mu sync.Mutex
				var opens []time.Time
				c, _, stop := newPipeClient(t, tc.o, func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					opens = append(opens, time.Now())
					mu.Unlock()
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
				mu.Lock()
				defer mu.Unlock()
				// The end may come between a connection and its line.
				if starts != len(opens) && starts != len(opens)-1 {
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
