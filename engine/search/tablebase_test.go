package search

import (
	"path/filepath"
	"testing"

	"castellan/engine/chess"
	"castellan/engine/tablebase"
)

func smallTables(t *testing.T) Tablebases {
	t.Helper()
	tables, err := tablebase.Open([]string{filepath.Join("..", "tablebase", "testdata", "tables")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() })
	return Tablebases{Tables: tables, Men: 7, Depth: 1}
}

// withTables searches a position with tables and returns the answer with the hits of the last report.
func withTables(t *testing.T, fen string, b Tablebases, limits Limits) (Result, uint64) {
	t.Helper()
	var last Info
	limits.Report = func(i Info) { last = i }
	r, err := Run(t.Context(), newThreads(t, 1), Job{Position: position(t, fen), Tables: b, Limits: limits}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, last.TableHits
}

func TestTablesInTheSearch(t *testing.T) {
	tables := smallTables(t)
	for _, test := range []struct {
		name, fen  string
		depth      int
		move       string
		least, max Score
	}{
		// Too far from mate to see it: the tables know what the exchange leads to.
		{"a won exchange", "8/8/8/1k6/8/8/r2R4/3K4 w - - 0 1", 4, "d2a2", TableWin - 10, TableWin},
		{"the right recapture", "8/8/8/8/1k1r4/8/3R4/3K4 w - - 0 1", 4, "d2d4", TableWin - 10, TableWin},
		{"a mate is more than a win", "8/8/8/8/8/1r1k4/8/3K2R1 b - - 0 1", 6, "b3b1", MateIn(3), MateIn(1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, hits := withTables(t, test.fen, tables, Limits{Depth: test.depth})
			t.Logf("%v %v (%d), %d hits", r.Move, r.Score, r.Score, hits)
			if r.Move.String() != test.move || r.Score < test.least || r.Score > test.max {
				t.Errorf("%v with %d; want %s with %d to %d", r.Move, r.Score, test.move, test.least, test.max)
			}
		})
	}
}

func TestTableLimits(t *testing.T) {
	const fen = "8/8/8/1k6/8/8/r2R4/3K4 w - - 0 1"
	for _, test := range []struct {
		name       string
		men, depth int
		hits       bool
	}{
		{"all", 7, 1, true},
		{"no men", 0, 1, false},
		{"too few men", 2, 1, false},
		{"three men, deep enough", 3, 2, true},
		{"three men, not so deep", 3, 90, false},
		{"four men from a depth on, three always", 4, 90, true},
	} {
		b := smallTables(t)
		b.Men, b.Depth = test.men, test.depth
		if _, hits := withTables(t, fen, b, Limits{Depth: 5}); (hits > 0) != test.hits {
			t.Errorf("%s: %d hits, want some: %t", test.name, hits, test.hits)
		}
	}
	// No move takes a man or moves a pawn.
	if _, hits := withTables(t, "8/8/8/3k4/8/8/8/K6R w - - 0 1", smallTables(t), Limits{Depth: 3}); hits != 0 {
		t.Errorf("%d hits where the half-move clock is not zero", hits)
	}
	if _, hits := withTables(t, fen, Tablebases{Men: 7, Depth: 1}, Limits{Depth: 5}); hits != 0 {
		t.Errorf("%d hits without tables", hits)
	}
}

// TestTableValues: wins out of reach of the 50-move rule are draws, nearly.
func TestTableValues(t *testing.T) {
	for _, test := range []struct {
		wdl     tablebase.WDL
		endless bool
		v       int
		bound   Bound
	}{
		{tablebase.Win, false, 24997, Lower},
		{tablebase.CursedWin, false, 1, Exact},
		{tablebase.Draw, false, 0, Exact},
		{tablebase.BlessedLoss, false, -1, Exact},
		{tablebase.Loss, false, -24997, Upper},
		{tablebase.CursedWin, true, 24997, Lower},
		{tablebase.BlessedLoss, true, -24997, Upper},
		{tablebase.Draw, true, 0, Exact},
	} {
		if v, bound := tableValue(test.wdl, test.endless, 3); v != test.v || bound != test.bound {
			t.Errorf("%v, %t: %d, %d; want %d, %d", test.wdl, test.endless, v, bound, test.v, test.bound)
		}
	}
	if _, mate := TableWin.Mate(); mate || int(TableWin)-MaxPly <= maxStatic || int(TableWin) >= mateBound {
		t.Error("wins by a table do not lie between evaluations and mates")
	}
}

// TestTableScoresInTheTable: like mates they count from where they are met.
func TestTableScoresInTheTable(t *testing.T) {
	table, err := NewTable(1)
	if err != nil {
		t.Fatal(err)
	}
	table.store(7, 5, entry{move: chess.NoMove, score: int(TableWin) - 9, depth: 3, bound: Lower})
	if e, ok := table.probe(7, 2); !ok || e.score != int(TableWin)-6 {
		t.Errorf("score %d at ply 2 for one of %d stored at ply 5", e.score, int(TableWin)-9)
	}
	table.store(8, 5, entry{move: chess.NoMove, score: -int(TableWin) + 9, depth: 3, bound: Upper})
	if e, ok := table.probe(8, 2); !ok || e.score != -int(TableWin)+6 {
		t.Errorf("score %d at ply 2 for one of %d stored at ply 5", e.score, -int(TableWin)+9)
	}
}
