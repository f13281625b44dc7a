package tablebase

// The numbers below are the format's: how men that lead the order of a table are numbered together, so that positions equal by
// a symmetry of the board count once and impossible ones as little as possible. Squares go from a1 = 0 to h8 = 63.

const (
	threeMen = 31332 // ways for three different men to stand, up to symmetry
	twoKings = 462   // ways for two kings to stand, up to symmetry

	maxLeadPawns = MaxMen - 2
)

var (
	// choose[k][n] is the number of ways to choose k of n.
	choose [MaxMen][64]uint64

	// belowDiagonal numbers the 28 squares below the diagonal from a1 to h8.
	belowDiagonal [64]uint8
	// triangle numbers the ten squares a1, b1, c1, d1, b2 … d4 of which one can be reached by each square: those below the
	// diagonal first.
	triangle [64]uint8
	// kings numbers the squares of two kings by the triangle's number of the first and the square of the second.
	kings [10][64]uint16

	// pawnOrder numbers the squares of pawns from 47 down, files from the edge to the middle. Of a side's pawns the one with
	// the highest number leads.
	pawnOrder [64]uint8
	// leadPawns[n][s] is where the numbers of n leading pawns with the first on s begin, within its file.
	leadPawns [maxLeadPawns + 1][64]uint64
	// leadPawnWays[n][f] is the number of ways for n leading pawns with the first on file f.
	leadPawnWays [maxLeadPawns + 1][4]uint64
)

// aboveDiagonal is more than zero for squares above the diagonal from a1 to h8, zero on it and less below.
func aboveDiagonal(s uint8) int { return int(s>>3) - int(s&7) }

func init() {
	for n := range 64 {
		choose[0][n] = 1
		for k := 1; k < MaxMen && n > 0; k++ {
			choose[k][n] = choose[k-1][n-1] + choose[k][n-1]
		}
	}
	numberSquares()
	numberKings()
	numberPawns()
}

func numberSquares() {
	below, corner := uint8(0), uint8(0)
	for s := range uint8(64) {
		if aboveDiagonal(s) < 0 {
			belowDiagonal[s] = below
			below++
			if s&7 < 4 {
				triangle[s] = corner
				corner++
			}
		}
	}
	for d := range uint8(4) {
		triangle[9*d] = corner + d
	}
}

// numberKings counts the pairs of kings that do not touch. When the first is on the diagonal the second is not above it, and
// those with both on it come last.
func numberKings() {
	var squares [10]uint8
	for rank := range uint8(4) {
		for file := rank; file < 4; file++ {
			squares[triangle[8*rank+file]] = 8*rank + file
		}
	}
	number := uint16(0)
	for _, bothOnDiagonal := range []bool{false, true} {
		for i, first := range squares {
			for second := range uint8(64) {
				files, ranks := int(first&7)-int(second&7), int(first>>3)-int(second>>3)
				touch := -1 <= files && files <= 1 && -1 <= ranks && ranks <= 1
				onDiagonal := aboveDiagonal(first) == 0
				if touch || onDiagonal && aboveDiagonal(second) > 0 ||
					bothOnDiagonal != (onDiagonal && aboveDiagonal(second) == 0) {
					continue
				}
				kings[i][second] = number
				number++
			}
		}
	}
}

func numberPawns() {
	left := uint8(47)
	for file := range uint8(4) {
		for rank := uint8(1); rank < 7; rank++ {
			pawnOrder[8*rank+file], pawnOrder[8*rank+7-file] = left, left-1
			left -= 2
		}
	}
	for n := 1; n <= maxLeadPawns; n++ {
		for file := range 4 {
			ways := uint64(0)
			for rank := 1; rank < 7; rank++ {
				s := 8*rank + file
				leadPawns[n][s] = ways
				ways += choose[n-1][pawnOrder[s]]
			}
			leadPawnWays[n][file] = ways
		}
	}
}
