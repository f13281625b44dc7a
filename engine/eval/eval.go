// Package eval gives a static score for a position: material, placement,
// mobility, pawn structure, king safety and threats, each weighed for the
// middle game and the endgame and blended by the material left. The weights
// are tuned on games of the engine with itself: docs/training-data.md says how.
package eval

import "castellan/engine/chess"

// Evaluator scores positions for one search thread. It holds a cache and
// must not be shared between goroutines. Its Reset, Push and Pop keep nothing:
// every score is made from the position alone.
type Evaluator struct {
	pawns pawnTable
}

// New returns an evaluator with an empty cache.
func New() *Evaluator {
	kpkOnce.Do(buildKPK)
	return new(Evaluator)
}

// Reset begins a search at root.
func (e *Evaluator) Reset(root *chess.Position) {}

// Push follows a move from parent to child.
func (e *Evaluator) Push(parent *chess.Position, m chess.Move, child *chess.Position) {}

// Pop takes the last Push back.
func (e *Evaluator) Pop() {}

// MaxScore bounds what Score returns, far below any mate score of a search.
const MaxScore = 20000

// FullPhase is the phase of a game with all its pieces; with pawns and kings
// only it is 0.
const FullPhase = 24

// phaseWeight says how much a piece keeps the game in its middle.
var phaseWeight = [7]int{chess.Knight: 1, chess.Bishop: 1, chess.Rook: 2, chess.Queen: 4}

// side is what one colour's men do.
type side struct {
	tally
	danger  danger         // to the own king
	attacks chess.Bitboard // by anything
	byPiece [7]chess.Bitboard
	area    chess.Bitboard // squares that count for mobility
	king    chess.Square
	zone    chess.Bitboard // around the own king

	attackers int // pieces that attack the enemy's zone
	phase     int
}

// Score is in centipawns from the side to move, between -MaxScore and
// MaxScore. It is meaningless for a position in check.
func (e *Evaluator) Score(p *chess.Position) int {
	v := e.evaluate(p, nil)
	if p.SideToMove() == chess.Black {
		return -v
	}
	return v
}

// evaluate is the score from white's view. When w is not nil the evaluation
// is taken apart for it.
func (e *Evaluator) evaluate(p *chess.Position, w *watch) int {
	var pawns *pawnEntry
	var sides [2]side
	white, black := &sides[chess.White], &sides[chess.Black]
	if w == nil {
		pawns = e.pawns.probe(p)
	} else {
		// What the cache would hold must be counted again.
		white.counts, white.sign = w.terms, 1
		black.counts, black.sign = w.terms, -1
		white.danger.counts, black.danger.counts = &w.danger[chess.White], &w.danger[chess.Black]
		pawns = new(pawnEntry)
		pawns.fill(p, w.terms)
	}
	for c := chess.White; c <= chess.Black; c++ {
		us := &sides[c]
		us.king = p.King(c)
		us.zone = kingZone[us.king]
		blocked := p.Pieces(c, chess.Pawn) & stepBack(c, p.Occupied())
		us.area = ^(pawns.attacks[c.Other()] | blocked | us.king.Bit())
		us.byPiece[chess.Pawn] = pawns.attacks[c]
		us.byPiece[chess.King] = chess.KingAttacks(us.king)
		us.attacks = us.byPiece[chess.Pawn] | us.byPiece[chess.King]
	}
	for c := chess.White; c <= chess.Black; c++ {
		us, them := &sides[c], &sides[c.Other()]
		us.pieces(p, c, them, pawns)
	}
	for c := chess.White; c <= chess.Black; c++ {
		us, them := &sides[c], &sides[c.Other()]
		us.threats(p, c, them)
		us.passers(p, c, them, pawns)
		us.space(p, c, pawns)
		us.shelter(p, c, pawns)
		us.kingDanger(p, c, them)
	}
	sides[p.SideToMove()].add(tempo, 1)

	total := pawns.score + white.sum - black.sum
	mg := total.mg() - DangerPenalty(white.danger.units) + DangerPenalty(black.danger.units)
	phase := min(white.phase+black.phase, FullPhase)
	v := (mg*phase + total.eg()*(FullPhase-phase)) / FullPhase

	special := false
	if lone(p, chess.White) || lone(p, chess.Black) {
		v, special = loneKing(p, v)
	}
	strong := chess.White
	if v < 0 {
		strong = chess.Black
	}
	factor := scale(p, strong, pawns) * fullFifty
	if !special { // a mate under way needs no hurry, and fading only blurs the way
		factor = scale(p, strong, pawns) * fiftyMoves(p)
	}
	if w != nil {
		w.trace.Phase, w.trace.Factor, w.trace.Special = phase, float64(factor)/(fullScale*fullFifty), special
	}
	v = v * factor / (fullScale * fullFifty)
	return max(-MaxScore, min(v, MaxScore))
}

// A score fades as the plies without capture or pawn move go by, to half of it
// at the 100th: an advantage that makes no progress is worth little.
const fullFifty = 200

func fiftyMoves(p *chess.Position) int {
	return fullFifty - min(p.HalfmoveClock(), 100)
}
