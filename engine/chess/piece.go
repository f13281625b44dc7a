package chess

// PieceType is a kind of chessman without its colour.
type PieceType uint8

// The kinds of men, weakest first. NoPieceType is the zero value.
const (
	NoPieceType PieceType = iota
	Pawn
	Knight
	Bishop
	Rook
	Queen
	King
)

const pieceTypeLetters = " pnbrqk"

// String returns the lower-case FEN letter, or "-" for NoPieceType.
func (t PieceType) String() string {
	if t == NoPieceType || t > King {
		return "-"
	}
	return pieceTypeLetters[t : t+1]
}

// upper returns the upper-case letter that SAN and PGN use for the kind.
func (t PieceType) upper() byte { return pieceTypeLetters[t] - 'a' + 'A' }

// Piece is a man of one colour. It fits in four bits: the colour in bit 3, the kind in bits 0 to 2.
type Piece uint8

// NoPiece is an empty square.
const NoPiece Piece = 0

// NewPiece returns the man of the given colour and kind.
func NewPiece(c Color, t PieceType) Piece { return Piece(c)<<3 | Piece(t) }

// Type returns the man's kind.
func (p Piece) Type() PieceType { return PieceType(p & 7) }

// Color returns the man's side. It has no meaning for NoPiece.
func (p Piece) Color() Color { return Color(p >> 3 & 1) }

// String returns the FEN letter, upper case for White, or "-" for NoPiece.
func (p Piece) String() string {
	t := p.Type()
	if p.Color() == Black || t == NoPieceType || t > King {
		return t.String()
	}
	return string(t.upper())
}

// pieceFromLetter reads a FEN letter; ok is false for any other byte.
func pieceFromLetter(b byte) (p Piece, ok bool) {
	c := Black
	if b >= 'A' && b <= 'Z' {
		c, b = White, b-'A'+'a'
	}
	for t := Pawn; t <= King; t++ {
		if pieceTypeLetters[t] == b {
			return NewPiece(c, t), true
		}
	}
	return NoPiece, false
}
