package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/engine/tablebase"
)

var smallTables = filepath.Join("tablebase", "testdata", "tables")

func openTables(t *testing.T, directories ...string) *tablebase.Tables {
	t.Helper()
	tables, err := tablebase.Open(directories)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() }) // after the engine, which is made later
	return tables
}

func TestThinkWithTables(t *testing.T) {
	const (
		won   = "8/8/8/3k4/8/8/8/K6R w - - 0 1"
		drawn = "8/4k3/8/3KP3/8/8/8/8 b - - 0 1"
		lost  = "8/8/8/3k4/8/8/8/K6R b - - 0 1"
	)
	for _, test := range []struct {
		name, fen string
		change    func(*Options)
		limits    Limits
		source    Source
		score     Score
	}{
		{"won", won, nil, Limits{Nodes: 500}, SourceTablebase, search.TableWin},
		{"drawn", drawn, nil, Limits{Depth: 4}, SourceTablebase, 0},
		{"lost", lost, nil, Limits{Nodes: 500}, SourceTablebase, -search.TableWin},
		{"too late", "8/8/8/3k4/8/8/8/K6R w - - 80 70", nil, Limits{Nodes: 500}, SourceTablebase, 1},
		{"just saved", "8/8/8/3k4/8/8/8/K6R b - - 80 70", nil, Limits{Nodes: 500}, SourceTablebase, -1},
		{"never too late", "8/8/8/3k4/8/8/8/K6R w - - 80 70", func(o *Options) { o.Endless = true }, Limits{Nodes: 500}, SourceTablebase, search.TableWin},
		{"a mate in sight", "7k/5K2/8/8/8/8/8/6R1 w - - 0 1", nil, Limits{Depth: 4}, SourceTablebase, search.MateIn(1)},
		{"more men than allowed", won, func(o *Options) { o.TableMen = 2 }, Limits{Depth: 2}, SourceSearch, 0},
		{"off", won, func(o *Options) { o.TableMen = -1 }, Limits{Depth: 2}, SourceSearch, 0},
		{"a weaker level", won, func(o *Options) { o.Elo = MinElo }, Limits{Depth: 2}, SourceSearch, 0},
		{"a mate to find", won, nil, Limits{Mate: 1, Depth: 2}, SourceSearch, 0},
		{"several lines", won, nil, Limits{MultiPV: 2, Depth: 2}, SourceSearch, 0},
		{"no such table", "8/8/8/3k4/8/8/8/K5BR w - - 0 1", nil, Limits{Depth: 2}, SourceSearch, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Tables: openTables(t, smallTables)}
			if test.change != nil {
				test.change(&o)
			}
			var last Info
			test.limits.Report = func(i Info) {
				if i.MultiPV == 1 {
					last = i
				}
			}
			g := game(t, test.fen)
			d, err := newEngine(t, o).Think(t.Context(), g, test.limits)
			if err != nil || d.Source != test.source || !g.Position().IsLegal(d.Move) {
				t.Fatalf("%v by %v, %v; want one by %v", d.Move, d.Source, err, test.source)
			}
			if test.source == SourceTablebase && d.Score != test.score {
				t.Errorf("score %v, want %v", d.Score, test.score)
			}
			if test.source == SourceTablebase && (last.TableHits == 0 || last.Score != d.Score || last.PV[0] != d.Move || d.PV[0] != d.Move) {
				t.Errorf("played %v with %v, told %v with %v and %d hits", d.Move, d.Score, last.PV, last.Score, last.TableHits)
			}
		})
	}
}

// TestDrawnRootIsSearched: below a root that the tables know the search looks nothing up, so that it sees how a draw can be lost.
func TestDrawnRootIsSearched(t *testing.T) {
	var last Info
	g := game(t, "8/8/4k3/8/4P3/4K3/8/8 w - - 0 1")
	d, err := newEngine(t, Options{Tables: openTables(t, smallTables)}).Think(t.Context(), g, Limits{Depth: 6, Report: func(i Info) { last = i }})
	if err != nil || d.Source != SourceTablebase || d.Score != 0 || last.TableHits != uint64(g.Position().CountMoves()) {
		t.Errorf("%v with %v by %v, %v; %d hits, want one for each move", d.Move, d.Score, d.Source, err, last.TableHits)
	}
}

