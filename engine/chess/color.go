package chess

// Color is a side of the board.
type Color uint8

// The two sides. White is the zero value.
const (
	White Color = iota
	Black
)

// Other returns the opponent.
func (c Color) Other() Color { return c ^ 1 }

// String returns "white" or "black".
func (c Color) String() string {
	if c == White {
		return "white"
	}
	return "black"
}

// backRank is the rank (0 to 7) on which the side's king and rooks start.
func (c Color) backRank() int { return int(c) * 7 }

// up is how many squares a pawn push of this side adds to a square's number: +8 for White, -8 for Black.
func (c Color) up() int { return 8 - 16*int(c) }
