package search

import (
	"slices"
	"testing"

	"castellan/engine/chess"
)

// Whatever the table's move and the killers are, every legal move comes once.
func TestPickerGivesEveryMoveOnce(t *testing.T) {
	threads := newThreads(t, 1)
	th := threads[0]
	for _, fen := range []string{
		kiwipete,
		"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
		"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
		"8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
		"4k3/8/8/8/4r3/8/8/4K2R w K - 0 1",
	} {
		p := position(t, fen)
		th.begin(&run{pos: p, limits: &Limits{}, threads: threads}, 0)
		var legal, captures chess.MoveList
		p.LegalMoves(&legal)
		p.LegalCaptures(&captures)
		want := slices.Clone(legal.Slice())
		slices.Sort(want)
		for i, table := range append([]chess.Move{chess.NoMove}, legal.Slice()...) {
			th.stack[0].killers = [2]chess.Move{legal.At(i % legal.Len()), legal.At(i * 3 % legal.Len())}
			k := &th.stack[0].pickers[0]
			k.reset(th, 0, table, true)
			var got []chess.Move
			for m := k.pick(); m != chess.NoMove; m = k.pick() {
				got = append(got, m)
			}
			if table != chess.NoMove && got[0] != table {
				t.Errorf("%s: first is %v, not the table's %v", fen, got[0], table)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s, table move %v: picked %v, legal are %v", fen, table, got, want)
			}
		}
		k := &th.stack[0].pickers[0]
		k.reset(th, 0, chess.NoMove, false)
		n := 0
		for m := k.pick(); m != chess.NoMove; m = k.pick() {
			if isQuiet(&p, m) {
				t.Errorf("%s: %v is quiet", fen, m)
			}
			n++
		}
		if n != captures.Len() {
			t.Errorf("%s: %d captures and queen promotions, want %d", fen, n, captures.Len())
		}
	}
}

func TestHistoryStaysInBounds(t *testing.T) {
	var v int16
	for range 1000 {
		nudge(&v, 1600)
	}
	if v <= maxHistory*9/10 || v > maxHistory {
		t.Errorf("after many rewards %d, want just under %d", v, maxHistory)
	}
	for range 1000 {
		nudge(&v, -1600)
	}
	if v >= -maxHistory*9/10 || v < -maxHistory {
		t.Errorf("after many penalties %d, want just over %d", v, -maxHistory)
	}
}

// From wherever a search stops to want quiet moves, those that give check still come, and nothing is lost but the others.
func TestPickerOfChecksAlone(t *testing.T) {
	threads := newThreads(t, 1)
	th := threads[0]
	for _, fen := range []string{
		kiwipete,
		"6k1/5ppp/8/8/8/8/5PPP/3RQRK1 w - - 0 1",
		"8/4k3/8/8/2NQ4/8/1K6/B4R2 w - - 0 1",
	} {
		p := position(t, fen)
		th.begin(&run{pos: p, limits: &Limits{}, threads: threads}, 0)
		var legal chess.MoveList
		p.LegalMoves(&legal)
		for stop := range legal.Len() {
			k := &th.stack[0].pickers[0]
			th.stack[0].checks.known = false
			k.reset(th, 0, legal.At(0), true)
			var got []chess.Move
			for m := k.pick(); m != chess.NoMove; m = k.pick() {
				if got = append(got, m); len(got) == stop+1 {
					k.onlyChecks()
				}
			}
			for _, m := range legal.Slice() {
				var checks checkSquares
				at := slices.Index(got, m)
				switch wanted := !isQuiet(&p, m) || checks.of(&p, m) || m == legal.At(0); {
				case wanted && at < 0:
					t.Errorf("%s, from move %d on: %v is missing", fen, stop, m)
				case !wanted && at > stop:
					t.Errorf("%s, from move %d on: %v is quiet and gives no check", fen, stop, m)
				}
			}
		}
	}
}
