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
		FEN, Normal   string
		NormalXFEN    string `json:"normal_xfen"`    // with an en passant square where a pawn stands ready, legal or not
		NormalClassic string `json:"normal_classic"` // with the square after every double step
		Verdict, Why  string
		Status        []string // what the vectors' maker finds wrong: nothing, in any of these
		NLegal        int      `json:"n_legal"`
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
		if len(v.Status) != 0 {
			t.Errorf("the vectors hold it for invalid (%v), and it is read", v.Status)
		}
		switch v.Verdict {
		case "": // FEN has one form, so the other two are read and not written; all mean the same position.
			for _, form := range []string{v.NormalXFEN, v.NormalClassic} {
				if same := parseFENOrFail(t, form); same != p {
					t.Errorf("%q is read as %s, want %s", form, same.FEN(), p.FEN())
				}
			}
		case "either": // it may be refused as well; ParseFEN says that castling letters come in any order
		default:
			t.Errorf("verdict %q is none that this file has", v.Verdict)
		}
		if got := p.CountMoves(); got != v.NLegal {
			t.Errorf("%d legal moves, want %d", got, v.NLegal)
		}
	})
}

// TestFENWhiteSpace checks that FEN and EPD take the same white space off the ends.
func TestFENWhiteSpace(t *testing.T) {
	for _, text := range []string{startFEN + "\n", startFEN + "\r\n", "\n\t " + startFEN, startFEN + " \n \n"} {
		p, err := ParseFEN(text)
		if err != nil || p.FEN() != startFEN {
			t.Errorf("FEN %q: %v", text, err)
		}
		if e, err := ParseEPD(text); err != nil || e.Position.FEN() != startFEN {
			t.Errorf("EPD %q: %v", text, err)
		}
	}
	for _, text := range []string{"\n", strings.Replace(startFEN, " ", "\n", 1), startFEN + "\n" + startFEN} {
		if p, err := ParseFEN(text); err == nil {
			t.Errorf("FEN %q is read as %s", text, p.FEN())
		}
	}
}

// TestNoEnPassantOutOfCheck has a check that the capture does not answer: there is no right to write or to repeat.
func TestNoEnPassantOutOfCheck(t *testing.T) {
	for fen, want := range map[string]string{
		"4k3/8/8/3pP3/8/5n2/8/4K3 w - d6 0 1": "-",  // by a knight
		"4k3/8/8/3pP3/8/8/3p4/4K3 w - d6 0 1": "-",  // by another pawn
		"4k3/8/8/3pP3/8/8/8/r3K3 w - d6 0 1":  "-",  // by a rook
		"4k3/8/8/3pP3/1b6/8/8/4K3 w - d6 0 1": "-",  // by a bishop
		"4k3/8/8/3pP3/2K5/8/8/8 w - d6 0 1":   "d6", // by the very pawn
		"4k3/8/8/3pP3/8/6n1/8/4K3 w - d6 0 1": "d6", // no check
		"3rk3/8/8/3pP3/8/8/8/3K4 w - d6 0 1":  "d6", // it shuts the rook's file again
		"4k3/8/8/8/3Pp3/5N2/8/4K3 b - d3 0 1": "d3",
		"4k3/8/5N2/8/3Pp3/8/8/4K3 b - d3 0 1": "-",
	} {
		p := parseFENOrFail(t, fen)
		if got := p.EnPassant().String(); got != want {
			t.Errorf("%s: en passant square %s, want %s", fen, got, want)
		}
		checkConsistent(t, &p)
	}
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
