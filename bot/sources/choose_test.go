package sources

import (
	"encoding/json"
	"math"
	"testing"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/engine/tablebase"
	"castellan/lichess"
)

func TestChooseOpening(t *testing.T) {
	moves := []lichess.ExplorerMove{
		{UCI: "e2e5", White: 1000},                     // not legal
		{UCI: "e2e4", White: 50, Draws: 30, Black: 20}, // 100 games, 65 %
		{UCI: "d2d4", White: 10, Draws: 40, Black: 10}, // 60 games, 50 %
		{UCI: "c2c4", White: 30, Draws: 10},            // 40 games, 88 %
		{UCI: "a2a3", White: 9},                        // too few
		{UCI: "h2h3", White: math.MinInt, Black: -7},   // nonsense
	}
	g := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	for _, test := range []struct {
		choice Choice
		at     float64
		want   string
	}{
		{Weighted, 0, "e2e4"}, {Weighted, 0.49, "e2e4"}, {Weighted, 0.51, "d2d4"}, {Weighted, 0.79, "d2d4"}, {Weighted, 0.81, "c2c4"}, {Weighted, 0.9999, "c2c4"},
		{Popular, 0, "e2e4"}, {Score, 0, "c2c4"},
	} {
		if m, ok := chooseOpening(g, moves, test.choice, 10, test.at); !ok || m.String() != test.want {
			t.Errorf("choice %d at %v: %v, want %s", test.choice, test.at, m, test.want)
		}
	}
	if m, ok := chooseOpening(g, moves, Score, 1000, 0); ok {
		t.Errorf("%v has too few games", m)
	}
	// Black's score is Black's.
	if err := g.PlayUCI("e2e4"); err != nil {
		t.Fatal(err)
	}
	black := []lichess.ExplorerMove{{UCI: "c7c5", White: 60, Black: 40}, {UCI: "e7e5", White: 40, Black: 50}, {UCI: "e7e6", White: 90, Draws: 9}}
	if m, _ := chooseOpening(g, black, Score, 1, 0); m.String() != "e7e5" {
		t.Errorf("Black plays %v", m)
	}
	// The knights' way back would repeat the start.
	g = afterMoves(t, "g1f3 g8f6 f3g1")
	if m, ok := chooseOpening(g, []lichess.ExplorerMove{{UCI: "f6g8", White: 99}}, Popular, 1, 0); ok {
		t.Errorf("%v repeats a position", m)
	}
}

func TestReadCloud(t *testing.T) {
	number := func(n int) *int { return &n }
	white, black := afterMoves(t, ""), afterMoves(t, "e2e4")
	castles := gameFrom(t, "4k2r/8/8/8/8/8/8/4K2R w K - 0 1")
	for _, test := range []struct {
		name  string
		g     *chess.Game
		depth int
		pv    lichess.CloudPV
		move  string // "" when it is of no use
		score engine.Score
		line  int
	}{
		{"White's view", white, 30, lichess.CloudPV{Moves: "e2e4 e7e5", CP: number(41)}, "e2e4", 41, 2},
		{"Black's view", black, 30, lichess.CloudPV{Moves: "e7e5", CP: number(41)}, "e7e5", -41, 1},
		{"mate", white, 30, lichess.CloudPV{Moves: "e2e4", Mate: number(3)}, "e2e4", search.MateIn(3), 1},
		{"mated", black, 30, lichess.CloudPV{Moves: "e7e5", Mate: number(3)}, "e7e5", search.MateIn(-3), 1},
		{"endless mate", white, 30, lichess.CloudPV{Moves: "e2e4", Mate: number(math.MaxInt)}, "e2e4", search.MateIn(63), 1},
		{"beyond measure", white, 30, lichess.CloudPV{Moves: "e2e4", CP: number(math.MinInt)}, "e2e4", -20000, 1},
		{"castling as king takes rook", castles, 30, lichess.CloudPV{Moves: "e1h1", CP: number(0)}, "e1h1", 0, 1},
		{"a line that breaks", white, 30, lichess.CloudPV{Moves: "e2e4 e2e4 e7e5", CP: number(1)}, "e2e4", 1, 1},
		{"not deep enough", white, 19, lichess.CloudPV{Moves: "e2e4", CP: number(41)}, "", 0, 0},
		{"not legal", white, 30, lichess.CloudPV{Moves: "e2e5", CP: number(41)}, "", 0, 0},
		{"no move", white, 30, lichess.CloudPV{Moves: " ", CP: number(41)}, "", 0, 0},
		{"no score", white, 30, lichess.CloudPV{Moves: "e2e4"}, "", 0, 0},
	} {
		a, ok := readCloud(test.g, &lichess.CloudEval{Depth: test.depth, PVs: []lichess.CloudPV{test.pv}}, 20)
		switch {
		case ok != (test.move != ""):
			t.Errorf("%s: %+v, %v", test.name, a, ok)
		case ok && (a.move.String() != test.move || a.score != test.score || len(a.line) != test.line || a.depth != test.depth):
			t.Errorf("%s: %+v", test.name, a)
		}
	}
}

