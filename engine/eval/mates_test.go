package eval_test

import (
	"testing"

	"castellan/engine/chess"
	"castellan/engine/eval"
	"castellan/engine/search"
)

// A short search with the evaluation's guidance mates a bare king in time, from
// where it takes longest.
func TestShortSearchesMateTheBareKing(t *testing.T) {
	for _, fen := range []string{
		"7k/8/8/8/8/8/8/KBN5 w - - 0 1", // with bishop and knight, the king in the wrong corner
		"k7/8/8/4K3/8/8/4NB2/8 w - - 0 1",
		"8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
		"8/8/8/3k4/8/8/8/2B1KB2 w - - 0 1",
	} {
		start, err := chess.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		table, err := search.NewTable(8)
		if err != nil {
			t.Fatal(err)
		}
		threads := []*search.Thread{search.NewThread(table, eval.New())}
		g := chess.NewGame(start, chess.LichessBot)
		for !g.Outcome().Over() {
			keys := g.Keys()
			job := search.Job{Position: *g.Position(), Past: keys[:len(keys)-1], Limits: search.Limits{Nodes: 10000}}
			r, err := search.Run(t.Context(), threads, job, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Play(r.Move); err != nil {
				t.Fatal(err)
			}
		}
		if o := g.Outcome(); o.Reason != chess.Checkmate {
			t.Errorf("%s: %v after %d plies: %s", fen, o, g.Ply(), g.Position().FEN())
		}
		t.Logf("%s: %v after %d plies", fen, g.Outcome(), g.Ply())
	}
}
