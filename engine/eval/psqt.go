package eval

import "castellan/engine/chess"

// pieceSquare is material plus placement, by piece type and by the square as
// white sees it (black looks up the square with its rank turned round).
var pieceSquare = buildPieceSquare()

// buildPieceSquare derives the tables from a few ideas per piece instead of
// listing 768 numbers: nearness to the centre, advance, and special places.
func buildPieceSquare() (t [7][64]score) {
	for sq := range 64 {
		file, rank := sq&7, sq>>3
		inFile := min(file, 7-file) // 0 at the edge, 3 in the centre
		inRank := min(rank, 7-rank)
		t[chess.Pawn][sq] = pawnPlace(file, rank)
		t[chess.Knight][sq] = knightPlace(inFile, inRank, rank)
		t[chess.Bishop][sq] = bishopPlace(file, rank)
		t[chess.Rook][sq] = rookPlace(inFile, rank)
		t[chess.Queen][sq] = queenPlace(inFile, inRank, rank)
		t[chess.King][sq] = kingPlace(file, rank)
	}
	for pt := chess.Pawn; pt <= chess.Queen; pt++ {
		for sq := range t[pt] {
			t[pt][sq] += material[pt]
		}
	}
	return t
}

// Centre pawns want to stand on the fourth rank, wing pawns to stay home in
// the middle game; in the endgame every step counts.
func pawnPlace(file, rank int) score {
	if rank == 0 || rank == 7 {
		return 0
	}
	inFile := min(file, 7-file)
	step := rank - 1
	mg := step*2 - 4
	if inFile == 3 {
		mg += [6]int{-10, 2, 16, 20, 16, 10}[step]
	} else if inFile == 2 {
		mg += [6]int{0, 4, 8, 8, 6, 6}[step]
	} else if inFile == 0 {
		mg -= 4
	}
	eg := step*step*2 - 6
	return s(mg, eg)
}

// A knight on the rim reaches half the squares of one in the centre.
func knightPlace(inFile, inRank, rank int) score {
	mg := 9*inFile + 7*inRank - 32
	if rank >= 3 && rank <= 5 && inFile > 0 {
		mg += 10
	}
	if rank == 7 {
		mg -= 12
	}
	return s(mg, 7*inFile+7*inRank-24)
}

// Bishops like long diagonals and dislike their first rank.
func bishopPlace(file, rank int) score {
	inFile, inRank := min(file, 7-file), min(rank, 7-rank)
	mg := 3*inFile + 4*inRank - 8
	if file == rank || file+rank == 7 {
		mg += 6
	}
	if rank == 0 {
		mg -= 6
	}
	return s(mg, 3*(inFile+inRank)-8)
}

// Rooks want the central files in the middle game and the seventh rank.
func rookPlace(inFile, rank int) score {
	mg := 4*inFile - 8
	eg := 0
	switch rank {
	case 6:
		mg, eg = mg+16, 12
	case 7:
		mg, eg = mg+6, 8
	case 2, 3:
		mg -= 6
	}
	return s(mg, eg)
}

// The queen is content anywhere early on and centralises in the endgame.
func queenPlace(inFile, inRank, rank int) score {
	mg := inFile + inRank - 3
	if rank == 6 {
		mg += 6
	}
	return s(mg, 7*(inFile+inRank)-20)
}

// The king hides in a corner of its first rank until the pieces are gone,
// then it goes to the centre.
func kingPlace(file, rank int) score {
	home := [8]int{14, 26, 12, -16, -8, -14, 28, 18}[file]
	mg := home - [8]int{0, 22, 52, 70, 80, 85, 90, 95}[rank]
	inFile, inRank := min(file, 7-file), min(rank, 7-rank)
	eg := 10*inFile + 12*inRank - 40
	return s(mg, eg)
}
