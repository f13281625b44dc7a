package bot_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

const (
	chaosDaemon  = "Castellan"
	chaosRival   = "Rival"
	chaosPersons = "Person"

	chaosGamesOfAWorld = 25
	chaosAtOnce        = 8
	// chaosPatience is how long a game may take, and an agreed game to begin. The longest ones have half an hour a side.
	chaosPatience = 3 * time.Hour
	// chaosLeaving is how long the daemon may take to leave when its games are over: it waits a minute for an agreed game.
	chaosLeaving = 2 * time.Minute
)

func chaosToken(name string) string { return "lip_x" + strings.ToLower(name) }

// chaosClock is the sandbox's clock: that of the bubble, but it can leap.
type chaosClock struct {
	mu   sync.Mutex
	leap time.Duration
}

func (c *chaosClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.leap)
}

func (c *chaosClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

func (c *chaosClock) jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leap += d
}

// chaosWorld is a server, the daemon, its opponents and the bad network between them, in one bubble of synthetic time. The
// daemon is the real one and so is the sandbox, and they speak TLS and HTTP, version 2 in every other world.
type chaosWorld struct {
	t      *testing.T
	clock  *chaosClock
	server *sandbox.Server
	net    *chaosNet
	record *chaosRecord
	proxy  *chaosProxy
	http   *http.Server
	served chan struct{}
	person *http.Client
	rand   *rand.Rand // of games, persons
	log    *lockedLines
	tally  chaosTally

	playing atomic.Int32 // games
}

// runChaosWorld plays so many games in a world of its own.
func runChaosWorld(t *testing.T, seed, number uint64, games int) (tally chaosTally) {
	synctest.Test(t, func(t *testing.T) {
		w := newChaosWorld(t, seed, number)
		daemon := w.start(chaosDaemon)
		rival := w.start(chaosRival)
		ctx, cancel := context.WithCancel(context.Background())
		var storm sync.WaitGroup
		storm.Go(func() { w.storm(ctx, newChaosSchedule(seed, number)) })
		w.playAll(games)
		cancel()
		storm.Wait()
		w.leave(daemon)
		w.leave(rival)
		w.person.CloseIdleConnections()
		w.tally.goroutines = w.goroutines()
		if n := len(w.tally.goroutines); n > 0 {
			// Those that wait for something inside the bubble end the whole test with a panic: say before what they are.
			fmt.Printf("world %d: goroutines left: %d, the first:\n%s\n", number, n, w.tally.goroutines[0])
		}
		w.close()
		w.sum()
		tally = w.tally
	})
	return tally
}

func newChaosWorld(t *testing.T, seed, number uint64) *chaosWorld {
	t.Helper()
	w := &chaosWorld{
		t: t, clock: &chaosClock{}, log: &lockedLines{}, served: make(chan struct{}),
		rand: rand.New(rand.NewPCG(^seed, number)), net: newChaosNet(seed, number),
	}
	w.server = sandbox.New(sandbox.Options{Clock: w.clock, Seed: seed<<32 + number + 1, ChallengePointsPerMinute: -1, ChallengePointsPerDay: -1, BotGamesPerDay: -1})
	w.server.URL = "https://" + chaosHost
	for _, a := range []sandbox.Account{
		{Name: chaosDaemon, Title: lichess.TitleBot, Takebacks: sandbox.TakebacksAlways},
		{Name: chaosRival, Title: lichess.TitleBot},
		{Name: chaosPersons, Takebacks: sandbox.TakebacksAlways},
	} {
		a.Token = chaosToken(a.Name)
		if err := w.server.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	w.record = newChaosRecord(w.server)
	w.proxy = newChaosProxy(w.server, w.record)
	w.http = &http.Server{
		Handler:  w.proxy,
		ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if w.net.wrongCertificate(hello.Conn) {
				return chaosCertificates.wrong, nil
			}
			return chaosCertificates.right, nil
		}},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, chaosLinkKey{}, c.(*tls.Conn).NetConn().(*chaosServerEnd).link)
		},
		Protocols: new(http.Protocols),
	}
	w.http.Protocols.SetHTTP1(true)
	w.http.Protocols.SetHTTP2(number%2 == 0)
	go func() {
		defer close(w.served)
		w.http.ServeTLS(w.net, "", "")
	}()
	w.person = &http.Client{Transport: &http.Transport{DialContext: w.net.dialer(false)}}
	return w
}

// close ends everything that is not the daemon.
func (w *chaosWorld) close() {
	w.net.Close()
	w.http.Close()
	<-w.served
	w.net.work.Wait()
	if err := w.server.Close(); err != nil {
		w.t.Error(err)
	}
}

