package tablebase

import "castellan/engine/chess"

// view is how a table looks at a position: as it is, or with colours changed and the board turned upside down.
type view struct {
	colors  chess.Color // 1 when colours are changed
	squares uint8       // 56 when ranks are
}

var turned = view{colors: 1, squares: 56}

// leadFile returns the file, 0 to 3 from the edge to the middle, of the pawn that leads in the position.
func (v view) leadFile(p *chess.Position, leader chess.Piece) int {
	best := uint8(0)
	file := 0
	for pawns := p.Pieces(leader.Color()^v.colors, chess.Pawn); pawns != 0; {
		s := uint8(pawns.PopFirst()) ^ v.squares
		if pawnOrder[s] >= best {
			best, file = pawnOrder[s], int(s&7)
		}
	}
	return min(file, 7-file)
}

// index returns the number of a position, which must have the men of the table.
func (t *part) index(f *form, p *chess.Position, v view) uint64 {
	var room [MaxMen]uint8
	squares := room[:0]
	for len(squares) < f.count {
		man := t.men[len(squares)]
		for men := p.Pieces(man.Color()^v.colors, man.Type()); men != 0; {
			squares = append(squares, uint8(men.PopFirst())^v.squares)
		}
	}
	lead := squares[:t.groups[0].men]
	var number uint64
	if f.leader != chess.NoPiece {
		number = numberLeadPawns(squares, lead)
	} else {
		normalise(squares, lead)
		if f.unique {
			number = numberThree(lead)
		} else {
			number = uint64(kings[triangle[lead[0]]][lead[1]])
		}
	}
	number *= t.groups[0].factor

	done := len(lead)
	for i, g := range t.groups[1:t.used] {
		others := squares[done : done+g.men]
		sort(others)
		base := uint8(0)
		if i == 0 && f.other != chess.NoPiece {
			base = 8 // no pawn is on the first rank
		}
		ways := uint64(0)
		for k, s := range others {
			// Squares that are taken already do not count.
			rank := s - base
			for _, taken := range squares[:done] {
				if taken < s {
					rank--
				}
			}
			ways += choose[k+1][rank]
		}
		number += ways * g.factor
		done += g.men
	}
	return number
}

// sort puts a few squares in ascending order.
func sort(squares []uint8) {
	for i := 1; i < len(squares); i++ {
		for j := i; j > 0 && squares[j] < squares[j-1]; j-- {
			squares[j], squares[j-1] = squares[j-1], squares[j]
		}
	}
}

// numberLeadPawns numbers pawns by the one that leads and the others' places among those after it. It turns left and right
// round when that brings the leading pawn to files a to d.
func numberLeadPawns(squares, pawns []uint8) uint64 {
	// By ascending number, but for the highest in front.
	for i := 1; i < len(pawns); i++ {
		for j := i; j > 0 && pawnOrder[pawns[j]] < pawnOrder[pawns[j-1]]; j-- {
			pawns[j], pawns[j-1] = pawns[j-1], pawns[j]
		}
	}
	last := len(pawns) - 1
	lead := pawns[last]
	copy(pawns[1:], pawns[:last])
	pawns[0] = lead
	if lead&7 > 3 {
		for i := range squares {
			squares[i] ^= 7
		}
		// Two squares that mirror each other change places in the order, each beside the other.
		for i := 2; i < len(pawns); i++ {
			if pawnOrder[pawns[i]] < pawnOrder[pawns[i-1]] {
				pawns[i], pawns[i-1] = pawns[i-1], pawns[i]
			}
		}
	}
	number := leadPawns[len(pawns)][pawns[0]]
	for i := 1; i < len(pawns); i++ {
		number += choose[i][pawnOrder[pawns[i]]]
	}
	return number
}

// normalise turns the board so that the first man is on a to d and 1 to 4, and the first of the leading men that is not on the
// diagonal is below it.
func normalise(squares, lead []uint8) {
	turn := uint8(0)
	if lead[0]&7 > 3 {
		turn ^= 7
	}
	if lead[0]>>3 > 3 {
		turn ^= 56
	}
	above := false
	for i := len(lead) - 1; i >= 0; i-- {
		if d := aboveDiagonal(lead[i] ^ turn); d != 0 {
			above = d > 0
		}
	}
	for i, s := range squares {
		if s ^= turn; above {
			s = s>>3 | s&7<<3
		}
		squares[i] = s
	}
}

// numberThree numbers three different men, normalised: in four classes by how many of them from the first on are on the
// diagonal.
func numberThree(men []uint8) uint64 {
	a, b, c := men[0], men[1], men[2]
	// Squares taken by the men before do not count.
	second, third := uint64(b), uint64(c)
	secondRank, thirdRank := uint64(b>>3), uint64(c>>3)
	if b > a {
		second--
		secondRank--
	}
	if c > a {
		third--
		thirdRank--
	}
	if c > b {
		third--
		thirdRank--
	}
	const (
		off       = 6 * 63 * 62 // ways with the first below the diagonal
		firstOn   = 4 * 28 * 62 // with it on the diagonal alone
		secondOn  = 4 * 7 * 28  // with the second there too
		diagonals = 28
	)
	switch {
	case aboveDiagonal(a) != 0:
		return (uint64(triangle[a])*63+second)*62 + third
	case aboveDiagonal(b) != 0:
		return off + (uint64(a>>3)*diagonals+uint64(belowDiagonal[b]))*62 + third
	case aboveDiagonal(c) != 0:
		return off + firstOn + (uint64(a>>3)*7+secondRank)*diagonals + uint64(belowDiagonal[c])
	}
	return off + firstOn + secondOn + (uint64(a>>3)*7+secondRank)*6 + thirdRank
}
