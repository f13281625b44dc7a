package chess

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	notnil "github.com/notnil/chess"
)

// Fuzz targets. Their seeds are the rules vectors and, for faults found before, the files under testdata/fuzz. One runs with
//
//	go test ./engine/chess -run '^$' -fuzz '^FuzzParseFEN$' -fuzztime 10m -fuzzminimizetime 10x

func FuzzParseFEN(f *testing.F) {
	for _, v := range decodeVectors[fenVector](f, "fen-invalid.jsonl") {
		f.Add(v.FEN)
	}
	for _, v := range decodeVectors[fenVector](f, "fen-odd-but-valid.jsonl") {
		f.Add(v.FEN)
	}
	for _, v := range decodeVectors[legalVector](f, "legal-chess960.jsonl") {
		f.Add(v.FEN)
		f.Add(v.ShredderFEN)
	}
	f.Add("4k3/8/8/8/8/8/8/R3K2R w KQ - 9999 9999")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseFEN(text)
		if err != nil {
			checkSyntaxError(t, err)
			return
		}
		checkPosition(t, &p)
		var list MoveList
		p.LegalMoves(&list)
		for _, m := range list.Slice() {
			next := p.Play(m)
			checkConsistent(t, &next)
			if again, err := ParseFEN(next.FEN()); err != nil || again != next {
				t.Errorf("%s, after %v in %s, reads as %s, %v", next.FEN(), m, p.FEN(), again.FEN(), err)
			}
			if next.attackersOf(next.side, next.King(p.side)) != 0 {
				t.Errorf("%s: %v leaves the king to be taken", p.FEN(), m)
			}
		}
	})
}

// checkSyntaxError checks that an error about a text is of the type it should be and fit to print.
func checkSyntaxError(t *testing.T, err error) {
	t.Helper()
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Errorf("%T %v, want a *SyntaxError", err, err)
	}
	checkErrorText(t, err)
}

func checkErrorText(t *testing.T, err error) {
	t.Helper()
	text := err.Error()
	if len(text) > 800 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		t.Errorf("the error is not fit to print: %q", text)
	}
}

// checkPosition checks everything about a position that can be checked in itself.
func checkPosition(t testing.TB, p *Position) {
	t.Helper()
	checkConsistent(t, p)
	for _, fen := range []string{p.FEN(), p.ShredderFEN()} {
		if again, err := ParseFEN(fen); err != nil || again != *p {
			t.Errorf("%s reads as %s, %v", fen, again.FEN(), err)
		}
	}
	var list, captures, quiets MoveList
	p.LegalMoves(&list)
	p.LegalCaptures(&captures)
	p.LegalQuiets(&quiets)
	if n := p.CountMoves(); n != list.Len() || p.HasLegalMove() != (n > 0) {
		t.Errorf("%s: %d moves listed, %d counted, any: %v", p.FEN(), list.Len(), n, p.HasLegalMove())
	}
	for _, m := range captures.Slice() {
		if !slices.Contains(list.Slice(), m) {
			t.Errorf("%s: the capture %v is not legal", p.FEN(), m)
		}
	}
	// Without the captures the list is that of the quiet moves, in the same order.
	rest := slices.DeleteFunc(slices.Clone(list.Slice()), func(m Move) bool { return slices.Contains(captures.Slice(), m) })
	if !slices.Equal(rest, quiets.Slice()) {
		t.Errorf("%s: the quiet moves are %v, want %v", p.FEN(), quiets.Slice(), rest)
	}
	kingTakesRook := p.IsChess960()
	for _, m := range list.Slice() {
		if !p.IsLegal(m) {
			t.Errorf("%s: IsLegal refuses %v", p.FEN(), m)
		}
		if again, err := p.ParseSAN(p.SAN(m)); err != nil || again != m {
			t.Errorf("%s: SAN %s reads as %v, %v", p.FEN(), p.SAN(m), again, err)
		}
		if again, err := p.ParseUCI(p.UCI(m, true)); err != nil || again != m {
			t.Errorf("%s: UCI %s reads as %v, %v", p.FEN(), p.UCI(m, true), again, err)
		}
		if again, err := p.ParseUCI(p.UCI(m, kingTakesRook)); err != nil || again != m {
			t.Errorf("%s: UCI %s reads as %v, %v", p.FEN(), p.UCI(m, kingTakesRook), again, err)
		}
	}
}

