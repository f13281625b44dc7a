package tune

import (
	"math"

	"castellan/engine/eval"
)

// Weights are the evaluation's, as the model moves them.
type Weights struct {
	MG, EG []float64 // in centipawns, in the order of eval.Groups
	Danger []float64 // in units, in the order of eval.DangerGroups
}

// Current returns the weights that the evaluation has now.
func Current() Weights {
	var w Weights
	for _, v := range eval.Weights() {
		w.MG = append(w.MG, float64(v.MG))
		w.EG = append(w.EG, float64(v.EG))
	}
	for _, v := range eval.DangerWeights() {
		w.Danger = append(w.Danger, float64(v))
	}
	return w
}

func (w *Weights) zero() Weights {
	return Weights{make([]float64, len(w.MG)), make([]float64, len(w.EG)), make([]float64, len(w.Danger))}
}

func (w *Weights) clone() Weights {
	z := w.zero()
	z.add(w)
	return z
}

// parts gives the three lists for what is done to each alike.
func (w *Weights) parts() [3][]float64 { return [3][]float64{w.MG, w.EG, w.Danger} }

func (w *Weights) add(o *Weights) {
	from := o.parts()
	for i, to := range w.parts() {
		for j := range to {
			to[j] += from[i][j]
		}
	}
}

func (w *Weights) clear() {
	for _, part := range w.parts() {
		clear(part)
	}
}

// score is in centipawns from white's view; slopes are what the danger to
// each king adds to it for one unit more.
func (w *Weights) score(s *sample) (score float64, slopes [2]float64) {
	var mg, eg float64
	for _, c := range s.counts {
		mg += float64(c.N) * w.MG[c.Term]
		eg += float64(c.N) * w.EG[c.Term]
	}
	for c, sign := range [2]float64{-1, 1} {
		units := 0.0
		for _, n := range s.danger[c] {
			units += float64(n.N) * w.Danger[n.Term]
		}
		if units <= 0 {
			continue
		}
		if units < eval.MaxDanger {
			slopes[c] = sign * 2 * units / eval.DangerDivisor * float64(s.mg)
		}
		units = min(units, eval.MaxDanger)
		mg += sign * units * units / eval.DangerDivisor
	}
	return mg*float64(s.mg) + eg*float64(s.eg), slopes
}

// learn adds a sample's part of the gradient of the loss to g and returns its
// loss: the cross entropy of what the score foretells and the target.
func (w *Weights) learn(s *sample, k, target float64, g *Weights) float64 {
	score, slopes := w.score(s)
	p := logistic(k * score)
	slope := k * (p - target)
	mg, eg := slope*float64(s.mg), slope*float64(s.eg)
	for _, c := range s.counts {
		g.MG[c.Term] += mg * float64(c.N)
		g.EG[c.Term] += eg * float64(c.N)
	}
	for c := range s.danger {
		if slopes[c] == 0 {
			continue
		}
		for _, n := range s.danger[c] {
			g.Danger[n.Term] += slope * slopes[c] * float64(n.N)
		}
	}
	return entropy(p, target)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func entropy(p, target float64) float64 {
	const tiny = 1e-9
	p = max(tiny, min(p, 1-tiny))
	return -target*math.Log(p) - (1-target)*math.Log(1-p)
}
