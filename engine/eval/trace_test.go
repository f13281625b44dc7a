package eval

import (
	"math"
	"testing"

	"castellan/engine/chess"
)

// apply makes the score that a trace stands for, from white's view.
func (t *Trace) apply() float64 {
	var mg, eg float64
	for _, c := range t.Terms {
		mg += float64(c.N) * float64(weights[c.Term].mg())
		eg += float64(c.N) * float64(weights[c.Term].eg())
	}
	for c, sign := range []float64{-1, 1} {
		units := 0
		for _, n := range t.Danger[c] {
			units += dangerWeights[n.Term] * int(n.N)
		}
		mg += sign * float64(DangerPenalty(units))
	}
	return (mg*float64(t.Phase) + eg*float64(FullPhase-t.Phase)) / FullPhase * t.Factor
}

func TestTraceTimesWeightsIsTheScore(t *testing.T) {
	e := New()
	seen, dangers := 0, 0
	walk(t, func(p *chess.Position) {
		trace := e.Trace(p)
		if trace.Special {
			return
		}
		seen++
		if trace.Danger[0] != nil || trace.Danger[1] != nil {
			dangers++
		}
		score := float64(e.Score(p))
		if p.SideToMove() == chess.Black {
			score = -score
		}
		if v := trace.apply(); math.Abs(v-score) > 2 {
			t.Errorf("%s scores %.0f, its trace %.1f", p.FEN(), score, v)
		}
	})
	if seen < 300 || dangers < 50 {
		t.Errorf("%d positions seen, %d with danger to a king: too few", seen, dangers)
	}
}

func TestGroupsNameEveryWeight(t *testing.T) {
	n := 0
	for _, g := range Groups() {
		n += g.Len
	}
	if n != int(termCount) {
		t.Errorf("groups of terms hold %d weights, there are %d", n, termCount)
	}
	first := map[string]term{"tempo": tempo, "bishopPair": bishopPair, "passedOurKing": passedOurKing, "storm": storm, "restricted": restricted}
	n = 0
	for _, g := range Groups() {
		if want, ok := first[g.Name]; ok && int(want) != n {
			t.Errorf("%s begins at %d, its group at %d", g.Name, want, n)
		}
		n += g.Len
	}
	n = 0
	for _, g := range DangerGroups() {
		n += g.Len
	}
	if n != int(dangerCount) {
		t.Errorf("groups of danger hold %d weights, there are %d", n, dangerCount)
	}
}
