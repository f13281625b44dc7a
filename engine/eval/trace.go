package eval

import "castellan/engine/chess"

// Weight is a term's weight in centipawns.
type Weight struct{ MG, EG int }

// Weights lists the weights of the terms, in the order of Groups.
func Weights() []Weight {
	all := make([]Weight, termCount)
	for i, w := range weights {
		all[i] = Weight{w.mg(), w.eg()}
	}
	return all
}

// DangerWeights lists the weights of the danger to a king, in units, in the
// order of DangerGroups.
func DangerWeights() []int { return append([]int(nil), dangerWeights[:]...) }

// Count says how often a term counts.
type Count struct {
	Term uint16
	N    int16
}

// Trace takes the score of a position apart, from white's view:
//
//	mg, eg = sums of N times the weights' MG and EG over Terms
//	mg     = mg - DangerPenalty(units of Danger[White]) + DangerPenalty(units of Danger[Black])
//	score  = (mg*Phase + eg*(FullPhase-Phase)) / FullPhase * Factor
//
// but for rounding and for what Special says.
type Trace struct {
	Terms   []Count
	Danger  [2][]Count // to the king of each colour; nil where none is counted
	Phase   int        // 0..FullPhase
	Factor  float64    // 0..1: for material that is hard to win with, and the 50-move rule
	Special bool       // an ending with a score of its own, which no weights give
}

// Trace takes p apart. Its slices are new ones.
func (e *Evaluator) Trace(p *chess.Position) Trace {
	var n counts
	var d [2]dangerCounts
	var t Trace
	e.evaluate(p, &watch{terms: &n, danger: &d, trace: &t})
	for i, v := range n {
		if v != 0 {
			t.Terms = append(t.Terms, Count{uint16(i), v})
		}
	}
	for c := range d {
		for i, v := range d[c] {
			if v != 0 {
				t.Danger[c] = append(t.Danger[c], Count{uint16(i), v})
			}
		}
	}
	return t
}

// watch is where an evaluation leaves its numbers when it is traced.
type watch struct {
	terms  *counts
	danger *[2]dangerCounts
	trace  *Trace
}
