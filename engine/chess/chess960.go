package chess

import (
	"errors"
	"fmt"
)

// Chess960Starts is the number of start positions of Chess960. They are numbered from 0 to 959 after R. Scharnagl; 518 is the
// start of standard chess.
const Chess960Starts = 960

// knightPairs are the places of the two knights among the five squares that bishops and queen leave, by Scharnagl's number.
var knightPairs = [10][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}

// Chess960Start returns the start position of a number from 0 to 959; any other is an error.
func Chess960Start(number int) (Position, error) {
	if number < 0 || number >= Chess960Starts {
		return Position{}, fmt.Errorf("Chess960 start position %d: must be between 0 and %d", number, Chess960Starts-1)
	}
	rank := chess960Rank(number)
	p := Position{ep: NoSquare, fullmove: 1}
	for file, t := range rank {
		for c := White; c <= Black; c++ {
			p.put(NewPiece(c, t), NewSquare(file, c.backRank()))
			p.put(NewPiece(c, Pawn), NewSquare(file, 1+5*int(c)))
		}
	}
	p.castling = castlingBits(p.types[Rook-1])
	p.key, p.pawnKey = p.computeKeys()
	return p, nil
}

// chess960Rank returns the men on the back rank, by file. The number, divided again and again, tells the place of the
// light-squared bishop, of the dark-squared one, of the queen among what is left, and of the knights; the king stands
// between the rooks on the last three squares.
func chess960Rank(number int) (rank [8]PieceType) {
	rank[number%4*2+1] = Bishop // b, d, f, h: light squares of the first rank
	number /= 4
	rank[number%4*2] = Bishop // a, c, e, g
	number /= 4
	putFree(&rank, number%6, Queen)
	pair := knightPairs[number/6]
	putFree(&rank, pair[1], Knight) // the further one first, so that it does not move the nearer one's place
	putFree(&rank, pair[0], Knight)
	for _, t := range []PieceType{Rook, King, Rook} {
		putFree(&rank, 0, t)
	}
	return rank
}

// putFree puts a man on the n-th square that is still free.
func putFree(rank *[8]PieceType, n int, t PieceType) {
	for file := range rank {
		if rank[file] != NoPieceType {
			continue
		}
		if n == 0 {
			rank[file] = t
			return
		}
		n--
	}
}

var errNotChess960Start = errors.New("the position is none of the 960 start positions of Chess960")

// Chess960Number returns the number of a start position of Chess960, or an error when the position is none.
func (p *Position) Chess960Number() (int, error) {
	for number := range Chess960Starts {
		if start, _ := Chess960Start(number); start == *p {
			return number, nil
		}
	}
	return 0, errNotChess960Start
}

// IsChess960 tells whether somebody may castle otherwise than standard chess has it, so that a program must know Chess960 to play on
// from the position.
func (p *Position) IsChess960() bool {
	for _, c := range []Color{White, Black} {
		rooks := p.CastlingRooks(c)
		corners := (A1.Bit() | H1.Bit()) << (8 * c.backRank())
		if rooks&^corners != 0 || rooks != 0 && p.King(c).File() != E1.File() {
			return true
		}
	}
	return false
}
