package sources

import (
	"context"
	"math"
	"strings"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/lichess"
)

func (t *thinker) askCloud(ctx context.Context, g *chess.Game) (answer, error) {
	e, err := t.opts.Reference.Evaluate(ctx, variantOf(g), g.Position().FEN())
	if err != nil {
		return answer{}, err
	}
	a, ok := readCloud(g, e, t.opts.MinDepth)
	if !ok {
		return answer{}, errMiss
	}
	return a, nil
}

// mostLine bounds the moves that are taken over of a line.
const mostLine = 64

// readCloud takes the best line of an evaluation that is deep enough.
func readCloud(g *chess.Game, e *lichess.CloudEval, minDepth int) (a answer, ok bool) {
	if e.Depth < minDepth || len(e.PVs) == 0 {
		return a, false
	}
	pv := e.PVs[0]
	texts := strings.Fields(pv.Moves)
	if len(texts) == 0 {
		return a, false
	}
	if a.move, ok = legal(g, texts[0]); !ok {
		return a, false
	}
	ours := func(n int) int {
		if g.Position().SideToMove() == chess.Black {
			return -max(n, -math.MaxInt) // it was White's point of view
		}
		return n
	}
	switch {
	case pv.Mate != nil && *pv.Mate != 0:
		a.score = search.MateIn(max(-search.MaxPly/2+1, min(ours(*pv.Mate), search.MaxPly/2-1)))
	case pv.CP != nil:
		a.score = engine.Score(max(-20_000, min(ours(*pv.CP), 20_000)))
	default:
		return a, false
	}
	a.source, a.depth = engine.SourceCloud, min(e.Depth, search.MaxPly)
	p := *g.Position()
	for _, text := range texts[:min(len(texts), mostLine)] {
		m, err := p.ParseUCI(text)
		if err != nil {
			break
		}
		a.line = append(a.line, m)
		p = p.Play(m)
	}
	return a, true
}
