package match

import (
	"math"
	"strings"
	"testing"
	"time"

	"castellan/engine/chess"
	"castellan/engine/uciclient"
)

func TestClockText(t *testing.T) {
	for text, want := range map[string]Clock{
		"2+0.02":     {Base: 2 * time.Second, Increment: 20 * time.Millisecond},
		"60":         {Base: time.Minute},
		"0+1":        {Increment: time.Second},
		"40/60.5":    {Base: 60500 * time.Millisecond, Moves: 40},
		"40/60+0.25": {Base: time.Minute, Increment: 250 * time.Millisecond, Moves: 40},
	} {
		var c Clock
		if err := c.UnmarshalText([]byte(text)); err != nil || c != want || c.String() != text {
			t.Errorf("%q: got %+v (%v), %v", text, c, c, err)
		}
	}
	for _, text := range []string{"", "0", "0+0", "x", "1+x", "-1", "1+-1", "0/60", "a/60", "NaN", "1e9", "1+2+3", "1/2/3", "+1"} {
		var c Clock
		if err := c.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %+v", text, c)
		}
	}
}

func TestClocks(t *testing.T) {
	ms := time.Millisecond
	c := newClocks(Control{Clock: Clock{Base: 1000 * ms, Increment: 100 * ms, Moves: 2}}, 50*ms)
	for i, step := range []struct {
		side    chess.Color
		elapsed time.Duration
		left    time.Duration
		ok      bool
		toGo    int // told before the move
	}{
		{chess.White, 400 * ms, 700 * ms, true, 2},
		{chess.Black, 0, 1100 * ms, true, 2},
		{chess.White, 730 * ms, 1100 * ms, true, 1}, // over by less than the margin, then the base comes again
		{chess.Black, 1100 * ms, 1100 * ms, true, 1},
		{chess.White, 1150 * ms, 100 * ms, true, 2},
		{chess.White, 151 * ms, 0, false, 1},
	} {
		l := c.limits(step.side)
		if l.MovesToGo != step.toGo || l.WTime != c.left[chess.White] || l.BTime != c.left[chess.Black] || l.WInc != 100*ms {
			t.Errorf("step %d: limits %+v", i, l)
		}
		if ok := c.spend(step.side, step.elapsed); ok != step.ok || c.left[step.side] != step.left {
			t.Errorf("step %d: %v, %v left", i, ok, c.left[step.side])
		}
	}
	c = newClocks(Control{MoveTime: 100 * ms}, 50*ms)
	if c.running() || !c.spend(chess.White, 150*ms) || c.spend(chess.White, 151*ms) || c.limits(chess.White).MoveTime != 100*ms {
		t.Error("time for each move")
	}
	c = newClocks(Control{Nodes: 5}, 0)
	if !c.spend(chess.White, time.Minute) || c.spend(chess.White, patience+1) || c.limits(chess.Black) != (uciclient.Limits{Nodes: 5}) {
		t.Error("nodes")
	}
}

func TestAdjudicator(t *testing.T) {
	const w, b = chess.White, chess.Black
	rules := Adjudication{DrawFrom: 3, DrawMoves: 2, DrawScore: 10, ResignMoves: 2, ResignScore: 500}
	cp := func(v int) *uciclient.Score { return &uciclient.Score{Value: v} }
	mate := func(v int) *uciclient.Score { return &uciclient.Score{Mate: true, Value: v} }
	for name, tt := range map[string]struct {
		rules  Adjudication
		scores []*uciclient.Score // White's, Black's, and so on, each from its own side
		want   string             // result, "" while the game goes on
		ply    int                // of the decision
	}{
		"draw":                       {rules, []*uciclient.Score{cp(50), cp(0), cp(9), cp(-10), cp(10), cp(0)}, "1/2-1/2", 6},
		"not before the third move":  {rules, []*uciclient.Score{cp(0), cp(0), cp(0), cp(0), cp(0)}, "", 0},
		"a score interrupts":         {rules, []*uciclient.Score{cp(0), cp(0), cp(11), cp(0), cp(0), cp(0), cp(0)}, "1/2-1/2", 7},
		"Black gives up":             {rules, []*uciclient.Score{cp(600), cp(-500), cp(600), cp(-700)}, "1-0", 4},
		"White gives up":             {rules, []*uciclient.Score{cp(-600), cp(500), mate(-9), mate(9)}, "0-1", 4},
		"one side alone":             {rules, []*uciclient.Score{cp(600), cp(-499), cp(600), cp(-700), cp(600), cp(-400)}, "", 0},
		"both think they are losing": {rules, []*uciclient.Score{cp(-600), cp(-600), cp(-600), cp(-600)}, "", 0},
		"no score interrupts":        {rules, []*uciclient.Score{cp(600), cp(-500), cp(600), nil, cp(600), cp(-600)}, "", 0},
		"switched off":               {Adjudication{}, []*uciclient.Score{cp(0), cp(0), cp(0), cp(0), cp(0), cp(0), mate(1), mate(-1)}, "", 0},
	} {
		a := adjudicator{rules: tt.rules}
		got, ply := "", 0
		for i, s := range tt.scores {
			side := w
			if i%2 == 1 {
				side = b
			}
			if o, decided := a.add(side, s, i+1); decided {
				got, ply = o.Result(), i+1
				break
			}
		}
		if got != tt.want || ply != tt.ply {
			t.Errorf("%s: got %q at ply %d, want %q at %d", name, got, ply, tt.want, tt.ply)
		}
	}
}

