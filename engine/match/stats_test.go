package match

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: got %v, want %v within %v", what, got, want, tolerance)
	}
}

func TestScoreByHand(t *testing.T) {
	// 1 loss, 2 draws, 1 win: mean ½, variance (¼+¼)/4 = 1/8, error √(1/8/4).
	mean, se := Counts{1, 2, 1}.Score()
	near(t, "mean", mean, 0.5, 1e-12)
	near(t, "error", se, math.Sqrt(1.0/32), 1e-12)
	// 3 pairs of 2 points and 1 of 0: mean ¾, variance (3·1/16 + 9/16)/4 = 3/16, error √(3/64).
	mean, se = Counts{1, 0, 0, 0, 3}.Score()
	near(t, "mean", mean, 0.75, 1e-12)
	near(t, "error", se, math.Sqrt(3.0/64), 1e-12)
}

func TestEloCurve(t *testing.T) {
	for _, tt := range []struct{ score, elo float64 }{
		{0.5, 0}, {10.0 / 11, 400}, {1.0 / 11, -400}, {0.75, 190.8485}, {0.64, 99.9514},
	} {
		near(t, "Elo", EloOfScore(tt.score), tt.elo, 1e-3)
		near(t, "score", ScoreOfElo(EloOfScore(tt.score)), tt.score, 1e-12)
	}
	if !math.IsInf(EloOfScore(1), 1) || !math.IsInf(EloOfScore(1.1), 1) || !math.IsInf(EloOfScore(0), -1) {
		t.Error("nothing is infinite at the ends")
	}
}

// TestEloPublished compares with results that fastchess, another match runner, has printed.
func TestEloPublished(t *testing.T) {
	for _, tt := range []struct {
		pairs      Counts
		elo, error float64
	}{
		{Counts{1, 10, 78, 48, 13}, 72.85, 22.33},
		{Counts{352, 579, 1264, 743, 464}, 19.83, 6.77},
		{Counts{0, 0, 1, 8, 1}, 190.85, 65.54},
	} {
		elo := tt.pairs.Elo()
		near(t, "Elo", elo.Value, tt.elo, 0.006)
		near(t, "error", elo.Error(), tt.error, 0.006)
	}
}

func TestNothingIsKnownAtFirst(t *testing.T) {
	for _, c := range []Counts{{0, 0, 0}, {0, 0, 0, 0, 0}, {0, 7, 0}} {
		elo := c.Elo()
		if elo.Value != 0 || !math.IsInf(elo.Error(), 1) || c.LOS() != 0.5 {
			t.Errorf("%v: Elo %+v, LOS %v", c, elo, c.LOS())
		}
	}
	if llr := (SPRT{0, 10, 0.05, 0.05}).LLR(Counts{0, 0, 0, 0, 0}); llr != 0 {
		t.Errorf("LLR %v", llr)
	}
	if los := (Counts{0, 0, 3}).LOS(); los != 1 {
		t.Errorf("LOS %v", los)
	}
	if los := (Counts{3, 0, 0}).LOS(); los != 0 {
		t.Errorf("LOS %v", los)
	}
}

func TestLOS(t *testing.T) {
	// One standard error above the middle is Φ(1): 8 losses, 12 wins have mean 0.6 and error √(0.24/20).
	near(t, "LOS", Counts{8, 0, 12}.LOS(), 0.5*math.Erfc(-0.1/math.Sqrt(0.24/20)/math.Sqrt2), 1e-12)
	near(t, "sum of both sides", Counts{3, 5, 9, 4, 6}.LOS()+Counts{6, 4, 9, 5, 3}.LOS(), 1, 1e-12)
	near(t, "LOS", Counts{2, 6, 4}.LOS(), 0.796, 0.005)
}

// TestLLRPublished compares with tests of Stockfish from 2020, when the bounds were in logistic Elo, as its pull
// requests 2493, 2951, 2971, 3098 and 3209 give them.
func TestLLRPublished(t *testing.T) {
	for _, tt := range []struct {
		elo0, elo1 float64
		pairs      Counts
		llr        float64
	}{
		{0, 2, Counts{1284, 17437, 55536, 18085, 1292}, 2.94},
		{-0.5, 1.5, Counts{59, 754, 2467, 865, 75}, 2.95},
		{-0.5, 1.5, Counts{17, 253, 1042, 337, 39}, 2.96},
		{0.25, 1.75, Counts{11, 407, 3238, 513, 11}, 2.93},
		{-0.25, 1.25, Counts{491, 7345, 29693, 7670, 465}, 2.96},
		{0.25, 1.25, Counts{53, 2220, 21459, 2445, 47}, 2.97},
		{-0.25, 1.25, Counts{253, 4282, 17604, 4431, 286}, 2.94},
		{0.25, 1.25, Counts{58, 3302, 33130, 3518, 84}, 2.97},
	} {
		near(t, "LLR", SPRT{tt.elo0, tt.elo1, 0.05, 0.05}.LLR(tt.pairs), tt.llr, 0.006)
	}
}

