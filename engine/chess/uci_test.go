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

// TestParseUCICastlingFromElsewhere checks that only a king on e1 or e8 castles by a move of its own: elsewhere there is one way to
// write castling, king-takes-rook.
func TestParseUCICastlingFromElsewhere(t *testing.T) {
	p := parseFENOrFail(t, "4k3/8/8/8/8/8/8/R2K3R w HA - 0 1")
	for _, text := range []string{"d1h1", "d1a1"} {
		if m, err := p.ParseUCI(text); err != nil || !m.IsCastle() {
			t.Errorf("%s is read as %v, %v, want castling", text, m, err)
		}
	}
	for _, text := range []string{"d1g1", "d1b1"} {
		if m, err := p.ParseUCI(text); err == nil {
			t.Errorf("%s is read as %v", text, m)
		}
	}
	if m, err := p.ParseUCI("d1c1"); err != nil || m.IsCastle() {
		t.Errorf("d1c1 is read as %v, %v, want a king's step", m, err)
	}
}

// TestParseUCICastlesOwnKing checks that the other king's square does not stand for the own king's.
func TestParseUCICastlesOwnKing(t *testing.T) {
	p := parseFENOrFail(t, "4k3/8/8/8/8/8/8/4K2R w K - 0 1")
	if m, err := p.ParseUCI("e8g1"); err == nil {
		t.Errorf("e8g1 is read as %v with White to move", m)
	}
}
