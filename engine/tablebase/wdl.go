package tablebase

// WDL is the result of a position under best play for the side to move, when its capture or pawn move before was the last ply.
type WDL int8

// The results. A cursed win and a blessed loss would be won and lost if there were no 50-move rule, and are drawn with it.
const (
	Loss WDL = iota - 2
	BlessedLoss
	Draw
	CursedWin
	Win
)

// String returns the result in words, such as "cursed win".
func (w WDL) String() string {
	switch w {
	case Loss:
		return "loss"
	case BlessedLoss:
		return "blessed loss"
	case Draw:
		return "draw"
	case CursedWin:
		return "cursed win"
	case Win:
		return "win"
	}
	return "unknown"
}

// zeroingDTZ is the distance of a position whose best move is a capture or pawn move, for each result from Loss on: one ply,
// and beyond the 50-move rule a hundred more.
var zeroingDTZ = [...]int{-1, -101, 0, 101, 1}

// beforeZeroing returns the distance to the next capture or pawn move that comes now and leads to the result.
func (w WDL) beforeZeroing() int { return zeroingDTZ[w-Loss] }
