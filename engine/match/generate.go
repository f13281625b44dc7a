package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"castellan/engine"
	"castellan/engine/chess"
)

// Generator makes openings: random legal moves, kept when a short search of our own engine finds the position balanced. The same
// seed, plies and engine make the same openings, in whatever order they are asked for.
type Generator struct {
	seed     uint64
	plies    int
	chess960 bool

	mu     sync.Mutex // one search at a time, so that nothing depends on what others have left in the table
	engine *engine.Engine
}

const (
	balancedNodes = 4000 // of the search that judges an opening
	balancedScore = 80   // centipawns that either side may be ahead
	maxAttempts   = 2000 // about one in four random openings of eight plies is balanced
)

// NewGenerator returns a generator of openings of a number of plies, from the start position or from random ones of Chess960.
func NewGenerator(seed uint64, plies int, chess960 bool) (*Generator, error) {
	e, err := engine.New(engine.Options{HashMB: 1, Threads: 1})
	if err != nil {
		return nil, err
	}
	return &Generator{seed: seed, plies: plies, chess960: chess960, engine: e}, nil
}

// Close frees the engine.
func (g *Generator) Close() { g.engine.Close() }

// Opening returns the n-th opening; it is an Openings.
func (g *Generator) Opening(ctx context.Context, n int) (Opening, error) {
	random := rand.New(rand.NewPCG(g.seed, uint64(n)))
	for range maxAttempts {
		o, err := g.random(random)
		if err != nil {
			return Opening{}, err
		}
		if o.check() != nil {
			continue
		}
		balanced, err := g.balanced(ctx, o)
		if err != nil {
			return Opening{}, fmt.Errorf("opening %d: %w", n+1, err)
		}
		if balanced {
			return o, nil
		}
	}
	return Opening{}, fmt.Errorf("opening %d: none of %d random ones of %d plies was balanced: choose fewer plies", n+1, maxAttempts, g.plies)
}

// random plays random moves; the game may be over before the last.
func (g *Generator) random(random *rand.Rand) (Opening, error) {
	o := Opening{Start: chess.StartPosition()}
	if g.chess960 {
		var err error
		if o.Start, err = chess.Chess960Start(random.IntN(chess.Chess960Starts)); err != nil {
			return o, err
		}
	}
	p := o.Start
	var list chess.MoveList
	for range g.plies {
		if p.LegalMoves(&list); list.Len() == 0 {
			break
		}
		m := list.At(random.IntN(list.Len()))
		o.Moves = append(o.Moves, m)
		p = p.Play(m)
	}
	return o, nil
}

func (g *Generator) balanced(ctx context.Context, o Opening) (bool, error) {
	game, err := o.game()
	if err != nil {
		return false, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.engine.NewGame()
	d, err := g.engine.Think(ctx, game, engine.Limits{Nodes: balancedNodes})
	if err == nil {
		err = context.Cause(ctx)
	}
	score := d.Score.Centipawns()
	return score >= -balancedScore && score <= balancedScore, err
}
