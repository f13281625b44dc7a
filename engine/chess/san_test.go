package chess

import (
	"errors"
	"testing"
)

func TestParseSAN(t *testing.T) {
	// Those of the vectors that may be read or refused as one likes, and are refused; see ParseSAN.
	refused := map[string]bool{
		" e4": true, "a8=q+": true, "a8(Q)": true, "a8/Q": true, "xd5": true, "o-o": true, "Ke1g1": true,
	}
	type vector struct{ FEN, Text, Verdict, UCI, Canonical, Why string }
	forEachVector(t, "san-bad.jsonl", func(t *testing.T, v vector) {
		p := parseFENOrFail(t, v.FEN)
		m, err := p.ParseSAN(v.Text)
		if v.Verdict == "reject" || v.Verdict == "either" && refused[v.Text] {
			if err == nil {
				t.Fatalf("%q (%s) is read as %v", v.Text, v.Why, m)
			}
			if len(err.Error()) > 400 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if err != nil {
			t.Fatalf("%q (%s): %v", v.Text, v.Why, err)
		}
		if got := p.UCI(m, false); v.UCI != "" && got != v.UCI {
			t.Errorf("%q (%s) is read as %v, want %v", v.Text, v.Why, got, v.UCI)
		}
		if got := p.SAN(m); v.Canonical != "" && got != v.Canonical {
			t.Errorf("%q (%s) is written %q, want %q", v.Text, v.Why, got, v.Canonical)
		}
	})
}

// TestParseSANErrors checks that the three kinds of error are told apart.
func TestParseSANErrors(t *testing.T) {
	p := parseFENOrFail(t, "3k4/8/8/R6R/8/8/8/4K3 w - - 0 1")
	var syntax *SyntaxError
	if _, err := p.ParseSAN("castle!"); !errors.As(err, &syntax) {
		t.Errorf("got %T %v, want a *SyntaxError", err, err)
	}
	promoting := parseFENOrFail(t, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
	if _, err := promoting.ParseSAN("a8=K"); !errors.As(err, &syntax) {
		t.Errorf("got %T %v, want a *SyntaxError", err, err)
	}
	var illegal *IllegalMoveError
	if _, err := p.ParseSAN("Rb8"); !errors.As(err, &illegal) || illegal.FEN != p.FEN() {
		t.Errorf("got %T %v, want an *IllegalMoveError with the position", err, err)
	}
	var ambiguous *AmbiguousMoveError
	if _, err := p.ParseSAN("Re5"); !errors.As(err, &ambiguous) || len(ambiguous.Moves) != 2 {
		t.Errorf("got %T %v, want an *AmbiguousMoveError with two moves", err, err)
	}
}

// TestParseSANForms holds the forms that ParseSAN tells of, and their neighbours that it does not read.
func TestParseSANForms(t *testing.T) {
	const middle = "4k3/8/8/2Pp1p2/4P3/2N5/8/4K2R w K d6 0 2"
	for _, tt := range []struct{ text, want string }{ // want is UCI, or empty for an error
		{"cxd6", "c5d6"}, {"cxd6 e.p.", "c5d6"}, {"cxd6e.p.", "c5d6"}, {"cxd6 e.p.!?", "c5d6"}, {"c5xd6 e.p.+", "c5d6"},
		{"exd5 e.p.", ""}, {"exf5e.p.", ""}, {"Nxd5 e.p.", ""}, {"c6 e.p.", ""}, {"O-O e.p.", ""}, {"e.p.", ""},
		{"Nc3-d5", "c3d5"}, {"Nc3xd5", "c3d5"}, {"Nc3d5", "c3d5"}, {"e4-e5", "e4e5"}, {"Pe4-e5", "e4e5"},
		{"N-d5", ""}, {"Nc-d5", ""}, {"N3-d5", ""}, {"e-d5", ""}, {"-e5", ""}, {"N--d5", ""}, {"c-d6", ""},
		{"exe5", ""}, {"e4xe5", ""}, {"Pe4xe5", ""}, {"4xe5", ""}, {"P4xe5", ""}, {"5xd6", ""}, {"Pcxd6", "c5d6"}, {"ee5", "e4e5"}, {"4e5", "e4e5"},
		{"Nxd5", "c3d5"}, {"Nxd5!!", "c3d5"}, {"Nxd5++", "c3d5"}, {"Nxd5+!?", "c3d5"}, {"Nxd5??++", "c3d5"}, {"Nxd5#", "c3d5"}, {"Nxd5!+?", "c3d5"},
		{"Nxd5!!?", ""}, {"Nxd5+++", ""}, {"Nxd5!!??++##", ""}, {"Nxd5##+", ""}, {"O-O!", "e1g1"}, {"O-O!!!", ""}, {"+", ""},
	} {
		p := parseFENOrFail(t, middle)
		m, err := p.ParseSAN(tt.text)
		got := ""
		if err == nil {
			got = p.UCI(m, false)
		}
		if got != tt.want {
			t.Errorf("%q is read as %q (%v), want %q", tt.text, got, err, tt.want)
		}
	}
}
