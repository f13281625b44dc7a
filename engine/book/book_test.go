package book

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"castellan/engine/chess"
)

// file makes the text of a book out of entries.
func file(entries ...entry) []byte {
	slices.SortStableFunc(entries, func(x, y entry) int {
		if x.key < y.key {
			return -1
		} else if x.key > y.key {
			return 1
		}
		return 0
	})
	var text []byte
	for _, e := range entries {
		text = e.appendTo(text)
	}
	return text
}

func read(t testing.TB, text []byte) *Book {
	t.Helper()
	b, err := New(bytes.NewReader(text), int64(len(text)), "test.bin")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// raw packs a move from its two squares and the format's number of a promotion.
func raw(text string, promotion uint16) uint16 {
	from, _ := chess.ParseSquare(text[:2])
	to, _ := chess.ParseSquare(text[2:])
	return uint16(to) | uint16(from)<<6 | promotion<<12
}

// list writes moves as "e2e4:3 d2d4:2", castling as king-takes-rook.
func list(moves []Move) string {
	var words []string
	for _, m := range moves {
		words = append(words, fmt.Sprintf("%v:%d", m.Move, m.Weight))
	}
	return strings.Join(words, " ")
}

func TestOpenFaults(t *testing.T) {
	good := file(entry{1, 1, 1}, entry{2, 1, 1})
	same := bytes.Repeat(file(entry{7, 1, 1}), maxSameKey+1)
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"empty":         {nil, "is empty"},
		"truncated":     {good[:17], "cut off"},
		"one byte":      {good[:1], "cut off"},
		"unsorted":      {slices.Concat(good[16:], good[:16]), "entry 2 of 2 is out of order"},
		"a text":        {[]byte(strings.Repeat("[Event \"casual game of someone\"]\n", 16)), "no Polyglot book"},
		"one key often": {same, "have the same key"},
	} {
		path := filepath.Join(t.TempDir(), "book.bin")
		if err := os.WriteFile(path, test.text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with the path and %q", name, err, test.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.bin")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
	read(t, same[16:]) // as many as may be
}

func TestOpenAllTellsAllFaults(t *testing.T) {
	_, err := OpenAll([]string{"no-such-1.bin", "no-such-2.bin"}, Options{})
	if err == nil || !strings.Contains(err.Error(), "no-such-1.bin") || !strings.Contains(err.Error(), "no-such-2.bin") {
		t.Errorf("%v, want both files", err)
	}
}

func TestMovesAreLegal(t *testing.T) {
	for _, test := range []struct {
		name, fen string
		entries   []entry // with key 0: that of the position
		want      string
	}{
		{"heaviest first, equal in the order of the file", "", []entry{{0, raw("g1f3", 0), 5}, {0, raw("e2e4", 0), 9}, {0, raw("d2d4", 0), 5}}, "e2e4:9 g1f3:5 d2d4:5"},
		{"weight 0 is told", "", []entry{{0, raw("e2e4", 0), 0}}, "e2e4:0"},
		{"twice the same", "", []entry{{0, raw("e2e4", 0), 40000}, {0, raw("e2e4", 0), 40000}}, "e2e4:80000"},
		{"illegal", "", []entry{{0, raw("e2e5", 0), 9}, {0, 0, 9}, {0, 0xffff, 9}, {0, raw("e2e4", 0) | 1<<15, 9}, {0, raw("e2e4", 4), 9}, {0, raw("e7e5", 0), 9}}, ""},
		{"castling", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", []entry{{0, raw("e1h1", 0), 2}, {0, raw("e1a1", 0), 1}}, "e1h1:2 e1a1:1"},
		{"castling, black", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", []entry{{0, raw("e8a8", 0), 2}, {0, raw("e8h8", 0), 1}}, "e8a8:2 e8h8:1"},
		{"castling as the king's move", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", []entry{{0, raw("e1g1", 0), 2}, {0, raw("e1h1", 0), 1}}, "e1h1:3"},
		{"castling with a promotion", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", []entry{{0, raw("e1g1", 4), 2}, {0, raw("e1h1", 4), 1}}, ""},
		{"castling that is lost", "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", []entry{{0, raw("e1h1", 0), 2}, {0, raw("e1a1", 0), 1}}, ""},
		{"a queen on e1 walks to a1", "3k4/8/8/8/8/8/8/4Q1K1 w - - 0 1", []entry{{0, raw("e1a1", 0), 3}, {0, raw("e1h1", 0), 3}}, "e1a1:3"},
		{"a queen on e1 does not take its rook", "3k4/8/8/8/8/8/8/R3Q1K1 w - - 0 1", []entry{{0, raw("e1a1", 0), 3}}, ""},
		{"a rook on e1 walks to h1", "3k4/8/8/8/8/8/8/1K2R3 w - - 0 1", []entry{{0, raw("e1h1", 0), 3}, {0, raw("e1c1", 0), 2}}, "e1h1:3 e1c1:2"},
		{"promotions", "8/P6k/8/8/8/8/8/K7 w - - 0 1", []entry{{0, raw("a7a8", 1), 4}, {0, raw("a7a8", 2), 3}, {0, raw("a7a8", 3), 2}, {0, raw("a7a8", 4), 1}, {0, raw("a7a8", 0), 9}, {0, raw("a7a8", 5), 9}}, "a7a8n:4 a7a8b:3 a7a8r:2 a7a8q:1"},
		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", []entry{{0, raw("e5d6", 0), 1}}, "e5d6:1"},
		// The rights of the g-rook and of the h-rook have the same key.
		{"Chess960 with the key of another position", "4k3/8/8/8/8/8/8/4K1RR w G - 0 1", []entry{{0, raw("e1h1", 0), 5}, {0, raw("e1g1", 0), 4}}, "e1g1:4"},
		{"Chess960, king on f1", "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", []entry{{0, raw("f1g1", 0), 5}, {0, raw("f1h1", 0), 4}}, "f1g1:5"},
		{"mated", "7k/5QQ1/8/8/8/8/8/K7 b - - 0 1", []entry{{0, raw("h8g8", 0), 5}}, ""},
	} {
		p := chess.StartPosition()
		if test.fen != "" {
			var err error
			if p, err = chess.ParseFEN(test.fen); err != nil {
				t.Fatal(err)
			}
		}
		key := Key(&p, p.EnPassant())
		for i := range test.entries {
			test.entries[i].key = key
		}
		b := read(t, file(append(test.entries, entry{key - 1, raw("e2e3", 0), 9}, entry{key + 1, raw("e2e3", 0), 9})...))
		moves, err := b.Moves(&p, key)
		if err != nil {
			t.Fatal(err)
		}
		if got := list(moves); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Every key of a book is found, at both ends too, and none that is not there.
func TestFind(t *testing.T) {
	for size := range 20 {
		var entries []entry
		for i := range size + 1 {
			entries = append(entries, entry{uint64(i/2*10 + 10), raw("e2e4", 0), uint16(i + 1)})
		}
		b := read(t, file(entries...))
		start := chess.StartPosition()
		for key := range uint64(130) {
			want := 0
			for _, e := range entries {
				if e.key == key {
					want += int(e.weight)
				}
			}
			moves, err := b.Moves(&start, key)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for _, m := range moves {
				got += m.Weight
			}
			if got != want {
				t.Errorf("%d entries, key %d: weight %d, want %d", b.Len(), key, got, want)
			}
		}
	}
}

func TestFileThatShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.bin")
	key := GameKey(play(t, ""))
	if err := os.WriteFile(path, file(entry{1, 1, 1}, entry{key, raw("e2e4", 0), 1}), 0o644); err != nil {
		t.Fatal(err)
	}
	books, err := OpenAll([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer books.Close()
	if err := os.Truncate(path, 8); err != nil {
		t.Fatal(err)
	}
	m, err := books.Choose(play(t, ""))
	if m != chess.NoMove || err == nil || !strings.Contains(err.Error(), "shorter") {
		t.Errorf("%v, %v", m, err)
	}
}

// A book that cannot be read does not keep the next from being asked.
func TestNextBookAfterAFault(t *testing.T) {
	key := GameKey(play(t, ""))
	text := file(entry{key, raw("e2e4", 0), 1})
	broken := &Book{name: "broken.bin", r: failing{}, entries: 1, close: func() error { return nil }}
	m, err := NewBooks([]*Book{broken, read(t, text)}, Options{}).Choose(play(t, ""))
	if m.String() != "e2e4" || err == nil || !strings.Contains(err.Error(), "broken.bin") {
		t.Errorf("%v, %v", m, err)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

func TestBooksForManyGames(t *testing.T) {
	key := GameKey(play(t, ""))
	books := NewBooks([]*Book{read(t, file(entry{key, raw("e2e4", 0), 1}, entry{key, raw("d2d4", 0), 1}))}, Options{})
	var wg sync.WaitGroup
	for range 8 {
		g := play(t, "")
		wg.Go(func() {
			for range 200 {
				if m, err := books.Choose(g); err != nil || !g.Position().IsLegal(m) {
					t.Errorf("%v, %v", m, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func FuzzBook(f *testing.F) {
	key := GameKey(play(f, ""))
	f.Add(file(entry{key, raw("e2e4", 0), 1}, entry{key, raw("e2e5", 0), 0}), "")
	f.Add(file(entry{key, 0xffff, 0xffff})[:15], "e2e4")
	f.Add([]byte{}, "e2e4 e7e5")
	f.Fuzz(func(t *testing.T, text []byte, moves string) {
		g := chess.NewGame(chess.StartPosition(), chess.FIDE)
		for m := range strings.FieldsSeq(moves) {
			if g.PlayUCI(m) != nil {
				break
			}
		}
		b, err := New(bytes.NewReader(text), int64(len(text)), "fuzz.bin")
		if err != nil {
			return
		}
		keys := []uint64{GameKey(g), 0, 1<<64 - 1}
		for i := 0; i < len(text); i += entrySize {
			keys = append(keys, readEntry(text[i:]).key)
		}
		for _, key := range keys {
			found, err := b.Moves(g.Position(), key)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range found {
				if !g.Position().IsLegal(m.Move) {
					t.Fatalf("%v is not legal in %s", m.Move, g.Position().FEN())
				}
			}
		}
		for choice := Weighted; choice <= Uniform; choice++ {
			m, err := NewBooks([]*Book{b}, Options{Choice: choice}).Choose(g)
			if err != nil || m != chess.NoMove && !g.Position().IsLegal(m) {
				t.Fatalf("%v, %v", m, err)
			}
		}
	})
}