func FuzzParseSAN(f *testing.F) {
	for _, v := range decodeVectors[struct{ FEN, Text string }](f, "san-bad.jsonl") {
		f.Add(v.FEN, v.Text)
	}
	for i, v := range decodeVectors[legalVector](f, "legal-chess960.jsonl") {
		if len(v.Moves) > 0 {
			f.Add(v.FEN, v.Moves[i%len(v.Moves)].SAN)
		}
	}
	f.Fuzz(func(t *testing.T, fen, text string) {
		p, err := ParseFEN(fen)
		if err != nil {
			p = StartPosition()
		}
		m, err := p.ParseSAN(text)
		if err != nil {
			checkMoveError(t, err)
			return
		}
		if !p.IsLegal(m) {
			t.Errorf("%s: %q is read as %v, which is not legal", p.FEN(), text, m)
		}
	})
}

func checkMoveError(t *testing.T, err error) {
	t.Helper()
	var syntax *SyntaxError
	var illegal *IllegalMoveError
	var ambiguous *AmbiguousMoveError
	if !errors.As(err, &syntax) && !errors.As(err, &illegal) && !errors.As(err, &ambiguous) {
		t.Errorf("an error of type %T: %v", err, err)
	}
	checkErrorText(t, err)
}

func FuzzParseUCI(f *testing.F) {
	for _, v := range decodeVectors[struct{ FEN, Text string }](f, "uci-input.jsonl") {
		f.Add(v.FEN, v.Text)
	}
	for i, v := range decodeVectors[legalVector](f, "legal-chess960.jsonl") {
		if len(v.Moves) > 0 {
			f.Add(v.FEN, v.Moves[i%len(v.Moves)].UCI)
		}
	}
	f.Fuzz(func(t *testing.T, fen, text string) {
		p, err := ParseFEN(fen)
		if err != nil {
			p = StartPosition()
		}
		m, err := p.ParseUCI(text)
		if err != nil {
			checkMoveError(t, err)
			return
		}
		if !p.IsLegal(m) {
			t.Errorf("%s: %q is read as %v, which is not legal", p.FEN(), text, m)
		}
		if written := p.UCI(m, true); written != text && !(m.IsCastle() && p.UCI(m, false) == text) {
			t.Errorf("%s: %q is written %q", p.FEN(), text, written)
		}
	})
}

func FuzzReadPGN(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(vectorDir, "pgn", "*.pgn"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no PGN files: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n := 0
		for g, err := range NewPGNReader(bytes.NewReader(text)).All() {
			if n++; n > len(text) {
				t.Fatalf("more games than bytes in %q", text)
			}
			if err != nil {
				var fault *PGNError
				if !errors.As(err, &fault) || fault.Line < 1 || fault.Column < 1 {
					t.Errorf("got %T %v, want a *PGNError with line and column", err, err)
				}
				checkErrorText(t, err)
			}
			if slices.ContainsFunc(g.Tags, func(tag Tag) bool { return tag.Name == "Variant" && !isKnownVariant(tag.Value) }) {
				continue // reads no better the second time
			}
			// What was read, whole or in part, can be written and read back.
			written := writePGNString(t, g)
			games, errs := readAllPGN(t, written)
			if len(games) != 1 || errs[0] != nil {
				t.Fatalf("read back as %d games with errors %v:\n%s", len(games), errs, written)
			}
			if again := writePGNString(t, games[0]); again != written {
				t.Errorf("written and read back:\n%s\nbecomes\n%s", written, again)
			}
		}
	})
}

