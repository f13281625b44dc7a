package chess

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseEPD(t *testing.T) {
	for _, tt := range []struct {
		line, fen, written string
		operations         []Operation
	}{
		{
			`1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id "BK.01";`,
			"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
			`1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id BK.01;`,
			[]Operation{{"bm", []string{"Qd1+"}}, {"id", []string{"BK.01"}}},
		},
		{
			`4k3/8/8/8/8/8/8/4K2R w K - bm O-O  Rh8+ ; c0 "a; comment" ; hmvc 12; fmvn 40; noop`,
			"4k3/8/8/8/8/8/8/4K2R w K - 12 40",
			`4k3/8/8/8/8/8/8/4K2R w K - bm O-O Rh8+; c0 "a; comment"; hmvc 12; fmvn 40; noop;`,
			[]Operation{{"bm", []string{"O-O", "Rh8+"}}, {"c0", []string{"a; comment"}}, {"hmvc", []string{"12"}}, {"fmvn", []string{"40"}}, {"noop", []string{}}},
		},
		{
			"4k3/8/8/8/8/8/8/4K2R w K - 3 17; bm O-O;",
			"4k3/8/8/8/8/8/8/4K2R w K - 3 17",
			"4k3/8/8/8/8/8/8/4K2R w K - bm O-O;",
			[]Operation{{"bm", []string{"O-O"}}},
		},
		{
			"4k3/8/8/8/8/8/8/4K2R w K - 3\t17 ; bm O-O; hmvc 5;",
			"4k3/8/8/8/8/8/8/4K2R w K - 5 17",
			"4k3/8/8/8/8/8/8/4K2R w K - bm O-O; hmvc 5;",
			[]Operation{{"bm", []string{"O-O"}}, {"hmvc", []string{"5"}}},
		},
		{
			"4k3/8/8/8/8/8/8/4K2R w K - 3 17 bm O-O;",
			"4k3/8/8/8/8/8/8/4K2R w K - 3 17",
			"4k3/8/8/8/8/8/8/4K2R w K - bm O-O;",
			[]Operation{{"bm", []string{"O-O"}}},
		},
		{
			"4k3/8/8/8/8/8/8/4K2R w K - ;D1 15 ;D2 66",
			"4k3/8/8/8/8/8/8/4K2R w K - 0 1",
			"4k3/8/8/8/8/8/8/4K2R w K - D1 15; D2 66;",
			[]Operation{{"D1", []string{"15"}}, {"D2", []string{"66"}}},
		},
		{
			"4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66",
			"4k3/8/8/8/8/8/8/4K2R w K - 0 1",
			"4k3/8/8/8/8/8/8/4K2R w K - D1 15; D2 66;",
			[]Operation{{"D1", []string{"15"}}, {"D2", []string{"66"}}},
		},
		{
			"4k3/8/8/8/8/8/8/4K2R w K - 3 17\n",
			"4k3/8/8/8/8/8/8/4K2R w K - 3 17",
			"4k3/8/8/8/8/8/8/4K2R w K -",
			nil,
		},
		{
			"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\r\n",
			startFEN,
			"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
			nil,
		},
		{
			`bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w HFhf - D1 20; empty "";`,
			"bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w KQkq - 0 1",
			`bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w KQkq - D1 20; empty "";`,
			[]Operation{{"D1", []string{"20"}}, {"empty", []string{""}}},
		},
	} {
		e, err := ParseEPD(tt.line)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		if got := e.Position.FEN(); got != tt.fen {
			t.Errorf("%s: position %s, want %s", tt.line, got, tt.fen)
		}
		if diff := cmp.Diff(tt.operations, e.Operations); diff != "" {
			t.Errorf("%s: operations (-want +got):\n%s", tt.line, diff)
		}
		if got := e.String(); got != tt.written {
			t.Errorf("written %q, want %q", got, tt.written)
		}
	}
}

func TestParseEPDRefuses(t *testing.T) {
	const position = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - "
	for line, want := range map[string]string{
		"": "has 0 fields", "8/8/8/8/8/8/8/8 w -": "has 3 fields",
		"8/8/8/8/8/8/8/8 w - - bm e4;":               "FEN board",
		position + `id "never closed;`:               "without end",
		position + `;; bm e4;`:                       "without opcode",
		position + `0 1;; bm e4;`:                    "without opcode",
		position + `"bm" e4;`:                        "without opcode",
		position + `9m e4;`:                          "without opcode",
		position + `0; bm e4;`:                       "without opcode",
		position + `0 1x; bm e4;`:                    "without opcode",
		position + `99999 1; bm e4;`:                 "FEN half-move clock",
		position + `hmvc x;`:                         "FEN half-move clock",
		position + strings.Repeat("x", maxEPDLength): "bytes long",
	} {
		_, err := ParseEPD(line)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%.80q: got error %v, want one with %q", line, err, want)
		}
	}
}

func TestEPDOperandsAreMadeWritable(t *testing.T) {
	e := EPD{StartPosition(), []Operation{{"c0", []string{"say \"e4\"\nnow"}}}}
	if got, want := e.String(), `c0 "say 'e4' now";`; !strings.HasSuffix(got, want) {
		t.Errorf("%q does not end in %q", got, want)
	}
	if _, ok := e.Operands("bm"); ok {
		t.Error("an operation that is not there was found")
	}
}
