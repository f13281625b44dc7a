package uci

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	g := start(t)
	path := filepath.Join("..", "tablebase", "testdata", "tables")
	nowhere := filepath.Join(t.TempDir(), "no where")
	// answer is what a search says of a position.
	answer := func(fen string) string {
		g.send("position fen "+fen, "go nodes 300")
		_, said := g.expect("bestmove")
		return said[len(said)-1]
	}
	const won, late = "8/8/8/3k4/8/8/8/K6R w - - 0 1", "8/8/8/3k4/8/8/8/K6R w - - 80 70"
	g.send("setoption name SyzygyPath value "+nowhere, "isready")
	if _, said := g.expect("readyok"); len(said) != 1 || !strings.Contains(said[0], nowhere) {
		t.Errorf("%q", said)
	}
	if line := answer(won); !strings.Contains(line, " tbhits 0 ") {
		t.Errorf("without tables: %s", line)
	}
	g.send("setoption name SyzygyPath value "+path, "isready")
	if _, said := g.expect("readyok"); len(said) != 1 || said[0] != "info string endgame tables: 7 WDL and 7 DTZ tables with up to 4 men" {
		t.Errorf("%q", said)
	}
	if line := answer(won); !strings.Contains(line, " score cp 25000 ") || strings.Contains(line, " tbhits 0 ") {
		t.Errorf("won: %s", line)
	}
	if line := answer(late); !strings.Contains(line, " score cp 1 ") {
		t.Errorf("too late: %s", line)
	}
	g.send("setoption name Syzygy50MoveRule value false")
	if line := answer(late); !strings.Contains(line, " score cp 25000 ") {
		t.Errorf("without the rule: %s", line)
	}
	g.send("uci")
	_, said := g.expect("uciok")
	if all := strings.Join(said, "\n"); !strings.Contains(all, "SyzygyPath type string default "+path+"\n") ||
		!strings.Contains(all, "Syzygy50MoveRule type check default false") {
		t.Errorf("%s", all)
	}
	for _, off := range []string{"SyzygyProbeLimit value 2", "SyzygyProbeLimit value 0", "SyzygyPath value <empty>", "SyzygyPath value"} {
		g.send("setoption name SyzygyProbeLimit value 7", "setoption name SyzygyPath value "+path, "setoption name "+off)
		if line := answer(won); !strings.Contains(line, " tbhits 0 ") {
			t.Errorf("%s: %s", off, line)
		}
	}
	g.send("setoption name SyzygyProbeDepth value 0", "isready")
	if _, said := g.expect("readyok"); len(said) != 1 || !strings.Contains(said[0], "between 1 and 100") {
		t.Errorf("%q", said)
	}
}
