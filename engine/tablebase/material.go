package tablebase

import (
	"strings"

	"castellan/engine/chess"
)

// MaxMen is the most men, kings included, that a table of the format has.
const MaxMen = 7

// material is how many men of each kind but the kings there are: four bits for a kind, pawns lowest, White's twenty bits below
// Black's.
type material uint64

const sideBits = 20

func materialOf(p *chess.Position) material {
	white, black := p.ByColor(chess.White), p.ByColor(chess.Black)
	var m material
	for kind := chess.Pawn; kind <= chess.Queen; kind++ {
		men := p.ByType(kind)
		m |= material((men&white).Count()|(men&black).Count()<<sideBits) << (4 * (kind - chess.Pawn))
	}
	return m
}

// with adds a man other than a king.
func (m material) with(man chess.Piece) material {
	return m + 1<<(4*(man.Type()-chess.Pawn)+sideBits*chess.PieceType(man.Color()))
}

// mirrored gives each side the other's men.
func (m material) mirrored() material { return m>>sideBits | m&(1<<sideBits-1)<<sideBits }

// of is the number of men of a colour and a kind, one king each included.
func (m material) of(man chess.Piece) int {
	if man.Type() == chess.King {
		return 1
	}
	return int(m >> (4*(man.Type()-chess.Pawn) + sideBits*chess.PieceType(man.Color())) & 15)
}

// men is the number of all men, the two kings included.
func (m material) men() int {
	n := 2
	for ; m != 0; m >>= 4 {
		n += int(m & 15)
	}
	return n
}

// parseMaterial reads the name of a table without its ending, such as "KQvKR"; the side named first is White.
func parseMaterial(name string) (material, bool) {
	white, black, found := strings.Cut(name, "v")
	if !found || len(white)+len(black) > MaxMen {
		return 0, false
	}
	var m material
	for color, men := range []string{white, black} {
		if men == "" || men[0] != 'K' {
			return 0, false
		}
		for _, letter := range men[1:] {
			kind := chess.PieceType(strings.IndexRune("PNBRQ", letter)) + chess.Pawn
			if kind < chess.Pawn || kind > chess.Queen {
				return 0, false
			}
			m = m.with(chess.NewPiece(chess.Color(color), kind))
		}
	}
	return m, m.men() > 2
}