// start runs a bot that plays everything. It thinks for a few hundred nodes a move, and not too well.
func (w *chaosWorld) start(name string) *daemon {
	opts := quick()
	opts.MaxGames = chaosAtOnce
	opts.Takebacks = 1
	opts.Draw = bot.DrawPolicy{Offer: true, OfferHumans: true, OfferBots: true, OfferScore: 20, OfferMoves: 5, OfferFromMove: 30, Accept: true, AcceptScore: -50}
	opts.Resign = bot.ResignPolicy{Enabled: true, Humans: true, Bots: true, Score: -1200, Moves: 4, FromMove: 20}
	opts.Chat = bot.Chat{Greeting: "Good luck, {opponent}!", Farewell: "Thanks!"}
	opts.Log = slog.New(slog.DiscardHandler)
	if name == chaosDaemon {
		opts.Log = slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	client, err := lichess.New(lichess.Options{
		URL: w.server.URL, Token: lichess.Token(chaosToken(name)), Logger: opts.Log, Dial: w.net.dialer(name == chaosDaemon),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	eng, err := engine.New(engine.Options{HashMB: 1, Threads: 2, Elo: 1100})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &daemon{Bot: bot.New(client, eng, opts), done: make(chan error, 1), log: w.log}
	d.kill = func() {
		cancel()
		eng.Close()
		client.Close()
	}
	go func() { d.done <- d.Run(ctx) }()
	return d
}

// leave lets a bot go: it has nothing more to play, and so must do it soon by itself.
func (w *chaosWorld) leave(d *daemon) {
	d.Drain()
	select {
	case err := <-d.done:
		if err != nil {
			w.t.Errorf("the bot ended by %v", err)
		}
		synctest.Wait() // a connection is idle, and so closed, only when its last request has quite ended
		d.kill()
	case <-time.After(chaosLeaving):
		w.tally.orphaned = append(w.tally.orphaned, "a bot that has no game any more does not leave: a place was never freed")
		d.kill()
		<-d.done
	}
}

// storm injects faults until ctx ends.
func (w *chaosWorld) storm(ctx context.Context, schedule *chaosSchedule) {
	var recovering sync.WaitGroup
	defer recovering.Wait()
	defer w.proxy.calm()
	for {
		s := schedule.next()
		if !chaosSleep(s.after*chaosAtOnce/time.Duration(max(w.playing.Load(), 1)), ctx.Done()) {
			return
		}
		switch s.fault {
		case connReset, connStall, slowDrip:
			l := w.net.one(s.chance)
			if l == nil {
				continue
			}
			switch s.fault {
			case connReset:
				w.record.injected(connReset, 0, l.gamesOn()...)
				l.reset()
			case connStall:
				length := s.length
				if s.chance%3 != 0 {
					length = math.MaxInt64 / 4 // for ever
					w.record.injected(connStall, 0, l.gamesOn()...)
				} else {
					w.record.injected(connStall, length, l.gamesOn()...)
				}
				l.stall(length)
			default:
				w.record.injected(slowDrip, s.length, l.gamesOn()...)
				l.drip(s.length)
			}
		case tlsFailure, dnsFailure:
			outage := &chaosOutage{until: time.Now().Add(s.length), chance: s.chance, felt: func() { w.record.injected(s.fault, s.length) }}
			w.net.set(func() {
				if s.fault == tlsFailure {
					w.net.badTLS = outage
				} else {
					w.net.noName = outage
				}
			})
			w.net.breakAll(false)
		case clockJump:
			w.record.injected(clockJump, 0)
			if s.chance%2 == 0 {
				s.length = -s.length
			}
			w.clock.jump(s.length)
		case serverRestart:
			w.record.injected(serverRestart, s.length)
			w.net.set(func() { w.net.down = true })
			w.net.breakAll(true)
			recovering.Go(func() {
				time.Sleep(s.length)
				w.server.Restart()
				w.net.set(func() { w.net.down = false })
			})
		default:
			w.proxy.await(s)
		}
	}
}

// playAll plays games, several at once.
func (w *chaosWorld) playAll(games int) {
	slots := make(chan struct{}, chaosAtOnce)
	var wait sync.WaitGroup
	for range games {
		slots <- struct{}{}
		setup := newChaosSetup(w.rand)
		r := rand.New(rand.NewPCG(w.rand.Uint64(), 0))
		w.playing.Add(1)
		wait.Go(func() {
			defer func() { w.playing.Add(-1); <-slots }()
			w.play(setup, r)
		})
	}
	wait.Wait()
}

// play plays a game to its end and judges it.
func (w *chaosWorld) play(setup chaosSetup, r *rand.Rand) {
	ctx, cancel := context.WithTimeout(context.Background(), chaosPatience)
	defer cancel()
	id := w.begin(ctx, setup)
	if id == "" {
		w.orphan(fmt.Sprintf("%v: was not begun in %v", setup, chaosPatience))
		return
	}
	var person sync.WaitGroup
	if setup.opponent == chaosPersons {
		p := newChaosPerson(w.person, setup.opponent, r, id, setup.Limit+setup.Increment > 0)
		person.Go(func() { p.play(ctx) })
	}
	g, err := w.server.WaitGame(ctx, id)
	if err != nil {
		w.orphan(fmt.Sprintf("game %s, %v: %v", id, setup, err))
		cancel()
		person.Wait()
		return
	}
	lost, why := w.record.lostOnTime(g)
	cancel()
	person.Wait()
	w.record.mu.Lock()
	defer w.record.mu.Unlock()
	w.tally.games++
	w.tally.moves += len(g.Moves)
	if lost {
		w.tally.timeLosses++
	}
	if why != "" {
		w.tally.lostByUs = append(w.tally.lostByUs, why+"\n"+w.logOf(id))
	}
}

func (w *chaosWorld) orphan(what string) {
	w.record.mu.Lock()
	defer w.record.mu.Unlock()
	w.tally.games++
	w.tally.orphaned = append(w.tally.orphaned, what+"\n"+w.log.end(60))
}

// logOf returns the last of what the daemon logged about a game.
func (w *chaosWorld) logOf(id string) string {
	var lines []string
	for line := range strings.Lines(w.log.String()) {
		if strings.Contains(line, id) && !strings.Contains(line, "msg=chat") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(len(lines)-60, 0):], "")
}

// begin starts a game, by itself or by a challenge that is repeated until the daemon takes it.
func (w *chaosWorld) begin(ctx context.Context, setup chaosSetup) (id string) {
	if !setup.challenge {
		id, err := w.server.StartGame(setup.GameSetup)
		if err != nil {
			w.t.Error(err)
		}
		return id
	}
	for ctx.Err() == nil {
		c := sandbox.ChallengeSetup{
			HasClock: setup.Days == 0, Limit: int(setup.Limit / time.Second), Increment: int(setup.Increment / time.Second),
			Days: setup.Days, Variant: setup.Variant,
		}
		id, err := w.server.Challenge(setup.opponent, chaosDaemon, c)
		if err != nil {
			w.t.Error(err)
			return ""
		}
		for range 40 {
			if _, ok := w.server.Game(id); ok {
				return id
			}
			chaosSleep(time.Second, ctx.Done())
		}
		chaosAsk(w.server, setup.opponent, "/api/challenge/"+id+"/cancel", nil)
		if _, ok := w.server.Game(id); ok {
			return id // accepted at the last moment
		}
	}
	return ""
}

// goroutines counts what is left of the bots when they have ended: their own goroutines and those of their connections.
func (w *chaosWorld) goroutines() (left []string) {
	// Those of connections that stall end with the patience of TCP, those that became idle after the client was closed with the
	// five minutes that it keeps such ones.
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	buf := make([]byte, 1<<20)
	for n := runtime.Stack(buf, true); ; n = runtime.Stack(buf, true) {
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	all := bytes.Split(buf, []byte("\n\n"))
	_, bubble, _ := bytes.Cut(all[0][:bytes.IndexByte(all[0], '\n')], []byte("synctest bubble "))
	for _, g := range all {
		head, _, _ := bytes.Cut(g, []byte("\n"))
		if _, b, ok := bytes.Cut(head, []byte("synctest bubble ")); !ok || !bytes.Equal(b, bubble) {
			continue
		}
		for _, part := range []string{"castellan/bot.", "castellan/lichess.", "castellan/engine", "net/http.(*persistConn)", "net/http.(*http2clientConn", "net/http.(*http2ClientConn)"} {
			if bytes.Contains(g, []byte(part)) {
				left = append(left, string(g))
				break
			}
		}
	}
	return left
}

// sum takes over what the record has.
func (w *chaosWorld) sum() {
	w.tally.faults = w.record.faults
	for _, g := range w.server.Games() {
		if !g.Over() {
			w.tally.orphaned = append(w.tally.orphaned, fmt.Sprintf("game %s goes on without the bot\n%s", g.ID, w.logOf(g.ID)))
		}
	}
	w.tally.sent, w.tally.late = w.record.sent, w.record.late
	for _, m := range w.record.illegal {
		w.tally.illegal = append(w.tally.illegal, m.String()+"\n"+w.logOf(m.game))
	}
	for _, m := range w.record.doubled {
		w.tally.doubled = append(w.tally.doubled, m.String()+"\n"+w.logOf(m.game))
	}
	if w.tally.failed() {
		if err := os.WriteFile(filepath.Join(w.t.ArtifactDir(), "daemon.log"), []byte(w.log.String()), 0o644); err != nil {
			w.t.Error(err)
		}
	}
}
