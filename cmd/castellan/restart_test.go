package main

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

const (
	// backWithin is how long a new process may take until it is back in every game.
	backWithin = 2 * time.Second
	// patience bounds every wait of these tests. It is reached only by a test that fails.
	patience = 3 * time.Minute
)

// stage is a sandbox with two BOT accounts whose games are watched request by request.
type stage struct {
	*sandbox.Server
	t *testing.T

	mu      sync.Mutex
	streams map[string]time.Time                   // when the stream of a game was last opened, by the id
	watch   func(method, path string) (again bool) // told of each request until it returns false
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, streams: map[string]time.Time{}}
	s.Server = sandbox.New(sandbox.Options{OnRequest: s.onRequest, KeepGames: 200, EventStreamOpens: -1, BotGamesPerDay: -1,
		ChallengePointsPerMinute: -1, ChallengePointsPerDay: -1})
	for _, a := range []sandbox.Account{
		{Name: "Castellan", Token: "lip_xown", Title: lichess.TitleBot},
		{Name: "Rival", Token: "lip_xother", Title: lichess.TitleBot},
		{Name: "Person", Token: "lip_xperson"},
	} {
		if err := s.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func (s *stage) onRequest(method, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := strings.CutPrefix(path, "/api/bot/game/stream/"); ok {
		s.streams[id] = time.Now()
	}
	if s.watch != nil && !s.watch(method, path) {
		s.watch = nil
	}
}

// at calls f, once, when a request comes whose path holds the text, before the server looks at it.
func (s *stage) at(text string, f func()) (happened <-chan struct{}) {
	done := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = func(_, path string) bool {
		if !strings.Contains(path, text) {
			return true
		}
		f()
		close(done)
		return false
	}
	return done
}

// until waits for a condition.
func (s *stage) until(what string, is func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("did not come: %s", what)
		}
	}
}

func (s *stage) plies(id string) int {
	g, _ := s.Game(id)
	return len(g.Moves)
}

func (s *stage) startGame(g sandbox.GameSetup) string {
	s.t.Helper()
	id, err := s.StartGame(g)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// finished waits for a game to end and checks that it was played by the rules and that Castellan did not lose it on time.
func (s *stage) finished(id string) sandbox.Game {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	g, err := s.WaitGame(ctx, id)
	if err != nil {
		s.t.Fatal(err)
	}
	won := (g.Winner == lichess.ColorWhite) == (g.White == "Castellan")
	if g.Status != lichess.StatusMate && g.Status != lichess.StatusDraw && g.Status != lichess.StatusStalemate &&
		!(g.Status == lichess.StatusOutOfTime && won) {
		s.t.Errorf("game %s ended by %s, winner %q:\n%s", id, g.Status, g.Winner, g.PGN)
	}
	return g
}

// own is a process of the bot under test, with a log that is complete at any time.
type own struct {
	*exec.Cmd
	t       *testing.T
	started time.Time
	gone    chan struct{} // closed when the process has ended
	log     output
}

func (p *own) logged() string { return p.log.String() }

// start starts a process of an account, "own" or "other".
func (s *stage) start(account string, env ...string) *own {
	s.t.Helper()
	p := &own{Cmd: exec.Command("castellan"), t: s.t, started: time.Now(), gone: make(chan struct{})}
	p.Env = append(p.Environ(), "CASTELLAN_URL="+s.URL, "CASTELLAN_TOKEN=lip_x"+account, "CASTELLAN_HASH_MB=4", "CASTELLAN_THREADS=1",
		"CASTELLAN_MAX_GAMES=16", "CASTELLAN_RESIGN_ENABLED=no", "CASTELLAN_DRAW_OFFER=no", "CASTELLAN_DRAW_ACCEPT=no",
		"CASTELLAN_LOG_FORMAT=json", "CASTELLAN_LOG_LEVEL=debug")
	p.Env = append(p.Env, env...)
	p.Stderr = &p.log
	if err := p.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		p.Wait()
		close(p.gone)
	}()
	s.t.Cleanup(func() {
		p.kill()
		if s.t.Failed() {
			lines := strings.SplitAfter(p.logged(), "\n")
			s.t.Logf("end of the log of %s:\n%s", account, strings.Join(lines[max(0, len(lines)-25):], ""))
		}
	})
	return p
}

// kill ends the process as a crash does.
func (p *own) kill() {
	p.Process.Kill()
	<-p.gone
}

