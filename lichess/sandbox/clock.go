package sandbox

import (
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
)

// chessClock is the clock of a real-time game. It begins to run when both
// sides have made their first move, which cost nothing and earn nothing.
type chessClock struct {
	limit, increment time.Duration
	start            time.Duration    // of each side: at least 3 s when the limit is 0
	left             [2]time.Duration // by colour, without what the side to move has used since
	since            time.Time        // when the side to move began to use time; zero before and after
	history          []time.Duration  // time left of the mover after each ply
}

func newClock(limit, increment time.Duration) *chessClock {
	start := limit
	if limit == 0 {
		start = max(increment, 3*time.Second)
	}
	return &chessClock{limit: limit, increment: increment, start: start, left: [2]time.Duration{start, start}}
}

func (k *chessClock) running() bool { return !k.since.IsZero() }

// remaining returns the time of a side at a moment; it may be negative.
func (k *chessClock) remaining(side, turn chess.Color, now time.Time) time.Duration {
	if side == turn && k.running() {
		return k.left[side] - now.Sub(k.since)
	}
	return k.left[side]
}

// moved books a move of the given side, the ply-th of the game.
func (k *chessClock) moved(side chess.Color, ply int, now time.Time) {
	if k.running() {
		k.left[side] = k.remaining(side, side, now) + k.increment
	}
	if k.running() || ply >= 2 {
		k.since = now
	}
	k.history = append(k.history, k.left[side])
}

// stop freezes the clock with the given side to move.
func (k *chessClock) stop(turn chess.Color, now time.Time) {
	k.left[turn] = max(k.remaining(turn, turn, now), 0)
	k.since = time.Time{}
}

// takeBack gives the side that made the last ply the time that it had before.
func (k *chessClock) takeBack(side chess.Color, now time.Time) {
	n := len(k.history) - 1
	k.history = k.history[:n]
	k.left[side] = k.start
	if n >= 2 {
		k.left[side] = k.history[n-2]
	}
	if k.running() {
		k.since = now
	}
}

// millis returns a side's time as streams tell it.
func (g *game) millis(side chess.Color, now time.Time) lichess.Millis {
	left, timed := g.timeLeft(side, now)
	if !timed {
		return lichess.UnlimitedMillis
	}
	return lichess.MillisOf(left)
}

// timeLeft returns a side's time, at least 0, and whether the game has any.
func (g *game) timeLeft(side chess.Color, now time.Time) (left time.Duration, timed bool) {
	switch {
	case g.clock != nil:
		return max(g.clock.remaining(side, g.turn(), now), 0), true
	case g.days > 0:
		left = g.perTurn()
		if side == g.turn() && !g.status.Over() {
			left -= now.Sub(g.movedAt)
		}
		return max(left, 0), true
	}
	return 0, false
}

// perTurn is the time for a move in a correspondence game.
func (g *game) perTurn() time.Duration { return time.Duration(g.days) * 24 * time.Hour }

// outOfTime reports whether the side to move has used up its time and the
// grace besides.
func (g *game) outOfTime(now time.Time, grace time.Duration) bool {
	switch {
	case g.status.Over():
		return false
	case g.clock != nil:
		return g.clock.running() && g.clock.remaining(g.turn(), g.turn(), now)+grace <= 0
	case g.days > 0:
		return g.bothMoved() && now.Sub(g.movedAt) >= g.perTurn()
	}
	return false
}

// checkFlag ends the game when the flag of the side to move has fallen. It is
// a draw when the other side cannot mate, or has a draw offer standing.
func (s *Server) checkFlag(g *game, grace time.Duration) (fallen bool) {
	if !g.outOfTime(s.now(), grace) {
		return false
	}
	loser := g.turn()
	if g.players[loser.Other()].offersDraw {
		s.say(g, "Draw offer accepted")
		s.finish(g, lichess.StatusDraw, nil)
		return true
	}
	s.finish(g, lichess.StatusOutOfTime, winnerOf(g.position().OnTime(loser)))
	return true
}

// winnerOf returns the winner of an outcome, nil when there is none.
func winnerOf(o chess.Outcome) *chess.Color {
	if !o.Decisive {
		return nil
	}
	return &o.Winner
}

// addTime gives the opponent more time.
func (s *Server) addTime(c *call) (any, error) {
	p, err := s.povOf(c.path("id"), c.me)
	if err != nil {
		return nil, err
	}
	seconds, err := intParam(map[string][]string{"seconds": {c.path("seconds")}}, "seconds", 0, 5, 60)
	if err != nil {
		return nil, err
	}
	switch {
	case p.g.status.Over():
		return nil, badRequest("This game is over")
	case p.g.clock == nil || p.g.hasRule("noGiveTime"):
		return nil, badRequest("Time cannot be given in this game")
	}
	p.g.clock.left[p.c.Other()] += secondsOf(seconds)
	p.g.pushState(s.now())
	return ok(nil)
}

func secondsOf(n int) time.Duration { return time.Duration(n) * time.Second }
