package sandbox

import "time"

// restartGift is what each side gets after a restart of the server.
const restartGift = 20 * time.Second

// Restart does what a restart of Lichess does to those who play: all streams
// end, and both sides of each game whose clock runs get 20 s more. Games in
// which nobody has moved yet go on too, where Lichess may abort them.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.streams {
		st.close()
	}
	for _, g := range s.order {
		if g.status.Over() || g.clock == nil || !g.clock.running() {
			continue
		}
		for side := range g.clock.left {
			g.clock.left[side] += restartGift
		}
		s.say(g, "Lichess has been updated! Sorry for the inconvenience.")
	}
}