func (p *own) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// exit waits for the process to end by itself.
func (p *own) exit() (code int, took time.Duration) {
	p.t.Helper()
	asked := time.Now()
	select {
	case <-p.gone:
	case <-time.After(patience):
		p.t.Fatal("the process does not end")
	}
	return p.ProcessState.ExitCode(), time.Since(asked)
}

// back waits until a process has opened the stream of every game, and checks how long that took.
func (s *stage) back(p *own, ids ...string) {
	s.t.Helper()
	var last time.Duration
	for _, id := range ids {
		var opened time.Time
		s.until("the process back in game "+id, func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			opened = s.streams[id]
			return opened.After(p.started)
		})
		last = max(last, opened.Sub(p.started))
	}
	s.t.Logf("back in %d games after %v", len(ids), last.Round(time.Millisecond))
	if last > backWithin {
		s.t.Errorf("back in %d games after %v, want at most %v", len(ids), last, backWithin)
	}
}

// quick makes an opponent that answers at once.
const quick = "CASTELLAN_ELO=800"

// TestKilledAtAnyMoment kills the daemon with SIGKILL while three games are played and a fourth may be about to begin. The next
// process is back in all of them in time, finds its moves by searching, and plays them to the end.
func TestKilledAtAnyMoment(t *testing.T) {
	for name, moment := range map[string]func(s *stage, p *own, id string){
		"during the search": func(s *stage, p *own, id string) {
			// The opponent's move is on the board and no answer has been sent.
			s.until("a search", func() bool { return s.plies(id)%2 == 0 })
			p.kill()
		},
		"as the move arrives": func(s *stage, p *own, id string) {
			// The server carries it out; neither the answer nor the line of the stream reaches anybody.
			<-s.at("/move/", func() { p.Process.Kill() })
		},
		"after the answer, before the line": func(s *stage, p *own, id string) {
			n := s.plies(id)
			s.until("a move", func() bool { return s.plies(id) > n })
			p.kill()
		},
		"as a challenge is accepted": func(s *stage, p *own, id string) {
			done := s.at("/accept", func() { p.Process.Kill() })
			s.challenge()
			<-done
		},
		"just after a challenge was accepted": func(s *stage, p *own, id string) {
			challenge := s.challenge()
			s.until("a fourth game", func() bool { _, ok := s.Game(challenge); return ok })
			p.kill()
		},
		"while signing in": func(s *stage, p *own, id string) {
			p.kill()
			done := s.at("/api/account", func() { p.Process.Kill() })
			p = s.start("own")
			<-done
			p.kill()
			done = s.at("/api/stream/event", func() { p.Process.Kill() })
			p = s.start("own")
			<-done
			p.kill()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.start("other", quick)
			p := s.start("own")
			var ids []string
			for _, fen := range []string{"4k3/8/8/8/8/8/4P3/3QK3 w - - 0 1", "4k3/8/8/8/8/8/4P3/4KQ2 w - - 0 1", "4k3/8/8/8/8/8/3QP3/4K3 w - - 0 1"} {
				ids = append(ids, s.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 8 * time.Second, Increment: 100 * time.Millisecond, FEN: fen}))
			}
			s.until("some moves", func() bool { return s.plies(ids[0]) >= 4 && s.plies(ids[1]) >= 2 && s.plies(ids[2]) >= 2 })
			moment(s, p, ids[0])
			<-p.gone
			var running []string
			for _, g := range s.Games() {
				if !g.Over() {
					running = append(running, g.ID)
				}
			}
			next := s.start("own")
			s.back(next, running...)
			if strings.Contains(name, "challenge") {
				s.until("a fourth game", func() bool { return len(s.Games()) == 4 })
				fourth := s.Games()[3].ID
				s.until("a move in the fourth game", func() bool { return s.plies(fourth) > 0 })
			}
			for _, id := range ids {
				s.finished(id)
			}
			if log := next.logged(); strings.Contains(log, `"source":"fallback"`) || !strings.Contains(log, `"source":"search"`) {
				t.Error("the new process did not find its moves by searching")
			}
			noIllegalMove(t, p, next)
		})
	}
}

