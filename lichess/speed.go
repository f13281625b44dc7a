package lichess

import "math"

// Speed is the server's class of a time control.
type Speed string

// The speeds from fast to slow.
const (
	SpeedUltraBullet    Speed = "ultraBullet"
	SpeedBullet         Speed = "bullet"
	SpeedBlitz          Speed = "blitz"
	SpeedRapid          Speed = "rapid"
	SpeedClassical      Speed = "classical"
	SpeedCorrespondence Speed = "correspondence"
)

// SpeedOf classes a clock of limit seconds plus increment seconds a move by
// the estimated length of a game, limit + 40 * increment: below 30 s is
// ultra-bullet, then the classes begin at 30 s, 3 min, 8 min, 25 min and 6 h.
// Negative values count as 0.
func SpeedOf(limit, increment int) Speed {
	switch estimate := EstimatedSeconds(limit, increment); {
	case estimate < 30:
		return SpeedUltraBullet
	case estimate < 180:
		return SpeedBullet
	case estimate < 480:
		return SpeedBlitz
	case estimate < 1500:
		return SpeedRapid
	case estimate < 21600:
		return SpeedClassical
	}
	return SpeedCorrespondence
}

// BotPlayable reports whether the server lets BOT accounts play at this speed:
// any but ultra-bullet.
func (s Speed) BotPlayable() bool { return s != SpeedUltraBullet }

// EstimatedSeconds is the estimated length of a game for one side by which
// SpeedOf classes clocks, at most math.MaxInt.
func EstimatedSeconds(limit, increment int) int {
	limit, increment = max(limit, 0), max(increment, 0)
	if increment > (math.MaxInt-limit)/40 {
		return math.MaxInt
	}
	return limit + 40*increment
}
