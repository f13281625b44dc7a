package sandbox

import "time"

// takeback proposes, accepts or declines a takeback. It always succeeds, also
// when the server ignores it.
func (s *Server) takeback(c *call, p pov) (any, error) {
	if trueish(c.path("answer")) {
		s.wantTakeback(p)
	} else {
		s.declineTakeback(p)
	}
	return ok(nil)
}

// takebacksAllowed reports whether both players' preferences allow takebacks.
func (g *game) takebacksAllowed() bool {
	for _, p := range g.players {
		pref := p.takebacks()
		if pref == TakebacksNever || pref == TakebacksCasual && g.rated {
			return false
		}
	}
	return true
}

func (s *Server) wantTakeback(p pov) {
	g, me, opponent := p.g, p.player(), p.opponent()
	ply := g.chess.Ply()
	switch {
	case g.status.Over() || !g.takebacksAllowed():
	case opponent.takebackAt >= 0:
		// The proposer is to move afterwards: his last move goes, and the
		// reply to it if there is one.
		plies := 2
		if opponent.takebackAt == ply && p.myTurn() {
			plies = 1
		}
		s.rewind(g, plies)
	case g.bothMoved() && me.takebackAt < 0 && !s.now().Before(me.mayAskAt):
		me.takebackAt = ply
		s.say(g, "Takeback sent")
		g.pushState(s.now())
	}
}

// rewind takes plies back.
func (s *Server) rewind(g *game, plies int) {
	now := s.now()
	for ; plies > 0 && g.chess.Undo(); plies-- {
		if g.clock != nil {
			g.clock.takeBack(g.turn(), now)
		}
	}
	g.movedAt = now
	for _, p := range g.players {
		p.takebackAt, p.offersDraw, p.declined = -1, false, 0
		p.mayAskAt = time.Time{}
	}
	s.say(g, "Takeback accepted")
	g.pushState(now)
}

// declineTakeback withdraws the own proposal or turns down the opponent's.
// After n of them the proposer must wait for n² times 10 s.
func (s *Server) declineTakeback(p pov) {
	if p.g.status.Over() {
		return
	}
	proposer, text := p.player(), "Takeback canceled"
	if proposer.takebackAt < 0 {
		proposer, text = p.opponent(), "Takeback declined"
	}
	if proposer.takebackAt < 0 {
		return
	}
	proposer.takebackAt = -1
	proposer.declined++
	proposer.mayAskAt = s.now().Add(secondsOf(10 * proposer.declined * proposer.declined))
	s.say(p.g, text)
	p.g.pushState(s.now())
}
