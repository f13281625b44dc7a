package engine

import (
	"bufio"
	"flag"
	"os"
	"slices"
	"testing"

	"castellan/engine/chess"
)

var allTactics = flag.Bool("tactics", false, "search all positions of testdata/tactics, each four times as long, and not a sample")

// epdFile reads the positions of a file with the moves that solve them.
func epdFile(t *testing.T, name string) (positions []chess.EPD) {
	t.Helper()
	file, err := os.Open("../testdata/tactics/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		p, err := chess.ParseEPD(lines.Text())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		positions = append(positions, p)
	}
	return positions
}

// solve counts the positions whose best move, or a forced mate if mates are
// wanted, is found within so many nodes.
func solve(t *testing.T, positions []chess.EPD, nodes uint64, mates bool) (solved int) {
	e := newEngine(t, Options{HashMB: 16})
	for _, p := range positions {
		e.NewGame()
		d, err := e.Think(t.Context(), chess.NewGame(p.Position, chess.FIDE), Limits{Nodes: nodes})
		if err != nil {
			t.Fatal(err)
		}
		best, _ := p.Operands("bm")
		moves, forced := d.Score.Mate()
		if mates && forced && moves > 0 || !mates && slices.Contains(best, p.Position.SAN(d.Move)) {
			solved++
		} else {
			t.Logf("%s: %s with %v", p.String(), p.Position.SAN(d.Move), d.Score)
		}
	}
	return solved
}

// every takes each nth position.
func every(n int, positions []chess.EPD) (sample []chess.EPD) {
	for i := 0; i < len(positions); i += n {
		sample = append(sample, positions[i])
	}
	return sample
}

func TestTactics(t *testing.T) {
	for _, test := range []struct {
		file  string
		nodes uint64
		mates bool
		part  float64 // to be solved
	}{
		{"wins.epd", 100_000, false, 0.7},
		{"mates.epd", 300_000, true, 0.7},
	} {
		positions := epdFile(t, test.file)
		if len(positions) < 60 {
			t.Errorf("%s: %d positions, want 60 or more", test.file, len(positions))
		}
		if *allTactics {
			test.nodes *= 4 // for mates about a second of one thread
		} else {
			positions = every(8, positions)
		}
		solved := solve(t, positions, test.nodes, test.mates)
		t.Logf("%s: %d of %d solved with %d nodes each", test.file, solved, len(positions), test.nodes)
		if float64(solved) < test.part*float64(len(positions)) {
			t.Errorf("%s: %d of %d solved, want %.0f %%", test.file, solved, len(positions), 100*test.part)
		}
	}
}
