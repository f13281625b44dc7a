package search

import "testing"

func TestScoreString(t *testing.T) {
	tests := []struct {
		score Score
		text  string
	}{
		{0, "cp 0"},
		{31, "cp 31"},
		{-20000, "cp -20000"},
		{mate - 1, "mate 1"},
		{mate - 3, "mate 2"},
		{-mate, "mate 0"},
		{-mate + 2, "mate -1"},
		{-mate + 4, "mate -2"},
		{MateIn(7), "mate 7"},
		{MateIn(-7), "mate -7"},
	}
	for _, tt := range tests {
		if got := tt.score.String(); got != tt.text {
			t.Errorf("Score(%d) is %q, want %q", int(tt.score), got, tt.text)
		}
	}
}
