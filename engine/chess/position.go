package chess

// Position is everything that decides what may be played next: men, side to move, castling rights, en passant and the
// two counters of a FEN. It is a value of 128 bytes: Play returns a changed copy, and there is nothing to take back.
//
// The zero value is not a position; start from StartPosition or ParseFEN.
type Position struct {
	colors [2]Bitboard // by Color
	types  [6]Bitboard // by PieceType-1
	men    [32]uint8   // the Piece on each square, two squares a byte, the lower square in the lower half

	key      uint64   // Zobrist key of men, side, castling rights and en passant
	pawnKey  uint64   // Zobrist key of the pawns alone
	checkers Bitboard // enemy men that give check to the side to move

	castling castlingSet
	halfmove uint16 // plies since the last capture or pawn move, at most maxClock
	fullmove uint16 // starts at 1, goes up after Black's move, at most to maxClock
	ep       Square // where an en passant capture would land, only when one is legal; else NoSquare
	side     Color  // to move
}

// castlingSet is the set of rooks that may still castle: bit f for White's rook on file f of the first rank, bit 8+f for
// Black's on the eighth. A right exists exactly as long as its rook's bit does; at most one rook a side of each king.
type castlingSet uint16

// castlingBits picks the first and eighth rank out of a set of squares.
func castlingBits(b Bitboard) castlingSet {
	return castlingSet(b&rank1) | castlingSet(b>>48&0xff00)
}

// squares returns the rooks' squares.
func (c castlingSet) squares() Bitboard { return Bitboard(c&0xff) | Bitboard(c>>8)<<56 }

// of returns the rights of one side.
func (c castlingSet) of(side Color) castlingSet { return c & (0xff << (8 * side)) }

// startFEN is the start of standard chess.
const startFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

var startPosition = func() Position {
	p, err := ParseFEN(startFEN)
	if err != nil {
		panic(err)
	}
	return p
}()

// StartPosition returns the start of a game of standard chess.
func StartPosition() Position { return startPosition }

// SideToMove returns whose turn it is.
func (p *Position) SideToMove() Color { return p.side }

// PieceOn returns the man on a square, or NoPiece.
func (p *Position) PieceOn(s Square) Piece {
	return Piece(p.men[s>>1&31] >> (s & 1 << 2) & 15)
}

// Pieces returns where the men of one colour and kind stand.
func (p *Position) Pieces(c Color, t PieceType) Bitboard { return p.colors[c&1] & p.types[t-1] }

// ByColor returns where the men of one colour stand.
func (p *Position) ByColor(c Color) Bitboard { return p.colors[c&1] }

// ByType returns where the men of one kind stand, of both colours. The kind must not be NoPieceType.
func (p *Position) ByType(t PieceType) Bitboard { return p.types[t-1] }

// Occupied returns the squares on which a man stands.
func (p *Position) Occupied() Bitboard { return p.colors[White] | p.colors[Black] }

// King returns the square of a side's king.
func (p *Position) King(c Color) Square { return p.Pieces(c, King).First() }

// Key returns the Zobrist key: equal for positions that count as the same for repetition (men, side to move, castling
// rights, and en passant only when such a capture is legal), different for others but for a chance of 2^-64.
func (p *Position) Key() uint64 { return p.key }

// PawnKey returns the Zobrist key of the pawns alone.
func (p *Position) PawnKey() uint64 { return p.pawnKey }

// HalfmoveClock returns the number of plies since the last capture or pawn move, which is counted up to 9999: 100 is the 50-move
// rule.
func (p *Position) HalfmoveClock() int { return int(p.halfmove) }

// FullmoveNumber returns the number of the current move, which goes up after Black's, to 9999 at most.
func (p *Position) FullmoveNumber() int { return int(p.fullmove) }

// EnPassant returns the square on which an en passant capture would land when one is legal, else NoSquare.
func (p *Position) EnPassant() Square { return p.ep }

// Checkers returns the enemy men that give check to the side to move.
func (p *Position) Checkers() Bitboard { return p.checkers }

// InCheck tells whether the side to move is in check.
func (p *Position) InCheck() bool { return p.checkers != 0 }

// CastlingRooks returns the squares of a side's rooks with which it has kept the right to castle.
func (p *Position) CastlingRooks(c Color) Bitboard { return p.castling.of(c).squares() }

// diagonals and orthogonals return a side's men that move like bishops and like rooks.
func (p *Position) diagonals(c Color) Bitboard {
	return p.colors[c&1] & (p.types[Bishop-1] | p.types[Queen-1])
}

func (p *Position) orthogonals(c Color) Bitboard {
	return p.colors[c&1] & (p.types[Rook-1] | p.types[Queen-1])
}

// AttackersTo returns the men of both colours that attack a square when the squares of occ are occupied. Men that are not
// in occ still count, so mask the answer when men have been lifted off the board.
func (p *Position) AttackersTo(s Square, occ Bitboard) Bitboard {
	return PawnAttacks(White, s)&p.Pieces(Black, Pawn) |
		PawnAttacks(Black, s)&p.Pieces(White, Pawn) |
		KnightAttacks(s)&p.types[Knight-1] |
		KingAttacks(s)&p.types[King-1] |
		BishopAttacks(s, occ)&(p.types[Bishop-1]|p.types[Queen-1]) |
		RookAttacks(s, occ)&(p.types[Rook-1]|p.types[Queen-1])
}

// put sets a man on an empty square and remove takes it off again; neither touches the keys.
func (p *Position) put(man Piece, s Square) {
	p.colors[man.Color()] ^= s.Bit()
	p.types[man.Type()-1] ^= s.Bit()
	p.men[s>>1&31] ^= uint8(man) << (s & 1 << 2)
}

func (p *Position) remove(man Piece, s Square) { p.put(man, s) }