func gameFrom(t testing.TB, fen string) *chess.Game {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return chess.NewGame(p, chess.LichessBot)
}

// told is a reply in which every legal move has a category and a distance; those that are named have another one.
func told(g *chess.Game, category lichess.Category, dtz int, other ...lichess.EndgameMove) *lichess.Endgame {
	e := &lichess.Endgame{}
	var list chess.MoveList
	g.Position().LegalMoves(&list)
	for _, m := range list.Slice() {
		move := lichess.EndgameMove{UCI: m.String(), Category: category, DTZ: &dtz}
		for _, o := range other {
			if o.UCI == move.UCI {
				move = o
			}
		}
		e.Moves = append(e.Moves, move)
	}
	return e
}

func TestReadEndgame(t *testing.T) {
	number := func(n int) *int { return &n }
	const fen = "8/8/8/4k3/8/8/8/3QK3 w - - "
	fresh, late := gameFrom(t, fen+"0 1"), gameFrom(t, fen+"90 100")
	win := func(uci string, dtz int) lichess.EndgameMove {
		return lichess.EndgameMove{UCI: uci, Category: lichess.CategoryLoss, DTZ: number(dtz)}
	}
	for _, test := range []struct {
		name  string
		g     *chess.Game
		e     *lichess.Endgame
		kept  int
		first string
		score engine.Score
	}{
		{"one move wins", fresh, told(fresh, lichess.CategoryDraw, 0, win("d1d4", -17)), 1, "d1d4", search.TableWin},
		{"the shortest way", fresh, told(fresh, lichess.CategoryDraw, 0, win("d1d2", -17), win("d1d3", -9)), 2, "d1d3", search.TableWin},
		{"all draw", fresh, told(fresh, lichess.CategoryDraw, 0), fresh.Position().CountMoves(), "", 0},
		{"all lose, the longest way", fresh, told(fresh, lichess.CategoryWin, 3, lichess.EndgameMove{UCI: "e1e2", Category: lichess.CategoryWin, DTZ: number(20)}),
			fresh.Position().CountMoves(), "e1e2", -search.TableWin},
		{"in time", late, told(late, lichess.CategoryDraw, 0, win("d1d4", -8)), 1, "d1d4", search.TableWin},
		{"perhaps too late by rounding", late, told(late, lichess.CategoryDraw, 0, win("d1d4", -9)), 1, "d1d4", 1},
		{"the one that is in time", late, told(late, lichess.CategoryDraw, 0, win("d1d4", -17), win("d1d3", -3)), 1, "d1d3", search.TableWin},
		{"saved by the rule", late, told(late, lichess.CategoryWin, 5, lichess.EndgameMove{UCI: "e1e2", Category: lichess.CategoryWin, DTZ: number(30)}), 1, "e1e2", -1},
		{"cursed", fresh, told(fresh, lichess.CategoryDraw, 0, lichess.EndgameMove{UCI: "d1d4", Category: lichess.CategoryBlessedLoss, DTZ: number(-110)}), 1, "d1d4", 1},
		{"of no use: not all are known", fresh, told(fresh, lichess.CategoryDraw, 0, lichess.EndgameMove{UCI: "d1d4", Category: lichess.CategoryUnknown}), 0, "", 0},
		{"of no use: one is missing", fresh, &lichess.Endgame{Moves: told(fresh, lichess.CategoryDraw, 0).Moves[1:]}, 0, "", 0},
		{"of no use: one is there twice", fresh, &lichess.Endgame{Moves: append(told(fresh, lichess.CategoryDraw, 0).Moves[1:], win("d1d4", 1))}, 0, "", 0},
		{"of no use: nothing", fresh, &lichess.Endgame{Category: lichess.CategoryWin}, 0, "", 0},
	} {
		a, ok := readEndgame(test.g, test.e)
		switch {
		case ok != (test.kept > 0) || len(a.only) != test.kept:
			t.Errorf("%s: %+v, %v", test.name, a, ok)
		case ok && (a.score != test.score || test.first != "" && a.only[0].String() != test.first):
			t.Errorf("%s: %+v", test.name, a)
		}
	}
	mate := gameFrom(t, "7k/8/5KQ1/8/8/8/8/8 w - - 99 90")
	if a, ok := readEndgame(mate, told(mate, lichess.CategoryDraw, 0, win("g6g7", 0))); !ok || a.move.String() != "g6g7" || a.score != search.MateIn(1) {
		t.Errorf("mate: %+v", a)
	}
}

