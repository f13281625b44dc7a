package sandbox

import (
	"net/http"

	"castellan/lichess"
)

// notify puts an event on the account's event stream, if it has one open.
func (a *account) notify(event any) {
	if a.events != nil {
		a.events.push(event)
	}
}

// openEvents opens the event stream of an account and closes the one that it
// had. All running games come first, then the challenges that wait.
func (s *Server) openEvents(c *call) (any, error) {
	me, now := c.me, s.now()
	if me.opens.full(now) {
		return nil, refuse(http.StatusTooManyRequests, "Please don't poll this endpoint, it is intended to be streamed. "+
			"See %s/api#tag/Board/operation/apiStreamEvent.", s.URL)
	}
	me.opens.add(now, 1)
	if me.events != nil {
		me.events.close()
	}
	st := s.newStream(s.opts.KeepAlive, nil)
	st.onEnd = func() {
		me.seen = s.now()
		if me.events == st {
			me.events = nil
		}
	}
	me.events = st
	for _, p := range me.running {
		st.first = append(st.first, encode(lichess.GameStart{Game: s.info(p)}))
	}
	for i, ch := range s.pendingFor(me, true) {
		if i < maxReplayed {
			st.first = append(st.first, encode(lichess.ChallengeEvent{Challenge: s.challengeView(ch, "")}))
		}
	}
	return st, nil
}
