package search

import (
	"testing"

	"castellan/engine/chess"
)

func play(t *testing.T, fen string, moves ...string) *chess.Game {
	t.Helper()
	g := chess.NewGame(position(t, fen), chess.FIDE)
	for _, m := range moves {
		if err := g.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func TestRepetitionIsTakenWhenLosing(t *testing.T) {
	// White is two rooks down, but his queen can check for ever.
	r := think(t, "8/5pkp/8/3Q4/8/1r5P/qr4PK/8 w - - 0 1", Limits{Depth: 10})
	if r.Score != 0 {
		t.Errorf("score %v by %v, want a draw by perpetual check", r.Score, r.PV)
	}
}

func TestRepetitionIsAvoidedWhenWinning(t *testing.T) {
	// White is a rook up, and the position has been on the board twice.
	g := play(t, "6k1/5ppp/8/8/8/8/R4PPP/R5K1 w - - 0 1",
		"a2a3", "g8h8", "a3a2", "h8g8", "a2a3", "g8h8", "a3a2", "h8g8", "a2a3", "g8h8")
	// Now a3a2 would repeat for the third time.
	r := thinkGame(t, g, Limits{Depth: 8})
	next := g.Position().Play(r.Move)
	h := g.Clone()
	if err := h.Play(r.Move); err != nil {
		t.Fatal(err)
	}
	if h.Repetitions() >= 3 {
		t.Errorf("%v repeats a won position for the third time: %s", r.Move, next.FEN())
	}
	if r.Score < 300 {
		t.Errorf("score %v", r.Score)
	}
}

func TestThirdOccurrenceInTheGameIsADraw(t *testing.T) {
	threads := newThreads(t, 1)
	th := threads[0]
	start := "6k1/5ppp/8/8/8/8/R4PPP/R5K1 w - - 0 1"
	game := play(t, start, "g1h1", "g8h8", "h1g1", "h8g8", "g1h1", "g8h8", "h1g1")
	keys := game.Keys()
	th.begin(&run{pos: *game.Position(), keys: keys[:len(keys)-1], limits: &Limits{}, threads: threads}, 0)
	m, err := game.Position().ParseUCI("h8g8")
	if err != nil {
		t.Fatal(err)
	}
	th.play(0, m)
	if !th.drawn(1) {
		t.Error("the third occurrence is not seen as a draw")
	}
	th.eval.Pop()
	other, err := game.Position().ParseUCI("h7h6")
	if err != nil {
		t.Fatal(err)
	}
	th.play(0, other)
	if th.drawn(1) {
		t.Error("a new position is seen as a draw")
	}

	// The second occurrence of a position of the game is none yet.
	game = play(t, start, "g1h1", "g8h8", "h1g1")
	keys = game.Keys()
	th.begin(&run{pos: *game.Position(), keys: keys[:len(keys)-1], limits: &Limits{}, threads: threads}, 0)
	th.play(0, m)
	if th.drawn(1) {
		t.Error("the second occurrence is seen as a draw")
	}
}

func TestFiftyMoves(t *testing.T) {
	// A rook up, but the counter is full after any move that takes nothing.
	r := think(t, "8/8/4k3/8/8/8/4K3/R7 w - - 99 90", Limits{Depth: 4})
	if r.Score != 0 {
		t.Errorf("score %v on the last move before the limit, want a draw", r.Score)
	}
	// Mate on the last move counts.
	r = think(t, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 90", Limits{Depth: 4})
	if n, ok := r.Score.Mate(); !ok || n != 1 {
		t.Errorf("score %v, want mate in 1", r.Score)
	}
	// A pawn move starts the count again.
	r = think(t, "8/8/4k3/8/8/8/P3K3/R7 w - - 99 90", Limits{Depth: 6})
	if r.Score < 300 {
		t.Errorf("score %v by %v, want a win with a pawn move", r.Score, r.Move)
	}
}

func TestDeadMaterialIsADraw(t *testing.T) {
	// The last pawn falls: king and knight against king.
	r := think(t, "8/8/8/8/8/5k2/5P2/4K1n1 b - - 0 1", Limits{Depth: 8})
	if s := r.Score; s < -40 || s > 40 {
		t.Errorf("score %v", r.Score)
	}
}
