package chess

import "testing"

func TestOnTime(t *testing.T) {
	type vector struct {
		FEN, Flagged, Result, Note string
		WinnerInsufficient         bool `json:"winner_has_insufficient_material"`
		DeadPosition               bool `json:"dead_position"`
	}
	forEachVector(t, "timeout.jsonl", func(t *testing.T, v vector) {
		p := parseFENOrFail(t, v.FEN)
		loser := White
		if v.Flagged == "black" {
			loser = Black
		}
		if got := p.OnTime(loser); got.Result() != v.Result || got.Reason != TimeForfeit {
			t.Errorf("%s: %v, want %s by time forfeit", v.Note, got, v.Result)
		}
		if got := p.OnAbandonment(loser); got.Result() != v.Result || got.Reason != Abandonment {
			t.Errorf("%s: %v, want %s by abandonment", v.Note, got, v.Result)
		}
		if got := p.CanMate(loser.Other()); got == v.WinnerInsufficient {
			t.Errorf("%s: CanMate is %v", v.Note, got)
		}
		if got := p.IsDeadMaterial(); got != v.DeadPosition {
			t.Errorf("%s: IsDeadMaterial is %v", v.Note, got)
		}
	})
}

// TestDeadMaterialIsNeitherSideCanMate checks the two material rules against each other on every vector position.
func TestDeadMaterialIsNeitherSideCanMate(t *testing.T) {
	for _, p := range testPositions(t) {
		if neither := !p.CanMate(White) && !p.CanMate(Black); p.IsDeadMaterial() && !neither {
			t.Errorf("%s: dead, yet somebody can mate", p.FEN())
		}
	}
}
