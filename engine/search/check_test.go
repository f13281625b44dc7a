package search

import (
	"math/rand/v2"
	"testing"

	"castellan/engine/chess"
)

// Against the board after the move: the man that was moved is among those that give check.
func TestChecksAreThoseOfTheManMoved(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	starts := []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		kiwipete,
		"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
		"8/P6k/8/8/8/8/p6K/8 w - - 0 1",
		"8/6k1/8/R2Q4/8/8/1K6/2B4b w - - 0 1",
	}
	given := 0
	for game := range 200 {
		p := position(t, starts[game%len(starts)])
		for range 60 {
			var legal chess.MoveList
			p.LegalMoves(&legal)
			if legal.Len() == 0 {
				break
			}
			var checks checkSquares
			for _, m := range legal.Slice() {
				next := p.Play(m)
				want := !m.IsCastle() && next.Checkers().Has(m.To())
				if got := checks.of(&p, m); got != want {
					t.Fatalf("%s: %v gives check: %v, want %v", p.FEN(), m, got, want)
				}
				if want {
					given++
				}
			}
			p = p.Play(legal.At(random.IntN(legal.Len())))
		}
	}
	if given < 1000 {
		t.Errorf("only %d checks came up", given)
	}
}
