package match

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"castellan/engine/chess"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fens are the positions after the first n openings.
func fens(t *testing.T, openings Openings, n int) (list []string) {
	t.Helper()
	for i := range n {
		o, err := openings(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		g, err := o.game()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, g.Position().FEN())
	}
	return list
}

func TestReadPositions(t *testing.T) {
	path := write(t, "a.epd", "\ufeff# openings\n\n"+
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"e4 e5\"; hmvc 0;\r\n"+
		"rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 3 17\n"+
		"8/8/4k3/8/8/4K3/4P3/8 w - -")
	list, err := ReadOpenings(path, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := fens(t, list, 6)
	if !slices.Equal(got[:3], got[3:]) {
		t.Errorf("the list does not begin again: %q", got)
	}
	slices.Sort(got)
	want := []string{"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", "rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 3 17", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1"}
	if !slices.Equal(slices.Compact(got), want) {
		t.Errorf("got %q", got)
	}
}

func TestReadPGN(t *testing.T) {
	path := write(t, "a.PGN", "[Event \"a\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n[Event \"b\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e3 *\n")
	list, err := ReadOpenings(path, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := fens(t, list, 2)
	slices.Sort(got)
	if want := []string{"4k3/8/8/8/8/4P3/8/4K3 b - - 0 1", "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestOrderFollowsTheSeed(t *testing.T) {
	var text strings.Builder
	for n := range 50 {
		p, err := chess.Chess960Start(n)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(p.FEN() + "\n")
	}
	path := write(t, "a.fen", text.String())
	order := func(seed uint64) []string {
		list, err := ReadOpenings(path, 0, seed)
		if err != nil {
			t.Fatal(err)
		}
		return fens(t, list, 50)
	}
	if !slices.Equal(order(1), order(1)) || slices.Equal(order(1), order(2)) || slices.Equal(order(1), strings.Split(text.String(), "\n")[:50]) {
		t.Error("the order does not follow the seed")
	}
}

func TestBadOpeningFiles(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a.epd", "", "there is none"},
		{"a.epd", "\nnonsense", "line 2: "},
		{"a.epd", "8/8/8/8/8/8/8/8 w - - 0 1", "line 1: "},
		{"a.epd", "7k/5Q2/6K1/8/8/8/8/8 b - -", "line 1: the game is over after the opening: 1/2-1/2 (stalemate)"},
		{"a.epd", strings.Repeat("x", 1<<17), "too long"},
		{"a.pgn", "1. e4 e5 2. Ke3", "PGN line 1, column 13"},
		{"a.pgn", "1. f3 e5 2. g4 Qh4# 0-1", "game 1: the game is over after the opening: 0-1 (checkmate)"},
	} {
		if _, err := ReadOpenings(write(t, tt.name, tt.text), 100, 1); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: got %v, want %q in it", tt.text, err, tt.want)
		}
	}
	if _, err := ReadOpenings("/no/such/file.epd", 8, 1); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestGenerator(t *testing.T) {
	generate := func(seed uint64, chess960 bool) (*Generator, []string) {
		g, err := NewGenerator(seed, 8, chess960)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.Close)
		return g, fens(t, g.Opening, 6)
	}
	g, first := generate(1, false)
	_, again := generate(1, false)
	_, other := generate(2, false)
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("openings do not follow the seed:\n%q\n%q\n%q", first, again, other)
	}
	if o, err := g.Opening(t.Context(), 3); err != nil || len(o.Moves) != 8 || o.Start != chess.StartPosition() {
		t.Errorf("opening 4: %+v, %v", o, err)
	} else if game, _ := o.game(); game.Position().FEN() != first[3] {
		t.Error("openings depend on the order in which they are asked for")
	}
	slices.Sort(first)
	if len(slices.Compact(first)) != 6 {
		t.Errorf("openings repeat: %q", first)
	}
	if g, _ := generate(1, true); g != nil {
		if o, err := g.Opening(t.Context(), 0); err != nil || o.Start == chess.StartPosition() || !isChess960(o.Start) {
			t.Errorf("Chess960: %+v, %v", o, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Opening(ended, 9); err == nil {
		t.Error("a cancelled context is no error")
	}
}
