package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"castellan/lichess"
)

const (
	// stepTimeout bounds each step on the way to the server, and serverTimeout all that is asked of it.
	stepTimeout   = 10 * time.Second
	serverTimeout = time.Minute
	// latencyCalls is how many calls are measured, after others have made the connection.
	latencyCalls = 7
	// slowAnswer is a latency with which bullet without increment is no pleasure.
	slowAnswer = 500 * time.Millisecond
	// wrongClock is a clock that may be off by chance, and uselessClock one with which certificates fail.
	wrongClock, uselessClock = 5 * time.Second, 5 * time.Minute
	// soonExpired is the time before its end at which a token is warned of.
	soonExpired = 7 * 24 * time.Hour
)

// way goes to the server step by step: name, connection, encryption. It tells whether that succeeded.
func (d *doctor) way(ctx context.Context) bool {
	server, err := url.Parse(string(d.cfg.URL))
	if err != nil {
		d.fault("address", "set CASTELLAN_URL to an address such as "+lichess.DefaultURL, "%v", err)
		return false
	}
	target, secure := server, server.Scheme == "https"
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: server}); err == nil && proxy != nil {
		d.ok("proxy", "%s, by HTTPS_PROXY or HTTP_PROXY", proxy.Redacted())
		target, secure = proxy, false // what it encrypts is seen by the calls
	}
	host, port := target.Hostname(), target.Port()
	if port == "" {
		port = map[string]string{"https": "443", "socks5": "1080"}[target.Scheme]
	}
	if port == "" {
		port = "80"
	}
	if _, err := netip.ParseAddr(host); err != nil {
		addresses, took, err := timed(ctx, func(ctx context.Context) ([]string, error) { return net.DefaultResolver.LookupHost(ctx, host) })
		if err != nil {
			d.fault("name", "check the name in CASTELLAN_URL, this machine's internet connection, and its DNS server (/etc/resolv.conf; dns: in a compose file)", "%v", err)
			return false
		}
		d.ok("name", "%s is %s (%v)", host, strings.Join(addresses[:min(len(addresses), 4)], ", "), took)
	}
	address := net.JoinHostPort(host, port)
	conn, took, err := timed(ctx, func(ctx context.Context) (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "tcp", address) })
	if err != nil {
		d.fault("connection", "let connections out to port "+port+": a firewall, a network policy or the server itself refuses them; https://lichess.org in a browser tells whether the server is up", "%v", err)
		return false
	}
	defer conn.Close()
	d.ok("connection", "%s (%v)", address, took)
	if !secure {
		return true
	}
	secured := tls.Client(conn, &tls.Config{ServerName: host})
	_, took, err = timed(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, secured.HandshakeContext(ctx) })
	if err != nil {
		advice := "something between here and the server breaks the encryption: a proxy that wants HTTPS_PROXY, or a wrong port in CASTELLAN_URL"
		var authority x509.UnknownAuthorityError
		var invalid x509.CertificateInvalidError
		switch {
		case errors.As(err, &authority):
			advice = "install the certificates of the authorities (Debian: ca-certificates), or name those of your network's proxy by SSL_CERT_FILE"
		case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
			advice = "set this machine's clock; if it is right, the server's certificate has expired"
		}
		d.fault("encryption", advice, "%v", err)
		return false
	}
	d.ok("encryption", "%s (%v)", tls.VersionName(secured.ConnectionState().Version), took)
	return true
}

// timed does something within stepTimeout and tells how long it took.
func timed[T any](ctx context.Context, do func(context.Context) (T, error)) (T, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	start := time.Now()
	v, err := do(ctx)
	return v, time.Since(start).Round(100 * time.Microsecond), err
}

