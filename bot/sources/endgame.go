package sources

import (
	"cmp"
	"context"
	"slices"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/engine/tablebase"
	"castellan/lichess"
)

// inTablebase tells whether the online tables may know a position: seven men at most, and nobody may castle.
func inTablebase(p *chess.Position) bool {
	return p.Occupied().Count() <= tablebase.MaxMen && p.CastlingRooks(chess.White)|p.CastlingRooks(chess.Black) == 0
}

func (t *thinker) askTablebase(ctx context.Context, g *chess.Game) (answer, error) {
	e, err := t.opts.Reference.Endgame(ctx, g.Position().FEN())
	if err != nil {
		return answer{}, err
	}
	a, ok := readEndgame(g, e)
	if !ok {
		return answer{}, errMiss
	}
	return a, nil
}

// worth is the result of a position after our move, for us.
var worth = map[lichess.Category]tablebase.WDL{
	lichess.CategoryLoss: tablebase.Win, lichess.CategorySyzygyLoss: tablebase.Win, lichess.CategoryMaybeLoss: tablebase.CursedWin,
	lichess.CategoryBlessedLoss: tablebase.CursedWin, lichess.CategoryDraw: tablebase.Draw,
	lichess.CategoryCursedWin: tablebase.BlessedLoss, lichess.CategoryMaybeWin: tablebase.BlessedLoss,
	lichess.CategorySyzygyWin: tablebase.Loss, lichess.CategoryWin: tablebase.Loss,
}

// endgameMove is a move with what it keeps and how far it is then to the next capture or pawn move, itself counted in.
type endgameMove struct {
	move  chess.Move
	keeps tablebase.WDL
	plies int
	mates bool
}

// readEndgame takes the moves that keep the result under the 50-move rule, with the half-move clock as it is. Each legal move must be
// known: a move that is missing could be the only good one.
func readEndgame(g *chess.Game, e *lichess.Endgame) (a answer, ok bool) {
	p := g.Position()
	var all []endgameMove
	for _, told := range e.Moves {
		m, err := p.ParseUCI(told.UCI)
		keeps, known := worth[told.Category]
		if err != nil || !known || slices.ContainsFunc(all, func(o endgameMove) bool { return o.move == m }) {
			return a, false
		}
		all = append(all, weigh(g, m, keeps, told.DTZ))
	}
	if len(all) == 0 || len(all) != p.CountMoves() {
		return a, false
	}
	best := slices.MaxFunc(all, func(x, y endgameMove) int { return cmp.Compare(x.keeps, y.keeps) }).keeps
	kept := slices.DeleteFunc(all, func(m endgameMove) bool { return m.keeps != best })
	// Whoever wins hurries and whoever loses does not. The server's order, which knows distances to mate, is kept among equals.
	slices.SortStableFunc(kept, func(x, y endgameMove) int {
		if x.mates != y.mates {
			return cmp.Compare(btoi(y.mates), btoi(x.mates))
		}
		if best >= tablebase.CursedWin {
			return cmp.Compare(x.plies, y.plies)
		}
		return cmp.Compare(y.plies, x.plies)
	})
	a.source, a.first = engine.SourceOnlineTablebase, best >= tablebase.CursedWin
	switch best {
	case tablebase.Win:
		a.score = search.TableWin
	case tablebase.Loss:
		a.score = -search.TableWin
	default:
		a.score = engine.Score(best)
	}
	if best == tablebase.BlessedLoss {
		kept = kept[:1] // the slowest is what the rule may save
	}
	for _, m := range kept {
		a.only = append(a.only, m.move)
	}
	if kept[0].mates {
		a.move, a.score, a.only = kept[0].move, search.MateIn(1), nil
	}
	return a, true
}

// weigh says what a move keeps. A distance may be a ply less than in truth, so that a win is safe as long as distance and clock
// together stay below the limit of the rule.
func weigh(g *chess.Game, m chess.Move, keeps tablebase.WDL, dtz *int) endgameMove {
	next := g.Position().Play(m)
	w := endgameMove{move: m, keeps: keeps, plies: 1, mates: !next.HasLegalMove() && next.InCheck()}
	if clock := next.HalfmoveClock(); clock > 0 && dtz != nil {
		distance := min(max(*dtz, -*dtz), 1000)
		w.plies = 1 + distance
		switch over := clock + distance; {
		case keeps == tablebase.Win && over >= chess.FiftyMoveLimit && !w.mates:
			w.keeps = tablebase.CursedWin
		case keeps == tablebase.Loss && over > chess.FiftyMoveLimit:
			w.keeps = tablebase.BlessedLoss
		}
	}
	if g.OccurredAfter(m) > 1 {
		w.keeps = tablebase.Draw // the third time is a draw
	}
	return w
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
