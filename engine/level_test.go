package engine

import (
	"testing"

	"castellan/engine/chess"
	"castellan/engine/search"
)

func TestLevelsGrow(t *testing.T) {
	last := levelOf(MinElo)
	for elo := MinElo + 100; elo <= MaxElo; elo += 100 {
		l := levelOf(elo)
		if l.nodes <= last.nodes || l.spread >= last.spread || l.margin > last.margin {
			t.Errorf("%d: %+v after %+v", elo, l, last)
		}
		last = l
	}
	if last.lines != 1 {
		t.Errorf("the highest level chooses among %d lines", last.lines)
	}
}

func TestChoiceStaysWithinTheMargin(t *testing.T) {
	l := level{spread: 1000, margin: 60}
	line := func(s Score) Info { return Info{Score: s, PV: []chess.Move{chess.Move(s)}} }
	lines := []Info{line(50), line(20), line(-10), line(-11), search.Info{Score: search.MateIn(-2)}}
	seen := map[Score]int{}
	up := -1.0
	for range 300 { // the later line looks better to it every other time
		up = -up
		n := 0.0
		seen[l.choose(lines, func() float64 { n++; return up * n }).Score]++
	}
	if seen[50] == 0 || seen[-10] == 0 || len(seen) != 2 {
		t.Errorf("choices %v, want 50 and -10 only", seen)
	}
	lines[0].Score = search.MateIn(3)
	if got := l.choose(lines, func() float64 { return -1 }); got.Score != search.MateIn(3) {
		t.Errorf("a mate in 3 was seen, and %v chosen", got.Score)
	}
}

func TestTheLowestLevelStillSees(t *testing.T) {
	e := newEngine(t, Options{Elo: MinElo})
	for range 20 {
		for fen, want := range map[string]string{
			"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1":                              "a1a8", // mate
			"4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1":                              "e4d5", // a queen for nothing
			"rnb1kbnr/pppp1ppp/8/4p1q1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 1": "c1g5",
		} {
			e.NewGame()
			d, err := e.Think(t.Context(), game(t, fen), Limits{})
			if err != nil || d.Move.String() != want {
				t.Errorf("%s: %v (%v), want %s", fen, d.Move, err, want)
			}
			if d.Nodes > levelOf(MinElo).nodes {
				t.Errorf("%s: %d nodes", fen, d.Nodes)
			}
		}
	}
}

// What a low level plays is in the last report of the first line, with its score, and no two lines of a depth are for one move.
func TestTheLastReportIsTheMoveOfALevel(t *testing.T) {
	e := newEngine(t, Options{Elo: 1000})
	for _, lines := range []int{1, 3} {
		other := 0
		for range 40 {
			e.NewGame()
			var shown [3]Info
			d, err := e.Think(t.Context(), chess.NewGame(chess.StartPosition(), chess.LichessBot), Limits{MultiPV: lines, Report: func(i Info) {
				shown[i.MultiPV-1] = i
			}})
			if err != nil {
				t.Fatal(err)
			}
			if first := shown[0]; first.PV[0] != d.Move || first.Score != d.Score {
				t.Errorf("%v at %v played; told last %+v", d.Move, d.Score, first)
			}
			for n, i := range shown[1:lines] {
				if i.PV[0] == d.Move {
					t.Errorf("%v is played and in line %d", d.Move, n+2)
				}
				if i.Score > d.Score {
					other++
				}
			}
		}
		if lines > 1 && other == 0 {
			t.Error("the best move was played each time: the test shows nothing")
		}
	}
}

// A low level varies, reports only what was asked for, and gives lines that fit
// its move.
func TestLevelsVary(t *testing.T) {
	e := newEngine(t, Options{Elo: 1000, Threads: 2})
	moves := map[chess.Move]bool{}
	for range 40 {
		e.NewGame()
		g := chess.NewGame(chess.StartPosition(), chess.LichessBot)
		d, err := e.Think(t.Context(), g, Limits{Report: func(i Info) {
			if i.MultiPV > 1 {
				t.Errorf("line %d was not asked for", i.MultiPV)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.PV) == 0 || d.PV[0] != d.Move || len(d.PV) > 1 && d.PV[1] != d.Ponder {
			t.Errorf("line %v for %v, then %v", d.PV, d.Move, d.Ponder)
		}
		moves[d.Move] = true
	}
	if len(moves) < 2 {
		t.Errorf("the same move each time: %v", moves)
	}
}
