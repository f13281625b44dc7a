package chess

// Zobrist keys (A. L. Zobrist, "A New Hashing Method with Application for Game Playing", 1970): a random number for each
// man on each square, castling rook, en passant file and the side to move; a position's key is the XOR of those that hold.
var zobrist = newZobrist()

type zobristKeys struct {
	man      [16][64]uint64 // by Piece
	castling [16]uint64     // by bit of Position.castling
	ep       [8]uint64      // by file
	black    uint64         // Black to move
}

func newZobrist() (z zobristKeys) {
	state := uint64(0x436173_74656c6c61) // any fixed seed: keys are the same in every run, so that runs can be compared
	// splitmix64 (G. L. Steele et al., "Fast splittable pseudorandom number generators", 2014).
	next := func() uint64 {
		state += 0x9e3779b97f4a7c15
		x := state
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	for _, c := range []Color{White, Black} {
		for t := Pawn; t <= King; t++ {
			for s := range z.man[0] {
				z.man[NewPiece(c, t)][s] = next()
			}
		}
	}
	for i := range z.castling {
		z.castling[i] = next()
	}
	for i := range z.ep {
		z.ep[i] = next()
	}
	z.black = next()
	return z
}

// castlingKey is the XOR of the keys of a set of castling rooks.
func castlingKey(rooks castlingSet) (key uint64) {
	for i, k := range zobrist.castling {
		if rooks>>i&1 != 0 {
			key ^= k
		}
	}
	return key
}

// computeKeys returns the key of the position and the key of its pawns, computed from nothing.
func (p *Position) computeKeys() (key, pawnKey uint64) {
	for b := p.Occupied(); b != 0; {
		s := b.PopFirst()
		man := p.PieceOn(s)
		key ^= zobrist.man[man][s]
		if man.Type() == Pawn {
			pawnKey ^= zobrist.man[man][s]
		}
	}
	key ^= castlingKey(p.castling)
	if p.ep != NoSquare {
		key ^= zobrist.ep[p.ep.File()]
	}
	if p.side == Black {
		key ^= zobrist.black
	}
	return key, pawnKey
}
