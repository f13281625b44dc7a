package lichess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

const (
	fullLine  = `{"type":"gameFull","id":"Ab3dEf9h","initialFen":"startpos","state":{"type":"gameState","moves":"","status":"started"}}`
	overLine  = `{"type":"gameState","moves":"e2e4","status":"resign","winner":"white"}`
	startLine = `{"type":"gameStart","game":{"gameId":"Ab3dEf9h","fullId":"Ab3dEf9h1234"}}`
)

func stateLine(moves int) string {
	return `{"type":"gameState","moves":"` + strings.TrimSpace(strings.Repeat("g1f3 g8f6 f3g1 f6g8 ", moves/4+1)[:5*moves]) + `","status":"started"}`
}

// tell writes an event in a few characters.
func tell(e any, err error) string {
	switch e := e.(type) {
	case nil:
		for _, end := range []error{ErrGameOver, ErrStreamEnded, ErrIdle, ErrLineTooLong, ErrTooSlow, context.Canceled} {
			if errors.Is(err, end) {
				return "end: " + strings.SplitN(end.Error(), " (", 2)[0]
			}
		}
		return fmt.Sprintf("end: %T", err)
	case *Connected:
		return fmt.Sprintf("connected %d", e.Attempt)
	case *Disconnected:
		return "lost"
	case *GameFull:
		return fmt.Sprintf("full %d", e.State.Ply())
	case *GameState:
		return fmt.Sprintf("state %d %s", e.Ply(), e.Status)
	case *ChatLine:
		return "chat " + e.Text
	case *Unknown:
		return fmt.Sprintf("unknown %s broken %v", e.Type, e.Err != nil)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", e), "*lichess.")
}

func wantEvents(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestGameConnection ends one connection in every way.
func TestGameConnection(t *testing.T) {
	for _, tc := range []struct {
		name  string
		serve func(w http.ResponseWriter, r *http.Request)
		want  []string
		took  time.Duration
	}{
		{"game over", func(w http.ResponseWriter, r *http.Request) {
			line(w, fullLine)
			line(w, "")
			pause(r, 7*time.Second)
			line(w, "")
			line(w, stateLine(1))
			pause(r, time.Second)
			line(w, overLine)
		}, []string{"full 0", "state 1 started", "state 1 resign", "end: the game is over"}, 8 * time.Second},
		{"game that was over before", func(w http.ResponseWriter, r *http.Request) {
			line(w, strings.Replace(fullLine, "started", "mate", 1))
		}, []string{"full 0", "end: the game is over"}, 0},
		{"ended in the middle", func(w http.ResponseWriter, r *http.Request) {
			line(w, fullLine)
		}, []string{"full 0", "end: the server ended the stream"}, 0},
		{"cut", func(w http.ResponseWriter, r *http.Request) {
			line(w, fullLine)
			drop(w)
		}, []string{"full 0", "end: *lichess.NetworkError"}, 0},
		{"half a line", func(w http.ResponseWriter, r *http.Request) {
			line(w, fullLine)
			io.WriteString(w, `{"type":"gameState","moves":"e2e4 e7`)
		}, []string{"full 0", "unknown  broken true", "end: the server ended the stream"}, 0},
		{"last line without line feed", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, fullLine+"\r\n"+overLine)
		}, []string{"full 0", "state 1 resign", "end: the game is over"}, 0},
		{"silence", func(w http.ResponseWriter, r *http.Request) {
			line(w, fullLine)
			for range 10 {
				pause(r, 7*time.Second)
				line(w, "")
			}
			pause(r, time.Hour)
		}, []string{"full 0", "end: no sign of life from the server"}, 70*time.Second + DefaultIdleTimeout},
		{"silence in the middle of a line", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, fullLine[:20])
			w.(http.Flusher).Flush()
			pause(r, time.Hour)
		}, []string{"unknown  broken true", "end: no sign of life from the server"}, DefaultIdleTimeout},
		{"silence before the answer", func(w http.ResponseWriter, r *http.Request) {
			pause(r, time.Hour)
		}, []string{"end: *lichess.NetworkError"}, 15 * time.Second},
		{"line that is too long", func(w http.ResponseWriter, r *http.Request) {
			line(w, fullLine)
			for range MaxLine/1000 + 20 {
				if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err != nil {
					return
				}
			}
			pause(r, time.Hour)
		}, []string{"full 0", "end: a line of the stream is longer than 1048576 bytes"}, 0},
		{"rubbish between the lines", func(w http.ResponseWriter, r *http.Request) {
			line(w, "<html>")
			line(w, fullLine)
			line(w, `{"type":"boardTilt"}`)
			line(w, "\xff\x00")
			line(w, "{\"type\":\"chatLine\",\"room\":\"player\",\"text\":\"a\xffb\"}")
			line(w, overLine)
		}, []string{"unknown  broken true", "full 0", "unknown boardTilt broken false", "unknown  broken true", "chat a\ufffdb", "state 1 resign", "end: the game is over"}, 0},
		{"not for bots", func(w http.ResponseWriter, r *http.Request) {
			answer(w, 400, `{"error":"This game cannot be played with the Bot API."}`)
		}, []string{"end: *lichess.APIError"}, 0},
		{"429", func(w http.ResponseWriter, r *http.Request) { answer(w, 429, "") }, []string{"end: *lichess.LimitError"}, 0},
		{"web page", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			answer(w, 200, "<html>Log in to our wireless network</html>")
		}, []string{"end: *lichess.APIError"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _, stop := newPipeClient(t, Options{}, tc.serve)
				defer stop()
				start := time.Now()
				var got []string
				for e, err := range c.Game(t.Context(), "Ab3dEf9h") {
					got = append(got, tell(e, err))
				}
				wantEvents(t, got, tc.want...)
				if took := time.Since(start); took != tc.took {
					t.Errorf("took %v, want %v", took, tc.took)
				}
			})
		})
	}
}

