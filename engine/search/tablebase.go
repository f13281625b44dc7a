package search

import (
	"castellan/engine/chess"
	"castellan/engine/tablebase"
)

// Tablebases says how a search uses endgame tables below its root.
type Tablebases struct {
	Tables *tablebase.Tables // nil for none
	Men    int               // most men, kings included, of a position that is looked up
	Depth  int               // least depth in plies for positions with that many men; those with fewer are always looked up
	// Endless takes wins that the 50-move rule does not leave time for as wins.
	Endless bool
}

const (
	// TableWin is the score of a win that a table promises, without a mate in
	// sight. Wins met at a ply below the root are worth a point less for each.
	TableWin Score = 25000
	// decidedBound is the lowest score that means a win by a table or a mate.
	decidedBound = int(TableWin) - MaxPly
	// cursedWin is the score of a win that the 50-move rule makes a draw: the
	// opponent may go wrong.
	cursedWin = 1
	// storedDeeper is how many plies deeper than searched a table's result is
	// taken to be, so that it stays in the transposition table.
	storedDeeper = 6
)

// use sets the tables of a run up, if there are any.
func (t *Thread) use(b *Tablebases) {
	t.tables, t.tableHits = nil, 0
	t.publishedHits.Store(0)
	if b.Tables.MaxMen() > 0 && b.Men > 0 {
		t.tables = b
		t.tableMen = min(b.Men, b.Tables.MaxMen())
	}
}

// lookUp asks the tables about the node at ply; bound is NoBound when they do
// not tell. They know nothing of the half-move clock, so a position is looked
// up only just after a capture or pawn move, which all lines reach. A win or a
// loss is a bound, since there may be a mate.
func (t *Thread) lookUp(ply, depth int) (v int, bound Bound) {
	p := &t.stack[ply].pos
	if p.HalfmoveClock() != 0 {
		return 0, NoBound
	}
	men := p.Occupied().Count()
	if men > t.tableMen || men == t.tableMen && depth < t.tables.Depth {
		return 0, NoBound
	}
	w, ok := t.tables.Tables.ProbeWDL(p)
	if !ok {
		return 0, NoBound
	}
	t.tableHits++
	return tableValue(w, t.tables.Endless, ply)
}

func tableValue(w tablebase.WDL, endless bool, ply int) (v int, bound Bound) {
	switch {
	case w == tablebase.Win || w == tablebase.CursedWin && endless:
		return int(TableWin) - ply, Lower
	case w == tablebase.Loss || w == tablebase.BlessedLoss && endless:
		return -int(TableWin) + ply, Upper
	case w == tablebase.CursedWin:
		return cursedWin, Exact
	case w == tablebase.BlessedLoss:
		return -cursedWin, Exact
	}
	return 0, Exact
}

// remember stores what a table says about the node at ply.
func (t *Thread) remember(ply, depth, v int, bound Bound) {
	t.table.store(t.stack[ply].pos.Key(), ply, entry{
		move: chess.NoMove, score: v, eval: evalUnknown, depth: min(depth+storedDeeper, MaxPly-1), bound: bound,
	})
}

// decides tells whether a bound from a table settles a node with the window.
func decides(v int, bound Bound, alpha, beta int) bool {
	return bound == Exact || bound == Lower && v >= beta || bound == Upper && v <= alpha
}
