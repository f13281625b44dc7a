package search

import "testing"

func TestSEE(t *testing.T) {
	tests := []struct {
		fen, move string
		gain      int
	}{
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100},
		{"4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0},
		{"4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500},
		{"3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100},
		{"3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100 - 500},
		{"4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", "c3d5", 950},
		{"4k3/8/8/4n3/8/8/1B6/B3K3 w - - 0 1", "b2e5", 320},
		{"4k3/8/3p4/4n3/8/8/1B6/B3K3 w - - 0 1", "b2e5", 320 - 330 + 100},
		{"4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", "e1e2", 100},
		{"4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1", "d5c6", 100},
		{"4k3/1p6/8/2pP4/8/8/8/4K3 w - c6 0 1", "d5c6", 0},
		{"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 850},
		{"1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 500 + 850},
		{"1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -100},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", 0},
		{"4k3/8/8/2p5/8/8/8/3RK3 w - - 0 1", "d1d4", -500},
		// Kings take last, and never a guarded man.
		{"8/8/4k3/3p4/8/4N3/8/3RK3 w - - 0 1", "e3d5", 100},
		{"8/8/4k3/3p4/8/4N3/8/4K3 w - - 0 1", "e3d5", 100 - 320},
		// The queen behind the rook takes part, the pinned pawn does not count as pinned.
		{"3qk3/3r4/8/3p4/8/8/3R4/3QK3 w - - 0 1", "d2d5", 100 - 500},
	}
	for _, tt := range tests {
		p := position(t, tt.fen)
		m, err := p.ParseUCI(tt.move)
		if err != nil {
			t.Fatal(err)
		}
		if !seeAtLeast(&p, m, tt.gain) {
			t.Errorf("%s %s: gain is below %d", tt.fen, tt.move, tt.gain)
		}
		if seeAtLeast(&p, m, tt.gain+1) {
			t.Errorf("%s %s: gain is above %d", tt.fen, tt.move, tt.gain)
		}
	}
}