// TestEndgamesAgreeWithTables compares what is made of the answers of a server with what the tables say that it asked itself.
func TestEndgamesAgreeWithTables(t *testing.T) {
	tables, err := tablebase.Open([]string{"../../engine/tablebase/testdata/tables"})
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	compared := 0
	for _, place := range []string{"8/8/8/4k3/8/8/8/3QK3 w", "8/8/8/4k3/8/8/8/3RK3 w", "8/8/8/8/8/2k5/1p6/1K6 b", "8/8/3k4/8/8/3K4/r7/7R w", "8/8/3k4/8/8/3K4/r7/7R b", "8/8/8/2k5/4P3/4K3/8/8 w", "7k/8/8/8/8/8/1q6/4K3 w"} {
		for clock := range 100 {
			g := gameFrom(t, place+" - - "+string(rune('0'+clock/10))+string(rune('0'+clock%10))+" 90")
			want, ok := tables.Root(g, nil, true)
			if !ok {
				t.Fatalf("%s: not in the tables", place)
			}
			a, ok := readEndgame(g, answersOf(t, tables, g))
			if !ok {
				t.Fatalf("%s, clock %d: of no use", place, clock)
			}
			score := map[tablebase.WDL]engine.Score{tablebase.Win: search.TableWin, tablebase.CursedWin: 1, tablebase.BlessedLoss: -1, tablebase.Loss: -search.TableWin}[want.Result]
			if _, mate := a.score.Mate(); !mate && a.score != score {
				t.Errorf("%s, clock %d: score %v, the tables say %v", place, clock, a.score, want.Result)
			}
			best := a.move
			if best == chess.NoMove {
				best = a.only[0]
			}
			if want.Result != tablebase.BlessedLoss && !keeps(want, best) {
				t.Errorf("%s, clock %d: %v is none of %v", place, clock, best, want.Moves)
			}
			compared++
		}
	}
	t.Logf("%d positions", compared)
}

func keeps(v tablebase.Verdict, m chess.Move) bool {
	for _, k := range v.Moves {
		if k.Move == m {
			return true
		}
	}
	return false
}

// answersOf is what a server with these tables would answer.
func answersOf(t *testing.T, tables *tablebase.Tables, g *chess.Game) *lichess.Endgame {
	t.Helper()
	e := &lichess.Endgame{}
	var list chess.MoveList
	g.Position().LegalMoves(&list)
	for _, m := range list.Slice() {
		next := g.Position().Play(m)
		dtz, ok := tables.ProbeDTZ(&next)
		if !ok {
			t.Fatalf("%s is not in the tables", next.FEN())
		}
		category := lichess.CategoryDraw
		switch {
		case dtz > 100:
			category = lichess.CategoryCursedWin
		case dtz > 0:
			category = lichess.CategoryWin
		case dtz < -100:
			category = lichess.CategoryBlessedLoss
		case dtz < 0:
			category = lichess.CategoryLoss
		}
		e.Moves = append(e.Moves, lichess.EndgameMove{UCI: m.String(), Category: category, DTZ: &dtz})
	}
	return e
}

// FuzzReplies takes whatever a service may answer: what comes of it is a legal move, or nothing.
func FuzzReplies(f *testing.F) {
	f.Add("8/8/8/4k3/8/8/8/3QK3 w - - 0 1", []byte(`{"moves":[{"uci":"d1d4","category":"loss","dtz":-17,"white":5}],"depth":30,"pvs":[{"moves":"d1d4 e5d4","cp":5}]}`))
	f.Add("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", []byte(`{"moves":[{"uci":"e2e4","white":9,"draws":-1,"black":9223372036854775807}],"depth":99,"pvs":[{"moves":"e1h1","mate":-9}]}`))
	f.Add("4k3/8/8/8/8/8/8/4K2R w K - 99 1", []byte(`{"moves":[{"uci":"e1h1","category":"win"},{"uci":""},{}],"pvs":[{}],"depth":1e3}`))
	f.Add("7k/8/5KQ1/8/8/8/8/8 w - - 99 90", []byte(`{"moves":null,"pvs":[{"moves":"","cp":null}]}`))
	f.Fuzz(func(t *testing.T, fen string, reply []byte) {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return
		}
		g := chess.NewGame(p, chess.LichessBot)
		legal := func(what string, m chess.Move) {
			if !p.IsLegal(m) {
				t.Errorf("%s: %v in %s", what, m, fen)
			}
		}
		var explored lichess.Exploration
		if json.Unmarshal(reply, &explored) == nil {
			for choice := Weighted; choice <= Score; choice++ {
				if m, ok := chooseOpening(g, explored.Moves, choice, 1, 0.5); ok {
					legal("explorer", m)
				}
			}
		}
		var cloud lichess.CloudEval
		if json.Unmarshal(reply, &cloud) == nil {
			if a, ok := readCloud(g, &cloud, 1); ok {
				legal("cloud", a.move)
				if c := a.score.Centipawns(); c > 32000 || c < -32000 {
					t.Errorf("score %d", c)
				}
			}
		}
		var end lichess.Endgame
		if json.Unmarshal(reply, &end) == nil {
			if a, ok := readEndgame(g, &end); ok {
				for _, m := range append(a.only, a.move) {
					if m != chess.NoMove {
						legal("tablebase", m)
					}
				}
			}
		}
	})
}