// server asks about token and account, and looks at the server's clock and speed meanwhile.
func (d *doctor) server(ctx context.Context) {
	if !d.cfg.Token.IsSet() || slices.ContainsFunc(d.findings, func(f finding) bool { return f.State == stateFault && strings.Contains(f.Says, "_TOKEN") }) {
		d.skip("token", "there is none to ask about")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	watch := &serverClock{}
	options := clientOptions(d.cfg)
	options.Wrap = watch.wrap
	client, err := lichess.New(options)
	if err != nil {
		d.fault("address", "set CASTELLAN_URL to an address such as "+lichess.DefaultURL, "%v", err)
		return
	}
	defer client.Close()
	if d.token(ctx, client) && d.account(ctx, client) {
		d.latency(ctx, client)
	}
	watch.tell(d)
}

func (d *doctor) token(ctx context.Context, client *lichess.Client) bool {
	token, err := client.TestToken(ctx)
	if err != nil {
		if errors.Is(err, lichess.ErrUnauthorized) {
			d.fault("token", "make a new one at "+lichess.TokenPage(client.URL())+": this one was revoked, has expired, or is of another server", "%s does not know the token", client.URL())
		} else {
			d.noAnswer("token", err)
		}
		return false
	}
	scopes := strings.ReplaceAll(token.Scopes, ",", ", ")
	if scopes == "" {
		scopes = "none"
	}
	switch {
	case !token.HasScope(lichess.ScopeBotPlay):
		d.fault("token", "make a token with the permission "+lichess.ScopeBotPlay+" at "+lichess.TokenPage(client.URL()), "it is known, and lacks the permission %s; it has: %s", lichess.ScopeBotPlay, scopes)
	case len(d.cfg.Arenas) > 0 && !token.HasScope(lichess.ScopeTournament):
		d.fault("token", "make a token with "+lichess.ScopeTournament+" too at "+lichess.TokenPage(client.URL())+"&scopes[]="+lichess.ScopeTournament,
			"it lacks the permission %s, which CASTELLAN_ARENAS needs; it has: %s", lichess.ScopeTournament, scopes)
	case token.Expires != nil && time.Until(time.UnixMilli(*token.Expires)) < soonExpired:
		d.warn("token", "make a new one in time at "+lichess.TokenPage(client.URL()), "it ends at %s", time.UnixMilli(*token.Expires).UTC().Format(time.DateTime+" UTC"))
	default:
		d.ok("token", "it is accepted; permissions: %s", scopes)
	}
	return true
}

func (d *doctor) account(ctx context.Context, client *lichess.Client) bool {
	me, err := client.Account(ctx)
	if err != nil {
		d.noAnswer("account", err)
		return false
	}
	games := 0
	if me.Count != nil {
		games = me.Count.All
	}
	switch {
	case me.Disabled:
		d.fault("account", "open it again on the website, or use a token of another one", "the account %s is closed", me.Username)
	case !me.IsBot() && games > 0:
		d.fault("account", "make a new account, a token of that, and run castellan upgrade before it has played",
			"%s is no BOT account and has played %s, so it cannot become one", me.Username, plural(games, "game"))
	case !me.IsBot():
		d.fault("account", "run castellan upgrade, which makes it one, for good", "%s is no BOT account", me.Username)
	case me.TosViolation:
		d.warn("account", "write to Lichess: others see the mark, and many do not play", "%s is marked for breaking the terms of service", me.Username)
	default:
		d.ok("account", "%s is a BOT account; %s played", me.Username, plural(games, "game"))
	}
	return true
}

// latency measures how long the server takes for a cheap call over a connection that is open.
func (d *doctor) latency(ctx context.Context, client *lichess.Client) {
	var took []time.Duration
	running := 0
	for range latencyCalls {
		start := time.Now()
		list, err := client.Playing(ctx, 50)
		if err != nil {
			d.noAnswer("latency", err)
			return
		}
		took = append(took, time.Since(start))
		running = len(list.NowPlaying)
	}
	slices.Sort(took)
	middle, most := took[len(took)/2].Round(100*time.Microsecond), took[len(took)-1].Round(100*time.Microsecond)
	if middle > slowAnswer {
		d.warn("latency", "run the bot nearer to the server or on a better line, or take no fast games: CASTELLAN_ACCEPT_SPEEDS=rapid,classical,correspondence", "half of %d calls took more than %v, the longest %v", len(took), middle, most)
	} else {
		d.ok("latency", "half of %d calls took up to %v, the longest %v", len(took), middle, most)
	}
	d.ok("games", "%d running", running)
}

// noAnswer tells of a call without a clear answer.
func (d *doctor) noAnswer(check string, err error) {
	var limit *lichess.LimitError
	var refused *lichess.APIError
	advice := "try again in a minute: the way to the server is there, and the answer was not; behind it may be a login page of the network"
	switch {
	case errors.As(err, &limit):
		advice = adviceWait
	case errors.As(err, &refused) && refused.Status >= 500:
		advice = adviceTrouble
	case lichess.IsAuthError(err):
		advice = "make a token with the permission " + lichess.ScopeBotPlay + " at " + lichess.TokenPage(string(d.cfg.URL))
	case errors.As(err, &refused):
		advice = "check CASTELLAN_URL: something else than Lichess seems to answer there"
	}
	d.fault(check, advice, "%v", err)
}

// serverClock compares the server's clock with ours, by the Date of its answers.
type serverClock struct {
	mu    sync.Mutex
	seen  bool
	skew  time.Duration // of our clock: positive when it is ahead
	trust time.Duration // by which that may be wrong
}

func (s *serverClock) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		start := time.Now()
		reply, err := next.RoundTrip(r)
		if err == nil {
			s.note(reply.Header.Get("Date"), start, time.Now())
		}
		return reply, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// note keeps the answer that came soonest. A Date has whole seconds, cut off.
func (s *serverClock) note(date string, start, end time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if half := end.Sub(start) / 2; !s.seen || half+time.Second/2 < s.trust {
		s.seen, s.trust = true, half+time.Second/2
		s.skew = start.Add(half).Sub(at.Add(time.Second / 2))
	}
}

func (s *serverClock) tell(d *doctor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const advice = "set this machine's clock, best by NTP (timedatectl set-ntp true)"
	off := max(s.skew.Abs()-s.trust, 0)
	word := "behind"
	if s.skew > 0 {
		word = "ahead of"
	}
	switch {
	case !s.seen:
		d.skip("clock", "the server did not tell the time")
	case off > uselessClock:
		d.fault("clock", advice, "this machine is %v %s the server", s.skew.Abs().Round(time.Second), word)
	case off > wrongClock:
		d.warn("clock", advice, "this machine is %v %s the server", s.skew.Abs().Round(time.Second), word)
	default:
		d.ok("clock", "as the server's, within %v", (off + s.trust).Round(100*time.Millisecond))
	}
}
