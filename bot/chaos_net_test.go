package bot_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"time"
)

const (
	chaosHost = "lichess.test"
	// chaosGiveUp is how long the server keeps a connection on which nothing goes any more.
	chaosGiveUp = time.Minute
	// chaosFarthest is the longest that a chunk takes on its way between daemon and server.
	chaosFarthest = 40 * time.Millisecond
)

// chaosNet lies between the players and the server: it finds the server by its name, connects to its port and carries what is
// sent, all in memory, so that it works in a bubble of synthetic time. It is the server's listener.
type chaosNet struct {
	accept chan net.Conn
	closed chan struct{}
	close  sync.Once
	work   sync.WaitGroup // of the pumps

	mu       sync.Mutex
	rand     *rand.Rand
	down     bool         // the port is closed
	noName   *chaosOutage // while it lasts the daemon does not find the server's name
	badTLS   *chaosOutage // while it lasts the daemon's handshakes fail
	links    []*chaosLink // of the daemon, oldest first
	allLinks map[*chaosLink]struct{}
}

// chaosOutage is a time in which something does not work.
type chaosOutage struct {
	until  time.Time
	chance uint32
	felt   func() // called when somebody has met it, the first time
	once   sync.Once
}

// on tells whether the outage lasts, and then counts as met.
func (o *chaosOutage) on() bool {
	if o == nil || !time.Now().Before(o.until) {
		return false
	}
	o.once.Do(o.felt)
	return true
}

func newChaosNet(seed, world uint64) *chaosNet {
	return &chaosNet{
		accept: make(chan net.Conn), closed: make(chan struct{}),
		rand: rand.New(rand.NewPCG(seed, ^world)), allLinks: map[*chaosLink]struct{}{},
	}
}

// dialer returns how somebody connects: the daemon, or one of the others, who are farther away and meet no fault but that the
// server is down.
func (n *chaosNet) dialer(daemon bool) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		n.mu.Lock()
		noName, badTLS, down := daemon && n.noName.on(), daemon && n.badTLS.on(), n.down
		var chance uint32
		switch {
		case noName:
			chance = n.noName.chance
		case badTLS:
			chance = n.badTLS.chance
		}
		least := 50 * time.Millisecond
		if daemon {
			least = 2 * time.Millisecond
		}
		latency := n.rand.Int64()
		n.mu.Unlock()
		l := &chaosLink{
			net: n, hungUp: make(chan struct{}), broken: make(chan struct{}), daemon: daemon,
			latency: least + time.Duration(latency)%(chaosFarthest-2*time.Millisecond)/2,
		}
		wait := 2 * l.latency
		if noName && chance%2 == 0 {
			wait = 5 * time.Second // a resolver's patience
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case noName && chance%2 == 0:
			return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "i/o timeout", Name: chaosHost, IsTimeout: true, IsTemporary: true}}
		case noName:
			return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: chaosHost, IsNotFound: true}}
		case down:
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		return n.connect(ctx, l, badTLS && chance%3 != 0, chance)
	}
}

// connect joins a client to the server or, when the handshake is to fail by other things than the certificate, to somebody
// who does not speak TLS.
func (n *chaosNet) connect(ctx context.Context, l *chaosLink, impostor bool, chance uint32) (net.Conn, error) {
	client, near := newChaosPipe()
	far, server := newChaosPipe()
	l.near, l.far = near, far
	if impostor {
		n.work.Go(func() {
			defer server.Close()
			server.Read(make([]byte, 1024))
			if chance%3 == 1 {
				server.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			}
		})
	} else {
		select {
		case n.accept <- &chaosServerEnd{server, l}:
		case <-n.closed:
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	n.mu.Lock()
	n.allLinks[l] = struct{}{}
	if l.daemon {
		n.links = append(n.links, l)
	}
	n.mu.Unlock()
	n.work.Go(func() {
		var up sync.WaitGroup
		up.Go(func() { l.pump(near, far) })
		l.pump(far, near)
		up.Wait()
		n.forget(l)
	})
	return &chaosClientEnd{Conn: client, link: l}, nil
}

func (n *chaosNet) forget(l *chaosLink) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.allLinks, l)
	for i := range n.links {
		if n.links[i] == l {
			n.links = append(n.links[:i], n.links[i+1:]...)
			return
		}
	}
}

// one returns one of the daemon's connections, nil when there is none.
func (n *chaosNet) one(chance uint32) *chaosLink {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.links) == 0 {
		return nil
	}
	return n.links[int(chance)%len(n.links)]
}

// breakAll resets connections: those of the daemon, or all.
func (n *chaosNet) breakAll(everybodys bool) {
	n.mu.Lock()
	var links []*chaosLink
	for l := range n.allLinks {
		if everybodys || l.daemon {
			links = append(links, l)
		}
	}
	n.mu.Unlock()
	for _, l := range links {
		l.reset()
	}
}

