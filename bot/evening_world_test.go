package bot_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

const (
	eveningDaemon = "Castellan"
	eveningURL    = "http://127.0.0.1"

	eveningPeople = 30
	eveningBots   = 30
	// eveningPatience is how long an evening may take until all its games have begun, and until they are over.
	eveningPatience = 48 * time.Hour
	eveningClosing  = 12 * time.Hour
	// eveningLeaving is how long the daemon may take to leave when nothing is played any more.
	eveningLeaving = 3 * time.Minute
	// eveningNodes is what the daemon thinks about a move, eveningGuestNodes what its guests do.
	eveningNodes      = 400
	eveningGuestNodes = 250
	// longestWay is how long a request is on its way at most.
	longestWay = 65 * time.Millisecond
)

// evening is a server, the daemon and its guests in one bubble of synthetic time. The daemon is the real one and so is the sandbox,
// and they speak HTTP over connections in memory. Each request of anybody's is on its way for some milliseconds.
type evening struct {
	t       *testing.T
	opts    *bot.Options
	server  *sandbox.Server
	network *pipes
	http    *http.Server
	served  sync.WaitGroup
	client  *http.Client // of the guests
	judge   *eveningJudge
	log     *lockedLines
	mind    *engine.Engine // of the guests

	rand    *rand.Rand // of the ways of requests
	randMu  sync.Mutex
	closing chan struct{} // closed when nobody wants another game
}

// runEvening lets the daemon play so many games, by settings of the number's own.
func runEvening(t *testing.T, seed, number uint64, games int) (tally *eveningTally) {
	synctest.Test(t, func(t *testing.T) {
		e := newEvening(t, seed, number)
		ctx, leave := context.WithCancel(context.Background())
		daemon := e.start()
		var guests sync.WaitGroup
		for _, g := range newGuests(e, seed, number) {
			guests.Go(func() { g.come(ctx) })
		}
		if !e.await(eveningPatience, func() bool { return e.judge.begun() >= games }) {
			e.judge.breach(ruleNothingOrphaned, "only %d of %d games had begun after %v", e.judge.begun(), games, eveningPatience)
		}
		close(e.closing)
		if !e.await(eveningClosing, func() bool { return e.judge.running() == 0 }) {
			e.judge.breach(ruleNothingOrphaned, "%d games were not over %v after the evening", e.judge.running(), eveningClosing)
		}
		time.Sleep(2 * time.Minute) // of commands after a game
		e.judge.draining()
		daemon.Drain()
		select {
		case err := <-daemon.done:
			if err != nil {
				t.Errorf("the bot ended by %v", err)
			}
		case <-time.After(eveningLeaving):
			e.judge.breach(ruleNothingOrphaned, "the bot does not leave: a place was never freed")
		}
		synctest.Wait()
		daemon.kill()
		leave()
		guests.Wait()
		e.close()
		tally = e.judge.close()
		if tally.failed() {
			if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "daemon.log"), []byte(e.log.String()), 0o644); err != nil {
				t.Error(err)
			}
		}
	})
	return tally
}

