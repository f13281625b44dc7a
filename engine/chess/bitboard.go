package chess

import "math/bits"

// Bitboard is a set of squares: bit n stands for Square n.
type Bitboard uint64

const (
	fileA Bitboard = 0x0101010101010101
	fileH Bitboard = fileA << 7
	rank1 Bitboard = 0xff
	rank8 Bitboard = rank1 << 56

	darkSquares Bitboard = 0xaa55aa55aa55aa55
	allSquares  Bitboard = 1<<64 - 1
)

// Count returns the number of squares in the set.
func (b Bitboard) Count() int { return bits.OnesCount64(uint64(b)) }

// Has tells whether the square is in the set.
func (b Bitboard) Has(s Square) bool { return b&s.Bit() != 0 }

// First returns the lowest square of the set, or NoSquare when it is empty.
func (b Bitboard) First() Square { return Square(bits.TrailingZeros64(uint64(b))) }

// PopFirst removes the lowest square from the set and returns it, or NoSquare when it was empty.
func (b *Bitboard) PopFirst() Square {
	s := b.First()
	*b &= *b - 1
	return s
}

// many tells whether the set has more than one square.
func (b Bitboard) many() bool { return b&(b-1) != 0 }

// shift moves every square of the set by n (the number that a step adds to a square). The caller masks the files and
// ranks from which a step would leave the board.
func (b Bitboard) shift(n int) Bitboard { return Bitboard(bits.RotateLeft64(uint64(b), n)) }