// set changes what lies under the mutex.
func (n *chaosNet) set(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

// wrongCertificate tells whether a handshake of now gets another one's certificate.
func (n *chaosNet) wrongCertificate(c net.Conn) bool {
	end, ok := c.(*chaosServerEnd)
	n.mu.Lock()
	defer n.mu.Unlock()
	return ok && end.link.daemon && n.badTLS != nil && time.Now().Before(n.badTLS.until)
}

func (n *chaosNet) Accept() (net.Conn, error) {
	select {
	case c := <-n.accept:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the port and breaks all connections.
func (n *chaosNet) Close() error {
	n.close.Do(func() { close(n.closed) })
	n.breakAll(true)
	return nil
}

func (n *chaosNet) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

// chaosLink is one connection: two pipes and, between them, two pumps that carry what is sent and know how not to.
type chaosLink struct {
	net       *chaosNet
	daemon    bool
	latency   time.Duration
	near, far net.Conn      // the pumps' ends: near the client, and near the server
	hungUp    chan struct{} // closed when the client has closed his end, or with a reset
	hangUp    sync.Once
	broken    chan struct{} // closed with a reset
	breakOnce sync.Once

	mu      sync.Mutex
	stalled time.Time // nothing is carried before; zero when all is well
	dripped time.Time // a byte at a time is carried before
	games   []string  // see gamesOn
}

// pump carries what comes from one end to the other until either is closed.
func (l *chaosLink) pump(from, to net.Conn) {
	defer to.Close()
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && !l.carry(to, buf[:n]) {
			l.linger(to)
			to.Close()
			io.Copy(io.Discard, from)
			return
		}
		if err != nil {
			l.linger(to)
			return
		}
	}
}

// carry takes a chunk to an end, in its time. What is on its way arrives even when the client hangs up behind it.
func (l *chaosLink) carry(to net.Conn, chunk []byte) bool {
	if !chaosSleep(l.latency, l.broken) {
		return false
	}
	for len(chunk) > 0 {
		l.mu.Lock()
		stall, drip := time.Until(l.stalled), time.Now().Before(l.dripped)
		l.mu.Unlock()
		n := len(chunk)
		switch {
		case stall > 0:
			if !chaosSleep(stall, l.hungUp) {
				return false
			}
			continue
		case drip:
			n = min(n, 4)
			if !chaosSleep(20*time.Millisecond, l.hungUp) {
				return false
			}
		}
		if _, err := to.Write(chunk[:n]); err != nil {
			return false
		}
		chunk = chunk[n:]
	}
	return true
}

// linger keeps the server's end open for a while when the word that the client has left cannot get through.
func (l *chaosLink) linger(to net.Conn) {
	l.mu.Lock()
	silent := time.Now().Before(l.stalled) && to == l.far
	l.mu.Unlock()
	if silent {
		chaosSleep(chaosGiveUp, l.broken)
	}
}

// chaosSleep returns false when the channel is closed meanwhile.
func chaosSleep(d time.Duration, end <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-end:
		return false
	}
}

func (l *chaosLink) reset() {
	l.breakOnce.Do(func() { close(l.broken) })
	l.hangUp.Do(func() { close(l.hungUp) })
	l.near.Close()
	l.far.Close()
}

// stall stops a connection for a time that may be for ever, drip slows it down.
func (l *chaosLink) stall(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stalled = time.Now().Add(d)
}

func (l *chaosLink) drip(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dripped = time.Now().Add(d)
}

// heldUp tells whether what arrives now may have waited for a stall to end.
func (l *chaosLink) heldUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	until := l.stalled
	if l.dripped.After(until) {
		until = l.dripped
	}
	return !until.IsZero() && time.Since(until) < time.Second
}

// occupied notes that a stream has the connection to itself, as in HTTP/1.1, until the function that it returns is called.
func (l *chaosLink) occupied(game string) (free func()) {
	set := func(games []string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.games = games
	}
	if game == "" {
		set([]string{})
	} else {
		set([]string{game})
	}
	return func() { set(nil) }
}

// gamesOn lists the games that what happens to the connection can hit: that of the stream which has it to itself, if it is a game's.
// Else it is nil, for all games, those included that begin later: a connection at rest, or one that is shared, takes the next
// request whoever makes it, and a request that gets stuck on it never arrives to tell for which game it was.
func (l *chaosLink) gamesOn() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.games
}

func (l *chaosLink) wasBroken() bool {
	select {
	case <-l.broken:
		return true
	default:
		return false
	}
}

// chaosClientEnd is the end that a client holds. A reset looks like one.
type chaosClientEnd struct {
	net.Conn
	link *chaosLink
}

func (c *chaosClientEnd) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.explain("read", err)
}

func (c *chaosClientEnd) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.explain("write", err)
}

func (c *chaosClientEnd) explain(op string, err error) error {
	if err != nil && c.link.wasBroken() {
		return &net.OpError{Op: op, Net: "tcp", Err: syscall.ECONNRESET}
	}
	return err
}

func (c *chaosClientEnd) Close() error {
	c.link.hangUp.Do(func() { close(c.link.hungUp) })
	return c.Conn.Close()
}

// chaosServerEnd is the end that the server holds; it knows the connection, and so does every request that comes by it.
type chaosServerEnd struct {
	net.Conn
	link *chaosLink
}
