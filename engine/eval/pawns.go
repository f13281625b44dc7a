package eval

import "castellan/engine/chess"

// pawnEntry is what depends on the pawns alone, white's view.
type pawnEntry struct {
	key     uint64
	score   score
	passed  chess.Bitboard    // of both colours
	attacks [2]chess.Bitboard // squares attacked by pawns, by colour
	spans   [2]chess.Bitboard // squares that pawns attack now or after advancing

	// The last shelter asked for, by colour.
	shelterKing  [2]chess.Square // NoSquare for none
	shelterScore [2]score

	known bool
}

// pawnTable remembers pawn structures: few change from node to node.
type pawnTable [1 << 13]pawnEntry

func (t *pawnTable) probe(p *chess.Position) *pawnEntry {
	key := p.PawnKey()
	e := &t[key&uint64(len(t)-1)]
	if !e.known || e.key != key {
		e.fill(p, nil)
		e.key, e.known = key, true
	}
	return e
}

// fill scores the structure and tells n, when it is not nil.
func (e *pawnEntry) fill(p *chess.Position, n *counts) {
	*e = pawnEntry{shelterKing: [2]chess.Square{chess.NoSquare, chess.NoSquare}}
	for c := chess.White; c <= chess.Black; c++ {
		e.attacks[c] = pawnAttackSet(c, p.Pieces(c, chess.Pawn))
		e.spans[c] = forwardFill(c, e.attacks[c])
	}
	white, black := tally{counts: n, sign: 1}, tally{counts: n, sign: -1}
	e.structure(p, chess.White, &white)
	e.structure(p, chess.Black, &black)
	e.score = white.sum - black.sum
}

func (e *pawnEntry) structure(p *chess.Position, c chess.Color, t *tally) {
	them := c.Other()
	ours, theirs := p.Pieces(c, chess.Pawn), p.Pieces(them, chess.Pawn)
	for left := ours; left != 0; {
		sq := left.PopFirst()
		rank := relative(c, sq) >> 3
		neighbours := adjacentFiles[sq.File()] & ours
		ahead := forwardFill(c, sq.Bit()) &^ sq.Bit()
		t.add(material, 1)
		t.add(pieceSquare+term(relative(c, sq)), 1)

		if ahead&ours != 0 {
			t.add(doubledPawn, 1)
		} else if ahead&theirs == 0 && (ahead|sq.Bit())&e.spans[them] == 0 {
			e.passed |= sq.Bit()
			t.add(passedPawn+term(rank), 1)
		}
		if neighbours&rankMask[sq.Rank()] != 0 {
			t.add(phalanxPawn+term(rank), 1)
		}
		if e.attacks[c].Has(sq) {
			t.add(supportedPawn+term(rank), 1)
		}
		open := ahead&theirs == 0
		switch {
		case neighbours == 0:
			t.add(isolatedPawn, 1)
			if open {
				t.add(isolatedHalfOpen, 1)
			}
		case !e.spans[c].Has(sq) && neighbours&rankMask[sq.Rank()] == 0 && e.attacks[them]&stepAhead(c, sq.Bit()) != 0:
			// No pawn can ever guard it, and its next step is attacked.
			t.add(backwardPawn, 1)
			if open {
				t.add(backwardHalfOpen, 1)
			}
		}
	}
}
