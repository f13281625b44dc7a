// Package tablebase reads Syzygy endgame tables: the result of every position with few men under best play (WDL, files .rtbw),
// and the distance to the next capture or pawn move on the way there (DTZ, files .rtbz).
//
// The format is Ronald de Man's (https://www.chessprogramming.org/Syzygy_Bases). All numbers are little-endian. A file holds
// the positions of one set of men, such as KQvKR, with the side named first as White, and is laid out so:
//
//	magic number              4 bytes
//	layout                    1 byte: 1 both sides to move are stored, 2 there are pawns
//	order of the men          for each part: see order
//	to a multiple of 2
//	coding of the values      for each part: see coding
//	maps of the values        DTZ only, for each file: see readMaps
//	sparse indexes            for each part: 6 bytes an entry
//	lengths of the blocks     for each part: 2 bytes a block
//	blocks                    for each part, begun at a multiple of 64
//	checksum                  16 bytes, not looked at
//
// A part is a side to move and, with pawns, a file a to d of the leading pawn. Positions that differ by a symmetry of the
// board share a number; see part.index for how a position gets it. What is stored under the number is compressed; see
// coding.at.
//
// The tables leave out what a search of one ply tells: a position whose best move is a capture may have any value that is not
// better, en passant does not exist, and a DTZ file holds one side to move only. Tables.ProbeWDL and Tables.ProbeDTZ make up
// for it.
package tablebase
