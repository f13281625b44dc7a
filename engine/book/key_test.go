package book

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"castellan/engine/chess"
)

// published is the nine positions that the description of the format gives with their keys, as moves from the start.
var published = []struct {
	moves, fen string
	key        uint64
}{
	{"", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b96181691fc9c},
	{"e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c9b50fd114196},
	{"e2e4 d7d5", "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756b94461c50fb0},
	{"e2e4 d7d5 e4e5", "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662fafb965db29d4},
	{"e2e4 d7d5 e4e5 f7f5", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a48b5a8e47ff78},
	{"e2e4 d7d5 e4e5 f7f5 e1e2", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a607ca3f242c1},
	{"e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", "rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fdd303c946bdd9},
	{"a2a4 b7b5 h2h4 b5b4 c2c4", "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c8123ea7b067637},
	{"a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f9b829b279560},
}

func TestPublishedKeys(t *testing.T) {
	for _, test := range published {
		g := play(t, test.moves)
		if key := GameKey(g); key != test.key {
			t.Errorf("after %q: key %016x, want %016x", test.moves, key, test.key)
		}
		p, err := chess.ParseFEN(test.fen)
		if err != nil {
			t.Fatal(err)
		}
		if key := Key(&p, p.EnPassant()); key != test.key {
			t.Errorf("%s: key %016x, want %016x", test.fen, key, test.key)
		}
	}
}

// With these constants books were made that are equal byte by byte to those of the program PolyGlot: see
// TestSameBookAsPolyglot. The published positions touch a part of them only.
func TestConstants(t *testing.T) {
	sum := sha256.New()
	for _, r := range random {
		sum.Write(binary.BigEndian.AppendUint64(nil, r))
	}
	const want = "9aee840377ba74c9a7fe8e254958ad312aa15766257d18823f866b070cbcc9e8"
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("the constants have the SHA-256 %s, want %s", got, want)
	}
}

// A pawn that is pinned counts as ready to take; a pawn on the edge of the other side of the board does not.
func TestEnPassantOfTheFormat(t *testing.T) {
	for _, test := range []struct {
		name, fen, move string
		counts          bool
	}{
		{"taken by nobody", "4k3/3p4/8/8/8/8/8/4K3 b - - 0 1", "d7d5", false},
		{"legal", "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", true},
		{"pinned on the file", "4r1k1/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", true},
		{"both pawns leave the rank", "6k1/3p4/8/K3P2r/8/8/8/8 b - - 0 1", "d7d5", true},
		{"across the edge", "4k3/7p/8/P7/8/8/8/4K3 b - - 0 1", "h7h5", false},
		{"by White", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", true},
		{"one step", "4k3/8/3p4/4P3/8/8/8/4K3 b - - 0 1", "d6d5", false},
	} {
		start, err := chess.ParseFEN(test.fen)
		if err != nil {
			t.Fatal(err)
		}
		g := chess.NewGame(start, chess.FIDE)
		if err := g.PlayUCI(test.move); err != nil {
			t.Fatal(err)
		}
		if counts := GameKey(g) != Key(g.Position(), chess.NoSquare); counts != test.counts {
			t.Errorf("%s: en passant counts is %v, want %v", test.name, counts, test.counts)
		}
	}
}

// play plays moves in UCI from the start.
func play(t testing.TB, moves string) *chess.Game {
	t.Helper()
	g := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	for _, m := range strings.Fields(moves) {
		if err := g.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	return g
}
