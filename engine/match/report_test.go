package match

import (
	"strings"
	"testing"
)

func TestReportInWords(t *testing.T) {
	tests := []struct {
		name   string
		report Report
		want   []string // lines, with one space after the label
		not    string
	}{
		{"one pair", Report{Planned: 200, Finished: 2, Games: Counts{0, 1, 1}, Pairs: Counts{0, 0, 0, 1, 0}},
			[]string{"score 1.5 of 2, 75.0 %: 1 win, 1 draw, 0 losses", "Elo +190.8, too few games for its error", "LOS too few games to tell"}, "LOS 100"},
		{"one loss", Report{Planned: 1, Finished: 1, Games: Counts{1, 0, 0}},
			[]string{"score 0 of 1, 0.0 %: 0 wins, 0 draws, 1 loss", "LOS too few games to tell"}, "pairs"},
		{"two pairs", Report{Planned: 200, Finished: 4, Games: Counts{0, 1, 3}, Pairs: Counts{0, 0, 0, 1, 1}},
			[]string{"Elo +338.0, too few games for its error", "LOS too few games to tell"}, "LOS 100"},
		{"nearly all won", Report{Planned: 200, Finished: 200, Games: Counts{1, 2, 197}, Pairs: Counts{0, 0, 1, 2, 97}},
			[]string{"LOS 100.0 %"}, "to tell"},
		{"no pair", Report{Planned: 200, Finished: 1, Games: Counts{0, 0, 0}, Pairs: Counts{0, 0, 0, 0, 0}, SPRT: &SPRT{0, 10, 0.05, 0.05}},
			[]string{"games 0 of 200", "score none: no pair of games was finished", "faults A: none"}, "LOS"},
		{"no game", Report{Planned: 3, Games: Counts{0, 0, 0}},
			[]string{"games 0 of 3", "score none: no game was finished", "faults B: none"}, "Elo"},
		{"one fault of each kind", Report{Planned: 2, Games: Counts{2, 0, 0}, Faults: [2]Faults{{1, 1, 1}, {2, 2, 2}}},
			[]string{"faults A: 1 crash, 1 time loss, 1 illegal move", "faults B: 2 crashes, 2 time losses, 2 illegal moves"}, "1 crashes"},
	}
	for _, tt := range tests {
		tt.report.Names = [2]string{"A", "B"}
		text := tt.report.String()
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = strings.Join(strings.Fields(lines[i]), " ")
		}
		text = strings.Join(lines, "\n") + "\n"
		for _, want := range tt.want {
			if !strings.Contains(text, want+"\n") {
				t.Errorf("%s: %q is not in\n%s", tt.name, want, text)
			}
		}
		if strings.Contains(text, tt.not) {
			t.Errorf("%s: %q is in\n%s", tt.name, tt.not, text)
		}
	}
}
