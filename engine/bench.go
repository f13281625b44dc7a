package engine

import (
	"context"
	"fmt"
	"io"
	"time"

	"castellan/engine/chess"
)

// benchPositions are from games that the engine played with itself after
// eight random plies, and four endings.
var benchPositions = []string{
	"r1bqkb1r/ppp1pppp/n4n2/3p4/1P2P3/P1N3P1/2PP1P1P/R1BQKBNR w KQkq - 0 7",
	"r2q1rk1/4b1p1/1p5p/2pP4/P3QnnP/P4NP1/5PB1/1R3R1K b - - 0 25",
	"8/p3p3/4p3/1p3b2/1P1k1P1p/P7/4K2P/8 w - - 0 44",
	"r2qkbnr/1bppp1p1/1pn2p1p/p7/2P5/2NPPP1P/PP1B2P1/R2QKBNR b KQkq - 0 7",
	"2rr1b1k/1b1q1p2/1pn2n1N/p1p1p3/P3P3/1PBP2Np/4BPP1/2QRR1K1 w - - 1 26",
	"1k6/bp6/2p5/2Pr2p1/6B1/8/8/2R3K1 b - - 0 44",
	"rnbqkbnr/3pp3/2p2p1p/1p4p1/1p1PP3/3B1N2/P1P2PPP/RNBQK2R w KQkq - 0 8",
	"r5k1/1N3ppp/1r6/p2Bn3/P7/1PP1b1P1/7P/R4R1K b - - 2 26",
	"3r4/8/p2r2kp/1p1PR3/1P3pP1/8/5P2/3R2K1 w - - 0 45",
	"r1bqkbnr/2pp2p1/pp3p1p/nP2p2P/P3P3/2N2P2/2PP2P1/R1BQKBNR b KQkq - 0 8",
	"Q7/5k1p/1P2p3/3p1p2/3P1P2/2P5/2KBqP1b/8 w - - 1 27",
	"8/p3p3/4k1pp/P2pPp2/2bP1P1P/4K1P1/2N5/8 b - - 4 45",
	"rnb1kb1r/pp3pp1/2pq3p/8/P5n1/2N2N1B/1PP1PP1P/R1BQK2R w KQkq - 0 9",
	"4rr1k/1p1Nn3/3p1pp1/p2p4/3P4/P4P2/1PP3PP/R1R3K1 b - - 3 27",
	"k7/p1p5/Pp1p1b1p/1P1Pp3/2P1K3/4P1PP/N7/8 w - - 3 46",
	"r3kbr1/ppp1pppp/2n5/3q1b2/2P2P2/1P3N2/P2PB1PP/R1BQK2R b KQq - 0 9",
	"1r4k1/3n1pb1/B1p3pp/p2p2P1/Np1P4/1P2r3/P6B/2RR2K1 w - - 0 28",
	"8/1p1B4/1K6/3pk2p/1p3n2/1P5P/P7/5b2 b - - 0 46",
	"rnbqk2r/pp2n1bp/2p1pp2/P2p2p1/3P4/2PBPNP1/1P3P1P/RNBQ1RK1 w kq - 2 10",
	"4rrk1/pp4b1/3p4/2pQPB1p/2P2q2/1P2R3/P5P1/2R1K3 b - - 1 28",
	"5k2/R7/5P2/2pr3r/p6p/3K4/1R4P1/8 w - - 2 47",
	"r1b1kb1r/p3np1p/1pn5/2pqp1P1/8/2PPBP2/PP1N2P1/R2QKBNR b KQkq - 3 10",
	"1q3rk1/R3brp1/8/1pppP2p/6pP/1nP1P1P1/1PNB1P2/3Q1RK1 w - - 1 29",
	"3r1k2/p1p4R/P5p1/4Bp2/1P6/5P2/5KPP/2r5 b - - 4 47",
	"r3kb1r/ppp1p3/2nq2pp/8/3pP1nP/P2P1N2/1PP2P2/RNBQK2R w KQkq - 0 11",
	"1r1rb2k/2p3b1/p1p1p2q/2P2p2/PP1P1P2/4B1Qp/7P/1RN3RK b - - 10 29",
	"1kr5/p4R2/1p3p2/6p1/5p2/2P5/r4N2/2R3K1 w - - 0 48",
	"r2qkbnr/p1p3pp/1p6/1b1p1p2/1n4P1/1QN1P2P/PP1P1PB1/R1BK2NR b kq - 1 11",
	"6k1/3n2pp/p2p4/8/b1PpNr1P/8/PR3PP1/5R1K w - - 1 30",
	"8/8/1R3kp1/3p3r/4p1p1/r7/P3RPK1/8 b - - 1 48",
	"r1bqkbr1/3ppp1p/2n1n1p1/p1p3P1/4P3/2NP1N2/PBP2P1P/1R1QKB1R w Kq - 4 12",
	"r2r3Q/4qk1R/p1b1np2/1p1p4/2pP2P1/2N2B2/PPP5/1K1R4 b - - 3 30",
	"4r3/6k1/1B4pp/1b6/1P1KB1P1/8/8/8 w - - 0 49",
	"r3k1n1/ppp1ppbr/2q3pp/3p1b2/3N4/1PN1P3/PBPP1PPP/1R1Q1RK1 b q - 1 12",
	"6k1/1p2n3/2pqb1p1/Q3p1p1/1P2B1p1/2Pn4/5P1P/6RK w - - 0 31",
	"7k/7p/3Bp3/1P2P1p1/6Pq/5P2/r5P1/5QK1 b - - 0 49",
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"8/8/8/4k3/8/2N1B3/4K3/8 w - - 0 1",
	"8/5k2/8/3P4/3K4/8/5r2/R7 w - - 0 1",
	"7k/P7/8/8/5p2/4p3/4K3/7b b - - 0 1",
}

const (
	// DefaultBenchDepth takes a few seconds.
	DefaultBenchDepth = 13
	benchHashMB       = 16
)

// BenchResult is the sum over all positions of a bench.
type BenchResult struct {
	Nodes uint64
	Time  time.Duration
}

// NPS is nodes per second.
func (b BenchResult) NPS() float64 { return float64(b.Nodes) / max(b.Time.Seconds(), 1e-9) }

// Bench searches a fixed set of positions to the given depth in plies with one
// thread, and writes a line for each to out. The number of nodes is the same
// on every run and every machine: the fingerprint of the search, which changes
// exactly when its behaviour does. It returns early when ctx ends.
func Bench(ctx context.Context, depth int, out io.Writer) (BenchResult, error) {
	var sum BenchResult
	if depth < 1 {
		return sum, fmt.Errorf("engine: bench to depth %d: choose 1 or more", depth)
	}
	e, err := New(Options{HashMB: benchHashMB, Threads: 1})
	if err != nil {
		return sum, err
	}
	defer e.Close()
	for i, fen := range benchPositions {
		start, err := chess.ParseFEN(fen)
		if err != nil {
			return sum, fmt.Errorf("engine: bench position %d: %w", i+1, err)
		}
		d, err := e.Think(ctx, chess.NewGame(start, chess.FIDE), Limits{Depth: depth})
		if err != nil {
			return sum, fmt.Errorf("engine: bench position %d: %w", i+1, err)
		}
		if ctx.Err() != nil {
			return sum, context.Cause(ctx)
		}
		sum.Nodes += d.Nodes
		sum.Time += d.Time
		if _, err := fmt.Fprintf(out, "%2d/%d  %9d nodes  %-9v %v\n", i+1, len(benchPositions), d.Nodes, d.Score, d.Move); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