// TestSearchMovesWithTables: the tables choose among the moves that the caller allows.
func TestSearchMovesWithTables(t *testing.T) {
	e := newEngine(t, Options{Tables: openTables(t, smallTables)})
	g := game(t, "8/8/8/8/8/3k4/4R3/7K w - - 0 1")
	loses, err := g.Position().ParseUCI("h1h2")
	if err != nil {
		t.Fatal(err)
	}
	d, err := e.Think(t.Context(), g, Limits{Depth: 3, SearchMoves: []chess.Move{loses}})
	if err != nil || d.Move != loses || d.Score != 0 || d.Source != SourceTablebase {
		t.Errorf("%v with %v by %v, %v", d.Move, d.Score, d.Source, err)
	}
	if d, err := e.Think(t.Context(), g, Limits{Depth: 3, SearchMoves: []chess.Move{chess.NoMove}}); err == nil {
		t.Errorf("%v out of none", d.Move)
	}
}

// TestWinsWithTables plays won endings out with hardly a thought, the loser by the tables too.
func TestWinsWithTables(t *testing.T) {
	directory := smallTables
	endings := []string{
		"8/8/8/3k4/8/8/8/K6R w - - 0 1",
		"8/8/8/3k4/8/8/8/K6R w - - 70 90", // 29 plies to mate
		"8/8/8/3k4/8/8/8/K5Q1 w - - 0 1",
		"8/4k3/8/4K3/8/4P3/8/8 w - - 0 1",
	}
	all := os.Getenv("SYZYGY_DIR")
	if all == "" {
		all = filepath.Join("..", "..", "shared", "syzygy")
	}
	if _, err := os.Stat(filepath.Join(all, "KQvKR.rtbz")); err == nil {
		directory = all
		endings = append(endings,
			"7K/8/8/8/8/2k5/2n5/2b5 b - - 0 1",
			"7K/8/8/8/8/2k5/2n5/2b5 b - - 40 80",
			"8/3kr3/8/8/8/8/8/KQ6 w - - 0 1",
			"8/3kr3/8/8/8/8/8/KQ6 w - - 36 80")
	} else {
		t.Logf("bishop and knight against king and queen against rook are left out: there are no tables in %s: SYZYGY_DIR names another folder", all)
	}
	tables := openTables(t, directory)
	e := newEngine(t, Options{Tables: tables})
	for _, fen := range endings {
		g := game(t, fen)
		winner := g.Position().SideToMove()
		for !g.Outcome().Over() {
			d, err := e.Think(t.Context(), g, Limits{Nodes: 300})
			if err != nil || d.Source != SourceTablebase {
				t.Fatalf("%s: %v by %v, %v", g.Position().FEN(), d.Move, d.Source, err)
			}
			before, _ := tables.ProbeDTZ(g.Position())
			if err := g.Play(d.Move); err != nil {
				t.Fatal(err)
			}
			// What the tables win they bring nearer with each move, but on the way to a mate in sight.
			if after, ok := tables.ProbeDTZ(g.Position()); d.Score == search.TableWin && before > 2 && (!ok || -after >= before) {
				t.Errorf("%v in %s: distance %d after %d", d.Move, fen, after, before)
			}
		}
		o := g.Outcome()
		t.Logf("%s: %v after %d plies", fen, o, g.Ply())
		if !o.Decisive || o.Winner != winner {
			t.Errorf("%s: %v after %d plies", fen, o, g.Ply())
		}
	}
}

