package match

import (
	"fmt"
	"math"
)

// SPRT is a sequential probability ratio test (A. Wald, "Sequential Tests of Statistical Hypotheses", 1945) between two
// hypotheses: H0, the difference is Elo0, and H1, it is Elo1. Both are in logistic Elo, as match results are given in, not
// in normalized Elo.
type SPRT struct {
	Elo0, Elo1  float64 // Elo0 < Elo1
	Alpha, Beta float64 // probabilities of accepting H1 when H0 is true, and H0 when H1 is; both below ½
}

// Decision is what a test has come to.
type Decision uint8

// Decisions of a test.
const (
	Undecided Decision = iota
	AcceptH0           // the difference is Elo0 or less
	AcceptH1           // the difference is Elo1 or more
)

// Validate returns what is wrong with the test.
func (s SPRT) Validate() error {
	switch {
	case !(math.Abs(s.Elo0) <= 1000 && math.Abs(s.Elo1) <= 1000):
		return fmt.Errorf("SPRT bounds %g and %g: both must be between -1000 and 1000", s.Elo0, s.Elo1)
	case s.Elo0 >= s.Elo1:
		return fmt.Errorf("SPRT bounds %g and %g: the first must be the smaller one", s.Elo0, s.Elo1)
	case !(s.Alpha > 0 && s.Alpha < 0.5 && s.Beta > 0 && s.Beta < 0.5):
		return fmt.Errorf("SPRT alpha %g and beta %g: both must be above 0 and below 0.5", s.Alpha, s.Beta)
	}
	return nil
}

// Bounds returns the log-likelihood ratios at which H0 and H1 are accepted: ln(β/(1-α)) and ln((1-β)/α) (Wald, 1945).
func (s SPRT) Bounds() (lower, upper float64) {
	return math.Log(s.Beta / (1 - s.Alpha)), math.Log((1 - s.Beta) / s.Alpha)
}

// Decide returns what a log-likelihood ratio means.
func (s SPRT) Decide(llr float64) Decision {
	switch lower, upper := s.Bounds(); {
	case llr <= lower:
		return AcceptH0
	case llr >= upper:
		return AcceptH1
	}
	return Undecided
}

// rare stands for the count of a result that has not occurred yet, so that no hypothesis is ruled out by it. Fishtest, the
// test framework of Stockfish, uses the same value.
const rare = 1e-3

// LLR returns the logarithm of how much more likely the results are under H1 than under H0, by the generalized test of M. Van
// den Bergh ("A Practical Introduction to the GSPRT"): each hypothesis fixes the expected score alone, and the
// probabilities of the results are those that fit the counts best with that score. It is 0 without results.
func (s SPRT) LLR(c Counts) float64 {
	if c.N() == 0 {
		return 0
	}
	counts := make([]float64, len(c))
	total := 0.0
	for i, k := range c {
		counts[i] = max(float64(k), rare)
		total += counts[i]
	}
	s0, s1 := ScoreOfElo(s.Elo0), ScoreOfElo(s.Elo1)
	t0, t1 := tilt(c, counts, s0), tilt(c, counts, s1)
	llr := 0.0
	for i := range counts {
		// The estimated probability is p/(1 + t(a-s)) with p the observed one, which cancels out.
		a := c.score(i)
		llr += counts[i] * (math.Log1p(t0*(a-s0)) - math.Log1p(t1*(a-s1)))
	}
	return llr
}

// tilt returns the Lagrange multiplier t of the likeliest distribution with mean s: the root of Σ n(a-s)/(1+t(a-s)), which
// falls monotonically between the two poles where a probability would become infinite.
func tilt(c Counts, counts []float64, s float64) float64 {
	low, high := -1/(1-s), 1/s
	for range 100 { // halves the interval until it is as small as numbers go
		t := (low + high) / 2
		sum := 0.0
		for i, n := range counts {
			d := c.score(i) - s
			sum += n * d / (1 + t*d)
		}
		if sum > 0 {
			low = t
		} else {
			high = t
		}
	}
	return (low + high) / 2
}
