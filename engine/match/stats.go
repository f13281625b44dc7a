package match

import "math"

// Counts says how often each result occurred, from the worst to the best: three of games (loss, draw, win), or five of pairs
// of games (0, ½, 1, 1½, 2 points), the pentanomial. Two games from one opening with colours changed are not independent, and
// their pairs are: errors computed from games are too large when openings are unbalanced.
//
// The formulas are those of the Chess Programming Wiki's page "Match Statistics", applied to the mean of five results instead
// of three.
type Counts []int

// N returns the number of results.
func (c Counts) N() int {
	n := 0
	for _, k := range c {
		n += k
	}
	return n
}

// score returns the points that the i-th result is worth, as a share from 0 to 1.
func (c Counts) score(i int) float64 { return float64(i) / float64(len(c)-1) }

// Score returns the mean score, from 0 to 1, and its standard error, the root of the variance over N. Both are 0 without
// results.
func (c Counts) Score() (mean, standardError float64) {
	n := float64(c.N())
	if n == 0 {
		return 0, 0
	}
	for i, k := range c {
		mean += float64(k) * c.score(i)
	}
	mean /= n
	for i, k := range c {
		d := c.score(i) - mean
		standardError += float64(k) * d * d
	}
	return mean, math.Sqrt(standardError/n) / math.Sqrt(n)
}

// Elo is a difference of strength, with the interval that holds the true one with 95 % confidence. Values may be infinite.
type Elo struct{ Value, Low, High float64 }

// Error returns half the width of the interval.
func (e Elo) Error() float64 { return (e.High - e.Low) / 2 }

// normal95 is the number of standard errors around the mean that hold 95 % of a normal distribution.
const normal95 = 1.959963984540054

// Elo returns the difference of strength that the mean score means. With no or only equal results the error is not known and
// the interval infinite.
func (c Counts) Elo() Elo {
	mean, se := c.Score()
	switch {
	case c.N() == 0:
		return Elo{0, math.Inf(-1), math.Inf(1)}
	case se == 0:
		return Elo{EloOfScore(mean), math.Inf(-1), math.Inf(1)}
	}
	return Elo{EloOfScore(mean), EloOfScore(mean - normal95*se), EloOfScore(mean + normal95*se)}
}

// LOS returns the likelihood of superiority: the probability that the first engine is the stronger one, by the normal
// distribution of the mean score. It is ½ as long as nothing is known.
func (c Counts) LOS() float64 {
	mean, se := c.Score()
	switch {
	case c.N() == 0 || se == 0 && mean == 0.5:
		return 0.5
	case se == 0 && mean > 0.5:
		return 1
	case se == 0:
		return 0
	}
	return 0.5 * math.Erfc(-(mean-0.5)/se/math.Sqrt2)
}

// EloOfScore returns the difference in Elo at which a score from 0 to 1 is expected, by the logistic curve of A. Elo's system:
// -400 log10(1/score - 1). It is infinite at 0 and below, and at 1 and above.
func EloOfScore(score float64) float64 {
	switch {
	case score <= 0:
		return math.Inf(-1)
	case score >= 1:
		return math.Inf(1)
	}
	return -400 * math.Log10(1/score-1)
}

// ScoreOfElo is the inverse of EloOfScore.
func ScoreOfElo(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }
