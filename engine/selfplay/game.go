package selfplay

import (
	"context"
	"math/rand/v2"

	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/engine/training"
)

const (
	openingPlies   = 8   // random ones, or one more, so that either side may be the first to think
	openingBalance = 150 // centipawns that the search may find between the sides after them

	winScore  = 1000 // a game is won when the search says so for winPlies in a row
	winPlies  = 6
	drawScore = 8 // and drawn after drawFrom plies with scores this near to 0 for drawPlies
	drawPlies = 12
	drawFrom  = 80
	maxPlies  = 400 // a draw
)

// player plays games with itself on one thread.
type player struct {
	thread *search.Thread
	table  *search.Table
	nodes  uint64
}

// played is a finished game.
type played struct {
	records []training.Record
	plies   int
	result  training.Result
}

// game plays number n of the seed's games. It depends on nothing else. An
// error is ctx's or a fault of the search.
func (w *player) game(ctx context.Context, seed, n uint64) (played, error) {
	random := rand.New(rand.NewPCG(seed, n))
	w.table.Clear()
	w.thread.Clear()
	g, err := w.opening(ctx, random)
	if err != nil {
		return played{}, err
	}
	var done played
	var judge adjudicator
	for {
		p := g.Position()
		if o := g.Outcome(); o.Over() {
			done.result = training.Draw
			if o.Decisive {
				done.result = won(o.Winner)
			}
			break
		}
		if g.Ply() >= maxPlies {
			done.result = training.Draw
			break
		}
		var list chess.MoveList
		p.LegalMoves(&list)
		m := list.At(0)
		if list.Len() > 1 { // a forced move teaches nothing
			r, err := w.think(ctx, g)
			if err != nil {
				return played{}, err
			}
			m = r.Move
			score := r.Score.Centipawns()
			if p.SideToMove() == chess.Black {
				score = -score
			}
			noisy := p.IsCapture(m) || m.IsPromotion()
			done.records = append(done.records, training.NewRecord(p, score, g.Ply(), noisy))
			if result, over := judge.after(score, g.Ply()); over {
				done.result = result
				break
			}
		}
		if err := g.Play(m); err != nil {
			return played{}, err
		}
	}
	done.plies = g.Ply()
	for i := range done.records {
		done.records[i].SetResult(done.result)
	}
	return done, nil
}

// opening plays random moves until they lead to a position that is about
// level.
func (w *player) opening(ctx context.Context, random *rand.Rand) (*chess.Game, error) {
	for {
		g := chess.NewGame(chess.StartPosition(), chess.LichessBot)
		plies := openingPlies + random.IntN(2)
		for g.Ply() < plies {
			var list chess.MoveList
			g.Position().LegalMoves(&list)
			if list.Len() == 0 {
				break
			}
			if err := g.Play(list.At(random.IntN(list.Len()))); err != nil {
				return nil, err
			}
		}
		if g.Outcome().Over() {
			continue
		}
		r, err := w.think(ctx, g)
		if err != nil {
			return nil, err
		}
		if score := r.Score.Centipawns(); max(score, -score) <= openingBalance {
			return g, nil
		}
	}
}

func (w *player) think(ctx context.Context, g *chess.Game) (search.Result, error) {
	keys := g.Keys()
	r, err := search.Run(ctx, []*search.Thread{w.thread}, search.Job{
		Position: *g.Position(),
		Past:     keys[:len(keys)-1],
		Limits:   search.Limits{Nodes: w.nodes},
	}, nil)
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

func won(c chess.Color) training.Result {
	if c == chess.White {
		return training.WhiteWins
	}
	return training.BlackWins
}

// adjudicator ends games that are as good as over.
type adjudicator struct {
	white, black, level int // scores in a row that say so
}

// after takes a score from white's view and tells whether the game is over.
func (a *adjudicator) after(score, ply int) (training.Result, bool) {
	streak := func(n *int, on bool) {
		*n++
		if !on {
			*n = 0
		}
	}
	streak(&a.white, score >= winScore)
	streak(&a.black, score <= -winScore)
	streak(&a.level, ply >= drawFrom && max(score, -score) <= drawScore)
	switch {
	case a.white >= winPlies:
		return training.WhiteWins, true
	case a.black >= winPlies:
		return training.BlackWins, true
	}
	return training.Draw, a.level >= drawPlies
}
