package lichess

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// noRedirect keeps the token where it belongs: a redirect is an answer like
// any other, never followed.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newTransport returns a transport for many games at once on one host.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 256,
		// Shorter than the minute or so after which servers close an idle
		// connection: a move sent into one that is just being closed is lost.
		IdleConnTimeout:       55 * time.Second,
		ResponseHeaderTimeout: 15 * time.Second,
		// Without pings a dead HTTP/2 connection would be offered to each new
		// try; with them it is found out within 8 s.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 4 * time.Second, PingTimeout: 4 * time.Second},
	}
}

// gate lets the calls through to the transport: those of running games at
// once, the others a few at a time, since the server wants them one by one. A
// place is held for one try, not while a call waits to be repeated, and by
// more than one call so that a hanging answer does not hold up all others.
//
// It hides the transport's CloseIdleConnections from the retrying client, who
// would drop the warm connections of all games when one call fails.
type gate struct {
	next http.RoundTripper
	side chan struct{}
}

const sidePlaces = 2

func newGate(next http.RoundTripper) *gate {
	return &gate{next: next, side: make(chan struct{}, sidePlaces)}
}

// RoundTrip waits for a place, unless the request belongs to a running game.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if isUrgent(r.Context()) {
		return g.next.RoundTrip(r)
	}
	select {
	case g.side <- struct{}{}:
		defer func() { <-g.side }()
		return g.next.RoundTrip(r)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

type urgentKey struct{}

func withUrgency(ctx context.Context, urgent bool) context.Context {
	return context.WithValue(ctx, urgentKey{}, urgent)
}

func isUrgent(ctx context.Context) bool {
	urgent, _ := ctx.Value(urgentKey{}).(bool)
	return urgent
}