func (s *stage) challenge() (id string) {
	s.t.Helper()
	id, err := s.Challenge("Person", "Castellan", sandbox.ChallengeSetup{HasClock: true, Limit: 180, Color: lichess.ColorBlack})
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// noIllegalMove checks that no process sent a move that the position did not have. A move that came too late is no such one.
func noIllegalMove(t *testing.T, all ...*own) {
	t.Helper()
	for _, p := range all {
		for line := range strings.Lines(p.logged()) {
			for _, refusal := range []string{"Invalid UCI", "No piece on", "Not my piece", "cannot move to", "Cannot promote"} {
				if strings.Contains(line, refusal) {
					t.Errorf("an illegal move was sent: %s", line)
				}
			}
		}
	}
}

// TestRollingRestart replaces the daemon while it has a bullet game with ten seconds on the clock and no increment, in each of
// the ways in which that is done.
func TestRollingRestart(t *testing.T) {
	for name, replace := range map[string]func(s *stage, old *own) (next *own){
		"one after the other": func(s *stage, old *own) *own {
			old.signal(syscall.SIGTERM)
			code, took := old.exit()
			if code != 0 {
				s.t.Errorf("exit code %d", code)
			}
			s.t.Logf("left in %v", took.Round(time.Millisecond))
			return s.start("own")
		},
		"side by side": func(s *stage, old *own) *own {
			next := s.start("own")
			s.until("the next process online", func() bool { return strings.Contains(next.logged(), `"msg":"online"`) })
			old.signal(syscall.SIGTERM)
			if code, _ := old.exit(); code != 0 {
				s.t.Errorf("exit code %d", code)
			}
			return next
		},
		"killed": func(s *stage, old *own) *own {
			old.kill()
			return s.start("own")
		},
	} {
		t.Run(name, func(t *testing.T) {
			// On a busy machine the game can be over before the new process has come up: then it is another's turn.
			for range 5 {
				if rolls(t, name, replace) {
					return
				}
			}
			t.Error("five games were over before the new process had a move to play")
		})
	}
}

// rolls plays a game in which the daemon is replaced, and tells whether the new process had a part in it.
func rolls(t *testing.T, name string, replace func(s *stage, old *own) (next *own)) bool {
	t.Helper()
	s := newStage(t)
	s.start("other", quick)
	old := s.start("own")
	// Ten seconds for all that is left: an ending that is won in some fifteen moves.
	id := s.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 10 * time.Second, FEN: "8/8/8/4k3/8/8/8/3RK3 w - - 0 1"})
	s.until("some moves", func() bool { return s.plies(id) >= 3 })
	next := replace(s, old)
	if name != "side by side" {
		s.back(next, id)
	}
	g := s.finished(id)
	if g.Status != lichess.StatusMate {
		t.Errorf("the game ended by %s", g.Status)
	}
	noIllegalMove(t, old, next)
	return strings.Contains(next.logged(), `"source":"search"`)
}

// TestSignals ends the daemon in the middle of a long game in each way that the settings allow.
func TestSignals(t *testing.T) {
	for _, tt := range []struct {
		name     string
		env      []string
		second   bool          // a second signal follows
		least    time.Duration // that it goes on playing
		wantLine string
	}{
		{"leave", nil, false, 0, `"msg":"leaving"`},
		{"finish, with a limit", []string{"CASTELLAN_SHUTDOWN=finish", "CASTELLAN_SHUTDOWN_LIMIT=3s"}, false, 3 * time.Second, "games are still running"},
		{"finish, and a second signal", []string{"CASTELLAN_SHUTDOWN=finish"}, true, 0, "second signal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			s.start("other", quick)
			p := s.start("own", tt.env...)
			id := s.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 30 * time.Second})
			s.until("some moves", func() bool { return s.plies(id) >= 2 })
			before := s.plies(id)
			p.signal(syscall.SIGTERM)
			asked := time.Now()
			if tt.second {
				s.until("the first signal", func() bool { return strings.Contains(p.logged(), "taking no more games") })
				p.signal(syscall.SIGINT)
				asked = time.Now()
			}
			code, _ := p.exit()
			took := time.Since(asked)
			t.Logf("left in %v", took.Round(time.Millisecond))
			// Leaving takes some milliseconds; the rest is for a machine that has other things to do.
			if code != 0 || took < tt.least || took > tt.least+3*time.Second || !strings.Contains(p.logged(), tt.wantLine) {
				t.Errorf("exit code %d after %v, want 0 after %v and %s in the log", code, took, tt.least, tt.wantLine)
			}
			if g, _ := s.Game(id); g.Over() {
				t.Errorf("the game ended by %s", g.Status)
			}
			if tt.least > 0 && s.plies(id) == before {
				t.Error("the game was not played on")
			}
		})
	}
}
