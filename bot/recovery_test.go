package bot_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// floodAfter loses the third state of a stream and shows as many chat lines as can have pushed it out of the server's queue.
type floodAfter struct {
	http.ResponseWriter
	states int
	floods *atomic.Int32
}

func (f *floodAfter) Flush() { http.NewResponseController(f.ResponseWriter).Flush() }

func (f *floodAfter) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(`"gameState"`)) {
		if f.states++; f.states == 3 && f.floods.Add(1) <= 3 {
			for i := range 32 {
				fmt.Fprintf(f.ResponseWriter, `{"type":"chatLine","room":"spectator","username":"crowd","text":"%d"}`+"\n", i)
			}
			f.Flush()
			return len(line), nil
		}
	}
	return f.ResponseWriter.Write(line)
}

// TestStatePushedOutByChat loses lines as a server does whose queue runs over, in games whose clock would not outlast the
// opponent's: the bot has to ask by itself.
func TestStatePushedOutByChat(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var floods atomic.Int32
	n := newNetwork(t, a.URL, func(n *network, w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if strings.HasPrefix(r.URL.Path, "/api/bot/game/stream/") {
			w = &floodAfter{ResponseWriter: w, floods: &floods}
		}
		pass.ServeHTTP(w, r)
	})
	a.startAt(n.URL, "castellan", quick())
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 20 * time.Second, Increment: 200 * time.Millisecond})
	if g := a.finished(id); g.Status == lichess.StatusOutOfTime {
		t.Errorf("lost on time: the game ended by %s after %d moves, winner %q", g.Status, len(g.Moves), g.Winner)
	}
	if floods.Load() == 0 {
		t.Error("nothing was lost")
	}
}

// TestAbortIsTriedAgain answers the first aborts with 504.
func TestAbortIsTriedAgain(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newNetwork(t, a.URL, func(n *network, w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/abort") && n.spoiled.Add(1) == 1 {
			w.WriteHeader(http.StatusGatewayTimeout)
			return
		}
		pass.ServeHTTP(w, r)
	})
	opts := quick()
	opts.AbortAfter = 20 * time.Millisecond
	a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute})
	if g := a.finished(id); g.Status != lichess.StatusAborted || n.spoiled.Load() != 2 {
		t.Errorf("the game ended by %s after %d tries", g.Status, n.spoiled.Load())
	}
}

// TestServerInTroubleIsNotHammered refuses moves with 502 for two seconds.
func TestServerInTroubleIsNotHammered(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var first atomic.Int64
	n := newNetwork(t, a.URL, func(n *network, w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if isMove(r) {
			first.CompareAndSwap(0, time.Now().UnixNano())
			if time.Since(time.Unix(0, first.Load())) < 2*time.Second {
				n.spoiled.Add(1)
				w.WriteHeader(http.StatusBadGateway)
				return
			}
		}
		pass.ServeHTTP(w, r)
	})
	a.startAt(n.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	// At once, and after 0, 0.1, 0.2, 0.4, 0.8 and 1.6 s.
	if tries := n.spoiled.Load(); tries < 3 || tries > 8 {
		t.Errorf("the move was sent %d times in 2 s", tries)
	}
}

// staleFull shows the first line of a stream once more when the first move has been answered, as a stream does that was opened
// just before the move and is slower than its answer.
type staleFull struct {
	http.ResponseWriter
	full  []byte
	shown *atomic.Int32
}

func (f *staleFull) Flush() { http.NewResponseController(f.ResponseWriter).Flush() }

func (f *staleFull) Write(line []byte) (int, error) {
	switch {
	case bytes.Contains(line, []byte(`"gameFull"`)):
		f.full = bytes.Clone(line)
	case bytes.Contains(line, []byte(`"gameState"`)) && f.shown.Add(1) == 1:
		time.Sleep(300 * time.Millisecond) // the answer to the move goes another way
		f.ResponseWriter.Write(f.full)
		f.Flush()
		time.Sleep(300 * time.Millisecond)
	}
	return f.ResponseWriter.Write(line)
}

// TestMoveIsNotSentAgainForAnOldState counts the requests of two moves.
func TestMoveIsNotSentAgainForAnOldState(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var shown atomic.Int32
	n := newNetwork(t, a.URL, func(n *network, w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if strings.HasPrefix(r.URL.Path, "/api/bot/game/stream/") {
			w = &staleFull{ResponseWriter: w, shown: &shown}
		}
		if isMove(r) {
			n.spoiled.Add(1)
		}
		pass.ServeHTTP(w, r)
	})
	a.startAt(n.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	a.post("/api/board/game/"+id+"/move/a7a6", nil)
	a.plies(id, 3)
	if sent := n.spoiled.Load(); sent != 2 {
		t.Errorf("two moves took %d requests", sent)
	}
}
