package book

import (
	"encoding/binary"

	"castellan/engine/chess"
)

// entrySize is the size of an entry in bytes.
const entrySize = 16

// entry is one entry of a file, as it is there.
type entry struct {
	key    uint64
	move   uint16
	weight uint16
}

func readEntry(b []byte) entry {
	return entry{binary.BigEndian.Uint64(b), binary.BigEndian.Uint16(b[8:]), binary.BigEndian.Uint16(b[10:])}
}

func (e entry) appendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, e.key)
	b = binary.BigEndian.AppendUint16(b, e.move)
	b = binary.BigEndian.AppendUint16(b, e.weight)
	return append(b, 0, 0, 0, 0)
}

// packMove writes a move as the format does: bits 0-2 file and 3-5 rank of the square it goes to, 6-8 and 9-11 of the square
// it leaves, 12-14 the promotion (knight 1, bishop 2, rook 3, queen 4). Castling is king-takes-rook, as in chess.Move.
func packMove(m chess.Move) uint16 {
	packed := uint16(m.To()) | uint16(m.From())<<6
	if m.IsPromotion() {
		packed |= uint16(m.Promotion()-chess.Pawn) << 12
	}
	return packed
}

// unpackMove returns the legal move of a position that the format's 16 bits stand for; ok is false when there is none. Castling
// as the king's move of two squares, which some programs write, is understood too.
func unpackMove(p *chess.Position, packed uint16) (m chess.Move, ok bool) {
	var legal chess.MoveList
	p.LegalMoves(&legal)
	for _, m := range legal.Slice() {
		if packMove(m) == packed {
			return m, true
		}
	}
	from, to := chess.Square(packed>>6&63), chess.Square(packed&63)
	if p.PieceOn(from).Type() != chess.King || packed>>12 != 0 {
		return chess.NoMove, false
	}
	m, err := p.ParseUCI(from.String() + to.String())
	return m, err == nil
}
