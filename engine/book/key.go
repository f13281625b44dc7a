package book

import "castellan/engine/chess"

// Where in random the constants of each kind begin.
const (
	randomCastling  = 768
	randomEnPassant = 772
	randomWhite     = 780
)

// Key returns the Polyglot key of a position. passed is the square that a pawn passed over if the last move was a double step,
// else chess.NoSquare.
//
// The en passant rule is the format's own: the file counts exactly when a pawn of the side to move stands ready to take, even if
// a pin forbids it. A chess.Position knows only of captures that are legal, so it cannot answer alone: see GameKey.
//
// Castling rights are told apart by the side of the king on which the rook stands, so a position of Chess960 can have the
// key of another one.
func Key(p *chess.Position, passed chess.Square) uint64 {
	var key uint64
	for men := p.Occupied(); men != 0; {
		square := men.PopFirst()
		man := p.PieceOn(square)
		// Black pawn, white pawn, black knight ... white king, and 64 squares each.
		kind := 2 * int(man.Type()-chess.Pawn)
		if man.Color() == chess.White {
			kind++
		}
		key ^= random[64*kind+int(square)]
	}
	for _, side := range [...]chess.Color{chess.White, chess.Black} {
		king := p.King(side)
		for rooks := p.CastlingRooks(side); rooks != 0; {
			n := randomCastling + 2*int(side) // short, then long
			if rooks.PopFirst() < king {
				n++
			}
			key ^= random[n]
		}
	}
	us := p.SideToMove()
	if passed < chess.NoSquare && chess.PawnAttacks(us.Other(), passed)&p.Pieces(us, chess.Pawn) != 0 {
		key ^= random[randomEnPassant+passed.File()]
	}
	if us == chess.White {
		key ^= random[randomWhite]
	}
	return key
}

// GameKey returns the Polyglot key of a game's current position.
func GameKey(g *chess.Game) uint64 {
	p := g.Position()
	if g.Ply() == 0 {
		return Key(p, p.EnPassant())
	}
	before := g.PositionAt(g.Ply() - 1)
	return Key(p, passedBy(&before, g.Moves()[g.Ply()-1]))
}

// passedBy returns the square that a pawn passes over with a legal move, or NoSquare when it is no double step.
func passedBy(p *chess.Position, m chess.Move) chess.Square {
	from, to := m.From(), m.To()
	if from^to != 16 || p.PieceOn(from).Type() != chess.Pawn {
		return chess.NoSquare
	}
	return (from + to) / 2
}
