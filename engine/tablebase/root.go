package tablebase

import (
	"cmp"
	"runtime/debug"
	"slices"

	"castellan/engine/chess"
)

// Verdict is what the tables say about the choice of a move.
type Verdict struct {
	// Result is for the side to move under best play from here on, with the half-move clock and repetitions of the game. A
	// cursed win is a win that the 50-move rule does not leave enough time for, a blessed loss one that it probably saves;
	// without the rule they do not occur.
	Result WDL
	// Exact tells that DTZ tables were there. Without them Moves is what keeps the result of the WDL tables, whether or not
	// there is progress in it.
	Exact bool
	// Moves keep the result, one at least. When winning, those that make progress fastest come first.
	Moves []Move
	// Asked is the number of positions that the tables were asked about.
	Asked int
}

// Move is a legal move with the distance to the next capture or pawn move, this one counted in: see ProbeDTZ. It is 0 when the
// verdict is not exact.
type Move struct {
	Move chess.Move
	DTZ  int

	rank int // the higher the better; equal ones are left to the caller's taste
}

// The 50-move rule in plies, and a rank that no clock and distance reach.
const (
	limit   = 100
	certain = 100_000
)

// Root tells which of some legal moves of a game's position keep the best result among them; only with no moves means all
// legal ones. rule50 tells whether the 50-move rule is in force.
//
// When the result is a win, any of the moves keeps it within the rule, as long as each later one is chosen so too. Where a
// position has come again since the last capture or pawn move, those alone are kept that make the most progress. Of lost
// moves all are kept while nothing can save them any more, else those that lose most slowly.
//
// ok is false when the tables do not tell about each of the moves, as with ProbeWDL, or when there is no move.
func (t *Tables) Root(g *chess.Game, only []chess.Move, rule50 bool) (v Verdict, ok bool) {
	p := g.Position()
	if !t.covers(p, t.MaxMen()) {
		return Verdict{}, false
	}
	if len(only) == 0 {
		var list chess.MoveList
		p.LegalMoves(&list)
		only = list.Slice()
	}
	if len(only) == 0 {
		return Verdict{}, false
	}
	if v, ok = t.rootByDTZ(g, only, rule50); !ok {
		v, ok = t.rootByWDL(g, only, rule50)
	}
	return v, ok
}

func (t *Tables) rootByDTZ(g *chess.Game, only []chess.Move, rule50 bool) (Verdict, bool) {
	p := g.Position()
	v := Verdict{Exact: true, Asked: len(only)}
	clock := p.HalfmoveClock()
	mustProgress := repeated(g)
	for _, m := range only {
		plies := 0
		if !repeatsTwice(g, m) {
			var ok bool
			if plies, ok = t.guarded(p, m); !ok {
				return v, false
			}
		}
		result := afterClock(plies, clock, rule50)
		v.Moves = append(v.Moves, Move{Move: m, DTZ: plies, rank: rank(result, plies, clock, rule50, mustProgress)})
		if len(v.Moves) == 1 || result > v.Result {
			v.Result = result
		}
	}
	v.keepBest()
	return v, true
}

// guarded is after with the guard of ProbeWDL.
func (t *Tables) guarded(p *chess.Position, m chess.Move) (plies int, ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer t.catch(&ok)
	return t.after(p, m)
}

// afterClock is the result of a move with its distance, when the half-move clock stood at clock before it.
//
// A distance may be one less than in truth, so a win is sure when the two together are below the limit. It is sure too when it
// comes at once, and with a clock of zero and a distance within the limit: tables that have such are exact.
func afterClock(plies, clock int, rule50 bool) WDL {
	switch {
	case plies > 0 && (!rule50 || plies+clock < limit || plies == 1 || clock == 0 && plies == limit):
		return Win
	case plies > 0:
		return CursedWin
	case plies < 0 && (!rule50 || -plies+clock <= limit):
		return Loss
	case plies < 0:
		return BlessedLoss
	}
	return Draw
}

// rank orders moves: by result, and within it by distance where that matters.
func rank(result WDL, plies, clock int, rule50, mustProgress bool) int {
	r := int(result) * certain
	switch {
	case result == Win && !mustProgress:
		return r
	case result == Loss && (!rule50 || clock-2*plies < limit):
		return r // the loser cannot get near the limit, even if the winner loses time
	case plies > 0:
		return r + certain/2 - plies
	case plies < 0:
		return r + 1 - plies
	}
	return r
}

func (t *Tables) rootByWDL(g *chess.Game, only []chess.Move, rule50 bool) (Verdict, bool) {
	p := g.Position()
	v := Verdict{Asked: len(only)}
	for _, m := range only {
		result := Draw
		if !repeatsTwice(g, m) {
			next := p.Play(m)
			reply, ok := t.ProbeWDL(&next)
			if !ok {
				return v, false
			}
			if result = -reply; !rule50 {
				result = max(Loss, min(2*result, Win))
			}
		}
		v.Moves = append(v.Moves, Move{Move: m, rank: int(result)})
		if len(v.Moves) == 1 || result > v.Result {
			v.Result = result
		}
	}
	v.keepBest()
	return v, true
}

// keepBest drops all moves but those of the highest rank, and puts the shortest way first.
func (v *Verdict) keepBest() {
	best := slices.MaxFunc(v.Moves, func(a, b Move) int { return cmp.Compare(a.rank, b.rank) }).rank
	v.Moves = slices.DeleteFunc(v.Moves, func(m Move) bool { return m.rank < best })
	slices.SortStableFunc(v.Moves, func(a, b Move) int { return cmp.Compare(a.DTZ, b.DTZ) })
}

// repeated tells whether any position since the last capture or pawn move has come twice.
func repeated(g *chess.Game) bool {
	seen := map[uint64]bool{}
	first := max(0, g.Ply()-g.Position().HalfmoveClock())
	for ply := first; ply <= g.Ply(); ply++ {
		p := g.PositionAt(ply)
		if seen[p.Key()] {
			return true
		}
		seen[p.Key()] = true
	}
	return false
}

// repeatsTwice tells whether a legal move brings a position about for the third time: a draw when it is claimed.
func repeatsTwice(g *chess.Game, m chess.Move) bool {
	next := g.Position().Play(m)
	seen := 0
	for ply := g.Ply() - 1; ply >= max(0, g.Ply()+1-next.HalfmoveClock()); ply -= 2 {
		if at := g.PositionAt(ply); at.Key() == next.Key() {
			seen++
		}
	}
	return seen >= 2
}
