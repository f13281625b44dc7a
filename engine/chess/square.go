package chess

// Square is a square of the board, 0 to 63 from a1 along the ranks to h8, or NoSquare.
type Square uint8

// All squares, rank by rank.
const (
	A1 Square = iota
	B1
	C1
	D1
	E1
	F1
	G1
	H1
	A2
	B2
	C2
	D2
	E2
	F2
	G2
	H2
	A3
	B3
	C3
	D3
	E3
	F3
	G3
	H3
	A4
	B4
	C4
	D4
	E4
	F4
	G4
	H4
	A5
	B5
	C5
	D5
	E5
	F5
	G5
	H5
	A6
	B6
	C6
	D6
	E6
	F6
	G6
	H6
	A7
	B7
	C7
	D7
	E7
	F7
	G7
	H7
	A8
	B8
	C8
	D8
	E8
	F8
	G8
	H8
	NoSquare
)

// NewSquare returns the square on a file and a rank, both 0 to 7.
func NewSquare(file, rank int) Square { return Square(rank<<3 | file) }

// File returns the file, 0 for a to 7 for h.
func (s Square) File() int { return int(s & 7) }

// Rank returns the rank, 0 for the first to 7 for the eighth.
func (s Square) Rank() int { return int(s >> 3) }

// Bit returns the set that holds this square alone, or the empty set for NoSquare.
func (s Square) Bit() Bitboard { return 1 << s }

// String returns the name, such as "e4", or "-" for NoSquare.
func (s Square) String() string {
	if s >= NoSquare {
		return "-"
	}
	return string([]byte{'a' + byte(s.File()), '1' + byte(s.Rank())})
}

// ParseSquare reads a name such as "e4"; ok is false for anything else.
func ParseSquare(text string) (s Square, ok bool) {
	if len(text) != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8' {
		return NoSquare, false
	}
	return NewSquare(int(text[0]-'a'), int(text[1]-'1')), true
}
