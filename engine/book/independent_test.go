package book

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"castellan/engine/chess"
)

// What follows reads the format a second time, from its description and by other means than the package: the whole file at
// once, keys out of the text of a FEN, moves as text, and every entry looked at for each question.

type plainEntry struct {
	Key          uint64
	Move, Weight uint16
	Learn        uint32
}

func plainRead(t testing.TB, text []byte) []plainEntry {
	t.Helper()
	entries := make([]plainEntry, len(text)/16)
	if err := binary.Read(bytes.NewReader(text), binary.BigEndian, entries); err != nil {
		t.Fatal(err)
	}
	return entries
}

// plainKey computes the key of a FEN of standard chess. passed is the square in the FEN's fourth field when the last move was a double
// step, whoever may take; else "-".
func plainKey(fen, passed string) (key uint64) {
	fields := strings.Fields(fen)
	var board [8][8]byte // by row from White's side, and file
	for i, line := range strings.Split(fields[0], "/") {
		file := 0
		for _, c := range []byte(line) {
			if c >= '1' && c <= '8' {
				file += int(c - '0')
				continue
			}
			board[7-i][file] = c
			file++
		}
	}
	for row := range 8 {
		for file := range 8 {
			if c := board[row][file]; c != 0 {
				key ^= random[64*strings.IndexByte("pPnNbBrRqQkK", c)+8*row+file]
			}
		}
	}
	for i, c := range "KQkq" {
		if strings.ContainsRune(fields[2], c) {
			key ^= random[768+i]
		}
	}
	if passed != "-" {
		file := int(passed[0] - 'a')
		row, pawn := 4, byte('P')
		if fields[1] == "b" {
			row, pawn = 3, 'p'
		}
		if file > 0 && board[row][file-1] == pawn || file < 7 && board[row][file+1] == pawn {
			key ^= random[772+file]
		}
	}
	if fields[1] == "w" {
		key ^= random[780]
	}
	return key
}

// plainMove writes a move of a book as UCI with castling as the king's move.
func plainMove(raw uint16, fen string) string {
	square := func(n uint16) string { return string([]byte{'a' + byte(n&7), '1' + byte(n>>3&7)}) }
	text := square(raw>>6) + square(raw) + []string{"", "n", "b", "r", "q"}[min(raw>>12, 4)]
	for rook, king := range map[string]string{"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"} {
		if text == rook && kingOn(fen, text[:2]) {
			return king
		}
	}
	return text
}

// kingOn tells whether a king stands on e1 or e8.
func kingOn(fen, square string) bool {
	lines := strings.Split(strings.Fields(fen)[0], "/")
	line, king := lines[7], "K"
	if square == "e8" {
		line, king = lines[0], "k"
	}
	for n := byte('1'); n <= '8'; n++ {
		line = strings.ReplaceAll(line, string(n), strings.Repeat(".", int(n-'0')))
	}
	return line[4:5] == king
}

