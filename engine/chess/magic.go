package chess

// Magic bitboards: the occupied squares that matter to a slider, multiplied by a well-chosen number, give in their top
// bits an index into a table of attacks (P. Hansen; G. Kannan, "Magic Move-Bitboard Generation in Computer Chess", 2007).
// The numbers in magicnumbers.go are this project's own; TestFindMagics searches for new ones.

// magic is what a slider on one square needs for its look-up.
type magic struct {
	mask   Bitboard // squares whose occupation matters: the slider's lines without the edge at their end
	number uint64
	offset uint32 // start of the square's part of sliderAttacks
	shift  uint8  // 64 minus the number of bits of the index
}

func (m *magic) index(occ Bitboard) uint32 {
	return m.offset + uint32(uint64(occ&m.mask)*m.number>>(m.shift&63))
}

// sliderTableSize is the sum of 2^(squares that matter) over all squares: 102,400 for rooks and 5,248 for bishops.
const sliderTableSize = 102400 + 5248

var (
	bishopMagics, rookMagics [64]magic
	sliderAttacks            [sliderTableSize]Bitboard
)

func init() {
	offset := fillMagics(&bishopMagics, &bishopNumbers, bishopSteps, 0)
	fillMagics(&rookMagics, &rookNumbers, rookSteps, offset)
}

func fillMagics(magics *[64]magic, numbers *[64]uint64, steps [4][2]int, offset uint32) uint32 {
	for s := A1; s <= H8; s++ {
		m := &magics[s]
		m.mask = sliderMask(s, steps)
		m.number = numbers[s]
		m.offset = offset
		m.shift = uint8(64 - m.mask.Count())
		// Carry-rippler: steps through every subset of the mask.
		for occ := Bitboard(0); ; {
			sliderAttacks[m.index(occ)] = slide(s, occ, steps)
			if occ = (occ - m.mask) & m.mask; occ == 0 {
				break
			}
		}
		offset += 1 << m.mask.Count()
	}
	return offset
}

// sliderMask returns the squares whose occupation changes what a slider on s attacks: a man on the last square of a line
// hides nothing, so that square does not matter.
func sliderMask(s Square, steps [4][2]int) (mask Bitboard) {
	for _, d := range steps {
		for to, ok := step(s, d); ok; {
			next, more := step(to, d)
			if more {
				mask |= to.Bit()
			}
			to, ok = next, more
		}
	}
	return mask
}

// BishopAttacks returns the squares a bishop on s attacks when the squares of occ are occupied; the first occupied square
// of each line is included, whoever stands on it.
func BishopAttacks(s Square, occ Bitboard) Bitboard {
	return sliderAttacks[bishopMagics[s&63].index(occ)]
}

// RookAttacks is BishopAttacks for a rook.
func RookAttacks(s Square, occ Bitboard) Bitboard {
	return sliderAttacks[rookMagics[s&63].index(occ)]
}
