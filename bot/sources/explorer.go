package sources

import (
	"context"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
)

func (t *thinker) askExplorer(ctx context.Context, g *chess.Game) (answer, error) {
	e, err := t.opts.Reference.Explore(ctx, t.opts.Database, variantOf(g), g.Position().FEN())
	if err != nil {
		return answer{}, err
	}
	m, ok := chooseOpening(g, e.Moves, t.opts.Choice, t.opts.MinGames, rand.Float64())
	if !ok {
		return answer{}, errMiss
	}
	return answer{source: engine.SourceExplorer, move: m}, nil
}

// mostGames bounds the games that are believed of one result of a move, so that no sum overflows.
const mostGames = 1 << 40

// chooseOpening chooses among the moves of the explorer that may be played. at, from 0 to less than 1, decides what is left to chance.
func chooseOpening(g *chess.Game, moves []lichess.ExplorerMove, choice Choice, minGames int, at float64) (chess.Move, bool) {
	type candidate struct {
		move  chess.Move
		games float64
		score float64 // a win counts 1, a draw 1/2; for the side to move, by game
	}
	var candidates []candidate
	total := 0.0
	for _, m := range moves {
		count := func(n int) float64 { return float64(min(max(n, 0), mostGames)) }
		white, draws, black := count(m.White), count(m.Draws), count(m.Black)
		games := white + draws + black
		move, ok := legal(g, m.UCI)
		if !ok || games < float64(max(minGames, 1)) {
			continue
		}
		won := white
		if g.Position().SideToMove() == chess.Black {
			won = black
		}
		candidates = append(candidates, candidate{move, games, (won + draws/2) / games})
		total += games
	}
	if len(candidates) == 0 {
		return chess.NoMove, false
	}
	best := candidates[0]
	for _, c := range candidates {
		switch choice {
		case Weighted:
			if at -= c.games / total; at < 0 {
				return c.move, true
			}
			best = c // the last one, should the sum come out a little short
		case Popular:
			if c.games > best.games {
				best = c
			}
		case Score:
			if c.score > best.score {
				best = c
			}
		}
	}
	return best.move, true
}
