package sandbox

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"castellan/lichess"
)

// Server is a Lichess-compatible server. Make one with New; all methods may be
// called from any goroutine.
type Server struct {
	URL string // "http://127.0.0.1:41234", without a slash at the end; set by Start

	opts  Options
	clock Clock
	mux   *http.ServeMux
	done  chan struct{} // closed by Close

	mu         sync.Mutex // guards all that follows and all that hangs on it
	rand       *rand.Rand
	accounts   map[string]*account // by id
	tokens     map[string]*account
	challenges map[string]*challenge
	pending    []*challenge // those created or offline, oldest first
	settled    []*challenge // those answered or withdrawn that are not forgotten yet, in that order
	games      map[string]*game
	order      []*game // all games, oldest first
	ended      []*game // those that are over, in the order of their ends
	rematches  map[string]*rematch
	arenas     map[string]*arena
	library    library
	timers     map[*timer]struct{}
	streams    map[*stream]struct{}
	requests   map[*http.Request]string // those being answered, by description
	closed     bool

	http    *http.Server
	served  chan struct{} // closed when http has stopped
	connMu  sync.Mutex
	fresh   map[net.Conn]struct{} // connections on which nothing was asked yet
	closing bool                  // no such connection is to be kept
}

// New returns a server that does not listen yet: Start makes it.
func New(o Options) *Server {
	o = o.withDefaults()
	seed := o.Seed
	if seed == 0 {
		var b [8]byte
		crand.Read(b[:])
		seed = binary.NativeEndian.Uint64(b[:])
	}
	s := &Server{
		opts:       o,
		clock:      o.Clock,
		mux:        http.NewServeMux(),
		done:       make(chan struct{}),
		rand:       rand.New(rand.NewPCG(seed, seed)),
		accounts:   map[string]*account{},
		tokens:     map[string]*account{},
		challenges: map[string]*challenge{},
		games:      map[string]*game{},
		rematches:  map[string]*rematch{},
		arenas:     map[string]*arena{},
		library: library{
			openings: map[string][]lichess.ExplorerMove{}, evaluations: map[string]lichess.CloudEval{}, endgames: map[string]lichess.Endgame{},
		},
		timers:   map[*timer]struct{}{},
		streams:  map[*stream]struct{}{},
		requests: map[*http.Request]string{},
		fresh:    map[net.Conn]struct{}{},
	}
	s.routes(s.route)
	return s
}

// Start listens on Options.Addr and serves until Close.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errors.New("sandbox: Start after Close")
	case s.http != nil:
		return errors.New("sandbox: started already")
	}
	listener, err := net.Listen("tcp", s.opts.Addr)
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	s.URL = "http://" + listener.Addr().String()
	s.served = make(chan struct{})
	var handler http.Handler = s
	if s.opts.Guard != nil {
		handler = s.opts.Guard(s)
	}
	s.http = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ConnState:         s.connState,
	}
	go func(srv *http.Server) {
		defer close(s.served)
		srv.Serve(listener) // always ends with ErrServerClosed, by Close
	}(s.http)
	return nil
}

// Close ends all streams, stops all timers and waits for the requests that are
// being answered. After Options.CloseWait it breaks the connections that are
// left; the error then names their requests. A second Close does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.done)
	for t := range s.timers {
		s.cancel(t)
	}
	for st := range s.streams {
		st.close()
	}
	srv := s.http
	s.mu.Unlock()
	if srv == nil {
		return nil
	}

	// A connection that was opened and never used would hold Shutdown for 5 s.
	s.connMu.Lock()
	s.closing = true
	for c := range s.fresh {
		c.Close()
	}
	s.connMu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), s.opts.CloseWait)
	defer cancel()
	err := srv.Shutdown(ctx)
	if err != nil {
		err = fmt.Errorf("sandbox: Close broke what was still open after %v: %s", s.opts.CloseWait, s.hanging())
		srv.Close()
	}
	<-s.served
	return err
}

// hanging describes the requests that are being answered.
func (s *Server) hanging() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, what := range s.requests {
		all = append(all, what)
	}
	if len(all) == 0 {
		return "idle connections"
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func (s *Server) connState(c net.Conn, state http.ConnState) {
	s.connMu.Lock()
	defer s.connMu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.fresh, c)
	case s.closing:
		c.Close()
	default:
		s.fresh[c] = struct{}{}
	}
}

func (s *Server) now() time.Time { return s.clock.Now() }

const idLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func (s *Server) randomText(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = idLetters[s.rand.IntN(len(idLetters))]
	}
	return string(b)
}

// newID returns an id that no game, challenge or rematch offer has.
func (s *Server) newID() string {
	for {
		id := s.randomText(8)
		if s.games[id] == nil && s.challenges[id] == nil && s.rematches[id] == nil && s.arenas[id] == nil {
			return id
		}
	}
}
