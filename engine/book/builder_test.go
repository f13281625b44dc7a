package book

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"castellan/engine/chess"
)

func build(t testing.TB, b *Builder) *Book {
	t.Helper()
	var out bytes.Buffer
	n, err := b.Write(&out)
	if err != nil {
		t.Fatal(err)
	}
	if n*entrySize != out.Len() {
		t.Fatalf("%d entries in %d bytes", n, out.Len())
	}
	return read(t, out.Bytes())
}

func TestBuilder(t *testing.T) {
	b := NewBuilder(4, 2)
	for _, game := range []struct{ moves, result string }{
		{"e2e4 e7e5 g1f3 b8c6 f1b5", "1-0"},
		{"e2e4 e7e5 g1f3 b8c6 f1b5", "1/2-1/2"},
		{"e2e4 c7c5", "1-0"},
		{"e2e4 c7c5", "1-0"},
		{"d2d4 d7d5", "0-1"},
		{"d2d4 d7d5", "1/2-1/2"},
		{"c2c4", "1-0"}, // once
		{"g2g4 e7e5", "0-1"},
		{"g2g4 e7e5", "0-1"},
	} {
		if err := b.Add(play(t, game.moves), game.result); err != nil {
			t.Fatal(err)
		}
	}
	book := build(t, b)
	for moves, want := range map[string]string{
		"":                    "e2e4:7 d2d4:1", // g2g4 lost both
		"e2e4":                "e7e5:1",        // c7c5 lost both
		"d2d4":                "d7d5:3",
		"e2e4 e7e5":           "g1f3:3",
		"e2e4 e7e5 g1f3":      "b8c6:1",
		"e2e4 e7e5 g1f3 b8c6": "", // beyond the plies
		"c2c4":                "",
		"g2g4":                "e7e5:4",
	} {
		g := play(t, moves)
		found, err := book.Moves(g.Position(), GameKey(g))
		if err != nil || list(found) != want {
			t.Errorf("after %q: %q, %v, want %q", moves, list(found), err, want)
		}
	}
	for _, result := range []string{"*", "", "2-0"} {
		if b.Add(play(t, "e2e4"), result) == nil {
			t.Errorf("result %q was taken", result)
		}
	}
}

func TestWeightsFitInto16Bits(t *testing.T) {
	key := GameKey(play(t, ""))
	other := GameKey(play(t, "e2e4"))
	b := NewBuilder(1, 1)
	b.rows = map[row]tally{
		{key, raw("e2e4", 0)}:   {4_000_000_000, 4_000_000_000},
		{key, raw("d2d4", 0)}:   {2_000_000_000, 2_000_000_000},
		{key, raw("a2a3", 0)}:   {1, 1},
		{other, raw("e7e5", 0)}: {65535, 65535},
		{other, raw("c7c5", 0)}: {3, 3},
	}
	book := build(t, b)
	for moves, want := range map[string]string{"": "e2e4:65535 d2d4:32767 a2a3:1", "e2e4": "e7e5:65535 c7c5:3"} {
		g := play(t, moves)
		if found, err := book.Moves(g.Position(), GameKey(g)); err != nil || list(found) != want {
			t.Errorf("after %q: %q, %v, want %q", moves, list(found), err, want)
		}
	}
}

// TestSameBookAsPolyglot makes a book out of random games here and by the program PolyGlot, and compares the bytes. Random games
// have every kind of move and nearly every constant.
func TestSameBookAsPolyglot(t *testing.T) {
	polyglot, err := exec.LookPath("polyglot")
	if err != nil {
		if polyglot = "/usr/games/polyglot"; exec.Command(polyglot, "help").Run() != nil {
			t.Skip("the program polyglot is not here")
		}
	}
	const seed, games, plies = 1, 150, 200
	rng := rand.New(rand.NewPCG(seed, 0))
	ours := NewBuilder(plies, 1)
	var pgn bytes.Buffer
	for range games {
		g := randomGame(rng, plies)
		result := []string{"1-0", "0-1", "1/2-1/2"}[rng.IntN(3)]
		if err := ours.Add(g, result); err != nil {
			t.Fatal(err)
		}
		if err := chess.WritePGN(&pgn, &chess.PGNGame{Game: g, Result: result, Tags: []chess.Tag{{Name: "Result", Value: result}}}); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "games.pgn"), pgn.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(polyglot, "make-book", "-pgn", "games.pgn", "-bin", "book.bin", "-max-ply", fmt.Sprint(plies), "-min-game", "1")
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	theirs, err := os.ReadFile(filepath.Join(dir, "book.bin"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	n, err := ours.Write(&out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(canonical(t, out.Bytes()), canonical(t, theirs)) {
		t.Errorf("PolyGlot's book has %d entries and ours %d, and they differ", len(theirs)/entrySize, n)
	}
	t.Logf("%d entries", n)
}

// randomGame plays random legal moves.
func randomGame(rng *rand.Rand, plies int) *chess.Game {
	g := chess.NewGame(chess.StartPosition(), chess.FIDE)
	for g.Ply() < plies && !g.Outcome().Over() {
		var legal chess.MoveList
		g.Position().LegalMoves(&legal)
		if err := g.Play(legal.At(rng.IntN(legal.Len()))); err != nil {
			panic(err)
		}
	}
	return g
}

func BenchmarkBuilder(b *testing.B) {
	g := randomGame(rand.New(rand.NewPCG(1, 0)), 30)
	for b.Loop() {
		builder := NewBuilder(30, 1)
		if err := builder.Add(g, "1-0"); err != nil {
			b.Fatal(err)
		}
		if _, err := builder.Write(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