// TestWithoutDistances has only results of positions.
func TestWithoutDistances(t *testing.T) {
	directory := t.TempDir()
	for _, name := range []string{"KQvK.rtbw", "KRvK.rtbw", "KPvK.rtbw", "KBvK.rtbw", "KNvK.rtbw"} {
		data, err := os.ReadFile(filepath.Join(smallTables, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(directory, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e := newEngine(t, Options{Tables: openTables(t, directory)})
	g := game(t, "8/4k3/8/4K3/8/4P3/8/8 w - - 0 1")
	if d, err := e.Think(t.Context(), g, Limits{Depth: 8}); err != nil || d.Source != SourceTablebase || d.Score != search.TableWin {
		t.Fatalf("%v with %v by %v, %v", d.Move, d.Score, d.Source, err)
	}
	for !g.Outcome().Over() {
		d, err := e.Think(t.Context(), g, Limits{Nodes: 3000})
		if err != nil || d.Source != SourceTablebase {
			t.Fatalf("%s: %v by %v, %v", g.Position().FEN(), d.Move, d.Source, err)
		}
		if err := g.Play(d.Move); err != nil {
			t.Fatal(err)
		}
	}
	if o := g.Outcome(); !o.Decisive || o.Winner != chess.White {
		t.Errorf("%v after %d plies", o, g.Ply())
	}
}

// TestDamagedTable: the engine says which table it is, once, and thinks for itself.
func TestDamagedTable(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "KRvK.rtbw")
	if err := os.WriteFile(path, make([]byte, 80), 0o666); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, Options{Tables: openTables(t, directory)})
	g := game(t, "8/8/8/3k4/8/8/8/K6R w - - 0 1")
	d, err := e.Think(t.Context(), g, Limits{Depth: 3})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", path)) || d.Source != SourceSearch || !g.Position().IsLegal(d.Move) {
		t.Errorf("%v by %v, %v", d.Move, d.Source, err)
	}
	if d, err := e.Think(t.Context(), g, Limits{Depth: 3}); err != nil || d.Source != SourceSearch {
		t.Errorf("told again: %v by %v, %v", d.Move, d.Source, err)
	}
}

// TestTablesForManyGames asks from several games at once.
func TestTablesForManyGames(t *testing.T) {
	e := newEngine(t, Options{Threads: 2, Tables: openTables(t, smallTables)})
	done := make(chan string)
	for i := range 6 {
		go func() {
			p, _ := chess.ParseFEN([]string{"8/8/8/1k6/8/8/r2R4/3K4 w - - 0 1", "8/8/8/3k4/8/8/8/K6R w - - 0 1"}[i%2])
			d, err := e.Think(t.Context(), chess.NewGame(p, chess.LichessBot), Limits{Nodes: 5000})
			done <- fmt.Sprintf("%d %v %v", i%2, d.Source, err)
		}()
	}
	for range 6 {
		if got := <-done; got != "1 tablebase <nil>" && got != "0 tablebase <nil>" {
			t.Error(got)
		}
	}
}

func TestInTables(t *testing.T) {
	tables := openTables(t, smallTables)
	for _, test := range []struct {
		fen  string
		set  func(*Options)
		want bool
	}{
		{"8/8/8/4k3/8/8/8/3QK3 w - - 0 1", nil, true},
		{"8/8/8/4k3/8/8/8/3QK3 w - - 0 1", func(o *Options) { o.Tables = nil }, false},
		{"8/8/8/4k3/8/8/8/3QK3 w - - 0 1", func(o *Options) { o.Elo = 1500 }, false},
		{"8/8/8/4k3/8/8/8/3QK3 w - - 0 1", func(o *Options) { o.TableMen = -1 }, false},
		{"8/8/8/4k3/8/8/8/2NQK3 w - - 0 1", nil, false}, // no such table
		{"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", nil, false},  // may castle
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", nil, false},
	} {
		o := Options{HashMB: 1, Tables: tables}
		if test.set != nil {
			test.set(&o)
		}
		p, err := chess.ParseFEN(test.fen)
		if err != nil {
			t.Fatal(err)
		}
		if got := newEngine(t, o).InTables(chess.NewGame(p, chess.LichessBot)); got != test.want {
			t.Errorf("%s, %+v: %v", test.fen, o, got)
		}
	}
}
