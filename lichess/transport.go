package lichess

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// noRedirect keeps the token where it belongs: a redirect is an answer like
// any other, never followed.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newTransport returns a transport for many games at once on one host.
func newTransport(o *Options) *http.Transport {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second, KeepAliveConfig: net.KeepAliveConfig{
			// What died without a word is found out within 30 s, and an address
			// translator on the way does not forget a connection at rest.
			Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3,
		}}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(8)},
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 256, // one each for the moves of so many games at once
		// Longer than anybody thinks about a move with the clock running. A
		// server that closes earlier says so, and the warmer sees to it that
		// one connection is never at rest for long.
		IdleConnTimeout:        5 * time.Minute,
		ResponseHeaderTimeout:  15 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		// Without pings a dead HTTP/2 connection would be offered to each new
		// try; with them it is found out within 8 s. They also keep it open.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 4 * time.Second, PingTimeout: 4 * time.Second},
	}
	if o.Dial != nil {
		t.Proxy, t.DialContext = nil, o.Dial
	}
	return t
}

// connections are the open connections to the server. Calls and streams have
// some of their own: a stream that stalls must not take a move with it.
type connections struct {
	calls, streams *http.Transport
	uses           int // requests and streams on them
	retired        bool
}

func (c *connections) closeIdle() {
	c.calls.CloseIdleConnections()
	c.streams.CloseIdleConnections()
}

// network hands out connections. Those found dead are retired as a whole, for
// what cut one of them has cut them all: the next request makes a new one
// instead of trying the dead ones in turn.
type network struct {
	create  func() *connections
	renewed chan struct{} // has a token after a renewal

	mu      sync.Mutex
	current *connections
	retired []*connections // still in use
}

func newNetwork(create func() *connections) *network {
	return &network{create: create, renewed: make(chan struct{}, 1), current: create()}
}

// take returns the connections to be used. They are to be given back.
func (n *network) take() *connections {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.current.uses++
	return n.current
}

func (n *network) giveBack(c *connections) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.uses--; c.retired && c.uses == 0 {
		c.closeIdle()
		for i, r := range n.retired {
			if r == c {
				n.retired = append(n.retired[:i], n.retired[i+1:]...)
				break
			}
		}
	}
}

// renew retires the given connections, unless that was done before.
func (n *network) renew(c *connections) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c == nil || c.retired {
		return
	}
	c.retired = true
	c.closeIdle()
	if c.uses > 0 {
		n.retired = append(n.retired, c)
	}
	n.current = n.create()
	select {
	case n.renewed <- struct{}{}:
	default:
	}
}

// closeIdle closes what is at rest.
func (n *network) closeIdle() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.current.closeIdle()
	for _, c := range n.retired {
		c.closeIdle()
	}
}

// handling is how a request is to be sent. It travels in the request's context.
type handling struct {
	endpoint *endpoint
	urgent   bool          // passes the gate at once
	answer   time.Duration // that the server has for its answer; 0 for what the deadline makes of it
	used     *connections  // by the last try
}

type handlingKey struct{}

func withHandling(ctx context.Context, h *handling) context.Context {
	return context.WithValue(ctx, handlingKey{}, h)
}

func handlingOf(ctx context.Context) *handling {
	if h, ok := ctx.Value(handlingKey{}).(*handling); ok {
		return h
	}
	return &handling{}
}

// Bounds of the time that the server has to answer a call of a running game.
const (
	leastAnswer = time.Second
	mostAnswer  = 8 * time.Second
)

// answerTime returns how long to wait for the answer to this request, 0 for as
// long as its deadline. Of what the clock allows a call, a third: the rest is
// for finding out what became of it and for doing it again.
func (h *handling) answerTime(ctx context.Context) time.Duration {
	switch deadline, ok := ctx.Deadline(); {
	case h.answer > 0:
		return h.answer
	case h.urgent && ok:
		return min(max(time.Until(deadline)/3, leastAnswer), mostAnswer)
	}
	return 0
}

// noAnswerError is a request that reached no answer in the time for it.
type noAnswerError struct{ after time.Duration }

func (e *noAnswerError) Error() string {
	return fmt.Sprintf("no answer within %s", e.after.Round(time.Millisecond))
}

// gate lets requests through to the network: those of running games at once,
// the others a few at a time, since the server wants them one by one. A place
// is held for one try, not while a call waits to be repeated, and by more than
// one call so that a hanging answer does not hold up all others.
//
// It hides the transport's CloseIdleConnections from the retrying client, who
// would drop the warm connections of all games when one call fails.
type gate struct {
	network *network
	observe func(Try) // may be nil
	way     func(*connections) *http.Transport
	side    chan struct{}
}

const sidePlaces = 2

func newGate(n *network, observe func(Try), way func(*connections) *http.Transport) *gate {
	return &gate{network: n, observe: observe, way: way, side: make(chan struct{}, sidePlaces)}
}

// RoundTrip waits for a place, unless the request is urgent, and sends it.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	h := handlingOf(r.Context())
	if !h.urgent {
		select {
		case g.side <- struct{}{}:
			defer func() { <-g.side }()
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
	}
	start := time.Now()
	resp, err := g.send(r, h)
	if g.observe != nil && h.endpoint != nil {
		try := Try{Endpoint: h.endpoint.String(), Took: time.Since(start)}
		if err == nil {
			try.Status = resp.StatusCode
		}
		g.observe(try)
	}
	return resp, err
}

// send sends the request on the connections of the moment. When these prove
// dead, for no answer comes in its time, they are retired.
func (g *gate) send(r *http.Request, h *handling) (*http.Response, error) {
	conns := g.network.take()
	h.used = conns
	var connected atomic.Bool
	ctx, cancel := context.WithCancelCause(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GetConn: func(string) { connected.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}))
	late := func() bool { return false }
	if within := h.answerTime(ctx); within > 0 {
		overdue := &noAnswerError{within}
		alarm := time.AfterFunc(within, func() { cancel(overdue) })
		late = func() bool { return !alarm.Stop() && context.Cause(ctx) == overdue }
	}
	resp, err := g.way(conns).RoundTrip(r.WithContext(ctx))
	if late() {
		if err == nil {
			resp.Body.Close() // it came in the very moment
		}
		err = context.Cause(ctx)
		if connected.Load() {
			g.network.renew(conns)
		}
	}
	if err != nil {
		cancel(nil)
		g.network.giveBack(conns)
		return nil, err
	}
	resp.Body = &heldBody{ReadCloser: resp.Body, done: sync.OnceFunc(func() {
		cancel(nil)
		g.network.giveBack(conns)
	})}
	return resp, nil
}

// heldBody holds the connections of its response until it is closed.
type heldBody struct {
	io.ReadCloser
	done func()
}

// Close closes the body and gives the connections back.
func (b *heldBody) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
