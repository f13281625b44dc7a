package bot_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// network stands between a bot and the sandbox and spoils what passes.
type network struct {
	URL     string
	spoiled atomic.Int32 // how often it did
}

// spoiler passes a request on, spoils it, or both.
type spoiler func(n *network, w http.ResponseWriter, r *http.Request, pass http.Handler)

func newNetwork(t *testing.T, to string, spoil spoiler) *network {
	t.Helper()
	return newIdleNetwork(t, to, 0, spoil)
}

// newIdleNetwork returns a network that closes connections which have been idle for so long; 0 for never.
func newIdleNetwork(t *testing.T, to string, idle time.Duration, spoil spoiler) *network {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	n := &network{}
	transport := &http.Transport{}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1,
		Transport:     transport,
		ErrorHandler:  func(w http.ResponseWriter, r *http.Request, err error) { panic(http.ErrAbortHandler) },
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		spoil(n, w, r, proxy)
	}))
	server.Config.IdleTimeout = idle
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		transport.CloseIdleConnections()
	})
	n.URL = server.URL
	return n
}

func isMove(r *http.Request) bool { return strings.Contains(r.URL.Path, "/move/") }

// lose lets the server carry the request out and breaks the connection instead of answering.
func lose(r *http.Request, pass http.Handler) {
	pass.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// everySecondMove spoils every second move that is sent.
func everySecondMove(spoil func(w http.ResponseWriter, r *http.Request, pass http.Handler)) spoiler {
	var moves atomic.Int32
	return func(n *network, w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if isMove(r) && moves.Add(1)%2 == 0 {
			n.spoiled.Add(1)
			spoil(w, r, pass)
			return
		}
		pass.ServeHTTP(w, r)
	}
}

// TestPlaysOnOverABadNetwork spoils one thing, many times in a game, and wants the game played to its end with neither an
// illegal nor a doubled move.
func TestPlaysOnOverABadNetwork(t *testing.T) {
	for name, spoil := range map[string]spoiler{
		"answers to moves lost": everySecondMove(func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			lose(r, pass)
		}),
		"moves lost": everySecondMove(func(http.ResponseWriter, *http.Request, http.Handler) {
			panic(http.ErrAbortHandler)
		}),
		"bad gateway after the move": everySecondMove(func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(httptest.NewRecorder(), r)
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			w.Write([]byte("<html><h1>502 Bad Gateway</h1></html>"))
		}),
		"too many requests": everySecondMove(func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			w.WriteHeader(http.StatusTooManyRequests)
			w.Write([]byte(`{"error":"Too many requests. Try again later."}`))
		}),
		"streams cut": func(n *network, w http.ResponseWriter, r *http.Request, pass http.Handler) {
			if strings.HasPrefix(r.URL.Path, "/api/bot/game/stream/") {
				w = &cutAfter{ResponseWriter: w, left: 2500, cuts: &n.spoiled}
			}
			pass.ServeHTTP(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newNetwork(t, a.URL, spoil)
			d := a.startAt(n.URL, "castellan", quick())
			a.start("rival", quick())
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 2 * time.Minute, Increment: time.Second,
				FEN: "8/8/8/4k3/8/8/8/3RK3 w - - 0 1"})
			g := a.finished(id)
			switch g.Status {
			case lichess.StatusMate, lichess.StatusDraw, lichess.StatusStalemate:
			default:
				t.Errorf("the game ended by %s", g.Status)
			}
			checkMoves(t, "8/8/8/4k3/8/8/8/3RK3 w - - 0 1", g)
			if seated := strings.Count(d.log.String(), "msg=game "); seated != 1 {
				t.Errorf("%d players were seated at the game", seated)
			}
			if n.spoiled.Load() == 0 {
				t.Error("nothing was spoiled")
			}
		})
	}
}

// cutAfter breaks the connection once so many bytes have passed, in the middle of a line more often than not.
type cutAfter struct {
	http.ResponseWriter
	left int
	cuts *atomic.Int32
}

func (c *cutAfter) Write(p []byte) (int, error) {
	if c.left < len(p) {
		c.cuts.Add(1)
		c.ResponseWriter.Write(p[:c.left])
		c.Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

func (c *cutAfter) Flush() { http.NewResponseController(c.ResponseWriter).Flush() }
