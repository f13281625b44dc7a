package lichess

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// steps counts what a request had to do before it could be written.
type steps struct{ dials, handshakes, fresh atomic.Int32 }

func (s *steps) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectStart:      func(string, string) { s.dials.Add(1) },
		TLSHandshakeStart: func() { s.handshakes.Add(1) },
		GotConn: func(i httptrace.GotConnInfo) {
			if !i.Reused {
				s.fresh.Add(1)
			}
		},
	})
}

// none fails the test when a request had to wait for a connection.
func (s *steps) none(t *testing.T, when string) {
	t.Helper()
	if d, h, f := s.dials.Load(), s.handshakes.Load(), s.fresh.Load(); d+h+f > 0 {
		t.Errorf("%s: %d dials, %d handshakes, %d new connections on the way of a move", when, d, h, f)
	}
}

// newTLSClient returns a client of a server that speaks TLS, and HTTP/2 if so
// desired.
func newTLSClient(t *testing.T, http2 bool, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = http2
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	trust := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	c, err := newClient(Options{URL: server.URL, Token: testToken}, func(transport *http.Transport) {
		transport.TLSClientConfig.RootCAs = trust
		transport.ForceAttemptHTTP2 = http2
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return c
}

// TestNoHandshakeBeforeAMove plays 64 games at once, each with its stream,
// over HTTP/1.1 and over HTTP/2 with TLS. Once every game has moved, nobody has
// to wait for a connection any more.
func TestNoHandshakeBeforeAMove(t *testing.T) {
	const games = 64
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			together := make(chan struct{}) // as many moves as there are games are with the server
			var waiting atomic.Int32
			c := newTLSClient(t, protocol == "HTTP/2.0", func(w http.ResponseWriter, r *http.Request) {
				if r.Proto != protocol {
					t.Errorf("%s came by %s", r.URL, r.Proto)
				}
				switch {
				case strings.Contains(r.URL.Path, "/stream/"):
					line(w, clockLine(time.Minute))
					<-r.Context().Done()
				case strings.Contains(r.URL.Path, "/move/"):
					if waiting.Add(1) == games {
						close(together)
					}
					<-together
					replies(w, r)
				default:
					replies(w, r)
				}
			})
			ctx, cancel := context.WithCancel(t.Context())
			var streams sync.WaitGroup
			defer streams.Wait()
			defer cancel()
			open := make(chan struct{})
			for range games {
				streams.Go(func() {
					for e := range c.GameStream(ctx, "Ab3dEf9h") {
						if _, ok := e.(*GameFull); ok {
							open <- struct{}{}
						}
					}
				})
			}
			for range games {
				<-open
			}
			for round := range 5 {
				var s steps
				var moves sync.WaitGroup
				for range games {
					moves.Go(func() {
						if err := c.Move(s.trace(t.Context()), "Ab3dEf9h", "e2e4", false); err != nil {
							t.Error(err)
						}
					})
				}
				moves.Wait()
				if round > 0 {
					s.none(t, protocol)
				}
				waiting.Store(0)
				together = make(chan struct{})
			}
		})
	}
}

// TestWarmAfterQuietMinutes: a game in which nothing is sent for long, with a
// server that closes what is at rest for a minute. The first move, and that
// after each pause, finds a connection.
func TestWarmAfterQuietMinutes(t *testing.T) {
	for name, client := range map[string]func(*testing.T, Options, http.HandlerFunc) (*Client, *pipeServer, func()){
		"HTTP/1.1": newPipeClient, "HTTP/2.0": newPipeTLSClient,
	} {
		t.Run(name, func(t *testing.T) { testWarm(t, name, client) })
	}
}

func testWarm(t *testing.T, protocol string, newClient func(*testing.T, Options, http.HandlerFunc) (*Client, *pipeServer, func())) {
	synctest.Test(t, func(t *testing.T) {
		var warmed atomic.Int32
		c, s, stop := newClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if r.Proto != protocol {
				t.Errorf("%s came by %s", r.URL, r.Proto)
			}
			quietGame(w, r)
		})
		defer stop()
		s.setWarm(func(w http.ResponseWriter, r *http.Request) {
			warmed.Add(1)
			if r.Header.Get("Authorization") != "" || r.URL.RawQuery != "ids=lichess" {
				t.Errorf("%s with %q", r.URL, r.Header)
			}
			answer(w, 200, "[]")
		})
		ctx, cancel := context.WithCancel(t.Context())
		var streams sync.WaitGroup
		for range 2 {
			streams.Go(func() {
				for range c.GameStream(ctx, "Ab3dEf9h") {
				}
			})
		}
		synctest.Wait()
		for _, quiet := range []time.Duration{0, time.Second, 59 * time.Second, 61 * time.Second, 5 * time.Minute, time.Hour} {
			time.Sleep(quiet)
			synctest.Wait()
			var way steps
			if err := c.Move(way.trace(t.Context()), "Ab3dEf9h", "e2e4", false); err != nil {
				t.Error(err)
			}
			way.none(t, quiet.String())
		}
		if n := warmed.Load(); n < 150 || n > 165 {
			t.Errorf("%d warming calls in 67 quiet minutes", n)
		}
		// While moves are made nothing else is needed.
		warmed.Store(0)
		for range 30 {
			time.Sleep(20 * time.Second)
			onceCalls["move"](t.Context(), c)
		}
		if n := warmed.Load(); n > 0 {
			t.Errorf("%d warming calls beside moves", n)
		}
		cancel()
		streams.Wait()
		time.Sleep(time.Hour)
		if n := warmed.Load(); n > 0 {
			t.Errorf("%d warming calls without a game", n)
		}
	})
}

