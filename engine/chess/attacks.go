package chess

var (
	knightAttacks = leaper([][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}})
	kingAttacks   = leaper([][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}})
	pawnAttacks   = [2][64]Bitboard{leaper([][2]int{{-1, 1}, {1, 1}}), leaper([][2]int{{-1, -1}, {1, -1}})}

	// between holds the squares strictly between two squares on one line, else nothing.
	// line holds the whole line through two squares from edge to edge, else nothing.
	between, line = lines()
)

// Directions of the sliders as steps of file and rank.
var (
	rookSteps   = [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	bishopSteps = [4][2]int{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}
)

// KnightAttacks returns the squares a knight on s attacks.
func KnightAttacks(s Square) Bitboard { return knightAttacks[s&63] }

// KingAttacks returns the squares a king on s attacks.
func KingAttacks(s Square) Bitboard { return kingAttacks[s&63] }

// PawnAttacks returns the squares a pawn of colour c on s attacks.
func PawnAttacks(c Color, s Square) Bitboard { return pawnAttacks[c&1][s&63] }

// QueenAttacks returns the squares a queen on s attacks when the squares of occ are occupied.
func QueenAttacks(s Square, occ Bitboard) Bitboard {
	return BishopAttacks(s, occ) | RookAttacks(s, occ)
}

// step returns the square one step away and whether it is on the board.
func step(s Square, d [2]int) (Square, bool) {
	f, r := s.File()+d[0], s.Rank()+d[1]
	if f < 0 || f > 7 || r < 0 || r > 7 {
		return NoSquare, false
	}
	return NewSquare(f, r), true
}

func leaper(steps [][2]int) (table [64]Bitboard) {
	for s := A1; s <= H8; s++ {
		for _, d := range steps {
			if to, ok := step(s, d); ok {
				table[s] |= to.Bit()
			}
		}
	}
	return table
}

// slide walks from s in the given directions until the edge or an occupied square, which is included.
func slide(s Square, occ Bitboard, steps [4][2]int) (attacks Bitboard) {
	for _, d := range steps {
		for to, ok := step(s, d); ok; to, ok = step(to, d) {
			attacks |= to.Bit()
			if occ.Has(to) {
				break
			}
		}
	}
	return attacks
}

func lines() (between, line [64][64]Bitboard) {
	for s := A1; s <= H8; s++ {
		for _, steps := range [2][4][2]int{rookSteps, bishopSteps} {
			all := slide(s, 0, steps)
			for t := all; t != 0; {
				to := t.PopFirst()
				between[s][to] = slide(s, to.Bit(), steps) & slide(to, s.Bit(), steps)
				line[s][to] = all&slide(to, 0, steps) | s.Bit() | to.Bit()
			}
		}
	}
	return between, line
}

// emptyBishop and emptyRook hold what the sliders attack on an empty board.
var emptyBishop, emptyRook = func() (bishop, rook [64]Bitboard) {
	for s := A1; s <= H8; s++ {
		bishop[s], rook[s] = slide(s, 0, bishopSteps), slide(s, 0, rookSteps)
	}
	return bishop, rook
}()
