package sandbox

import (
	"time"

	"castellan/lichess"
)

// openGame opens a player's stream of a game. A second one with the same
// User-Agent closes the first.
func (s *Server) openGame(c *call, p pov) (any, error) {
	g, me, agent := p.g, p.player(), c.r.UserAgent()
	st := s.newStream(s.opts.KeepAlive, func() { s.checkFlag(g, s.opts.FlagGrace) })
	st.first = [][]byte{encode(g.full(s.now()))}
	if g.status.Over() {
		st.close()
		return st, nil
	}
	if old := me.streams[agent]; old != nil {
		old.close()
	}
	if me.streams == nil {
		me.streams = map[string]*stream{}
	}
	me.streams[agent] = st
	s.arrive(p)
	st.onEnd = func() {
		if me.streams[agent] == st {
			delete(me.streams, agent)
			s.leave(p)
		}
	}
	return st, nil
}

// push puts a line on all streams of the game.
func (g *game) push(v any) {
	line := encode(v)
	for _, p := range g.players {
		for _, st := range p.streams {
			st.pushLine(line)
		}
	}
}

func (g *game) pushState(now time.Time) { g.push(g.state(now)) }

// pushChat puts a chat line on the streams. Bots hear both rooms, people that
// of the players.
func (g *game) pushChat(line lichess.ChatLine) {
	encoded := encode(line)
	for _, p := range g.players {
		if line.Room == lichess.RoomSpectator && !p.isBot() {
			continue
		}
		for _, st := range p.streams {
			st.pushLine(encoded)
		}
	}
}
