package chess

import (
	"errors"
	"strings"
	"testing"
)

type fenVector struct {
	FEN, Reason, Verdict string
}

func TestParseFENInvalid(t *testing.T) {
	// Those of the vectors that may be read or refused as one likes, and are read: what they are read as. See ParseFEN.
	read := map[string]string{
		"castling right without rook":                                          "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
		"king-side right, rook only on a1":                                     "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
		"castling rights, king not on first rank":                              "4k3/8/8/8/8/8/4K3/R6R w - - 0 1",
		"king on d1 with KQ (valid only as Chess960)":                          "r3k2r/8/8/8/8/8/8/R2K3R w KQkq - 0 1",
		"ep square on rank 4 (shakmaty#71 class)":                              "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
		"ep square on the wrong rank for the side to move":                     startFEN,
		"ep square but no pawn on e5":                                          startFEN,
		"ep rank 4":                                                            "rnbqkbnr/pppp1ppp/4p3/4P3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
		"ep square occupied":                                                   "rnbqkbnr/pppppppp/8/8/4P3/4N3/PPPP1PPP/R1BQKBNR b KQkq - 0 1",
		"clock 5000: absurd but parseable (Lichess clamps to 100)":             "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 5000 1",
		"three checkers":                                                       "4k3/8/8/8/1b5q/8/3r4/4K3 w - - 0 1",
		"only the board part: Lichess and python-chess accept (white to move)": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
		"tabs: tools differ":                                                   startFEN,
	}
	forEachVector(t, "fen-invalid.jsonl", func(t *testing.T, v fenVector) {
		p, err := ParseFEN(v.FEN)
		want, readable := read[v.Reason]
		if v.Verdict == "accept" {
			want, readable = v.FEN, true
		}
		if v.Verdict == "reject" && readable {
			t.Fatalf("the test reads what the vectors reject")
		}
		if !readable {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%.100q (%s): got %v, want a *SyntaxError", v.FEN, v.Reason, err)
			}
			if len(err.Error()) > 400 || strings.ContainsAny(err.Error(), "\x00\n") {
				t.Errorf("the error is not fit to print: %q", err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", v.Reason, err)
		}
		checkConsistent(t, &p)
		if got := p.FEN(); got != want {
			t.Errorf("%q (%s) is read as %q, want %q", v.FEN, v.Reason, got, want)
		}
	})
}

func TestParseFENOdd(t *testing.T) {
	type vector struct {
		FEN, Normal string
		NLegal      int `json:"n_legal"`
	}
	forEachVector(t, "fen-odd-but-valid.jsonl", func(t *testing.T, v vector) {
		p, err := ParseFEN(v.FEN)
		if err != nil {
			t.Fatal(err)
		}
		checkConsistent(t, &p)
		if got := p.FEN(); got != v.Normal {
			t.Errorf("%q is written %q, want %q", v.FEN, got, v.Normal)
		}
		if got := p.CountMoves(); got != v.NLegal {
			t.Errorf("%d legal moves, want %d", got, v.NLegal)
		}
	})
}

// TestParseFENErrorsNameTheField checks that an error says which part of the FEN is wrong.
func TestParseFENErrorsNameTheField(t *testing.T) {
	for fen, want := range map[string]string{
		"":                            "is empty",
		"8/8/8/8/8/8/8/8/8 w - - 0 1": "FEN board",
		"rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1":    "two digits in a row on rank 6",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR W KQkq - 0 1":     "FEN side to move",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkqq - 0 1":    "FEN castling rights",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KK - 0 1":       "the same side twice",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1":    "FEN en passant square",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - -1 1":    "FEN half-move clock",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 10000": "FEN move number",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ++1 1":   "FEN half-move clock",
		"4k3/8/8/8/P7/8/PPPPPPPP/4K3 w - - 0 1":                        "has 9 white pawns",
		"rnbqkbnr/pppppppp/n7/8/8/8/8/4K3 w - - 0 1":                   "has 17 black men",
		"4k3/8/8/8/8/8/8/4K2r b - - 0 1":                               "white king in check with black to move",
	} {
		if _, err := ParseFEN(fen); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", fen, err, want)
		}
	}
}
