package engine

import "math"

// WDL is the chance of each result in permille; the three add up to 1000.
type WDL struct{ Win, Draw, Loss int }

// The win-rate model: the chance to win with a score of x centipawns is
// 1/(1+exp((wdlEven-x)/wdlSlope)), so wdlEven is the score that wins every
// other game. Both constants are the most likely ones for the positions of the
// engine's own games; docs/engine.md has the fit.
const (
	wdlEven  = 122.0
	wdlSlope = 150.0
)

// WinRates turns a score into chances for the side to move, as they are in
// games of the engine with itself.
func WinRates(s Score) WDL {
	if moves, forced := s.Mate(); forced {
		if moves > 0 {
			return WDL{Win: 1000}
		}
		return WDL{Loss: 1000}
	}
	chance := func(x float64) int { return int(math.Round(1000 / (1 + math.Exp((wdlEven-x)/wdlSlope)))) }
	w := WDL{Win: chance(float64(s)), Loss: chance(-float64(s))}
	w.Draw = 1000 - w.Win - w.Loss
	return w
}