func FuzzParseEPD(f *testing.F) {
	f.Add(`1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id "BK.01";`)
	f.Add(`4k3/8/8/8/8/8/8/4K2R w K - bm O-O  Rh8+ ; c0 "a; comment" ; hmvc 12; fmvn 40; noop`)
	f.Add(`bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w HFhf - D1 20; empty "";`)
	f.Add(`rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "never closed;`)
	for _, v := range decodeVectors[fenVector](f, "fen-odd-but-valid.jsonl") {
		f.Add(v.FEN)
	}
	f.Fuzz(func(t *testing.T, line string) {
		e, err := ParseEPD(line)
		if err != nil {
			checkSyntaxError(t, err)
			return
		}
		checkConsistent(t, &e.Position)
		written := e.String()
		again, err := ParseEPD(written)
		if err != nil {
			t.Fatalf("%q, written from %q: %v", written, line, err)
		}
		if got := again.String(); got != written {
			t.Errorf("%q becomes %q", written, got)
		}
	})
}

// standardStarts are where random games of standard chess begin; beyond them FuzzRandomGame plays Chess960.
var standardStarts = []string{
	startFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"8/pppppppp/k7/8/8/K7/PPPPPPPP/8 w - - 0 1",
	"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 90 60",
	"4k3/8/8/1b6/2B5/8/8/4K3 w - - 0 1",
}

// FuzzRandomGame plays the game that the bytes choose, a byte a move. Each position is checked by what is cheap to check, and some by
// all there is and against notnil: which ones differs by the start, so that many games a second see every ply.
func FuzzRandomGame(f *testing.F) {
	for i := range standardStarts {
		f.Add(uint16(i), []byte("The quick brown fox jumps over the lazy dog, and back again over the fence."))
	}
	for i := 0; i < Chess960Starts; i += 53 {
		f.Add(uint16(len(standardStarts)+i), []byte("Pack my box with five dozen liquor jugs; castle early, castle often."))
	}
	f.Fuzz(func(t *testing.T, start uint16, choices []byte) {
		choices = choices[:min(len(choices), 120)]
		n := int(start) % (len(standardStarts) + Chess960Starts)
		isStandard := n < len(standardStarts)
		var p Position
		if isStandard {
			p = parseFENOrFail(t, standardStarts[n])
		} else {
			p, _ = Chess960Start(n - len(standardStarts))
		}
		g := NewGame(p, FIDE)
		seen := map[string]int{repetitionKey(&p): 1} // since the start, by what the Laws compare
		for _, choice := range choices {
			var list MoveList
			g.Position().LegalMoves(&list)
			if list.Len() == 0 {
				break
			}
			m := list.At(int(choice) % list.Len())
			before := *g.Position()
			if err := g.Play(m); err != nil {
				t.Fatal(err)
			}
			now := *g.Position()
			checkConsistent(t, &now)
			key := repetitionKey(&now)
			if seen[key]++; g.Repetitions() != seen[key] {
				t.Errorf("%s: occurrence %d, want %d", now.FEN(), g.Repetitions(), seen[key])
			}
			if !before.InCheck() {
				null := before.PlayNull()
				null.checkers = null.attackersOf(before.side, null.King(null.side)) // none, as the null move is no move
				checkConsistent(t, &null)
			}
			sample := g.Ply() + int(start>>10) + int(choice)
			if sample%8 == 0 {
				checkPosition(t, &now)
			}
			if sample%16 == 1 && isStandard { // which is all that notnil knows
				theirs := notnilPlay(t, notnilGame(t, before.FEN()).Position(), before.UCI(m, false))
				compareWithNotnil(t, &now, theirs, sample%64 == 1)
			}
			if sample%1024 == 2 {
				checkIsLegal(t, &now)
			}
		}
	})
}

// repetitionKey returns a position's FEN without its counters: what FIDE's Laws 9.2.3 compare.
func repetitionKey(p *Position) string {
	fields, _ := cutFields(p.FEN(), 4)
	return strings.Join(fields, " ")
}

func notnilPlay(t testing.TB, p *notnil.Position, uci string) *notnil.Position {
	t.Helper()
	for _, m := range p.ValidMoves() {
		if m.String() == uci {
			return p.Update(m)
		}
	}
	t.Fatalf("notnil does not know the move %s in %s", uci, p)
	return nil
}
