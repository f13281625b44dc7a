// Package eval gives a static score for a position: material, placement,
// mobility, pawn structure, king safety and threats, each weighed for the
// middle game and the endgame and blended by the material left.
package eval

import "castellan/engine/chess"

// Evaluator scores positions for one search thread. It holds a cache and
// must not be shared between goroutines. Its Reset, Push and Pop keep nothing:
// every score is made from the position alone.
type Evaluator struct {
	pawns pawnTable
}

// New returns an evaluator with an empty cache.
func New() *Evaluator { return new(Evaluator) }

// Reset begins a search at root.
func (e *Evaluator) Reset(root *chess.Position) {}

// Push follows a move from parent to child.
func (e *Evaluator) Push(parent *chess.Position, m chess.Move, child *chess.Position) {}

// Pop takes the last Push back.
func (e *Evaluator) Pop() {}

// side is what one colour's pieces do, gathered in a first pass.
type side struct {
	score       score
	attacks     chess.Bitboard // by anything
	byPiece     [7]chess.Bitboard
	area        chess.Bitboard // squares that count for mobility
	king        chess.Square
	attackUnits int // against the enemy king
	attackers   int
	phase       int
}

// Score is in centipawns from the side to move, between -MaxScore and
// MaxScore. It is meaningless for a position in check.
func (e *Evaluator) Score(p *chess.Position) int {
	pawns := e.pawns.probe(p)
	var sides [2]side
	white, black := &sides[chess.White], &sides[chess.Black]
	for c := chess.White; c <= chess.Black; c++ {
		us := &sides[c]
		us.king = p.King(c)
		blocked := p.Pieces(c, chess.Pawn) & backward(c, p.Occupied())
		us.area = ^(pawns.attacks[c.Other()] | blocked | us.king.Bit())
		us.byPiece[chess.Pawn] = pawns.attacks[c]
		us.byPiece[chess.King] = chess.KingAttacks(us.king)
		us.attacks = us.byPiece[chess.Pawn] | us.byPiece[chess.King]
	}
	for c := chess.White; c <= chess.Black; c++ {
		pieces(p, c, &sides[c], kingZone[sides[c.Other()].king], pawns)
	}
	for c := chess.White; c <= chess.Black; c++ {
		us, them := &sides[c], &sides[c.Other()]
		us.score += threats(p, c, us, them)
		us.score += passers(p, c, us, them, pawns)
		us.score += kingSafety(p, c, us, them)
	}

	total := pawns.score + white.score - black.score
	if p.SideToMove() == chess.White {
		total += tempo
	} else {
		total -= tempo
	}
	phase := min(white.phase+black.phase, fullPhase)
	eg := total.eg()
	eg += mopUp(p, eg)
	v := (total.mg()*phase + eg*(fullPhase-phase)) / fullPhase
	v = v * scale(p, eg) / fullScale
	v = max(-MaxScore, min(v, MaxScore))
	if p.SideToMove() == chess.Black {
		return -v
	}
	return v
}

// MaxScore bounds what Score returns, far below any mate score of a search.
const MaxScore = 20000

// backward shifts a set one rank towards c's own side.
func backward(c chess.Color, b chess.Bitboard) chess.Bitboard {
	if c == chess.White {
		return b >> 8
	}
	return b << 8
}

// pieces adds placement and mobility of all but the pawns.
func pieces(p *chess.Position, c chess.Color, us *side, zone chess.Bitboard, pawns *pawnEntry) {
	sum := pieceSquare[chess.King][relative(c, us.king)]
	occ := p.Occupied()
	ownPawns := p.Pieces(c, chess.Pawn)
	allPawns := p.ByType(chess.Pawn)
	queens := p.Pieces(c, chess.Queen)
	for pt := chess.Knight; pt <= chess.Queen; pt++ {
		for left := p.Pieces(c, pt); left != 0; {
			sq := left.PopFirst()
			sum += pieceSquare[pt][relative(c, sq)]
			us.phase += phaseWeight[pt]
			var att chess.Bitboard
			switch pt {
			case chess.Knight:
				att = chess.KnightAttacks(sq)
			case chess.Bishop:
				att = chess.BishopAttacks(sq, occ&^queens)
			case chess.Rook:
				att = chess.RookAttacks(sq, occ&^(queens|p.Pieces(c, chess.Rook)))
				file := fileMask[sq.File()]
				if file&allPawns == 0 {
					sum += rookOpen
				} else if file&ownPawns == 0 {
					sum += rookHalfOpen
				}
			default:
				att = chess.QueenAttacks(sq, occ)
			}
			us.attacks |= att
			us.byPiece[pt] |= att
			m := &mobility[pt]
			sum += m.perSquare * score((att&us.area).Count()-m.usual)
			if hits := att & zone; hits != 0 {
				us.attackers++
				us.attackUnits += kingAttacker[pt] + zoneAttack*hits.Count()
			}
			if pt <= chess.Bishop && pawns.attacks[c].Has(sq) && !pawns.spans[c.Other()].Has(sq) {
				if r := relative(c, sq) >> 3; r >= 3 && r <= 5 {
					sum += outpost
				}
			}
		}
	}
	if b := p.Pieces(c, chess.Bishop); b&light != 0 && b&^light != 0 {
		sum += bishopPair
	}
	us.score += sum
}

