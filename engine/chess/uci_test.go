package chess

import (
	"errors"
	"testing"
)

func TestParseUCI(t *testing.T) {
	type vector struct {
		Variant, FEN, Text, Verdict, UCI, SAN, Why string
		FENAfter                                   string `json:"fen_after"`
	}
	forEachVector(t, "uci-input.jsonl", func(t *testing.T, v vector) {
		if v.Variant != "standard" && v.Variant != "chess960" {
			t.Skipf("engine/chess does not play %s", v.Variant)
		}
		p := readFENOrFail(t, v.FEN)
		m, err := p.ParseUCI(v.Text)
		// A promotion letter in upper case may be read or refused, and is refused; castling as two squares is read in Chess960 too.
		if v.Verdict == "reject" || v.Text == "e7e8Q" {
			var syntax *SyntaxError
			var illegal *IllegalMoveError
			if !errors.As(err, &syntax) && !errors.As(err, &illegal) {
				t.Fatalf("%q (%s): got %v, %v, want a *SyntaxError or an *IllegalMoveError", v.Text, v.Why, m, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q (%s): %v", v.Text, v.Why, err)
		}
		if got := p.UCI(m, v.Variant == "chess960"); got != v.UCI {
			t.Errorf("%q is written %q, want %q", v.Text, got, v.UCI)
		}
		if got := p.SAN(m); got != v.SAN {
			t.Errorf("%q: SAN is %q, want %q", v.Text, got, v.SAN)
		}
		next := p.Play(m)
		if got := next.FEN(); got != v.FENAfter {
			t.Errorf("%q: FEN after is %q, want %q", v.Text, got, v.FENAfter)
		}
	})
}
