package engine

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/engine/chess"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

func newEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	if o.HashMB == 0 {
		o.HashMB = 4
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func game(t testing.TB, fen string) *chess.Game {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return chess.NewGame(p, chess.LichessBot)
}

func TestThink(t *testing.T) {
	g := game(t, kiwipete)
	d, err := newEngine(t, Options{}).Think(t.Context(), g, Limits{Depth: 6})
	if err != nil {
		t.Fatal(err)
	}
	if d.Source != SourceSearch || d.Depth != 6 || d.SelDepth < 6 || d.Nodes == 0 || d.Time <= 0 {
		t.Errorf("decision %+v", d)
	}
	if len(d.PV) < 2 || d.PV[0] != d.Move || d.PV[1] != d.Ponder {
		t.Errorf("line %v for %v, then %v", d.PV, d.Move, d.Ponder)
	}
	p := *g.Position()
	for _, m := range d.PV {
		if !p.IsLegal(m) {
			t.Fatalf("%v of line %v is not legal", m, d.PV)
		}
		p = p.Play(m)
	}
}

func TestFinishedGame(t *testing.T) {
	e := newEngine(t, Options{})
	for _, fen := range []string{
		"R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1",
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
	} {
		d, err := e.Think(t.Context(), game(t, fen), Limits{Depth: 3})
		if !errors.Is(err, ErrNoLegalMove) || d.Move != chess.NoMove {
			t.Errorf("%s: %+v, %v", fen, d, err)
		}
	}
	// Drawn by rule but with legal moves: there is an answer.
	for _, fen := range []string{"8/8/4k3/8/8/4K3/8/8 w - - 0 1", "8/8/4k3/8/8/4K3/8/R7 w - - 120 100"} {
		g := game(t, fen)
		d, err := e.Think(t.Context(), g, Limits{Depth: 3})
		if err != nil || !g.Position().IsLegal(d.Move) {
			t.Errorf("%s: %+v, %v", fen, d, err)
		}
	}
}

func TestCancelledBeforeTheCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := game(t, kiwipete)
	d, err := newEngine(t, Options{Threads: 2}).Think(ctx, g, Limits{})
	if err != nil || !g.Position().IsLegal(d.Move) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestClose(t *testing.T) {
	e := newEngine(t, Options{Threads: 2})
	g := game(t, kiwipete)
	started := make(chan struct{})
	var once sync.Once
	done := make(chan error)
	go func() {
		d, err := e.Think(context.Background(), g, Limits{Report: func(Info) { once.Do(func() { close(started) }) }})
		if !g.Position().IsLegal(d.Move) {
			t.Errorf("move %v is not legal", d.Move)
		}
		done <- err
	}()
	<-started
	e.Close()
	if err := <-done; err != nil {
		t.Errorf("a thought ended by Close: %v", err)
	}
	d, err := e.Think(t.Context(), g, Limits{})
	if !errors.Is(err, ErrClosed) || !g.Position().IsLegal(d.Move) {
		t.Errorf("after Close: %+v, %v", d, err)
	}
	e.Close()
}

// Eight games share one thread: each gets its move near its hard limit, and
// none is starved.
func TestManyGamesAtOnce(t *testing.T) {
	e := newEngine(t, Options{Threads: 1, MoveOverhead: -1})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			g := game(t, kiwipete)
			for range 2 {
				start := time.Now()
				d, err := e.Think(t.Context(), g, Limits{MoveTime: 150 * time.Millisecond})
				if err != nil || !g.Position().IsLegal(d.Move) {
					t.Errorf("%+v, %v", d, err)
					return
				}
				if took := time.Since(start); took > time.Second {
					t.Errorf("150ms took %v", took)
				}
				if d.Source != SourceSearch {
					t.Errorf("no iteration was finished: %+v", d)
				}
				if err := g.Play(d.Move); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestNewGameForgets(t *testing.T) {
	e := newEngine(t, Options{})
	nodes := func() uint64 {
		d, err := e.Think(t.Context(), game(t, kiwipete), Limits{Depth: 8})
		if err != nil {
			t.Fatal(err)
		}
		return d.Nodes
	}
	first := nodes()
	if again := nodes(); again == first {
		t.Errorf("%d nodes twice: the table was not used", first)
	}
	e.NewGame()
	if fresh := nodes(); fresh != first {
		t.Errorf("%d nodes at first, %d after NewGame", first, fresh)
	}
}

func TestOptionsTellAllFaults(t *testing.T) {
	_, err := New(Options{HashMB: -3, Threads: 1000, MoveOverhead: time.Hour, MaxMoveTime: -1, Elo: 300})
	if err == nil {
		t.Fatal("no error")
	}
	for _, word := range []string{"hash", "threads", "overhead", "longest", "Elo"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not speak of the %s", err, word)
		}
	}
}

// Many games at once must not make new threads, of a megabyte and a half each, for each move. Some are: a sync.Pool drops a
// quarter of what it is given under the race detector, and a helper may be on its way out of the last move yet.
func TestThreadsAreUsedAgain(t *testing.T) {
	const games, rounds = 32, 20
	e := newEngine(t, Options{Threads: 2})
	g := game(t, kiwipete)
	var before, after runtime.MemStats
	for round := range rounds {
		if round == 1 {
			runtime.ReadMemStats(&before)
		}
		var all sync.WaitGroup
		for range games {
			all.Go(func() {
				if _, err := e.Think(t.Context(), g, Limits{Nodes: 1}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	runtime.ReadMemStats(&after)
	if perMove := (after.TotalAlloc - before.TotalAlloc) / (games * (rounds - 1)); perMove > 1<<20 {
		t.Errorf("%d bytes allocated for a move", perMove)
	}
}

func TestNodesOfTheOptions(t *testing.T) {
	e := newEngine(t, Options{Nodes: 2000})
	g := game(t, kiwipete)
	for asked, most := range map[uint64]uint64{0: 2000, 100: 100, 1 << 40: 2000} {
		d, err := e.Think(t.Context(), g, Limits{Nodes: asked})
		if err != nil || d.Nodes != most {
			t.Errorf("%d nodes, want %d (%v)", d.Nodes, most, err)
		}
	}
}

func TestMeasuredOverheadCounts(t *testing.T) {
	e := newEngine(t, Options{MoveOverhead: 10 * time.Millisecond})
	g := game(t, kiwipete)
	clock := Limits{WTime: 2 * time.Minute, BTime: 2 * time.Minute, Overhead: 119 * time.Second}
	// A tenth of the clock is thought in all the same, a few tenths of a second for this move; without the overhead it would be
	// seconds each time. One time in three is enough on a machine that has other things to do.
	var took []time.Duration
	for range 3 {
		d, err := e.Think(t.Context(), g, clock)
		if err != nil {
			t.Fatal(err)
		}
		if d.Time < 2*time.Second {
			return
		}
		took = append(took, d.Time)
	}
	t.Errorf("a move took %v", took)
}

func TestReproducible(t *testing.T) {
	e := newEngine(t, Options{Nodes: 3000, Reproducible: true})
	want, err := e.Think(t.Context(), game(t, kiwipete), Limits{})
	if err != nil || want.Nodes != 3000 {
		t.Fatalf("%d nodes, %v", want.Nodes, err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			fen := kiwipete
			if i%2 == 1 {
				fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1" // leaves its traces in the tables
			}
			d, err := e.Think(t.Context(), game(t, fen), Limits{WTime: time.Duration(i+1) * time.Millisecond})
			if err != nil || i%2 == 0 && (d.Nodes != want.Nodes || d.Score != want.Score || !slices.Equal(d.PV, want.PV)) {
				t.Errorf("%v %v in %d nodes, want %v %v (%v)", d.PV, d.Score, d.Nodes, want.PV, want.Score, err)
			}
		})
	}
	all.Wait()
	if _, err := New(Options{Reproducible: true}); err == nil {
		t.Error("reproducible without a number of nodes")
	}
}