func newEvening(t *testing.T, seed, number uint64) *evening {
	t.Helper()
	e := &evening{
		t: t, opts: eveningOptions(number), network: newPipes(func() (near, far net.Conn) { return newChaosPipe() }),
		log: &lockedLines{}, rand: rand.New(rand.NewPCG(seed, number)), closing: make(chan struct{}),
	}
	e.server = sandbox.New(sandbox.Options{Seed: seed<<32 + number + 1, KeepAlive: time.Minute})
	e.judge = newEveningJudge(e.server, e.opts, number)
	e.opts.Watch = e.judge.watch
	e.opts.Log = slog.New(slog.NewTextHandler(e.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e.add(sandbox.Account{Name: eveningDaemon, Token: "lip_xcastellan", Title: lichess.TitleBot, Rating: 2000, Takebacks: sandbox.TakebacksAlways})
	e.http = &http.Server{Handler: http.HandlerFunc(e.serve)}
	e.client = &http.Client{Transport: &http.Transport{DialContext: e.network.dial, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute}}
	e.served.Go(func() { e.http.Serve(e.network) })
	mind, err := engine.New(engine.Options{HashMB: 2, Threads: 2, Nodes: eveningGuestNodes, MoveOverhead: -1})
	if err != nil {
		t.Fatal(err)
	}
	e.mind = mind
	return e
}

func (e *evening) add(a sandbox.Account) {
	e.t.Helper()
	if err := e.server.AddAccount(a); err != nil {
		e.t.Fatal(err)
	}
}

func (e *evening) close() {
	e.server.Close()
	e.http.Close()
	e.client.CloseIdleConnections()
	e.served.Wait()
	time.Sleep(longestWay) // requests whose makers have gone still arrive
	e.mind.Close()
}

// start runs the daemon.
func (e *evening) start() *daemon {
	client, err := lichess.New(lichess.Options{
		URL: eveningURL, Token: "lip_xcastellan", Dial: e.network.dial, Logger: e.opts.Log, KeepLimits: true, IdleTimeout: 3 * time.Minute,
	})
	if err != nil {
		e.t.Fatal(err)
	}
	eng, err := engine.New(engine.Options{HashMB: 2, Threads: 1, Nodes: eveningNodes, MoveOverhead: -1})
	if err != nil {
		e.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &daemon{Bot: bot.New(client, eng, *e.opts), done: make(chan error, 1), log: e.log}
	ended := make(chan struct{})
	d.kill = func() {
		cancel()
		<-ended
		eng.Close()
		client.Close()
	}
	go func() {
		defer close(ended)
		d.done <- d.Run(ctx)
	}()
	return d
}

// await looks now and then whether something has come about.
func (e *evening) await(patience time.Duration, is func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Second) {
		if is() {
			return true
		}
	}
	return false
}

// closed tells whether nobody wants another game.
func (e *evening) closed() bool {
	select {
	case <-e.closing:
		return true
	default:
		return false
	}
}

// way is how long a request is on its way.
func (e *evening) way() time.Duration {
	e.randMu.Lock()
	defer e.randMu.Unlock()
	return 5*time.Millisecond + time.Duration(e.rand.Int64N(int64(longestWay-5*time.Millisecond)))
}

// serve lets a request arrive, and the judge see it and its answer.
func (e *evening) serve(w http.ResponseWriter, r *http.Request) {
	sent := time.Now()
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	time.Sleep(e.way())
	who, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer lip_x")
	form, _ := url.ParseQuery(string(body))
	for name, values := range r.URL.Query() {
		form[name] = values
	}
	call := &eveningCall{sent: sent, at: time.Now(), who: who, method: r.Method, path: r.URL.Path, form: form}
	e.judge.arrived(call)
	answer := &eveningAnswer{ResponseWriter: w, code: http.StatusOK, call: call, judge: e.judge}
	e.server.ServeHTTP(answer, r)
	e.judge.answered(call, answer.code, answer.body.Bytes())
}

// eveningAnswer passes an answer on and keeps what the judge wants to know of it: short ones as a whole, and the lines of the
// daemon's event stream as they go out.
type eveningAnswer struct {
	http.ResponseWriter
	code  int
	body  bytes.Buffer
	call  *eveningCall
	judge *eveningJudge
}

func (a *eveningAnswer) WriteHeader(code int) {
	a.code = code
	a.ResponseWriter.WriteHeader(code)
}

func (a *eveningAnswer) Write(p []byte) (int, error) {
	switch {
	case a.call.method == http.MethodPost:
		a.body.Write(p)
	case a.call.who == "castellan" && a.call.path == "/api/stream/event":
		a.body.Write(p)
		for {
			line, rest, whole := bytes.Cut(a.body.Bytes(), []byte("\n"))
			if !whole {
				break
			}
			if line = bytes.TrimSpace(line); len(line) > 0 {
				a.judge.told(lichess.DecodeEvent(bytes.Clone(line)))
			}
			a.body = *bytes.NewBuffer(bytes.Clone(rest))
		}
	}
	return a.ResponseWriter.Write(p)
}

func (a *eveningAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
