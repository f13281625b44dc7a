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