// TestDraws plays games against rules alone: claims are made for the players, and nobody wins on time without men.
func TestDraws(t *testing.T) {
	g, err := Opening{Start: chess.StartPosition()}.game()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range strings.Fields(strings.Repeat("g1f3 g8f6 f3g1 f6g8 ", 2)) {
		if err := g.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	if o := g.Outcome(); o.Reason != chess.ThreefoldRepetition {
		t.Errorf("third occurrence: %v", o)
	}
	bare, err := chess.ParseFEN("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	board, err := newBoard(&Options{}, Opening{Start: bare}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if end := board.timeLoss(chess.White, ""); end.outcome.Result() != "1/2-1/2" || end.faults[chess.White].TimeLosses != 1 {
		t.Errorf("time loss against a bare king: %+v", end)
	}
	if end := board.timeLoss(chess.Black, ""); end.outcome.Result() != "1-0" {
		t.Errorf("time loss of a bare king: %+v", end)
	}
	if end := board.loss(chess.White, terminationAbandoned, ""); end.outcome.Result() != "0-1" {
		t.Errorf("crash against a bare king: %+v", end)
	}
}

func TestReportText(t *testing.T) {
	r := newReport(&Options{Control: Control{Clock: Clock{Base: 2 * time.Second, Increment: 20 * time.Millisecond}}, Games: 300, SPRT: &SPRT{0, 10, 0.05, 0.05}})
	r.Names = [2]string{"new", "old"}
	if line := r.Line(); !strings.Contains(line, "0/300") || !strings.Contains(line, "Elo +0.0, too few games for its error  LLR") {
		t.Error(line)
	}
	if s := r.String(); !strings.Contains(s, "score    none: no pair of games was finished\n") || strings.Contains(s, "∞") {
		t.Error(s)
	}
	// The pairs of a match that another program has reported on: Elo 72.85 ± 22.33.
	for halves, n := range map[[2]int]int{{0, 0}: 1, {1, 0}: 10, {1, 1}: 78, {2, 1}: 48, {2, 2}: 13} {
		for range n {
			r.add(halves[:])
		}
	}
	r.Elapsed, r.Finished, r.Faults[1].TimeLosses = 100*time.Second, 301, 2
	for _, want := range []string{
		"new against old, 2+0.02 s, 1m40s\n", "300 of 300\n", "1 more of pairs that were not finished",
		"181 of 300, 60.3 %: 74 wins, 214 draws, 12 losses\n", "Elo      +72.9 ± 22.3 with 95 %", "LOS      100.0 %\n", "draws    71.3 %\n",
		"150, by points from 0 to 2: 1, 10, 78, 48, 13\n", "logistic Elo [0, 10], LLR ", "new: none\n", "old: 0 crashes, 2 time losses, 0 illegal moves\n",
	} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("no %q in\n%s", want, r)
		}
	}
	if number(math.Inf(-1)) != "-∞" || number(-0.01) != "+0.0" || unsigned(math.Inf(1)) != "∞" {
		t.Error("numbers")
	}
}