// hole is a way to a server on which everything can vanish without a word, as
// when an address translator forgets or the own address changes.
type hole struct {
	net.Listener
	mu    sync.Mutex
	conns []*holed
}

type holed struct {
	net.Conn
	dead chan struct{} // closed when nothing passes any more
}

func (h *hole) Accept() (net.Conn, error) {
	conn, err := h.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &holed{conn, make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conns = append(h.conns, c)
	return c, nil
}

// open makes all present connections holes, and leaves new ones alone.
func (h *hole) open() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		close(c.dead)
	}
	h.conns = nil
}

// Read returns nothing once the connection is dead, until it is closed.
func (c *holed) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		select {
		case <-c.dead:
			if err != nil {
				return 0, err
			}
		default:
			return n, err
		}
	}
}

// Write succeeds once the connection is dead, and sends nothing.
func (c *holed) Write(p []byte) (int, error) {
	select {
	case <-c.dead:
		return len(p), nil
	default:
		return c.Conn.Write(p)
	}
}

// TestDeadConnectionsAreLeft: all connections die without a word. A move with
// five seconds on the clock is told to be in doubt while there is time, and
// both the look at the game and the next move get through at once.
func TestDeadConnectionsAreLeft(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.URL.Path, "/stream/") {
					replies(w, r)
					return
				}
				line(w, clockLine(5*time.Second))
				<-r.Context().Done()
			}))
			h := &hole{Listener: server.Listener}
			server.Listener = h
			server.EnableHTTP2 = protocol == "HTTP/2.0"
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			server.StartTLS()
			defer server.Close()
			trust := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			c, err := newClient(Options{URL: server.URL, Token: testToken}, func(transport *http.Transport) {
				transport.TLSClientConfig.RootCAs = trust
				transport.ForceAttemptHTTP2 = server.EnableHTTP2
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			look := func(ctx context.Context) {
				for e, err := range c.Game(ctx, "Ab3dEf9h") {
					if _, ok := e.(*GameFull); ok {
						return
					}
					t.Error(err)
				}
			}
			// Several connections, all at rest.
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() { onceCalls["move"](t.Context(), c) })
			}
			group.Wait()
			look(t.Context())
			h.open()

			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			err = onceCalls["move"](ctx, c)
			var overdue *noAnswerError
			if took := time.Since(start); !errors.As(err, &overdue) || !Uncertain(err) || took > 3*time.Second {
				t.Fatalf("%v after %v", err, took)
			}
			look(ctx)
			if err := onceCalls["move"](ctx, c); err != nil {
				t.Errorf("%v, %v after the first try", err, time.Since(start))
			}
		})
	}
}

// TestWarmerFindsDeadConnections before a move needs them.
func TestWarmerFindsDeadConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s, stop := newPipeClient(t, Options{}, quietGame)
		defer stop()
		ctx, cancel := context.WithCancel(t.Context())
		var stream sync.WaitGroup
		stream.Go(func() {
			for range c.GameStream(ctx, "Ab3dEf9h") {
			}
		})
		defer stream.Wait()
		defer cancel()
		time.Sleep(10 * time.Second)
		var silent atomic.Int32
		s.setWarm(func(w http.ResponseWriter, r *http.Request) {
			if silent.Add(1) == 1 {
				pause(r, time.Hour)
			}
			answer(w, 200, "[]")
		})
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if silent.Load() != 2 {
			t.Errorf("%d warming calls", silent.Load())
		}
		var way steps
		if err := c.Move(way.trace(t.Context()), "Ab3dEf9h", "e2e4", false); err != nil {
			t.Error(err)
		}
		way.none(t, "after a dead connection")
		if s.dials != 3 { // one for the stream, and two for calls
			t.Errorf("%d connections", s.dials)
		}
	})
}

