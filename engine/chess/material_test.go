package chess

import (
	"slices"
	"strings"
	"testing"
)

func TestOnTime(t *testing.T) {
	forEachVector(t, "timeout.jsonl", func(t *testing.T, v timeoutVector) {
		testOnTime(t, v, parseFENOrFail(t, v.FEN))
		// Mirrored, every man stands on a square of the other colour.
		testOnTime(t, v, parseFENOrFail(t, mirrorFiles(v.FEN)))
	})
}

type timeoutVector struct {
	FEN, Flagged, Result, Note string
	WinnerInsufficient         bool `json:"winner_has_insufficient_material"`
	DeadPosition               bool `json:"dead_position"`
}

func testOnTime(t *testing.T, v timeoutVector, p Position) {
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
}

// mirrorFiles swaps the a-file with the h-file and so on, in a FEN without castling rights.
func mirrorFiles(fen string) string {
	board, rest, _ := strings.Cut(fen, " ")
	ranks := strings.Split(board, "/")
	for i, rank := range ranks {
		b := []byte(rank)
		slices.Reverse(b)
		ranks[i] = string(b)
	}
	return strings.Join(ranks, "/") + " " + rest
}

// TestDeadMaterialIsNeitherSideCanMate checks the two material rules against each other on every vector position.
func TestDeadMaterialIsNeitherSideCanMate(t *testing.T) {
	for _, p := range testPositions(t) {
		if neither := !p.CanMate(White) && !p.CanMate(Black); p.IsDeadMaterial() && !neither {
			t.Errorf("%s: dead, yet somebody can mate", p.FEN())
		}
	}
}
