package search

import "castellan/engine/chess"

// Evaluator gives static scores. Each thread has its own. The search tells it
// of every move on the way to a position, so that an evaluator may keep
// running sums beside the search stack.
type Evaluator interface {
	// Reset begins at a new root.
	Reset(root *chess.Position)
	// Push follows a move, or the null move as NoMove, from parent to child.
	Push(parent *chess.Position, m chess.Move, child *chess.Position)
	// Pop takes the last Push back.
	Pop()
	// Score is in centipawns from the side to move, within 20000 on either
	// side, for the position reached. It is not asked in check.
	Score(p *chess.Position) int
}
