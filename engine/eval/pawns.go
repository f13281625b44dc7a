package eval

import "castellan/engine/chess"

// pawnEntry is what depends on the pawns alone, white's view.
type pawnEntry struct {
	key     uint64
	score   score
	passed  chess.Bitboard    // of both colours
	attacks [2]chess.Bitboard // squares attacked by pawns, by colour
	spans   [2]chess.Bitboard // squares that pawns attack now or after advancing
	known   bool
}

// pawnTable remembers pawn structures: few change from node to node.
type pawnTable [1 << 13]pawnEntry

func (t *pawnTable) probe(p *chess.Position) *pawnEntry {
	key := p.PawnKey()
	e := &t[key&uint64(len(t)-1)]
	if !e.known || e.key != key {
		*e = evaluatePawns(p)
		e.key, e.known = key, true
	}
	return e
}

func evaluatePawns(p *chess.Position) pawnEntry {
	var e pawnEntry
	pawns := [2]chess.Bitboard{p.Pieces(chess.White, chess.Pawn), p.Pieces(chess.Black, chess.Pawn)}
	for c := chess.White; c <= chess.Black; c++ {
		e.attacks[c] = pawnAttackSet(c, pawns[c])
		e.spans[c] = forwardFill(c, e.attacks[c])
	}
	for c := chess.White; c <= chess.Black; c++ {
		var sum score
		ours, theirs := pawns[c], pawns[c.Other()]
		for left := ours; left != 0; {
			sq := left.PopFirst()
			sum += pieceSquare[chess.Pawn][relative(c, sq)]
			rank := relative(c, sq) >> 3
			neighbours := adjacentFiles[sq.File()] & ours
			ahead := forwardFill(c, sq.Bit()) &^ sq.Bit()

			switch {
			case ahead&ours != 0:
				sum += doubledPawn
			case ahead&theirs == 0 && !e.spans[c.Other()].Has(sq) && ahead&e.spans[c.Other()] == 0:
				e.passed |= sq.Bit()
				sum += passedPawn[rank]
			}
			switch {
			case neighbours == 0:
				sum += isolatedPawn
			case e.attacks[c].Has(sq) || neighbours&rankMask[sq.Rank()] != 0:
				sum += connectedPawn
			case !e.spans[c].Has(sq) && ahead&e.attacks[c.Other()]&rankMask[stepRank(c, sq)] != 0:
				sum += backwardPawn
			}
		}
		if c == chess.White {
			e.score += sum
		} else {
			e.score -= sum
		}
	}
	return e
}

func stepRank(c chess.Color, sq chess.Square) int {
	if c == chess.White {
		return min(int(sq.Rank())+1, 7)
	}
	return max(int(sq.Rank())-1, 0)
}
