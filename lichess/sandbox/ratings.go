package sandbox

import "math"

// eloChange returns what White gains and Black loses in a rated game, by the
// formula of A. E. Elo with K = 10. Lichess itself uses Glicko-2; only sign and
// size matter here.
func eloChange(white, black int, score float64) int {
	expected := 1 / (1 + math.Pow(10, float64(black-white)/400))
	return int(math.Round(10 * (score - expected)))
}
