package engine

import (
	"context"

	"castellan/engine/chess"
)

// bookMove returns a move out of the opening books, or NoMove when they have none or the caller wants to know what the search
// thinks. On the opponent's time the answer waits until he has moved.
func (e *Engine) bookMove(ctx context.Context, g *chess.Game, limits *Limits) (chess.Move, error) {
	if e.options.Books == nil || limits.Infinite || limits.Mate > 0 || limits.MultiPV > 1 || len(limits.SearchMoves) > 0 {
		return chess.NoMove, nil
	}
	m, err := e.options.Books.Choose(g)
	if m != chess.NoMove && limits.PonderHit != nil {
		select {
		case <-limits.PonderHit:
		case <-ctx.Done():
		}
	}
	return m, err
}
