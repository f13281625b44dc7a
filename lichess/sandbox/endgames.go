package sandbox

import (
	"cmp"
	"slices"

	"castellan/engine/chess"
	"castellan/lichess"
)

// lookUpEndgame asks the tables about a position and each move in it.
func (s *Server) lookUpEndgame(p *chess.Position) lichess.Endgame {
	e := lichess.Endgame{
		Category: lichess.CategoryUnknown, Checkmate: isMate(p), Stalemate: isStalemate(p), InsufficientMaterial: p.IsDeadMaterial(),
	}
	e.Category, e.DTZ = s.category(p)
	var legal chess.MoveList
	p.LegalMoves(&legal)
	for _, m := range legal.Slice() {
		next := p.Play(m)
		move := lichess.EndgameMove{
			UCI: m.String(), SAN: p.SAN(m), Zeroing: next.HalfmoveClock() == 0,
			Checkmate: isMate(&next), Stalemate: isStalemate(&next), InsufficientMaterial: next.IsDeadMaterial(),
		}
		move.Category, move.DTZ = s.category(&next)
		e.Moves = append(e.Moves, move)
	}
	// The best first, and of wins the shortest way; of losses the longest.
	slices.SortStableFunc(e.Moves, func(a, b lichess.EndgameMove) int {
		if a.Category != b.Category {
			return cmp.Compare(worth[a.Category], worth[b.Category])
		}
		return cmp.Compare(distance(b), distance(a))
	})
	return e
}

// worth orders the categories of positions for who is to move in them.
var worth = map[lichess.Category]int{
	lichess.CategoryLoss: -2, lichess.CategoryBlessedLoss: -1, lichess.CategoryDraw: 0, lichess.CategoryUnknown: 0,
	lichess.CategoryCursedWin: 1, lichess.CategoryWin: 2,
}

func distance(m lichess.EndgameMove) int {
	if m.DTZ == nil {
		return 0
	}
	return *m.DTZ
}

func isMate(p *chess.Position) bool      { return !p.HasLegalMove() && p.InCheck() }
func isStalemate(p *chess.Position) bool { return !p.HasLegalMove() && !p.InCheck() }

// category is a position's result by the tables, with its half-move clock, and its distance; nil when there is none.
func (s *Server) category(p *chess.Position) (lichess.Category, *int) {
	dtz, ok := s.opts.Tables.ProbeDTZ(p)
	if !ok {
		return lichess.CategoryUnknown, nil
	}
	clock := p.HalfmoveClock()
	switch {
	case dtz > 0 && dtz+clock > chess.FiftyMoveLimit:
		return lichess.CategoryCursedWin, &dtz
	case dtz > 0:
		return lichess.CategoryWin, &dtz
	case dtz < 0 && clock-dtz > chess.FiftyMoveLimit:
		return lichess.CategoryBlessedLoss, &dtz
	case dtz < 0:
		return lichess.CategoryLoss, &dtz
	}
	return lichess.CategoryDraw, &dtz
}
