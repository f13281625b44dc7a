package chess

// Move is a move in 16 bits: from-square, to-square, what a pawn promotes to, and the kind of move. It has a meaning only
// together with the position in which it is played. The zero value, NoMove, is never legal.
//
// Castling is written king-takes-rook: From is the king's square and To the square of the rook it castles with, which is
// the only form that is unambiguous in Chess960.
type Move uint16

// NoMove is the absence of a move.
const NoMove Move = 0

// Bits 0-5 from, 6-11 to, 12-13 promotion (knight, bishop, rook, queen), 14-15 kind.
const (
	kindNormal    Move = 0 << 14
	kindPromotion Move = 1 << 14
	kindEnPassant Move = 2 << 14
	kindCastle    Move = 3 << 14
	kindMask      Move = 3 << 14
)

func newMove(kind Move, from, to Square) Move { return kind | Move(from) | Move(to)<<6 }

func newPromotion(from, to Square, t PieceType) Move {
	return kindPromotion | Move(from) | Move(to)<<6 | Move(t-Knight)<<12
}

// From returns the square that the man leaves.
func (m Move) From() Square { return Square(m & 63) }

// To returns the square that the man goes to; for castling, the square of the rook.
func (m Move) To() Square { return Square(m >> 6 & 63) }

// Promotion returns what a pawn becomes, or NoPieceType.
func (m Move) Promotion() PieceType {
	if m&kindMask != kindPromotion {
		return NoPieceType
	}
	return Knight + PieceType(m>>12&3)
}

// IsPromotion tells whether a pawn promotes.
func (m Move) IsPromotion() bool { return m&kindMask == kindPromotion }

// IsEnPassant tells whether this is an en passant capture.
func (m Move) IsEnPassant() bool { return m&kindMask == kindEnPassant }

// IsCastle tells whether this is castling.
func (m Move) IsCastle() bool { return m&kindMask == kindCastle }

// String returns the UCI text with castling as king-takes-rook ("e1h1"), the form that Lichess and UCI_Chess960 use, or
// "0000" for NoMove. Position.UCI writes the other form.
func (m Move) String() string {
	if m == NoMove {
		return "0000"
	}
	text := m.From().String() + m.To().String()
	if m.IsPromotion() {
		text += m.Promotion().String()
	}
	return text
}

// castleTo returns where king and rook of a castling move end: the g- and f-file when the rook is on the h-side of the
// king, the c- and d-file otherwise.
func (m Move) castleTo() (king, rook Square) {
	rank := m.From() &^ 7
	if m.To() > m.From() {
		return rank + 6, rank + 5
	}
	return rank + 2, rank + 3
}

// MaxMoves is the room of a MoveList. The most legal moves that a game can lead to are 218; with sixteen men a side set up by
// hand, promoted beyond what pawns allow, a search by simulated annealing found no more than 241.
const MaxMoves = 256

// MoveList is a list of moves with room for any position's, made to live on the stack.
type MoveList struct {
	n     int
	moves [MaxMoves]Move
}

// Len returns the number of moves.
func (l *MoveList) Len() int { return l.n }

// At returns the move at index i, 0 <= i < Len.
func (l *MoveList) At(i int) Move { return l.moves[i] }

// Slice returns the moves; it is valid until the list is filled again.
func (l *MoveList) Slice() []Move { return l.moves[:l.n] }

// add appends a move. Nothing known fills the list, but text from outside must not be able to make it overflow.
func (l *MoveList) add(m Move) {
	if l.n < MaxMoves {
		l.moves[l.n] = m
		l.n++
	}
}
