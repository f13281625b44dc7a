package bot_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// BenchmarkMoveLatency measures the time from the server's writing the opponent's move to the arrival of the bot's: the real
// daemon and the real sandbox, over loopback HTTP, with an engine that looks at one node. An operation is one move of the bot.
//
// The opponents answer after a random time of up to "think". Where that is 0 the machine is always full, and with many games
// what is measured is how long it takes to move in all of them.
func BenchmarkMoveLatency(b *testing.B) {
	for _, load := range []struct {
		games int
		think time.Duration
	}{{1, 0}, {64, 200 * time.Millisecond}, {64, 0}} {
		b.Run(fmt.Sprintf("games=%d/think=%v", load.games, load.think), func(b *testing.B) {
			games := load.games
			d := newDuel(b, load.think)
			// Warm up: all games begun, all connections open.
			d.play(games, 20*games)
			d.samples = nil
			b.ResetTimer()
			used := processTime(b)
			d.play(games, b.N)
			b.StopTimer()
			used = processTime(b) - used
			for _, q := range []struct {
				name  string
				share float64
			}{{"p50-ms", 0.50}, {"p95-ms", 0.95}, {"p99-ms", 0.99}, {"max-ms", 1}} {
				b.ReportMetric(float64(d.quantile(q.share))/float64(time.Millisecond), q.name)
			}
			// Where others use the processors too, this tells what is ours: the bot, the server and the opponent together.
			b.ReportMetric(float64(used)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
		})
	}
}

// duel is a bot and an opponent without thought, who plays inside the server's process and so takes no part in what is measured.
type duel struct {
	b       *testing.B
	think   time.Duration // the opponent's, at most
	server  *sandbox.Server
	url     string
	mu      sync.Mutex
	games   map[string]*duelGame
	left    int // moves of the bot until the end of the measurement
	end     chan struct{}
	samples []time.Duration
	answers sync.WaitGroup // of the opponent, still to come
}

type duelGame struct {
	board   *chess.Game
	written time.Time     // when the position in which the bot is to move was written; zero when it is not its turn
	open    chan struct{} // closed with the first line to the bot
	once    sync.Once
}

func newDuel(b *testing.B, think time.Duration) *duel {
	d := &duel{b: b, think: think, games: map[string]*duelGame{}, server: sandbox.New(sandbox.Options{BotGamesPerDay: -1})}
	for _, a := range []sandbox.Account{
		{Name: "Castellan", Token: "lip_xcastellan", Title: lichess.TitleBot},
		{Name: "Rival", Token: "lip_xrival", Title: lichess.TitleBot},
	} {
		if err := d.server.AddAccount(a); err != nil {
			b.Fatal(err)
		}
	}
	front := httptest.NewServer(http.HandlerFunc(d.serve))
	b.Cleanup(front.Close)
	b.Cleanup(func() { d.server.Close() })
	d.url = front.URL

	client, err := lichess.New(lichess.Options{URL: d.url, Token: "lip_xcastellan"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	eng, err := engine.New(engine.Options{HashMB: 1, Threads: runtime.GOMAXPROCS(0), Nodes: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(eng.Close)
	opts := quick()
	opts.MaxGames = 100
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- bot.New(client, eng, opts).Run(ctx) }()
	b.Cleanup(func() { cancel(); <-done })
	return d
}

// serve is the sandbox with a watch on the lines to the bot and on its moves.
func (d *duel) serve(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	if id, ok := strings.CutPrefix(r.URL.Path, "/api/bot/game/stream/"); ok {
		d.server.ServeHTTP(&watchedLines{ResponseWriter: w, duel: d, id: id}, r)
		return
	}
	parts := strings.Split(r.URL.Path, "/") // "", api, bot, game, ID, move, UCI
	if len(parts) != 7 || parts[5] != "move" {
		d.server.ServeHTTP(w, r)
		return
	}
	d.mu.Lock()
	g := d.games[parts[4]]
	if g == nil {
		d.mu.Unlock()
		d.server.ServeHTTP(w, r)
		return
	}
	if !g.written.IsZero() {
		d.samples = append(d.samples, arrived.Sub(g.written))
		g.written = time.Time{}
	}
	d.mu.Unlock()
	d.server.ServeHTTP(w, r)
	d.moved(parts[4], parts[6])
}

// watchedLines notes when a position in which the bot is to move is written.
type watchedLines struct {
	http.ResponseWriter
	duel *duel
	id   string
}

func (w *watchedLines) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watchedLines) Write(line []byte) (int, error) {
	if _, rest, ok := bytes.Cut(line, []byte(`"moves":"`)); ok {
		moves, _, _ := bytes.Cut(rest, []byte(`"`))
		d := w.duel
		d.mu.Lock()
		// The bot is Black in all games.
		if g := d.games[w.id]; g != nil {
			g.once.Do(func() { close(g.open) })
			if len(bytes.Fields(moves))%2 == 1 {
				g.written = time.Now()
			}
		}
		d.mu.Unlock()
	}
	return w.ResponseWriter.Write(line)
}

// play lets so many games go on until the bot has made so many moves in them.
func (d *duel) play(games, moves int) {
	d.mu.Lock()
	d.left, d.end = moves, make(chan struct{})
	end := d.end
	running := make([]string, 0, games)
	for id := range d.games {
		running = append(running, id)
	}
	d.mu.Unlock()
	for _, id := range running {
		d.answer(id)
	}
	for range games - len(running) {
		// One after the other: the server drops events that wait for a slow reader.
		select {
		case <-d.begin():
		case <-time.After(patience):
			d.b.Fatal("the bot does not come to its game")
		}
	}
	<-end
	d.answers.Wait()
	// Those still on their way are waited for, so that the next measurement finds the bot idle.
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		busy := false
		for id, g := range d.games {
			select {
			case <-g.open:
				busy = busy || g.board.Position().SideToMove() == chess.Black
			default:
				// Its beginning may be among the events that the server dropped.
				if time.Until(deadline) < patience/2 {
					delete(d.games, id)
				}
				busy = true
			}
		}
		d.mu.Unlock()
		switch {
		case !busy:
			return
		case time.Now().After(deadline):
			d.b.Fatalf("the bot does not move in some of %d games", len(d.games))
		}
	}
}

// begin starts a game and plays its first move. The channel is closed when the bot has opened the game's stream.
func (d *duel) begin() <-chan struct{} {
	d.mu.Lock() // the stream must not be opened before the game is known here
	id, err := d.server.StartGame(sandbox.GameSetup{White: "Rival", Black: "Castellan", Limit: time.Hour})
	if err != nil {
		d.mu.Unlock()
		d.b.Error(err)
		return nil
	}
	g := &duelGame{board: chess.NewGame(chess.StartPosition(), chess.LichessBot), open: make(chan struct{})}
	d.games[id] = g
	d.mu.Unlock()
	d.answer(id)
	return g.open
}

// moved takes note of a move of the bot and answers it.
func (d *duel) moved(id, uci string) {
	d.mu.Lock()
	g := d.games[id]
	if err := g.board.PlayUCI(uci); err != nil {
		d.b.Error(err)
	}
	if d.left--; d.left == 0 {
		close(d.end)
	}
	left, over := d.left, g.board.Outcome().Over()
	if over {
		delete(d.games, id)
	}
	d.mu.Unlock()
	switch {
	case over && left > 0:
		d.begin()
	case left > 0:
		d.answer(id)
	}
}

// answer plays any move for White, after a while.
func (d *duel) answer(id string) {
	if d.think == 0 {
		d.answerNow(id)
		return
	}
	d.answers.Add(1)
	time.AfterFunc(rand.N(d.think), func() {
		defer d.answers.Done()
		d.answerNow(id)
	})
}

func (d *duel) answerNow(id string) {
	d.mu.Lock()
	if d.left <= 0 {
		d.mu.Unlock()
		return // the next measurement goes on here
	}
	g := d.games[id]
	var legal chess.MoveList
	g.board.Position().LegalMoves(&legal)
	m := legal.At(rand.N(legal.Len()))
	if err := g.board.Play(m); err != nil {
		d.b.Error(err)
	}
	over := g.board.Outcome().Over()
	if over {
		delete(d.games, id)
	}
	d.mu.Unlock()
	r := httptest.NewRequest(http.MethodPost, "/api/bot/game/"+id+"/move/"+m.String(), nil)
	r.Header.Set("Authorization", "Bearer lip_xrival")
	w := httptest.NewRecorder()
	if d.server.ServeHTTP(w, r); w.Code != http.StatusOK {
		d.b.Errorf("%s: %s", r.URL, w.Body)
	}
	if over {
		d.begin()
	}
}

// processTime returns the time that the process has had of the processors.
func processTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (d *duel) quantile(share float64) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.Sort(d.samples)
	if len(d.samples) == 0 {
		d.b.Fatal("nothing was measured")
	}
	return d.samples[min(int(share*float64(len(d.samples))), len(d.samples)-1)]
}