// canonical sorts the entries of a file and takes what programs keep for learning out of them.
func canonical(t testing.TB, text []byte) []byte {
	t.Helper()
	entries := plainRead(t, text)
	for i := range entries {
		entries[i].Learn = 0
	}
	slices.SortFunc(entries, func(x, y plainEntry) int {
		if x.Key != y.Key {
			return map[bool]int{true: -1, false: 1}[x.Key < y.Key]
		}
		return int(x.Move) - int(y.Move)
	})
	var out bytes.Buffer
	if err := binary.Write(&out, binary.BigEndian, entries); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestKeysAgainstAnIndependentReading compares keys over random games.
func TestKeysAgainstAnIndependentReading(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	enPassant := 0
	for range 100 {
		g := randomGame(rng, 120)
		replay := chess.NewGame(chess.StartPosition(), chess.FIDE)
		for _, m := range g.Moves() {
			passed := "-"
			if p := replay.Position(); p.PieceOn(m.From()).Type() == chess.Pawn && (m.To() == m.From()+16 || m.From() == m.To()+16) {
				passed = ((m.From() + m.To()) / 2).String()
			}
			if err := replay.Play(m); err != nil {
				t.Fatal(err)
			}
			fen := replay.Position().FEN()
			want := plainKey(fen, passed)
			if got := GameKey(replay); got != want {
				t.Fatalf("%s, passed %s: key %016x, want %016x", fen, passed, got, want)
			}
			if want != plainKey(fen, "-") {
				enPassant++
			}
		}
	}
	if enPassant < 20 {
		t.Errorf("en passant counted in %d positions only: these games show too little", enPassant)
	}
}

// TestRealBooks walks through real books and compares every answer with the independent reading.
func TestRealBooks(t *testing.T) {
	dir := os.Getenv("BOOKS_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "books")
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.bin"))
	if len(paths) == 0 {
		t.Skipf("no books in %s: BOOKS_DIR names another folder", dir)
	}
	for _, path := range paths {
		walkBook(t, path)
	}
}

// smallBook was made by castellan book out of the games beside it: --plies 20 --min-games 1.
var smallBook = filepath.Join("..", "..", "testdata", "books", "small.bin")

func TestSmallBook(t *testing.T) {
	if w := walkBook(t, smallBook); w.moves != w.book.Len() {
		t.Errorf("%d moves were reached, want all %d", w.moves, w.book.Len())
	}
	text, err := os.ReadFile(smallBook)
	if err != nil {
		t.Fatal(err)
	}
	games, err := os.Open(strings.TrimSuffix(smallBook, ".bin") + ".pgn")
	if err != nil {
		t.Fatal(err)
	}
	defer games.Close()
	builder := NewBuilder(20, 1)
	for g, err := range chess.NewPGNReader(games).All() {
		if err != nil {
			t.Fatal(err)
		}
		if g.Result != "*" {
			if err := builder.Add(g.Game, g.Result); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out bytes.Buffer
	if _, err := builder.Write(&out); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), text) {
		t.Errorf("the games give another book: %v, want %v", plainRead(t, out.Bytes()), plainRead(t, text))
	}
}

// walkBook goes through the lines of a book from the start of the game.
func walkBook(t *testing.T, path string) *walk {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{t: t, book: b, byKey: map[uint64][]plainEntry{}, seen: map[uint64]bool{}}
	for _, e := range plainRead(t, text) {
		w.byKey[e.Key] = append(w.byKey[e.Key], e)
	}
	w.from(chess.NewGame(chess.StartPosition(), chess.FIDE), 16)
	t.Logf("%s: %d entries; %d positions and %d moves reached from the start", filepath.Base(path), b.Len(), len(w.seen), w.moves)
	if w.moves == 0 {
		t.Errorf("%s: nothing was found", path)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	return w
}

type walk struct {
	t     *testing.T
	book  *Book
	byKey map[uint64][]plainEntry
	seen  map[uint64]bool
	moves int
}

// from asks about a position and, up to a depth, about those after a move of the book or with entries in the book.
func (w *walk) from(g *chess.Game, depth int) {
	key := GameKey(g)
	if w.seen[key] || len(w.seen) > 20000 {
		return
	}
	w.seen[key] = true
	fen := g.Position().FEN()
	want := map[string]int{}
	for _, e := range w.byKey[key] {
		if m, err := g.Position().ParseUCI(plainMove(e.Move, fen)); err == nil {
			want[m.String()] += int(e.Weight)
		}
	}
	got, err := w.book.Moves(g.Position(), key)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(got) != len(want) || !slices.IsSortedFunc(got, func(x, y Move) int { return y.Weight - x.Weight }) {
		w.t.Fatalf("%s: %s, want %v", fen, list(got), want)
	}
	for _, m := range got {
		if want[m.Move.String()] != m.Weight {
			w.t.Fatalf("%s: %s, want %v", fen, list(got), want)
		}
	}
	w.moves += len(got)
	if depth == 0 {
		return
	}
	var legal chess.MoveList
	g.Position().LegalMoves(&legal)
	for _, m := range legal.Slice() {
		inBook := slices.ContainsFunc(got, func(b Move) bool { return b.Move == m })
		if err := g.Play(m); err != nil {
			w.t.Fatal(err)
		}
		if inBook || len(w.byKey[GameKey(g)]) > 0 {
			w.from(g, depth-1)
		}
		g.Undo()
	}
}
