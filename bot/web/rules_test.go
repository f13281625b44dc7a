package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"castellan/engine/chess"
)

func ask(t *testing.T, question string) answer {
	t.Helper()
	game, err := readQuestion(strings.NewReader(question))
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	return explain(game)
}

// moves returns the legal moves as from, targets and promotion: "e1: h1 g1".
func moves(a answer) (all []string) {
	for _, l := range a.Legal {
		text := l.From + ": " + strings.Join(l.Targets, " ")
		if l.Promotion != "" {
			text += "=" + l.Promotion
		}
		all = append(all, text)
	}
	return all
}

func TestStartIsExplained(t *testing.T) {
	for _, question := range []string{`{}`, `{"fen":"startpos"}`, `{"number":518}`} {
		a := ask(t, question)
		start := chess.StartPosition()
		if a.FEN != start.FEN() || len(a.Legal) != 20 || len(a.Plies) != 0 || a.Over != "" || a.Check != "" {
			t.Errorf("%s: %+v", question, a)
		}
	}
}

func TestTargetsOfCastling(t *testing.T) {
	for _, test := range []struct {
		name, fen string
		want      []string // moves that must be there
		not       []string
	}{
		{"standard", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", []string{"e1: h1 g1", "e1: a1 c1", "e1: f1"}, nil},
		// The king on f1 goes to g1 as an ordinary step too: the square stands for that, the rook's for castling.
		{"step of the king", "4k3/8/8/8/8/8/8/5K1R w H - 0 1", []string{"f1: h1", "f1: g1"}, []string{"f1: h1 g1"}},
		// The rook stands where the king goes to.
		{"rook on g1", "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", []string{"e1: g1"}, []string{"e1: g1 g1"}},
	} {
		got := moves(ask(t, fmt.Sprintf(`{"fen":%q}`, test.fen)))
		for _, want := range test.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q is missing in %q", test.name, want, got)
			}
		}
		for _, not := range test.not {
			if slices.Contains(got, not) {
				t.Errorf("%s: %q is in %q", test.name, not, got)
			}
		}
	}
}

func TestPliesSayWhatHappened(t *testing.T) {
	a := ask(t, `{"moves":"e2e4 a7a6 e4e5 d7d5 e5d6 e7d6 d1e2"}`)
	if p := a.Plies[4]; p.SAN != "exd6" || p.Captured != "p" || p.To != "d6" {
		t.Errorf("en passant: %+v", p)
	}
	if p := a.Plies[5]; p.Captured != "P" {
		t.Errorf("capture by Black: %+v", p)
	}
	if p := a.Plies[6]; p.SAN != "Qe2+" || p.Check != "e8" || !strings.HasPrefix(p.FEN, "rnbqkbnr/1pp2ppp/p2p4/8/8/8/PPPPQPPP/RNB1KBNR b ") {
		t.Errorf("check: %+v", p)
	}
	a = ask(t, `{"fen":"4k2r/P7/8/8/8/8/8/4K3 b k - 0 1","moves":"e8h8 a7a8q"}`)
	if p := a.Plies[0]; p.SAN != "O-O" || p.From != "e8" || p.To != "g8" || p.UCI != "e8h8" {
		t.Errorf("castling: %+v", p)
	}
	if p := a.Plies[1]; p.SAN != "a8=Q" {
		t.Errorf("promotion: %+v", p)
	}
	a = ask(t, `{"fen":"4k3/P7/8/8/8/8/8/4K3 w - - 0 1"}`)
	if got := moves(a); !slices.Contains(got, "a7: a8=n") || !slices.Contains(got, "a7: a8=q") {
		t.Errorf("promotions: %q", got)
	}
}

func TestGamesThatAreOver(t *testing.T) {
	for question, want := range map[string]string{
		`{"moves":"f2f3 e7e5 g2g4 d8h4"}`:                                          "checkmate",
		`{"moves":"g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"}`:                      "threefold repetition",
		`{"fen":"7k/5Q2/8/8/8/8/8/K7 w - - 98 90","moves":"a1b1 h8h8"}`:            "",
		`{"fen":"k7/8/8/8/8/8/8/KQ6 w - - 99 90","moves":"a1a2"}`:                  "50-move rule",
		`{"fen":"k7/8/8/8/8/8/1p6/K7 w - - 0 1","moves":"a1b2"}`:                   "insufficient material",
		`{"fen":"7k/8/6Q1/8/8/8/8/K7 w - - 0 1","moves":"a1b1"}`:                   "stalemate",
		`{"fen":"8/8/8/8/8/8/8/8 w - - 0 1"}`:                                      "",
		`{"moves":"` + strings.Repeat("g1f3 g8f6 f3g1 f6g8 ", maxPlies/4+1) + `"}`: "",
	} {
		game, err := readQuestion(strings.NewReader(question))
		if want == "" {
			if err == nil {
				t.Errorf("%.80s: no error", question)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		if a := explain(game); a.Over != want || len(a.Legal) != 0 {
			t.Errorf("%s: over by %q with %d legal moves, want %q and none", question, a.Over, len(a.Legal), want)
		}
	}
}

func TestQuestionsThatMakeNoSense(t *testing.T) {
	for _, question := range []string{
		``, `[]`, `{"fen":1}`, `{"color":"white"}`, `{"number":960}`, `{"number":-1}`, `{"number":518,"fen":"startpos"}`,
		`{"fen":"nonsense"}`, `{"moves":"e2e5"}`, `{"moves":"e4"}`,
	} {
		if _, err := readQuestion(strings.NewReader(question)); err == nil {
			t.Errorf("%s: no error", question)
		}
	}
}

// FuzzQuestion asks anything: what can be asked can be answered, and each legal move that is told can be played.
func FuzzQuestion(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"moves":"e2e4 e7e5"}`, `{"number":0,"moves":"b1c3"}`, `{"fen":"4k3/8/8/8/8/8/8/5K1R w H - 0 1"}`,
		`{"fen":"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1","moves":"e1h1"}`, `{"fen":"x"}`, `{"moves":" "}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		game, err := readQuestion(strings.NewReader(text))
		if err != nil {
			return
		}
		a := explain(game)
		if _, err := json.Marshal(a); err != nil {
			t.Fatal(err)
		}
		for _, l := range a.Legal {
			again := game.Clone()
			if err := again.PlayUCI(l.UCI); err != nil || again.Position().FEN() != l.FEN {
				t.Fatalf("%s: %s: %v, %s against %s", text, l.UCI, err, again.Position().FEN(), l.FEN)
			}
			if len(l.Targets) == 0 || l.From == "" || l.To == "" {
				t.Fatalf("%s: %+v", text, l)
			}
		}
	})
}
