package chess

import (
	"regexp"
	"testing"
)

// A line "Not legal: ..." is true of any nonsense. What it names must be a move that somebody might try.

var sanForm = regexp.MustCompile(`^(?:O-O(?:-O)?|([KQRBN])?([a-h])?([1-8])?(x)?([a-h][1-8])(?:=[KQRBNP])?)[+#]?$`)

// nonsense tells what makes a move not even one to try, or nothing: it must be written as SAN is, a man of the mover must go to
// that square in its way if the board were empty, and there must be something to take when it says so. A king may try to castle when
// a rook is there.
func nonsense(p *Position, san string) (reason string) {
	m := sanForm.FindStringSubmatch(san)
	us := p.SideToMove()
	switch {
	case m == nil:
		return "is not written as a move is"
	case m[5] == "":
		if p.Pieces(us, Rook) == 0 {
			return "is castling without a rook"
		}
		return ""
	}
	to, _ := ParseSquare(m[5])
	captures := m[4] != ""
	beside := NewSquare(to.File(), to.Rank()-1+2*int(us)) // where a pawn stands that is taken en passant on to
	pawns := p.Pieces(us.Other(), Pawn)
	isPawn := m[1] == ""
	if captures && !p.Occupied().Has(to) && !(isPawn && pawns.Has(beside)) {
		return "takes where nothing is to be taken"
	}
	t := Pawn
	if !isPawn {
		t = pieceFromUpper(m[1][0])
	}
	men := p.Pieces(us, t)
	for men != 0 {
		from := men.PopFirst()
		if (m[2] == "" || from.String()[:1] == m[2]) && (m[3] == "" || from.String()[1:] == m[3]) && couldTry(t, us, from, to, captures) {
			return ""
		}
	}
	return "is a move for which no man is there"
}

// couldTry tells whether a man's way leads to a square on an empty board. Pawns go one or two squares ahead from anywhere, and
// take ahead as well as to the side.
func couldTry(t PieceType, c Color, from, to Square, captures bool) bool {
	switch t {
	case Knight:
		return KnightAttacks(from).Has(to)
	case Bishop:
		return BishopAttacks(from, 0).Has(to)
	case Rook:
		return RookAttacks(from, 0).Has(to)
	case Queen:
		return QueenAttacks(from, 0).Has(to)
	case King:
		return KingAttacks(from).Has(to)
	}
	ahead := int(to) - int(from)
	return ahead == c.up() || ahead == 2*c.up() || captures && PawnAttacks(c, from).Has(to)
}

func TestNonsense(t *testing.T) {
	for _, tt := range []struct {
		fen, san string
		sense    bool
	}{
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "Qxf4", true},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "Qd6", true},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "Qxf5", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "Qxg4", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "Qf5", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "Qa4xd4", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "Rd4", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "O-O", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "O-O-O-O", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "e9=K", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "f6", true},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "f7", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "f3", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "e5", false},
		{"4k3/8/8/3p4/3Q1P2/8/8/4K3 w - - 0 1", "fxe5", false},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "exd6", true},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "exd5", false},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1", "dxe3", true},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1", "dxe4", false},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1", "nonsense", false},
	} {
		p := parseFENOrFail(t, tt.fen)
		if reason := nonsense(&p, tt.san); (reason == "") != tt.sense {
			t.Errorf("%s in %s: nonsense %q, want sense: %v", tt.san, tt.fen, reason, tt.sense)
		}
	}
}
