package sandbox

import "castellan/lichess"

func (s *Server) createChallenge(c *call) (any, error) {
	setup, err := readChallenge(c.form)
	if err != nil {
		return nil, err
	}
	keepAlive, err := boolParam(c.form, "keepAliveStream", false)
	if err != nil {
		return nil, err
	}
	ch, err := s.challenge(c.me, c.path("user"), setup)
	if err != nil {
		return nil, err
	}
	view := s.challengeView(ch, "out")
	if !keepAlive {
		s.announce(ch)
		return view, nil
	}
	st := s.newStream(s.opts.ChallengeKeepAlive, nil)
	st.first = [][]byte{encode(view)}
	st.onEnd = func() {
		if ch.keep == st {
			ch.keep = nil
			s.leaveChallenge(ch)
		}
	}
	ch.keep = st
	s.announce(ch)
	return st, nil
}

func (s *Server) listChallenges(c *call) (any, error) {
	list := lichess.ChallengeList{In: []lichess.Challenge{}, Out: []lichess.Challenge{}}
	for _, ch := range s.pendingFor(c.me, true) {
		list.In = append(list.In, s.challengeView(ch, "in"))
	}
	for _, ch := range s.pendingFor(c.me, false) {
		list.Out = append(list.Out, s.challengeView(ch, "out"))
	}
	return list, nil
}

func (s *Server) showChallenge(c *call) (any, error) {
	switch ch := s.challenges[c.path("id")]; {
	case ch == nil:
	case ch.from == c.me:
		return s.challengeView(ch, "out"), nil
	case ch.to == c.me:
		return s.challengeView(ch, "in"), nil
	}
	return nil, notFound()
}

func (s *Server) acceptChallenge(c *call) (any, error) {
	ch := s.challenges[c.path("id")]
	if ch == nil || ch.to != c.me || ch.status == lichess.ChallengeAccepted {
		return ok(s.acceptRematch(c.path("id"), c.me))
	}
	switch ch.status {
	case lichess.ChallengeCanceled:
		return nil, badRequest("The challenge has been canceled.")
	case lichess.ChallengeDeclined:
		return nil, badRequest("The challenge has been declined.")
	}
	return ok(s.accept(ch, c.me))
}

func (s *Server) declineChallenge(c *call) (any, error) {
	ch := s.challenges[c.path("id")]
	if ch == nil || ch.to != c.me || !ch.active() {
		return ok(s.declineRematch(c.path("id"), c.me))
	}
	s.decline(ch, lichess.ParseDeclineReason(c.form.Get("reason")))
	return ok(nil)
}

// cancelChallenge withdraws an own challenge, declines one that was received,
// or aborts the game that has just come of it.
func (s *Server) cancelChallenge(c *call) (any, error) {
	if ch := s.challenges[c.path("id")]; ch != nil && ch.active() {
		switch c.me {
		case ch.from:
			s.withdraw(ch)
			return ok(nil)
		case ch.to:
			s.decline(ch, lichess.DeclineGeneric)
			return ok(nil)
		}
	}
	p, err := s.povOf(c.path("id"), c.me)
	switch {
	case err != nil || p.g.status.Over():
		return nil, notFound()
	case !p.g.abortable():
		return nil, badRequest("Missing opponentToken")
	}
	s.finish(p.g, lichess.StatusAborted, nil)
	return ok(nil)
}

// ok is the reply of calls that have nothing to tell but their success.
func ok(err error) (any, error) { return lichess.OK{OK: true}, err }
