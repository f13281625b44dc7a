// Package training reads and writes files of positions with what came of
// them: the search's score and the result of the game. They serve to tune the
// evaluation. docs/training-data.md describes the format.
package training

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"castellan/engine/chess"
)

// Record is a position in RecordSize bytes, numbers little-endian:
//
//	 0..7   occupied squares, bit 0 for a1 to bit 63 for h8
//	 8..23  a half byte for each of them from a1 on, the lower half first:
//	        bits 0..2 the kind of man, 0 pawn to 5 king, 6 for a rook with
//	        which castling is still allowed; bit 3 set for black
//	24..25  score, signed, in centipawns from white's view
//	26      bits 0..1 result: 0 black won, 1 draw, 2 white won;
//	        bit 2 the side to move is in check;
//	        bit 3 the move found is a capture or promotion;
//	        bit 7 black is to move
//	27      square of a possible en passant capture, or 64
//	28      plies since the last capture or pawn move
//	29      zero
//	30..31  plies since the start of the game
type Record [RecordSize]byte

const (
	// RecordSize is the length of a record in bytes.
	RecordSize = 32
	// MaxScore bounds a stored score on either side, in centipawns. Forced
	// mates lie beyond 30000.
	MaxScore = 32000

	maxMen       = 32
	castlingRook = 6

	resultMask = 3
	flagCheck  = 1 << 2
	flagNoisy  = 1 << 3
	flagBlack  = 1 << 7
	allFlags   = resultMask | flagCheck | flagNoisy | flagBlack
)

// Result is how a game ended, in half points for white.
type Result uint8

const (
	BlackWins Result = iota
	Draw
	WhiteWins
)

// NewRecord packs a position with the search's score from white's view, which
// is cut to MaxScore, the ply of the game, and whether the move found is a
// capture or promotion. The result is set later, when the game is over.
func NewRecord(p *chess.Position, score, ply int, noisy bool) Record {
	var r Record
	occupied := p.Occupied()
	binary.LittleEndian.PutUint64(r[:], uint64(occupied))
	castling := p.CastlingRooks(chess.White) | p.CastlingRooks(chess.Black)
	for i := 0; occupied != 0; i++ {
		sq := occupied.PopFirst()
		man := p.PieceOn(sq)
		code := byte(man.Type() - chess.Pawn)
		if castling.Has(sq) {
			code = castlingRook
		}
		code |= byte(man.Color()) << 3
		r[8+i/2] |= code << (i & 1 * 4)
	}
	score = max(-MaxScore, min(score, MaxScore))
	binary.LittleEndian.PutUint16(r[24:], uint16(int16(score)))
	if p.InCheck() {
		r[26] |= flagCheck
	}
	if noisy {
		r[26] |= flagNoisy
	}
	if p.SideToMove() == chess.Black {
		r[26] |= flagBlack
	}
	r[27] = byte(p.EnPassant())
	r[28] = byte(min(p.HalfmoveClock(), 255))
	binary.LittleEndian.PutUint16(r[30:], uint16(min(ply, 1<<16-1)))
	return r
}

// SetResult notes how the game ended.
func (r *Record) SetResult(result Result) { r[26] = r[26]&^resultMask | byte(result) }

// Result is how the game ended.
func (r *Record) Result() Result { return Result(r[26] & resultMask) }

// Score is the search's, in centipawns from white's view.
func (r *Record) Score() int { return int(int16(binary.LittleEndian.Uint16(r[24:]))) }

// Ply counts from the start of the game, random opening moves included.
func (r *Record) Ply() int { return int(binary.LittleEndian.Uint16(r[30:])) }

// Quiet tells whether the side to move is not in check and the move found is
// neither a capture nor a promotion, so that a static score can be compared.
func (r *Record) Quiet() bool { return r[26]&(flagCheck|flagNoisy) == 0 }

// Position unpacks the position. Its move number is made from the ply. The
// error says what is wrong with a record that no position gives.
func (r *Record) Position() (chess.Position, error) {
	fen, err := r.fen()
	if err != nil {
		return chess.Position{}, err
	}
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return chess.Position{}, fmt.Errorf("training: record of no legal position: %w", err)
	}
	return p, nil
}

// fen writes the record with castling rooks by their files (Shredder-FEN).
func (r *Record) fen() (string, error) {
	occupied := binary.LittleEndian.Uint64(r[:])
	if n := bits.OnesCount64(occupied); n > maxMen {
		return "", fmt.Errorf("training: record of %d men: at most %d fit", n, maxMen)
	}
	if r.Result() > WhiteWins || r[26]&^allFlags != 0 || r[27] > 64 || r[29] != 0 {
		return "", fmt.Errorf("training: record with flags %#x, en passant square %d, spare byte %d", r[26], r[27], r[29])
	}
	var board [64]byte
	var castling []byte
	for i := 0; occupied != 0; i++ {
		sq := bits.TrailingZeros64(occupied)
		occupied &= occupied - 1
		code := r[8+i/2] >> (i & 1 * 4) & 15
		kind, black := code&7, code>>3
		if kind > castlingRook {
			return "", fmt.Errorf("training: record with a man of unknown kind %d", kind)
		}
		if kind == castlingRook {
			kind = byte(chess.Rook - chess.Pawn)
			castling = append(castling, 'A'+byte(sq&7)+black*('a'-'A'))
		}
		board[sq] = "PNBRQKpnbrqk"[kind+6*black]
	}
	var b strings.Builder
	for rank := 7; rank >= 0; rank-- {
		empty := byte(0)
		for file := range 8 {
			man := board[rank*8+file]
			if man == 0 {
				empty++
				continue
			}
			if empty > 0 {
				b.WriteByte('0' + empty)
				empty = 0
			}
			b.WriteByte(man)
		}
		if empty > 0 {
			b.WriteByte('0' + empty)
		}
		if rank > 0 {
			b.WriteByte('/')
		}
	}
	side := "w"
	if r[26]&flagBlack != 0 {
		side = "b"
	}
	if len(castling) == 0 {
		castling = []byte("-")
	}
	fmt.Fprintf(&b, " %s %s %v %d %d", side, castling, chess.Square(r[27]), r[28], r.Ply()/2+1)
	return b.String(), nil
}