func threats(p *chess.Position, c chess.Color, us, them *side) score {
	theirs := p.ByColor(c.Other())
	officers := theirs &^ p.ByType(chess.Pawn) &^ p.ByType(chess.King)
	heavy := officers & (p.ByType(chess.Rook) | p.ByType(chess.Queen))
	sum := pawnThreat * score((officers & us.byPiece[chess.Pawn]).Count())
	sum += minorThreat * score((heavy & (us.byPiece[chess.Knight] | us.byPiece[chess.Bishop])).Count())
	sum += hanging * score((theirs &^ them.king.Bit() & us.attacks &^ them.attacks).Count())
	return sum
}

// passers adds what depends on more than the pawns: a free way, and the kings.
func passers(p *chess.Position, c chess.Color, us, them *side, pawns *pawnEntry) score {
	var sum score
	for left := pawns.passed & p.ByColor(c); left != 0; {
		sq := left.PopFirst()
		rank := relative(c, sq) >> 3
		if rank < 3 {
			continue
		}
		stop := sq + 8
		if c == chess.Black {
			stop = sq - 8
		}
		eg := passedTheirKing[rank]*int(kingDistance[them.king][stop]) -
			passedOurKing[rank]*int(kingDistance[us.king][stop])
		sum += s(0, eg)
		if !p.Occupied().Has(stop) {
			sum += passedFree[rank]
			if !them.attacks.Has(stop) {
				sum += passedFree[rank]
			}
		}
	}
	return sum
}

// kingSafety is c's own king: its pawns minus the attack on it.
func kingSafety(p *chess.Position, c chess.Color, us, them *side) score {
	mg := shelterValue(p, c, us.king)
	units := them.attackUnits
	if them.attackers >= 2 || units > 0 && p.Pieces(c.Other(), chess.Queen) != 0 {
		// Checks that the enemy can give without loss.
		free := ^p.ByColor(c.Other()) &^ us.attacks
		rays := chess.RookAttacks(us.king, p.Occupied())
		diagonals := chess.BishopAttacks(us.king, p.Occupied())
		for pt := chess.Knight; pt <= chess.Queen; pt++ {
			from := rays | diagonals
			switch pt {
			case chess.Knight:
				from = chess.KnightAttacks(us.king)
			case chess.Bishop:
				from = diagonals
			case chess.Rook:
				from = rays
			}
			if them.byPiece[pt]&from&free != 0 {
				units += safeCheck[pt]
			}
		}
		weak := kingZone[us.king] & them.attacks &^ (us.attacks &^ us.byPiece[chess.King])
		units += shelterGap * weak.Count()
		if p.Pieces(c.Other(), chess.Queen) == 0 {
			units -= noQueen
		}
		if units > 0 {
			mg -= min(units*units/dangerDivisor, dangerMax)
		}
	}
	return s(mg, 0)
}

// shelterValue looks at the pawns of both sides on the king's file and its
// neighbours.
func shelterValue(p *chess.Position, c chess.Color, king chess.Square) int {
	v := 0
	kingRank := relative(c, king) >> 3
	front := forwardFill(c, rankMask[king.Rank()])
	centre := max(1, min(int(king.File()), 6))
	for f := centre - 1; f <= centre+1; f++ {
		own := p.Pieces(c, chess.Pawn) & front & fileMask[f]
		v += shelter[pawnDistance(c, own, kingRank)]
		enemy := p.Pieces(c.Other(), chess.Pawn) & front & fileMask[f]
		v -= storm[pawnDistance(c, enemy, kingRank)]
	}
	return v
}

// pawnDistance is how many ranks before the king the nearest pawn stands, 0
// for none (a pawn beside the king counts as one rank away).
func pawnDistance(c chess.Color, pawns chess.Bitboard, kingRank int) int {
	if pawns == 0 {
		return 0
	}
	nearest := 7
	for pawns != 0 {
		nearest = min(nearest, relative(c, pawns.PopFirst())>>3)
	}
	return max(1, min(nearest-kingRank, 7))
}
