package engine

import (
	"bufio"
	"flag"
	"os"
	"slices"
	"testing"

	"castellan/engine/chess"
)

// second is how many nodes a second brings on one thread of a small machine.
const second = 1_200_000

var (
	allTactics   = flag.Bool("tactics", false, "search all positions of testdata/tactics, and not a sample")
	tacticsNodes = flag.Uint64("nodes", second, "with -tactics, how many nodes to search each position with; with fewer than the default the solved ones are only counted")
)

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
		least int
		nodes uint64
		mates bool
		part  float64 // to be solved of the sample
	}{
		{"wins.epd", 200, 100_000, false, 0.7},
		{"mates.epd", 150, 300_000, true, 0.7},
	} {
		positions := epdFile(t, test.file)
		if len(positions) < test.least {
			t.Errorf("%s: %d positions, want %d or more", test.file, len(positions), test.least)
		}
		if *allTactics {
			test.nodes, test.part = *tacticsNodes, 290.0/300
			if *tacticsNodes < second {
				test.part = 0
			}
		} else {
			positions = every(15, positions)
		}
		solved := solve(t, positions, test.nodes, test.mates)
		t.Logf("%s: %d of %d solved with %d nodes each", test.file, solved, len(positions), test.nodes)
		if float64(solved) < test.part*float64(len(positions)) {
			t.Errorf("%s: %d of %d solved, want %.0f %%", test.file, solved, len(positions), 100*test.part)
		}
	}
}
