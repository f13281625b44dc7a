package lichess

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// DefaultURL is the address of Lichess.
const DefaultURL = "https://lichess.org"

// Defaults of Options.
const (
	// DefaultIdleTimeout is two keep-alives of 7 s and a little more.
	DefaultIdleTimeout = 15 * time.Second
	// DefaultEventOpens and DefaultEventWindow are the server's limit on
	// opening the event stream.
	DefaultEventOpens  = 30
	DefaultEventWindow = 10 * time.Minute
)

// Options says how to reach the server. Token is needed, all else has a default.
type Options struct {
	URL     string       // address of the server; "" means DefaultURL
	Token   Token        // API token with the scope bot:play
	Version string       // of the program, for the User-Agent; "" means "dev"
	Logger  *slog.Logger // each call and lost game stream at level debug, a lost event stream at warn; nil means none

	// Wrap, when not nil, is put around everything that is sent and received:
	// it sees each try of a call, and the streams as they come.
	Wrap func(http.RoundTripper) http.RoundTripper

	// Observe, when not nil, is told of each try of a call and of each opening
	// of a stream when its reply begins or fails. It must come back at once.
	Observe func(Try)

	// IdleTimeout is how long a stream may be silent before it counts as dead;
	// 0 means DefaultIdleTimeout. The server beats each 7 s.
	IdleTimeout time.Duration
	// EventOpens is how often the event stream may be opened within
	// EventWindow; 0 means the server's limit.
	EventOpens  int
	EventWindow time.Duration
	// KeepLimits makes the client keep to all other known limits of Lichess
	// with a server on this machine too, which has limits of its own or none
	// and tells them. With any other server it always does.
	KeepLimits bool

	// Dial makes the connections, in place of TCP and of the proxy that the
	// environment may name; nil is the usual way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client talks to one Lichess server on behalf of one account. It is safe for
// use by many goroutines.
//
// Calls end with *APIError when the server refuses, *LimitError when a rate
// limit is in the way, *NetworkError when there is no answer. A call ends at
// the deadline of its context at the latest, and within 45 s in any case; it
// never waits for a repetition that the deadline would not let happen.
type Client struct {
	base    *url.URL
	token   *Token // behind a pointer, see Token
	logger  *slog.Logger
	idle    time.Duration
	version string
	user    atomic.Pointer[string] // the account's name, once known; before that its id, if that is
	agent   atomic.Pointer[string] // the first that was known of the two
	doubts  chan struct{}          // has a token when the server refused ours
	heard   atomic.Int64           // when the last line of the event stream came, blank ones included: ns since 1970, 0 for never
	limits  *limits
	network *network
	warmer  *warmer
	calls   *http.Client
	streams *http.Client
}

// New checks the options and returns a client. Nothing is sent yet.
func New(o Options) (*Client, error) {
	c, err := newClient(o, func(*http.Transport) {})
	if err == nil && o.Wrap != nil {
		c.calls.Transport, c.streams.Transport = o.Wrap(c.calls.Transport), o.Wrap(c.streams.Transport)
	}
	return c, err
}

// newClient is New with a hand on the transports, for tests.
func newClient(o Options, adjust func(*http.Transport)) (*Client, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	base, urlErr := checkURL(o.URL)
	if err := errors.Join(urlErr, checkToken(o.Token), checkDurations(&o)); err != nil {
		return nil, err
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	network := newNetwork(func() *connections {
		conns := &connections{calls: newTransport(&o), streams: newTransport(&o)}
		conns.streams.DisableCompression = true // lines must come through as they are written
		adjust(conns.calls)
		adjust(conns.streams)
		return conns
	})
	calls := newGate(network, o.Observe, func(c *connections) *http.Transport { return c.calls })
	streams := newGate(network, o.Observe, func(c *connections) *http.Transport { return c.streams })
	c := &Client{
		base:    base,
		token:   &o.Token,
		logger:  o.Logger,
		idle:    o.IdleTimeout,
		version: CleanText(o.Version, 40),
		limits:  newLimits(o.EventOpens, o.EventWindow, o.KeepLimits || !loopback(base.Hostname())),
		network: network,
		doubts:  make(chan struct{}, 1),
		calls:   &http.Client{Transport: calls, CheckRedirect: noRedirect},
		streams: &http.Client{Transport: streams, CheckRedirect: noRedirect},
	}
	c.warmer = &warmer{client: c}
	return c, nil
}

// Close gives up the idle connections. Running calls and streams end with
// their contexts.
func (c *Client) Close() { c.network.closeIdle() }

// Username returns the name of the account, before Account has succeeded the id
// that TestToken told, and "" before that.
func (c *Client) Username() string {
	if name := c.user.Load(); name != nil {
		return *name
	}
	return ""
}

// named takes note of whose the token is. What the User-Agent says stays as it
// is from then on: the server tells by it which stream replaces which.
func (c *Client) named(name string) {
	c.user.Store(&name)
	c.agent.CompareAndSwap(nil, &name)
}

// Doubts has a value after the server has refused the token, or what it may do,
// in whatever call. TestToken tells whether it means it: something on the way
// may have said so.
func (c *Client) Doubts() <-chan struct{} { return c.doubts }

func (c *Client) doubt() {
	select {
	case c.doubts <- struct{}{}:
	default:
	}
}

// URL returns the address of the server, for messages.
func (c *Client) URL() string { return c.base.String() }

// Try is a request as it went over the network once.
type Try struct {
	Endpoint string // method and path pattern
	Status   int    // of the reply, 0 when there was none
	Took     time.Duration
}

// EventsHeard returns when the last line of the event stream came, be it a
// keep-alive; the zero time before the first. The server sends one each 7 s.
func (c *Client) EventsHeard() time.Time {
	if ns := c.heard.Load(); ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Time{}
}

// LimitedUntil returns when a limit with the given key, such as
// KeyBotVsBotDay, ends; the zero time when it is not known to be in force.
// A limit with that key does not hold back any call by itself, since only the
// caller knows whether the opponent is a bot.
func (c *Client) LimitedUntil(key string) time.Time { return c.limits.until(key) }

// Recall counts what the account used without this client, the oldest first: games against bots, and challenges. The server counts
// them too.
func (c *Client) Recall(botGames []time.Time, challenges []ChallengeUse) {
	c.limits.recall(botGames, challenges)
}

// BotGamesLeft returns how many games against bots may still begin now by the server's limit for a day; a large number when no
// such limit is known.
func (c *Client) BotGamesLeft() int { return c.limits.botGamesLeft() }

// Limits lists the limits that are known to be in force, the shortest first.
func (c *Client) Limits() []Limit { return c.limits.inForce() }

// userAgent names the program and, once it is known, the account: the server
// refuses the token when it belongs to another one.
func (c *Client) userAgent() string {
	agent := "castellan/" + c.version
	if name := c.agent.Load(); name != nil {
		agent += " user:" + *name
	}
	return agent
}

func checkURL(raw string) (*url.URL, error) {
	// The reason of url.Parse holds the whole text, which may hold a secret.
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, errors.New("lichess: the server's address is not a URL such as " + DefaultURL)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("lichess: the server's address must have no user, query or fragment")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
	case u.Scheme == "http":
		return nil, fmt.Errorf("lichess: http://%s would send the token in the clear: use https (http is for this machine only)", u.Host)
	default:
		return nil, fmt.Errorf("lichess: the server's address has scheme %q: use https", u.Scheme)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func checkDurations(o *Options) error {
	if o.IdleTimeout < 0 || o.EventOpens < 0 || o.EventWindow < 0 {
		return errors.New("lichess: idle timeout and event stream limit must not be negative")
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = DefaultIdleTimeout
	}
	if o.EventOpens == 0 {
		o.EventOpens = DefaultEventOpens
	}
	if o.EventWindow == 0 {
		o.EventWindow = DefaultEventWindow
	}
	return nil
}
