package book

import (
	"math"
	"testing"

	"castellan/engine/chess"
)

// choices asks n times and counts the answers.
func choices(t *testing.T, books *Books, g *chess.Game, n int) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for range n {
		m, err := books.Choose(g)
		if err != nil {
			t.Fatal(err)
		}
		counts[m.String()]++
	}
	return counts
}

func TestChoice(t *testing.T) {
	start := play(t, "")
	key := GameKey(start)
	weights := func(e4, d4, c4, f3 uint16) *Book {
		return read(t, file(entry{key, raw("e2e4", 0), e4}, entry{key, raw("d2d4", 0), d4}, entry{key, raw("c2c4", 0), c4}, entry{key, raw("g1f3", 0), f3}))
	}
	const n = 4000
	for _, test := range []struct {
		name    string
		book    *Book
		options Options
		want    map[string]float64 // share
	}{
		{"weighted", weights(60, 30, 10, 0), Options{MinWeight: 1}, map[string]float64{"e2e4": .6, "d2d4": .3, "c2c4": .1}},
		{"weighted, 0 allowed", weights(60, 30, 10, 0), Options{}, map[string]float64{"e2e4": .6, "d2d4": .3, "c2c4": .1}},
		{"weighted, the largest", weights(65535, 65535, 0, 0), Options{MinWeight: 1}, map[string]float64{"e2e4": .5, "d2d4": .5}},
		{"best", weights(60, 30, 10, 0), Options{Choice: Best, MinWeight: 1}, map[string]float64{"e2e4": 1}},
		{"best, equals", weights(60, 30, 60, 0), Options{Choice: Best, MinWeight: 1}, map[string]float64{"e2e4": .5, "c2c4": .5}},
		{"uniform", weights(60, 30, 10, 0), Options{Choice: Uniform, MinWeight: 1}, map[string]float64{"e2e4": 1. / 3, "d2d4": 1. / 3, "c2c4": 1. / 3}},
		{"uniform, 0 allowed", weights(60, 30, 10, 0), Options{Choice: Uniform}, map[string]float64{"e2e4": .25, "d2d4": .25, "c2c4": .25, "g1f3": .25}},
		{"least weight", weights(60, 30, 10, 0), Options{Choice: Uniform, MinWeight: 30}, map[string]float64{"e2e4": .5, "d2d4": .5}},
		{"all too light", weights(60, 30, 10, 0), Options{MinWeight: 61}, map[string]float64{"0000": 1}},
		{"all 0", weights(0, 0, 0, 0), Options{MinWeight: 1}, map[string]float64{"0000": 1}},
		{"all 0, 0 allowed", weights(0, 0, 0, 0), Options{}, map[string]float64{"e2e4": .25, "d2d4": .25, "c2c4": .25, "g1f3": .25}},
		{"all 0, best", weights(0, 0, 0, 0), Options{Choice: Best}, map[string]float64{"e2e4": .25, "d2d4": .25, "c2c4": .25, "g1f3": .25}},
	} {
		test.options.Seed = 1
		counts := choices(t, NewBooks([]*Book{test.book}, test.options), start, n)
		for m, share := range test.want {
			// Five standard deviations.
			if off := math.Abs(float64(counts[m]) - share*n); off > 5*math.Sqrt(n*share*(1-share)) {
				t.Errorf("%s: %s was chosen %d times of %d, want about %.0f", test.name, m, counts[m], n, share*n)
			}
		}
		if len(counts) != len(test.want) {
			t.Errorf("%s: chosen %v, want %v", test.name, counts, test.want)
		}
	}
}