// TestStreamHeaders: a stream says what it wants and who asks.
func TestStreamHeaders(t *testing.T) {
	c := newTestClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") != ndjsonType || r.Header.Get("Authorization") != "Bearer "+testToken || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("%v", r.Header)
		}
	})
	for _, err := range c.Events(t.Context()) {
		if !errors.Is(err, ErrStreamEnded) || !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	}
}

// TestStopListening: the connection is given up when the consumer has had
// enough, and when the context ends.
func TestStopListening(t *testing.T) {
	for _, name := range []string{"Game", "GameStream"} {
		synctest.Test(t, func(t *testing.T) {
			var open atomic.Int32
			c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				open.Add(1)
				defer open.Add(-1)
				line(w, fullLine)
				for range 100 {
					pause(r, 7*time.Second)
					line(w, "")
				}
			})
			defer stop()
			reason := errors.New("closing time")
			ctx, cancel := context.WithCancelCause(t.Context())
			stream := c.Game
			if name == "GameStream" {
				stream = c.GameStream
			}
			for e := range stream(ctx, "Ab3dEf9h") {
				if _, ok := e.(*GameFull); ok {
					break
				}
			}
			synctest.Wait()
			if open.Load() != 0 {
				t.Errorf("%s: still open after break", name)
			}
			time.AfterFunc(time.Minute, func() { cancel(reason) })
			var last error
			for _, err := range stream(ctx, "Ab3dEf9h") {
				last = err
			}
			synctest.Wait()
			if last != reason || open.Load() != 0 {
				t.Errorf("%s: %v, %d open after cancel", name, last, open.Load())
			}
			for _, err := range stream(ctx, "Ab3dEf9h") {
				last = err
			}
			if last != reason {
				t.Errorf("%s: %v with a context that had ended before", name, last)
			}
		})
	}
}

// TestSlowConsumer: while the consumer is busy the reader goes on, the server
// is never kept waiting, and only what no longer matters is lost.
func TestSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := make(chan time.Duration, 1)
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			line(w, fullLine)
			for i := range 2000 {
				line(w, stateLine(i%100))
				if i%10 == 0 {
					line(w, fmt.Sprintf(`{"type":"chatLine","room":"player","text":"%d"}`, i))
				}
			}
			line(w, `{"type":"opponentGone","gone":true,"claimWinInSeconds":9}`)
			line(w, overLine)
			line(w, stateLine(7))
			sent <- time.Since(start)
		})
		defer stop()
		var got []string
		for e, err := range c.Game(t.Context(), "Ab3dEf9h") {
			got = append(got, tell(e, err))
			if len(got) == 1 {
				if took := <-sent; took > 0 {
					t.Errorf("the server waited for %v", took)
				}
				time.Sleep(10 * time.Second)
			}
		}
		chats := 0
		var others []string
		for _, e := range got {
			if strings.HasPrefix(e, "chat") {
				chats++
			} else {
				others = append(others, e)
			}
		}
		wantEvents(t, others, "full 0", "OpponentGone", "state 1 resign", "end: the game is over")
		if chats != maxWaitingTalk || got[maxWaitingTalk] != "chat 1990" {
			t.Errorf("%d chat lines, the last of them %q", chats, got[maxWaitingTalk])
		}
	})
}

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
