package bot_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// TestWeeksOfCorrespondence plays twelve games of three days a move for two weeks of made-up time, over HTTP, with a daemon that
// stops for an hour each three days. The games must take no place, leave no move unanswered, and hold no connection while the
// opponents think.
func TestWeeksOfCorrespondence(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a quarter of a minute")
	}
	synctest.Test(t, func(t *testing.T) {
		p := &post{t: t, pipes: newPipes(net.Pipe)}
		p.server = sandbox.New(sandbox.Options{Seed: 3, KeepAlive: time.Hour})
		p.add(sandbox.Account{Name: "Castellan", Token: "lip_xcastellan", Title: lichess.TitleBot})
		p.add(sandbox.Account{Name: "Visitor", Token: "lip_xvisitor"})
		server := &http.Server{Handler: http.HandlerFunc(p.serve)}
		client := &http.Client{Transport: &http.Transport{DialContext: p.pipes.dial, IdleConnTimeout: time.Minute}}
		p.others.Go(func() { server.Serve(p.pipes) })
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 12 {
			name := fmt.Sprint("friend", i)
			p.add(sandbox.Account{Name: name, Token: "lip_x" + name})
			setup := sandbox.GameSetup{White: "Castellan", Black: name, Days: 3}
			if i%2 == 1 {
				setup.White, setup.Black = setup.Black, setup.White
			}
			id, err := p.server.StartGame(setup)
			if err != nil {
				t.Fatal(err)
			}
			p.games = append(p.games, id)
			p.others.Go(func() { p.write(ctx, client, id, name, rand.New(rand.NewPCG(4, uint64(i)))) })
		}
		p.others.Go(func() { p.look(ctx) })
		spells := min(*weekDays, 5)
		for range spells {
			p.up.Store(true)
			p.live(3*24*time.Hour - time.Hour)
			p.up.Store(false)
			wait(ctx, time.Hour)
		}
		cancel()
		p.server.Close()
		server.Close()
		client.CloseIdleConnections()
		p.others.Wait()
		p.judge(spells)
	})
}

// post is the world of the test.
type post struct {
	t      *testing.T
	server *sandbox.Server
	pipes  *pipes
	others sync.WaitGroup
	games  []string
	up     atomic.Bool // the daemon runs

	open, opened atomic.Int32 // streams of games

	mu       sync.Mutex
	longest  time.Duration // until an answer
	answered int
	streams  int // open at full hours, summed up …
	most     int
	hours    int // … and how many such hours there were
	visits   int // games by the clock that were begun meanwhile
}

func (p *post) add(a sandbox.Account) {
	if err := p.server.AddAccount(a); err != nil {
		p.t.Fatal(err)
	}
}

func (p *post) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, gameStream) {
		p.opened.Add(1)
		p.open.Add(1)
		defer p.open.Add(-1)
	}
	p.server.ServeHTTP(w, r)
}

// write is a friend, who thinks for a day or so and then makes any move.
func (p *post) write(ctx context.Context, client *http.Client, id, name string, random *rand.Rand) {
	for ctx.Err() == nil {
		g, _ := p.server.Game(id)
		position, err := chess.ParseFEN(g.FEN)
		if err != nil {
			p.t.Error(err)
			return
		}
		mine := (position.SideToMove() == chess.White) == (g.White == name)
		if g.Over() {
			return
		}
		if !mine {
			wait(ctx, time.Hour)
			continue
		}
		wait(ctx, time.Duration(4+random.IntN(40))*time.Hour)
		var moves chess.MoveList
		position.LegalMoves(&moves)
		move := position.UCI(moves.At(random.IntN(moves.Len())), true)
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("%s/api/board/game/%s/move/%s", weekURL, id, move), nil)
		r.Header.Set("Authorization", "Bearer lip_x"+name)
		if reply, err := client.Do(r); err == nil {
			io.Copy(io.Discard, reply.Body)
			reply.Body.Close()
			p.await(ctx, id, len(g.Moves)+1)
		}
	}
}

// look takes note each hour of the streams that are open.
func (p *post) look(ctx context.Context) {
	for ; ctx.Err() == nil; wait(ctx, time.Hour) {
		if p.up.Load() {
			p.hours++
			p.streams += int(p.open.Load())
			p.most = max(p.most, int(p.open.Load()))
		}
	}
}

// await takes note of how long the daemon takes to answer the move with that number, for as long as it runs. The answer may have come
// already.
func (p *post) await(ctx context.Context, id string, ply int) {
	for began := time.Now(); p.up.Load() && ctx.Err() == nil; wait(ctx, 5*time.Second) {
		now, _ := p.server.Game(id)
		if len(now.Moves) > ply || now.Over() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.answered++
			p.longest = max(p.longest, time.Since(began))
			return
		}
	}
}

// live runs the daemon, in which one game by the clock at a time is possible, and begins such a game.
func (p *post) live(long time.Duration) {
	opts := quick()
	opts.MaxGames, opts.CorrespondenceRest, opts.CorrespondenceThink = 1, 10*time.Minute, 10*time.Second
	lines := &lockedLines{}
	opts.Log = slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelInfo}))
	client, err := lichess.New(lichess.Options{URL: weekURL, Token: "lip_xcastellan", Dial: p.pipes.dial, KeepLimits: true, IdleTimeout: 3 * time.Hour})
	if err != nil {
		p.t.Fatal(err)
	}
	eng, err := engine.New(engine.Options{HashMB: 1, Threads: 1, Nodes: 50, MoveOverhead: -1})
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	daemon := bot.New(client, eng, opts)
	done := make(chan error, 1)
	go func() { done <- daemon.Run(ctx) }()
	wait(ctx, long/2)
	id, err := p.server.Challenge("Visitor", "Castellan", blitz)
	if err != nil {
		p.t.Error(err)
	}
	wait(ctx, time.Minute)
	if _, began := p.server.Game(id); began {
		p.visits++
	}
	wait(ctx, long/2)
	cancel()
	if err := <-done; err != nil {
		p.t.Error(err)
	}
	eng.Close()
	client.Close()
	for line := range strings.Lines(lines.String()) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			p.t.Error(line)
		}
	}
}

func (p *post) judge(spells int) {
	lost, over, moves := 0, 0, 0
	for _, id := range p.games {
		g, _ := p.server.Game(id)
		moves += len(g.Moves)
		if g.Over() {
			over++
		}
		if g.Status == lichess.StatusOutOfTime {
			lost++
		}
	}
	average := float64(p.streams) / float64(max(p.hours, 1))
	p.t.Logf("%d games, %d moves, %d answers, %d games over, %d on time; longest wait for an answer %v", len(p.games), moves, p.answered, over, lost, p.longest)
	p.t.Logf("streams of games open: %.1f on average, %d at most, opened %d times; games by the clock meanwhile: %d of %d", average, p.most, p.opened.Load(), p.visits, spells)
	if lost > 0 || p.answered < 12*spells {
		p.t.Error("moves were left unanswered")
	}
	if p.longest > 3*time.Minute {
		p.t.Errorf("an answer took %v", p.longest)
	}
	if average > 2 {
		p.t.Errorf("%.1f streams are open on average", average)
	}
	if p.visits != spells {
		p.t.Errorf("%d of %d games by the clock were possible", p.visits, spells)
	}
}
