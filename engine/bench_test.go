package engine

import (
	"fmt"
	"io"
	"testing"

	"castellan/engine/chess"
)

func TestBenchIsDeterministic(t *testing.T) {
	first, err := Bench(t.Context(), 7, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Bench(t.Context(), 7, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if first.Nodes == 0 || first.Nodes != second.Nodes {
		t.Errorf("two runs of bench searched %d and %d nodes; they must be equal", first.Nodes, second.Nodes)
	}
}

func TestBenchPositionsHaveMoves(t *testing.T) {
	if len(benchPositions) != 40 {
		t.Errorf("%d positions, want 40", len(benchPositions))
	}
	for _, fen := range benchPositions {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			t.Errorf("%s: %v", fen, err)
		} else if !p.HasLegalMove() {
			t.Errorf("%s: no legal move", fen)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	b.ReportAllocs()
	var sum BenchResult
	for b.Loop() {
		r, err := Bench(b.Context(), 9, io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		sum.Nodes += r.Nodes
		sum.Time += r.Time
	}
	b.ReportMetric(sum.NPS(), "nodes/s")
}

// BenchmarkTimeToDepth searches the bench positions to one depth with one thread
// and with two: the ratio of the times is the speed-up, that of the nodes what
// it costs.
func BenchmarkTimeToDepth(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			e := newEngine(b, Options{HashMB: 64, Threads: threads})
			var nodes uint64
			for b.Loop() {
				for _, fen := range benchPositions {
					e.NewGame()
					d, err := e.Think(b.Context(), game(b, fen), Limits{Depth: 14})
					if err != nil {
						b.Fatal(err)
					}
					nodes += d.Nodes
				}
			}
			b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
		})
	}
}
