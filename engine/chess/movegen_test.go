package chess

import (
	"slices"
	"testing"
)

type legalVector struct {
	FEN         string
	ShredderFEN string `json:"shredder_fen"` // Chess960 only
	FENIn       string `json:"fen_in"`       // what to read, when it is not FEN
	FENNorm     string `json:"fen_norm"`     // what FEN writes, when it is not FEN
	N           int
	Moves       []struct {
		UCI, SAN string
		FENAfter string `json:"fen_after"`
		EPAlways string `json:"ep_always"`
		EPPseudo bool   `json:"ep_pseudo"`
	}
}

func TestLegalMoves(t *testing.T) {
	forEachVector(t, "legal.jsonl", func(t *testing.T, v legalVector) { testLegalVector(t, v, false) })
}

func TestLegalMovesChess960(t *testing.T) {
	forEachVector(t, "legal-chess960.jsonl", func(t *testing.T, v legalVector) { testLegalVector(t, v, true) })
}

func testLegalVector(t *testing.T, v legalVector, chess960 bool) {
	text, fen := v.FEN, v.FEN
	if v.FENIn != "" {
		text = v.FENIn
	}
	if v.FENNorm != "" {
		fen = v.FENNorm
	}
	p := parseFENOrFail(t, text)
	checkConsistent(t, &p)
	if got := p.FEN(); got != fen {
		t.Errorf("FEN of %q is %q, want %q", text, got, fen)
	}
	if v.ShredderFEN != "" {
		if got := p.ShredderFEN(); got != v.ShredderFEN {
			t.Errorf("Shredder-FEN is %q, want %q", got, v.ShredderFEN)
		}
		if again := parseFENOrFail(t, v.ShredderFEN); again != p {
			t.Errorf("Shredder-FEN and X-FEN are read as different positions")
		}
	}

	var list MoveList
	p.LegalMoves(&list)
	var got, want []string
	for _, m := range list.Slice() {
		got = append(got, p.UCI(m, chess960))
	}
	for _, m := range v.Moves {
		want = append(want, m.UCI)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) != v.N {
		t.Fatalf("%s: legal moves\n got %v\nwant %v", v.FEN, got, want)
	}
	if n := p.CountMoves(); n != v.N {
		t.Errorf("CountMoves is %d, want %d", n, v.N)
	}
	if has := p.HasLegalMove(); has != (v.N > 0) {
		t.Errorf("HasLegalMove is %v with %d moves", has, v.N)
	}

	for _, want := range v.Moves {
		m, err := p.ParseUCI(want.UCI)
		if err != nil {
			t.Fatal(err)
		}
		if !p.IsLegal(m) {
			t.Errorf("%s is in the list but IsLegal refuses it", want.UCI)
		}
		if got := p.SAN(m); got != want.SAN {
			t.Errorf("%s: SAN is %q, want %q", want.UCI, got, want.SAN)
		}
		if got, err := p.ParseSAN(want.SAN); err != nil || got != m {
			t.Errorf("%s: SAN %q is read as %v, %v", want.UCI, want.SAN, got, err)
		}
		next := p.Play(m)
		checkConsistent(t, &next)
		var into Position
		if p.PlayInto(&into, m); into != next {
			t.Errorf("%s: PlayInto gives %s", want.UCI, into.FEN())
		}
		plain := !m.IsCastle() && !m.IsEnPassant() && !m.IsPromotion() && next.castling == p.castling && next.ep == NoSquare
		if plain && p.KeyAfter(m) != next.Key() {
			t.Errorf("%s: KeyAfter is %x, the key after it %x", want.UCI, p.KeyAfter(m), next.Key())
		}
		if got := next.FEN(); got != want.FENAfter {
			t.Errorf("%s: FEN after is %q, want %q", want.UCI, got, want.FENAfter)
		}
		if again := parseFENOrFail(t, want.FENAfter); again != next {
			t.Errorf("%s: the position played and the one read from %q differ", want.UCI, want.FENAfter)
		}
		if want.EPAlways != "" {
			pseudo := next.pawnsBesideSquare(want.EPAlways) != 0
			if got := pseudo && next.EnPassant() == NoSquare; got != want.EPPseudo {
				t.Errorf("%s: an illegal en passant capture stands ready: %v, want %v", want.UCI, got, want.EPPseudo)
			}
		}
	}
}

