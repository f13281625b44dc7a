package eval_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
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
		g := playOut(t, start)
		if o := g.Outcome(); o.Reason != chess.Checkmate {
			t.Errorf("%s: %v after %d plies: %s", fen, o, g.Ply(), g.Position().FEN())
		}
		t.Logf("%s: %v after %d plies", fen, g.Outcome(), g.Ply())
	}
}

// Bishop and knight, which must drive the king from wherever it is to one of
// two corners, mate in 50 moves from nearly everywhere.
func TestBishopAndKnightMateFromAnywhere(t *testing.T) {
	const games, must = 24, 22
	r := rand.New(rand.NewPCG(11, 7))
	mated := 0
	for range games {
		start := randomBishopAndKnight(t, r)
		g := playOut(t, start)
		if g.Outcome().Reason == chess.Checkmate {
			mated++
			continue
		}
		t.Logf("%s: %v after %d plies: %s", start.FEN(), g.Outcome(), g.Ply(), g.Position().FEN())
	}
	t.Logf("%d of %d mated", mated, games)
	if mated < must {
		t.Errorf("%d of %d positions were mated, want %d at least", mated, games, must)
	}
}

// playOut has both sides played with 10,000 nodes a move to the end, with what
// was learnt kept from move to move as in a game.
func playOut(t *testing.T, start chess.Position) *chess.Game {
	t.Helper()
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
	return g
}

// randomBishopAndKnight is a legal position with White to move in which the
// bare king attacks nothing, so that no piece is lost at once.
func randomBishopAndKnight(t *testing.T, r *rand.Rand) chess.Position {
	t.Helper()
	for range 1000 {
		squares := r.Perm(64)[:4]
		var board [8][8]byte
		for i, man := range []byte("KBNk") {
			board[squares[i]/8][squares[i]%8] = man
		}
		fen := ""
		for i, row := range board {
			if i > 0 {
				fen += "/"
			}
			for _, man := range row {
				if man == 0 {
					man = '1'
				}
				fen += string(man)
			}
		}
		for n := 8; n > 1; n-- {
			fen = strings.ReplaceAll(fen, strings.Repeat("1", n), strconv.Itoa(n))
		}
		p, err := chess.ParseFEN(fen + " w - - 0 1")
		if err == nil && chess.KingAttacks(p.King(chess.Black))&p.ByColor(chess.White) == 0 {
			return p
		}
	}
	t.Fatal("no legal position among 1000")
	return chess.Position{}
}