func TestSeed(t *testing.T) {
	g := play(t, "")
	key := GameKey(g)
	b := read(t, file(entry{key, raw("e2e4", 0), 1}, entry{key, raw("d2d4", 0), 1}))
	sequence := func(seed uint64) (s string) {
		books := NewBooks([]*Book{b}, Options{Seed: seed})
		for range 64 {
			m, _ := books.Choose(g)
			s += m.String()[:1]
		}
		return s
	}
	first := map[uint64]string{7: sequence(7), 8: sequence(8), 0: sequence(0)}
	if again := sequence(7); again != first[7] {
		t.Error("the same seed chooses differently")
	}
	if again := sequence(0); first[7] == first[8] || again == first[0] {
		t.Error("different seeds choose alike")
	}
}

func TestDepth(t *testing.T) {
	line := "e2e4 e7e5 g1f3"
	b := lineBook(t, line)
	for depth, want := range map[int]int{0: 3, 1: 1, 2: 2, 3: 3, 9: 3} {
		g := play(t, "")
		books := NewBooks([]*Book{b}, Options{Depth: depth})
		for {
			m, err := books.Choose(g)
			if err != nil {
				t.Fatal(err)
			}
			if m == chess.NoMove {
				break
			}
			if err := g.Play(m); err != nil {
				t.Fatal(err)
			}
		}
		if g.Ply() != want {
			t.Errorf("depth %d: %d plies out of the book, want %d", depth, g.Ply(), want)
		}
	}
}

// lineBook makes a book with one move for each position of a line.
func lineBook(t testing.TB, line string) *Book {
	t.Helper()
	var entries []entry
	g := play(t, line)
	for ply, m := range g.Moves() {
		before := play(t, "")
		for _, earlier := range g.Moves()[:ply] {
			if err := before.Play(earlier); err != nil {
				t.Fatal(err)
			}
		}
		entries = append(entries, entry{GameKey(before), packMove(m), 1})
	}
	return read(t, file(entries...))
}

func TestBooksInOrder(t *testing.T) {
	first, second := lineBook(t, "e2e4 c7c5"), lineBook(t, "d2d4 d7d5 c2c4")
	books := NewBooks([]*Book{first, second}, Options{})
	for moves, want := range map[string]string{"": "e2e4", "e2e4": "c7c5", "d2d4": "d7d5", "d2d4 d7d5": "c2c4", "g1f3": "0000"} {
		if m, err := books.Choose(play(t, moves)); err != nil || m.String() != want {
			t.Errorf("after %q: %v, %v, want %s", moves, m, err, want)
		}
	}
	if m, err := NewBooks(nil, Options{}).Choose(play(t, "")); m != chess.NoMove || err != nil {
		t.Errorf("no book at all: %v, %v", m, err)
	}
}

func TestNoRepetition(t *testing.T) {
	const twice = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1" // f6g8 would bring the start about for the third time
	g := play(t, twice)
	key := GameKey(g)
	back := entry{key, raw("f6g8", 0), 9}
	for _, test := range []struct {
		name  string
		books []*Book
		moves string
		want  string
	}{
		{"another move stands", []*Book{read(t, file(back, entry{key, raw("d7d5", 0), 1}))}, twice, "d7d5"},
		{"the next book has another", []*Book{read(t, file(back)), read(t, file(entry{key, raw("e7e5", 0), 1}))}, twice, "e7e5"},
		{"left to the search", []*Book{read(t, file(back))}, twice, "0000"},
		{"nor is the second time played", []*Book{read(t, file(back))}, "g1f3 g8f6 f3g1", "0000"},
		// The start came twice, but with other rights to castle.
		{"other rights", []*Book{lineBook(t, "g1f3 g8f6 h1g1 h8g8 g1h1 g8h8 f3g1 f6g8")}, "g1f3 g8f6 h1g1 h8g8 g1h1 g8h8 f3g1", "f6g8"},
	} {
		for choice := Weighted; choice <= Uniform; choice++ {
			m, err := NewBooks(test.books, Options{Choice: choice, MinWeight: 1}).Choose(play(t, test.moves))
			if err != nil || m.String() != test.want {
				t.Errorf("%s, choice %d: %v, %v, want %s", test.name, choice, m, err, test.want)
			}
		}
	}
}