func (p *Position) pawnsBesideSquare(name string) Bitboard {
	s, _ := ParseSquare(name)
	return p.pawnsBeside(s)
}

// checkConsistent checks everything in a position that can be worked out from the rest.
func checkConsistent(t testing.TB, p *Position) {
	t.Helper()
	if key, pawnKey := p.computeKeys(); p.key != key || p.pawnKey != pawnKey {
		t.Errorf("%s: keys %x %x, computed from nothing %x %x", p.FEN(), p.key, p.pawnKey, key, pawnKey)
	}
	if want := p.AttackersTo(p.King(p.side), p.Occupied()) & p.ByColor(p.side.Other()); p.checkers != want {
		t.Errorf("%s: checkers %x, want %x", p.FEN(), p.checkers, want)
	}
	for s := A1; s <= H8; s++ {
		man := p.PieceOn(s)
		for c := White; c <= Black; c++ {
			for typ := Pawn; typ <= King; typ++ {
				if p.Pieces(c, typ).Has(s) != (man == NewPiece(c, typ)) {
					t.Errorf("%s: %v holds %v by square, %v %v by bitboard differs", p.FEN(), s, man, c, typ)
				}
			}
		}
	}
}

// testPositions returns the positions of the legal-move vectors, both kinds.
func testPositions(t testing.TB) (positions []Position) {
	t.Helper()
	for _, file := range []string{"legal.jsonl", "legal-chess960.jsonl"} {
		for _, v := range decodeVectors[legalVector](t, file) {
			positions = append(positions, parseFENOrFail(t, v.FEN))
		}
	}
	return positions
}

// TestLegalCaptures checks that LegalCaptures is what a quiescence search wants out of LegalMoves.
func TestLegalCaptures(t *testing.T) {
	for _, p := range testPositions(t) {
		var all, captures MoveList
		p.LegalMoves(&all)
		p.LegalCaptures(&captures)
		var want []Move
		for _, m := range all.Slice() {
			if m.Promotion() == Queen || m.Promotion() == NoPieceType && p.IsCapture(m) {
				want = append(want, m)
			}
		}
		got := slices.Clone(captures.Slice())
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: captures\n got %v\nwant %v", p.FEN(), got, want)
		}
	}
}

// TestIsLegalOnEveryMove asks about all 65,536 values that a Move can have.
func TestIsLegalOnEveryMove(t *testing.T) {
	positions := testPositions(t)
	if testing.Short() {
		positions = positions[:50]
	}
	for _, p := range positions {
		checkIsLegal(t, &p)
	}
}

// checkIsLegal checks that IsLegal says yes to exactly the moves that LegalMoves lists.
func checkIsLegal(t testing.TB, p *Position) {
	t.Helper()
	var list MoveList
	p.LegalMoves(&list)
	var legal [1 << 16]bool
	for _, m := range list.Slice() {
		if legal[m] {
			t.Errorf("%s: %v is listed twice", p.FEN(), m)
		}
		legal[m] = true
	}
	for i := range legal {
		if m := Move(i); p.IsLegal(m) != legal[m] {
			t.Errorf("%s: IsLegal(%v, %#04x) is %v", p.FEN(), m, i, !legal[m])
		}
	}
}

// TestMoveListHasRoom checks the most crowded position known, and that a list that is full stays whole.
func TestMoveListHasRoom(t *testing.T) {
	p := parseFENOrFail(t, "Q3QQ1b/2Q4Q/4Q3/1Q4Q1/3Q4/Q4Q2/bbQ4Q/kb2QQ1K w - - 0 1")
	var list MoveList
	p.LegalMoves(&list)
	if n := p.CountMoves(); n != 241 || list.Len() != n {
		t.Errorf("%d moves counted, %d listed, want 241", n, list.Len())
	}
	for range 2 * MaxMoves {
		list.add(newMove(kindNormal, E2, E4))
	}
	if list.Len() != MaxMoves || len(list.Slice()) != MaxMoves {
		t.Errorf("a full list has %d moves", list.Len())
	}
}