func TestLLRProperties(t *testing.T) {
	test := SPRT{0, 10, 0.05, 0.05}
	c := Counts{10, 40, 100, 50, 15}
	double := Counts{20, 80, 200, 100, 30}
	near(t, "twice the results", test.LLR(double), 2*test.LLR(c), 1e-6)
	near(t, "sides and hypotheses exchanged", SPRT{-10, 0, 0.05, 0.05}.LLR(Counts{15, 50, 100, 40, 10}), -test.LLR(c), 1e-9)
	// For small differences it is close to N(s1-s0)(2μ-s0-s1)/2σ².
	mean, se := c.Score()
	s0, s1 := ScoreOfElo(0), ScoreOfElo(10)
	near(t, "approximation", test.LLR(c), (s1-s0)*(2*mean-s0-s1)/(2*se*se), 0.02)
	// Games alone, one kind of result alone.
	for _, c := range []Counts{{0, 0, 50}, {50, 0, 0}, {0, 50, 0}, {0, 0, 0, 0, 9}} {
		if llr := test.LLR(c); math.IsNaN(llr) || math.IsInf(llr, 0) {
			t.Errorf("%v: LLR %v", c, llr)
		}
	}
	if test.LLR(Counts{0, 0, 50}) <= 0 || test.LLR(Counts{50, 0, 0}) >= 0 {
		t.Error("wins and losses do not tell")
	}
}

func TestSPRTBounds(t *testing.T) {
	lower, upper := SPRT{0, 5, 0.05, 0.05}.Bounds()
	near(t, "lower", lower, -2.9444, 1e-4)
	near(t, "upper", upper, 2.9444, 1e-4)
	lower, upper = SPRT{0, 5, 0.05, 0.10}.Bounds()
	near(t, "lower", lower, -2.2513, 1e-4)
	near(t, "upper", upper, 2.8904, 1e-4)
	test := SPRT{0, 5, 0.05, 0.05}
	if test.Decide(-2.95) != AcceptH0 || test.Decide(2.95) != AcceptH1 || test.Decide(2.94) != Undecided {
		t.Error("decisions")
	}
	for _, bad := range []SPRT{{5, 0, 0.05, 0.05}, {0, 0, 0.05, 0.05}, {0, 5, 0, 0.05}, {0, 5, 0.05, 0.5}, {math.NaN(), 5, 0.05, 0.05}, {0, 5, math.NaN(), 0.05}, {0, math.Inf(1), 0.05, 0.05}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// randomPair draws the points of a pair, 0 to 4 halves, from an engine of the given strength: a win and a loss are as far from
// a draw as the Elo wants, with half of all games drawn.
func randomPair(random *rand.Rand, elo float64) int {
	points := 0
	for range 2 {
		switch x := random.Float64(); {
		case x < ScoreOfElo(elo)-0.25:
			points += 2
		case x < ScoreOfElo(elo)+0.25:
			points++
		}
	}
	return points
}

// TestSPRTErrorRates plays many tests and counts the wrong decisions, which alpha and beta promise to bound.
func TestSPRTErrorRates(t *testing.T) {
	const runs = 400
	test := SPRT{0, 30, 0.05, 0.10}
	random := rand.New(rand.NewPCG(1, 2))
	wrong := func(elo float64, bad Decision) (n int) {
		for range runs {
			c := make(Counts, 5)
			for d := Undecided; d == Undecided; d = test.Decide(test.LLR(c)) {
				for range 4 {
					c[randomPair(random, elo)]++
				}
				if d := test.Decide(test.LLR(c)); d == bad {
					n++
				}
			}
		}
		return n
	}
	// Three standard deviations of the count are added to what may be expected.
	limit := func(p float64) int { return int(runs*p + 3*math.Sqrt(runs*p*(1-p))) }
	if n := wrong(0, AcceptH1); n > limit(test.Alpha) || n == 0 {
		t.Errorf("H1 was accepted %d times of %d under H0", n, runs)
	}
	if n := wrong(30, AcceptH0); n > limit(test.Beta) || n == 0 {
		t.Errorf("H0 was accepted %d times of %d under H1", n, runs)
	}
}

// TestEloIntervalCovers wants the true difference within the interval in 95 % of all matches.
func TestEloIntervalCovers(t *testing.T) {
	const runs = 2000
	random := rand.New(rand.NewPCG(3, 4))
	inside, superior := 0, 0.0
	for range runs {
		c := make(Counts, 5)
		for range 200 {
			c[randomPair(random, 40)]++
		}
		if elo := c.Elo(); elo.Low <= 40 && 40 <= elo.High {
			inside++
		}
		if c.LOS() < 0.05 {
			superior++
		}
	}
	near(t, "coverage", float64(inside)/runs, 0.95, 0.015)
	if superior > 0 {
		t.Errorf("LOS below 5 %% in %v matches of an engine 40 Elo better", superior)
	}
}
