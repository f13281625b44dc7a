package tablebase

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"castellan/engine/chess"
)

// game plays moves in UCI from a position.
func game(t *testing.T, fen string, moves ...string) *chess.Game {
	t.Helper()
	g := chess.NewGame(position(t, fen), chess.LichessBot)
	for _, m := range moves {
		if err := g.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func (v Verdict) text() string {
	var moves []string
	for _, m := range v.Moves {
		moves = append(moves, fmt.Sprintf("%v/%d", m.Move, m.DTZ))
	}
	return fmt.Sprintf("%v %v", v.Result, strings.Join(moves, " "))
}

func TestRoot(t *testing.T) {
	tables := open(t, smallTables)
	for _, test := range []struct {
		name, fen string
		moves     []string
		rule50    bool
		result    WDL
		first     string // the move that must come first, "" for any
		without   string // a move that must not be there
		count     int    // of moves kept, 0 for any
	}{
		{name: "mate at once", fen: "7k/8/5K2/8/8/8/8/6R1 b - - 0 1", rule50: true, result: Loss, first: "h8h7"},
		{name: "only stalemate is left out", fen: "7k/5K2/8/8/8/8/8/6R1 w - - 0 1", rule50: true, result: Win, first: "g1h1", without: "g1g7", count: 19},
		{name: "the rook is not lost", fen: "8/8/8/8/8/3k4/4R3/7K w - - 0 1", rule50: true, result: Win, without: "h1h2"},
		{name: "drawn", fen: "8/8/8/8/3k4/3p4/8/3K4 w - - 0 1", rule50: true, result: Draw, without: "d1e1"},
		{name: "only move to draw", fen: "8/4k3/8/3KP3/8/8/8/8 b - - 0 1", rule50: true, result: Draw, first: "e7d7", count: 1},
		{name: "no time left to win", fen: "8/8/8/3k4/8/8/8/K6R w - - 80 60", rule50: true, result: CursedWin, count: 3},
		{name: "without the rule", fen: "8/8/8/3k4/8/8/8/K6R w - - 80 60", result: Win},
		{name: "a mate on the hundredth ply", fen: "7k/8/6K1/8/8/8/8/5R2 w - - 99 90", rule50: true, result: Win, first: "f1f8", count: 1},
		{name: "saved by the rule", fen: "8/8/8/3k4/8/8/8/K6R b - - 80 60", rule50: true, result: BlessedLoss},
		{name: "a pawn move in time", fen: "8/8/2K5/3P4/8/8/8/3k4 w - - 98 90", rule50: true, result: Win, first: "d5d6", count: 1},
		{name: "a pawn move too late", fen: "8/8/3K4/3P4/8/8/8/3k4 w - - 98 90", rule50: true, result: CursedWin},
		{name: "only progress once positions repeat", fen: "8/8/8/3k4/8/8/8/K6R w - - 0 1",
			moves: []string{"h1h2", "d5d4", "h2h1", "d4d5"}, rule50: true, result: Win, count: 3},
		{name: "the third time is a draw", fen: "8/8/8/8/8/k1K5/8/1R6 b - - 0 1",
			moves:  []string{"a3a4", "b1b2", "a4a3", "b2b1", "a3a4", "b1b2", "a4a3", "b2b1"},
			rule50: true, result: Draw, first: "a3a4", count: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, ok := tables.Root(game(t, test.fen, test.moves...), nil, test.rule50)
			if !ok || !v.Exact || v.Result != test.result {
				t.Fatalf("%v, %v; want %v", v.text(), ok, test.result)
			}
			if test.first != "" && v.Moves[0].Move.String() != test.first {
				t.Errorf("%v: want %s first", v.text(), test.first)
			}
			if test.without != "" && slices.ContainsFunc(v.Moves, func(m Move) bool { return m.Move.String() == test.without }) {
				t.Errorf("%v: want it without %s", v.text(), test.without)
			}
			if test.count > 0 && len(v.Moves) != test.count {
				t.Errorf("%v: want %d moves", v.text(), test.count)
			}
			t.Log(v.text())
		})
	}
}

// TestAfterClock has the bounds of what the 50-move rule leaves of a distance.
func TestAfterClock(t *testing.T) {
	for _, test := range []struct {
		plies, clock int
		rule50       bool
		want         WDL
	}{
		{100, 0, true, Win}, {101, 0, true, CursedWin}, {101, 0, false, Win},
		{99, 1, true, CursedWin}, {98, 1, true, Win}, {1, 99, true, Win}, {2, 98, true, CursedWin}, {2, 97, true, Win},
		{-100, 0, true, Loss}, {-101, 0, true, BlessedLoss}, {-101, 0, false, Loss}, {-50, 50, true, Loss}, {-51, 50, true, BlessedLoss},
		{0, 0, true, Draw}, {0, 99, false, Draw},
	} {
		if got := afterClock(test.plies, test.clock, test.rule50); got != test.want {
			t.Errorf("distance %d, clock %d, rule %v: %v, want %v", test.plies, test.clock, test.rule50, got, test.want)
		}
	}
}

// TestRootByWDL has no DTZ files: what keeps the result is kept, with or without progress.
func TestRootByWDL(t *testing.T) {
	tables := open(t, write(t, "KRvK.rtbw", readSmall(t, "KRvK.rtbw")))
	v, ok := tables.Root(game(t, "8/8/8/8/8/3k4/4R3/7K w - - 0 1"), nil, true)
	if !ok || v.Exact || v.Result != Win || len(v.Moves) < 10 || slices.ContainsFunc(v.Moves, func(m Move) bool { return m.Move.String() == "h1h2" }) {
		t.Errorf("%v, %v; want the moves that keep the rook", v.text(), ok)
	}
	hanging := position(t, "8/8/8/8/8/3k4/4R3/7K b - - 0 1")
	if _, ok := tables.ProbeDTZ(&hanging); ok {
		t.Error("a distance without DTZ tables")
	}
}

// TestRootOfSome asks about some of the moves only.
func TestRootOfSome(t *testing.T) {
	tables := open(t, smallTables)
	g := game(t, "8/8/8/8/8/3k4/4R3/7K w - - 0 1")
	loses, err := g.Position().ParseUCI("h1h2")
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := tables.Root(g, []chess.Move{loses}, true); !ok || v.Result != Draw || len(v.Moves) != 1 {
		t.Errorf("%v, %v; want the only move, drawn", v.text(), ok)
	}
	for _, fen := range []string{
		"8/8/8/8/8/4k3/8/4K2R w K - 0 1", "8/8/8/8/8/3qk3/8/4K2Q w - - 0 1", "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1",
	} {
		if v, ok := tables.Root(game(t, fen), nil, true); ok {
			t.Errorf("%s: %v", fen, v.text())
		}
	}
}

// TestCursed has two bishops against a knight, whose longest wins are cursed, from made-up tables that say so of all positions.
func TestCursed(t *testing.T) {
	tables := open(t,
		write(t, "KBBvKN.rtbw", constantTable(t, "KBBvKN", CursedWin, BlessedLoss)),
		write(t, "KBBvK.rtbw", constantTable(t, "KBBvK", Win, Loss)),
		write(t, "KBvKN.rtbw", constantTable(t, "KBvKN", Draw, Draw)),
		smallTables)
	g := game(t, "b7/b2N4/8/5K2/8/2k5/8/8 w - - 0 90")
	if w, ok := tables.ProbeWDL(g.Position()); !ok || w != BlessedLoss {
		t.Errorf("%v, %v", w, ok)
	}
	if v, ok := tables.Root(g, nil, true); !ok || v.Result != BlessedLoss {
		t.Errorf("%v, %v; want a blessed loss", v.text(), ok)
	}
	if v, ok := tables.Root(g, nil, false); !ok || v.Result != Loss {
		t.Errorf("%v, %v; want a loss without the rule", v.text(), ok)
	}
}

// TestWinsWithinTheRule plays endings out, the winner by any of the moves kept and the loser by the longest, from the first clock
// with which they can be won at all.
func TestWinsWithinTheRule(t *testing.T) {
	tables := open(t, allTables(t))
	for _, fen := range []string{
		"7K/8/8/8/8/2k5/2n5/2b5 b - - 0 1", // bishop and knight, far from mate
		"8/8/8/8/3k4/8/8/R2K4 w - - 0 1",
		"8/8/8/3k4/8/8/3r4/K2Q4 w - - 0 1",
		"8/3kr3/8/8/8/8/8/KQ6 w - - 0 1",
	} {
		p := position(t, fen)
		plies, ok := tables.ProbeDTZ(&p)
		if !ok || plies <= 0 {
			t.Fatalf("%s: distance %d, %v", fen, plies, ok)
		}
		for _, clock := range []int{0, limit - 1 - plies} {
			fields := strings.Fields(fen)
			fields[4] = fmt.Sprint(clock)
			playOut(t, tables, strings.Join(fields, " "))
		}
	}
}

// playOut lets the side to move win.
func playOut(t *testing.T, tables *Tables, fen string) {
	t.Helper()
	g := game(t, fen)
	winner := g.Position().SideToMove()
	for n := 0; !g.Outcome().Over(); n++ {
		v, ok := tables.Root(g, nil, true)
		if !ok || g.Position().SideToMove() == winner && v.Result != Win {
			t.Fatalf("%s after %d plies, %s: %v, %v", fen, n, g.Position().FEN(), v.text(), ok)
		}
		choice := 0
		if g.Position().SideToMove() == winner {
			choice = n * 7 % len(v.Moves) // neither the best nor the worst of those that are safe
		}
		if err := g.Play(v.Moves[choice].Move); err != nil {
			t.Fatal(err)
		}
	}
	if o := g.Outcome(); !o.Decisive || o.Winner != winner {
		t.Errorf("%s: %v after %d plies, %s", fen, o, g.Ply(), g.Position().FEN())
	}
}