// TestWarmAfterADoubtfulMove: when a move got no answer, the next one finds a
// new connection made already. So does a move after a stream that fell silent.
func TestWarmAfterADoubtfulMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dead atomic.Bool
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/stream/") {
				line(w, clockLine(time.Hour))
				for !dead.Load() && r.Context().Err() == nil {
					pause(r, 7*time.Second)
					line(w, "")
				}
				pause(r, time.Hour)
				return
			}
			if dead.Load() {
				pause(r, time.Hour)
			}
			replies(w, r)
		})
		defer stop()
		ctx, cancel := context.WithCancel(t.Context())
		var stream sync.WaitGroup
		stream.Go(func() {
			for range c.GameStream(ctx, "Ab3dEf9h") {
			}
		})
		defer stream.Wait()
		defer cancel()
		synctest.Wait()
		current := func() *connections {
			c.network.mu.Lock()
			defer c.network.mu.Unlock()
			return c.network.current
		}
		before := current()
		warm := func(when string) {
			t.Helper()
			synctest.Wait()
			if current() == before {
				t.Errorf("%s: the old connections are still in use", when)
			}
			before = current()
			var way steps
			if err := c.Move(way.trace(t.Context()), "Ab3dEf9h", "e2e4", false); err != nil {
				t.Error(err)
			}
			way.none(t, when)
		}
		dead.Store(true)
		time.Sleep(22 * time.Second)
		dead.Store(false)
		warm("after a silent stream")
		dead.Store(true)
		hurry, done := context.WithTimeout(t.Context(), 3*time.Second)
		defer done()
		if err := onceCalls["move"](hurry, c); !Uncertain(err) {
			t.Error(err)
		}
		dead.Store(false)
		warm("after a move without answer")
	})
}

// TestAnswerTime is a third of what the clock leaves, and never longer than a
// call that is still of use.
func TestAnswerTime(t *testing.T) {
	for budget, want := range map[time.Duration]time.Duration{
		500 * time.Millisecond: 500 * time.Millisecond, 2 * time.Second: time.Second, 6 * time.Second: 2 * time.Second, time.Minute: mostAnswer,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _, stop := newPipeClient(t, Options{}, func(_ http.ResponseWriter, r *http.Request) { pause(r, time.Hour) })
			defer stop()
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			defer cancel()
			start := time.Now()
			err := onceCalls["move"](ctx, c)
			if took := time.Since(start); took != want || !Uncertain(err) {
				t.Errorf("%v: %v after %v, want %v", budget, err, took, want)
			}
		})
	}
}

// TestRetiredConnectionsAreClosed once nobody uses them, and streams on them
// are left alone.
func TestRetiredConnectionsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/stream/") {
				line(w, fullLine)
				pause(r, 14*time.Second)
				line(w, overLine)
				return
			}
			pause(r, time.Hour)
		})
		defer stop()
		var got []string
		for e, err := range c.Game(t.Context(), "Ab3dEf9h") {
			got = append(got, tell(e, err))
			if len(got) == 1 {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				onceCalls["move"](ctx, c)
				cancel()
				if len(c.network.retired) != 1 || c.network.current.uses != 0 {
					t.Errorf("%d retired, %d uses", len(c.network.retired), c.network.current.uses)
				}
			}
		}
		wantEvents(t, got, "full 0", "state 1 resign", "end: the game is over")
		if len(c.network.retired) != 0 {
			t.Errorf("%d retired", len(c.network.retired))
		}
	})
}

// TestNoTokenInTheClear: a server on HTTPS that sends the client to HTTP, on
// the same host, gets nothing.
func TestNoTokenInTheClear(t *testing.T) {
	clear := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked for in the clear, with %q", r.URL, r.Header.Get("Authorization"))
	}))
	defer clear.Close()
	c := newTLSClient(t, true, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Alt-Svc", `h2="`+clear.Listener.Addr().String()+`"`)
		for status := range map[int]bool{301: true, 302: true, 303: true, 307: true, 308: true} {
			http.Redirect(w, r, clear.URL+r.URL.Path, status)
			return
		}
	})
	for range 10 {
		for _, calls := range []map[string]func(context.Context, *Client) error{safeCalls, onceCalls} {
			for name, call := range calls {
				var api *APIError
				if err := call(t.Context(), c); !errors.As(err, &api) || api.Status/100 != 3 {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	for _, err := range c.Game(t.Context(), "Ab3dEf9h") {
		if err == nil {
			t.Error("a stream by way of a redirect")
		}
	}
}

// TestHeadersAreBounded: a server cannot fill the memory by its headers.
func TestHeadersAreBounded(t *testing.T) {
	c := newTestClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		replies(w, r)
	})
	if err := onceCalls["move"](t.Context(), c); err == nil || !strings.Contains(err.Error(), "header") {
		t.Errorf("%v", err)
	}
}

// TestRestIsMeasuredByTheMonotonicClock: a wall clock that is set must neither stop the warming nor hurry it.
func TestRestIsMeasuredByTheMonotonicClock(t *testing.T) {
	w := &warmer{}
	if w.rest() < warmEvery {
		t.Error("a connection that was never used counts as warm")
	}
	w.note()
	if at := w.answered.Load().String(); !strings.Contains(at, "m=") {
		t.Errorf("%s has no monotonic reading", at)
	}
}

// quietGame answers everything, and streams with a game in which nothing happens.
func quietGame(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.URL.Path, "/stream/") {
		replies(w, r)
		return
	}
	line(w, clockLine(time.Hour))
	for r.Context().Err() == nil {
		pause(r, 7*time.Second)
		line(w, "")
	}
}
