package search

import (
	"testing"

	"castellan/engine/chess"
)

func TestCanRepeat(t *testing.T) {
	tests := []struct {
		name, fen string
		moves     []string
		want      bool
	}{
		{"king back", "6k1/5ppp/8/8/8/8/R4PPP/R5K1 w - - 0 1", []string{"g1f1", "g8h8", "f1g1", "h8g8"}, true},
		{"only to the root", "6k1/5ppp/8/8/8/8/R4PPP/R5K1 w - - 0 1", []string{"g1f1", "g8h8", "f1g1"}, false},
		{"pawn moved", "6k1/5ppp/8/8/8/8/R4PPP/R5K1 w - - 0 1", []string{"g1f1", "g8h8", "h2h3", "h8g8"}, false},
		{"way closed", "6k1/8/8/8/8/2n5/8/R3B1K1 w - - 0 1", []string{"g1g2", "g8f8", "e1c3", "f8g8"}, false},
	}
	for _, tt := range tests {
		threads := newThreads(t, 1)
		th := threads[0]
		th.begin(&run{pos: position(t, tt.fen), limits: &Limits{}, threads: threads}, 0)
		for ply, text := range tt.moves {
			m, err := th.stack[ply].pos.ParseUCI(text)
			if err != nil {
				t.Fatal(err)
			}
			th.play(ply, m)
		}
		ply := len(tt.moves)
		if got := th.canRepeat(ply); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// What canRepeat says is checked against playing every move, along random
// walks of few men.
func TestCanRepeatAgreesWithPlay(t *testing.T) {
	threads := newThreads(t, 1)
	th := threads[0]
	seed := uint64(1)
	random := func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % n
	}
	found := 0
	for range 300 {
		th.begin(&run{pos: position(t, "4k3/p6p/8/8/3n4/8/P6P/R3K3 w Q - 0 1"), limits: &Limits{}, threads: threads}, 0)
		for ply := range 30 {
			var legal chess.MoveList
			th.stack[ply].pos.LegalMoves(&legal)
			list := legal.Slice()
			if len(list) == 0 {
				break
			}
			possible := false
			for _, m := range list {
				next := th.stack[ply].pos.Play(m)
				for back := 3; back <= th.stack[ply].reversible && ply-back > 0; back += 2 {
					possible = possible || next.Key() == th.stack[ply-back].pos.Key()
				}
			}
			got := th.canRepeat(ply)
			// The other way round it may be wrong: pins are not looked at.
			if possible && !got {
				t.Fatalf("ply %d of %s: %v, but playing says %v", ply, th.stack[ply].pos.FEN(), got, possible)
			}
			if got {
				found++
			}
			th.play(ply, list[random(len(list))])
		}
	}
	if found == 0 {
		t.Error("no walk came near a repetition")
	}
}
