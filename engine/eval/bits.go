package eval

import "castellan/engine/chess"

const (
	fileA = chess.Bitboard(0x0101010101010101)
	fileH = fileA << 7
	rank1 = chess.Bitboard(0xff)
	light = chess.Bitboard(0x55aa55aa55aa55aa)
)

var (
	adjacentFiles [8]chess.Bitboard
	fileMask      [8]chess.Bitboard
	rankMask      [8]chess.Bitboard
	kingZone      [64]chess.Bitboard // the king's square and those around it
	kingDistance  [64][64]uint8      // moves a king needs on an empty board
)

func init() {
	for i := range 8 {
		fileMask[i] = fileA << i
		rankMask[i] = rank1 << (8 * i)
	}
	for i := range 8 {
		if i > 0 {
			adjacentFiles[i] |= fileMask[i-1]
		}
		if i < 7 {
			adjacentFiles[i] |= fileMask[i+1]
		}
	}
	for a := range 64 {
		kingZone[a] = chess.KingAttacks(chess.Square(a)) | chess.Square(a).Bit()
		for b := range 64 {
			df, dr := a&7-b&7, a>>3-b>>3
			kingDistance[a][b] = uint8(max(df, -df, dr, -dr))
		}
	}
}

// relative is the square as c sees it: black's board is turned round.
func relative(c chess.Color, sq chess.Square) int {
	if c == chess.White {
		return int(sq)
	}
	return int(sq) ^ 56
}

func pawnAttackSet(c chess.Color, pawns chess.Bitboard) chess.Bitboard {
	if c == chess.White {
		return pawns&^fileA<<7 | pawns&^fileH<<9
	}
	return pawns&^fileA>>9 | pawns&^fileH>>7
}

// stepAhead and stepBack shift a set one rank towards the enemy's side and
// towards c's own.
func stepAhead(c chess.Color, b chess.Bitboard) chess.Bitboard {
	if c == chess.White {
		return b << 8
	}
	return b >> 8
}

func stepBack(c chess.Color, b chess.Bitboard) chess.Bitboard { return stepAhead(c.Other(), b) }

// forwardFill is the set and all squares before it, as c moves.
func forwardFill(c chess.Color, b chess.Bitboard) chess.Bitboard {
	if c == chess.White {
		b |= b << 8
		b |= b << 16
		return b | b<<32
	}
	b |= b >> 8
	b |= b >> 16
	return b | b>>32
}
