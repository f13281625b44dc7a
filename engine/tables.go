package engine

import (
	"context"
	"errors"

	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/engine/tablebase"
)

// rootVerdict is what the endgame tables say about the position of a game, and known tells whether they say anything.
type rootVerdict struct {
	tablebase.Verdict
	known bool
}

// askTables lets the tables narrow a search down: at its root to the moves that keep the result, and below it by the results of
// the positions met. A level below full strength does without them, and so does a search for a mate; one for several lines does
// without the narrowing at the root.
func (e *Engine) askTables(ctx context.Context, g *chess.Game, job *search.Job) rootVerdict {
	o := &e.options
	if ctx.Err() != nil || o.Tables.MaxMen() == 0 || o.TableMen < 0 || o.Elo != 0 || job.Limits.Mate > 0 {
		return rootVerdict{}
	}
	job.Tables = search.Tablebases{Tables: o.Tables, Men: o.TableMen, Depth: o.TableDepth, Endless: o.Endless}
	if job.Limits.MultiPV > 1 || g.Position().Occupied().Count() > o.TableMen {
		return rootVerdict{}
	}
	legal := legalOf(g, job.Limits.SearchMoves)
	if len(legal) == 0 && len(job.Limits.SearchMoves) > 0 {
		return rootVerdict{} // nothing to choose from, which is for the search to tell
	}
	verdict, ok := o.Tables.Root(g, legal, !o.Endless)
	if !ok {
		return rootVerdict{}
	}
	job.Limits.SearchMoves = nil
	for _, m := range verdict.Moves {
		job.Limits.SearchMoves = append(job.Limits.SearchMoves, m.Move)
	}
	// With the result certain the search is there to mate, to set problems or to avoid them. It would be blind to that if each
	// line ended at a table; without distances it needs the tables to get ahead.
	if verdict.Exact || verdict.Result <= tablebase.Draw {
		job.Tables = search.Tablebases{}
	}
	v := rootVerdict{verdict, true}
	if report := job.Limits.Report; report != nil {
		job.Limits.Report = func(i Info) {
			i.Score, i.TableHits = v.score(i.Score), i.TableHits+uint64(v.Asked)
			report(i)
		}
	}
	return v
}

// InTables tells whether the endgame tables know the position of a game, so that the engine plays it without fault.
func (e *Engine) InTables(g *chess.Game) bool {
	o := &e.options
	if o.Tables.MaxMen() == 0 || o.TableMen < 0 || o.Elo != 0 || g.Position().Occupied().Count() > o.TableMen {
		return false
	}
	v, ok := o.Tables.Root(g, nil, !o.Endless)
	return ok && v.Exact
}

// legalOf drops moves that are not legal.
func legalOf(g *chess.Game, moves []chess.Move) []chess.Move {
	var legal []chess.Move
	for _, m := range moves {
		if g.Position().IsLegal(m) {
			legal = append(legal, m)
		}
	}
	return legal
}

// score is what the tables say, unless the search has seen a mate that goes with it.
func (v *rootVerdict) score(s Score) Score {
	moves, mate := s.Mate()
	switch {
	case mate && (moves > 0) == (v.Result > tablebase.Draw) && v.Result != tablebase.Draw:
		return s
	case v.Result == tablebase.Win:
		return search.TableWin
	case v.Result == tablebase.Loss:
		return -search.TableWin
	}
	return Score(v.Result)
}

// amend puts what the tables know into a decision. A win without a mate in sight goes on by the shortest way to the next
// capture or pawn move: any of the moves keeps it, but the search may find no plan among them.
func (v *rootVerdict) amend(d *Decision, limits *Limits) {
	if !v.known || d.Move == chess.NoMove {
		return
	}
	d.Source = SourceTablebase
	_, mate := d.Score.Mate()
	d.Score = v.score(d.Score)
	if _, still := d.Score.Mate(); mate && still || !v.Exact || v.Result != tablebase.Win || v.shortest(d.Move) {
		return
	}
	d.Move, d.Ponder = v.Moves[0].Move, chess.NoMove
	d.PV = []chess.Move{d.Move}
	if limits.Report != nil && d.Depth > 0 {
		limits.Report(Info{
			Depth: d.Depth, SelDepth: d.SelDepth, MultiPV: 1, Score: d.Score, Bound: search.Exact,
			Nodes: d.Nodes, Time: d.Time, TableHits: uint64(v.Asked), PV: d.PV,
		})
	}
}

// shortest tells whether no other move makes faster progress.
func (v *rootVerdict) shortest(m chess.Move) bool {
	for _, kept := range v.Moves {
		if kept.Move == m {
			return kept.DTZ == v.Moves[0].DTZ
		}
	}
	return false
}

// tableFaults returns what was found to be wrong with tables since it was last asked.
func (e *Engine) tableFaults() error {
	if err := e.options.Tables.Faults(); err != nil {
		return errors.Join(errors.New("engine: endgame tables out of use from now on"), err)
	}
	return nil
}
