package search

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine/chess"
	"castellan/engine/eval"
)

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

func TestMates(t *testing.T) {
	tests := []struct {
		fen   string
		depth int
		moves int // as Score.Mate counts; the sign matters, and no longer mate will do
	}{
		{"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 4, 1},
		{"r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1", 4, 1},
		{"2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", 40, 2},
		{"7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", 8, 2},
		{"7k/8/5K2/8/8/8/8/6Q1 b - - 0 1", 6, -1},
	}
	for _, tt := range tests {
		r := think(t, tt.fen, Limits{Depth: tt.depth, Nodes: 2_000_000})
		n, ok := r.Score.Mate()
		if !ok || tt.moves > 0 && (n < 1 || n > tt.moves) || tt.moves < 0 && (n > -1 || n < tt.moves) {
			t.Errorf("%s: %v, want mate in %d", tt.fen, r.Score, tt.moves)
		}
	}
}

func TestTactics(t *testing.T) {
	tests := []struct {
		name, fen, best string
		depth           int
	}{
		{"take the queen", "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "e4d5", 3},
		{"knight fork", "r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "b5c7", 5},
		{"skewer", "4q3/8/8/4k3/8/8/8/1R4K1 w - - 0 1", "b1e1", 5},
		{"promote", "8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 5},
		{"promote to a knight with mate", "6br/5Ppk/7p/8/8/8/8/K7 w - - 0 1", "f7f8n", 4},
		{"give the queen for mate", "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", "g3g6", 40},
	}
	for _, tt := range tests {
		r := think(t, tt.fen, Limits{Depth: tt.depth, Nodes: 2_000_000})
		if r.Move.String() != tt.best {
			t.Errorf("%s: %v, want %s (%v, %v)", tt.name, r.Move, tt.best, r.Score, r.PV)
		}
	}
}

func TestSameSearchTwice(t *testing.T) {
	for _, limits := range []Limits{{Depth: 9}, {Nodes: 50_000}} {
		a, b := think(t, kiwipete, limits), think(t, kiwipete, limits)
		a.Time, b.Time = 0, 0
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("two searches with the same limits differ:\n%v\n%v", a, b)
		}
	}
}

func TestNodeLimitIsExact(t *testing.T) {
	for _, n := range []uint64{1, 2, 100, 1023, 1024, 1025, 12_345} {
		if r := think(t, kiwipete, Limits{Nodes: n}); r.Nodes != n {
			t.Errorf("limit of %d nodes: searched %d", n, r.Nodes)
		} else if r.Move == chess.NoMove {
			t.Errorf("limit of %d nodes: no move", n)
		}
	}
}

func TestDepthLimit(t *testing.T) {
	if r := think(t, kiwipete, Limits{Depth: 5}); r.Depth != 5 {
		t.Errorf("depth %d, want 5", r.Depth)
	}
	// A bare position is searched to the greatest depth and ends.
	if r := think(t, "8/8/8/8/8/5k2/8/5K1R w - - 0 1", Limits{Depth: 1000, Nodes: 300_000}); r.Depth < 5 {
		t.Errorf("depth %d", r.Depth)
	}
}

func TestSearchMoves(t *testing.T) {
	p := position(t, kiwipete)
	var only []chess.Move
	for _, text := range []string{"a2a3", "h1g1"} {
		m, err := p.ParseUCI(text)
		if err != nil {
			t.Fatal(err)
		}
		only = append(only, m)
	}
	if r := think(t, kiwipete, Limits{Depth: 6, SearchMoves: only}); !slices.Contains(only, r.Move) {
		t.Errorf("move %v is not one of %v", r.Move, only)
	}
}

func TestMultiPV(t *testing.T) {
	var last []Info
	think(t, kiwipete, Limits{Depth: 7, MultiPV: 4, Report: func(i Info) {
		if i.Depth == 7 && i.Bound == Exact {
			last = append(last, i)
		}
	}})
	if len(last) != 4 {
		t.Fatalf("%d lines, want 4", len(last))
	}
	seen := map[chess.Move]bool{}
	for i, info := range last {
		if info.MultiPV != i+1 {
			t.Errorf("line %d is numbered %d", i+1, info.MultiPV)
		}
		if seen[info.PV[0]] {
			t.Errorf("%v begins two lines", info.PV[0])
		}
		seen[info.PV[0]] = true
		if i > 0 && info.Score > last[i-1].Score {
			t.Errorf("line %d scores %v, above %v", i+1, info.Score, last[i-1].Score)
		}
	}
}

func TestLinesAreLegal(t *testing.T) {
	fens := []string{
		kiwipete,
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
		"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
		"4k3/8/8/8/8/8/1r6/K6q w - - 0 1",
	}
	for _, fen := range fens {
		think(t, fen, Limits{Depth: 9, Report: func(i Info) {
			p := position(t, fen)
			for n, m := range i.PV {
				if !p.IsLegal(m) {
					t.Errorf("%s depth %d: move %d of %v is not legal", fen, i.Depth, n+1, i.PV)
					return
				}
				p = p.Play(m)
			}
			if len(i.PV) == 0 {
				t.Errorf("%s depth %d: no line", fen, i.Depth)
			}
			if i.SelDepth < i.Depth {
				t.Errorf("%s depth %d: deepest is %d", fen, i.Depth, i.SelDepth)
			}
		}})
	}
}

func TestNoMoves(t *testing.T) {
	for _, fen := range []string{
		"R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", // mated
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",    // stalemate
	} {
		_, err := Run(t.Context(), newThreads(t, 1), Job{Position: position(t, fen)}, nil)
		if err != ErrNoMoves {
			t.Errorf("%s: error %v, want %v", fen, err, ErrNoMoves)
		}
	}
}

// Stalemate is the only way out for white here, and a blunder for black there.
func TestStalemate(t *testing.T) {
	r := think(t, "7k/6qp/8/8/8/8/5Q2/7K w - - 0 1", Limits{Depth: 8})
	if _, ok := r.Score.Mate(); ok {
		t.Errorf("score %v", r.Score)
	}
	// King to f6 or f7 wins; queen to f7 would be stalemate.
	r = think(t, "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", Limits{Depth: 6})
	if n, ok := r.Score.Mate(); !ok || n > 2 {
		t.Errorf("score %v by %v, want a mate in 2 at most", r.Score, r.Move)
	}
}

func TestNodesDoNotAllocate(t *testing.T) {
	threads := newThreads(t, 1)
	p := position(t, kiwipete)
	allocs := func(depth int) float64 {
		return testing.AllocsPerRun(3, func() {
			threads[0].table.Clear()
			threads[0].Clear()
			if _, err := Run(t.Context(), threads, Job{Position: p, Limits: Limits{Depth: depth}}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	// A search allocates to start and to end; more nodes add nothing.
	if few, many := allocs(2), allocs(9); many > few+10 {
		t.Errorf("%v allocations at depth 2 and %v at depth 9", few, many)
	}
}

// panicking fails in the middle of a search.
type panicking struct {
	*eval.Evaluator
	left int
}

func (e *panicking) Score(p *chess.Position) int {
	if e.left--; e.left < 0 {
		panic("broken weights")
	}
	return e.Evaluator.Score(p)
}

func TestPanicGivesALegalMoveAndAnError(t *testing.T) {
	table, err := NewTable(1)
	if err != nil {
		t.Fatal(err)
	}
	p := position(t, kiwipete)
	for bad := range 2 {
		threads := []*Thread{NewThread(table, eval.New()), NewThread(table, eval.New())}
		threads[bad].eval = &panicking{eval.New(), 500}
		r, err := Run(t.Context(), threads, Job{Position: p}, nil)
		if err == nil {
			t.Errorf("thread %d: no error", bad)
		}
		if !p.IsLegal(r.Move) {
			t.Errorf("thread %d: move %v is not legal", bad, r.Move)
		}
	}
}
