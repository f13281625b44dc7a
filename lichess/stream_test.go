package lichess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
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
		}, []string{"unknown  broken true", "end: no sign of life from the server"}, gameAnswer},
		{"silence before the answer", func(w http.ResponseWriter, r *http.Request) {
			pause(r, time.Hour)
		}, []string{"end: *lichess.NetworkError"}, gameAnswer},
		{"crumbs of a line that never gets done", func(w http.ResponseWriter, r *http.Request) {
			line(w, fullLine)
			pause(r, 7*time.Second)
			for range 100 {
				io.WriteString(w, "x")
				w.(http.Flusher).Flush()
				pause(r, 5*time.Second)
			}
		}, []string{"full 0", "unknown  broken true", "end: no sign of life from the server"}, DefaultIdleTimeout},
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
		}, []string{"unknown  broken true", "full 0", "unknown boardTilt broken false", "unknown  broken true", "chat ab", "state 1 resign", "end: the game is over"}, 0},
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
