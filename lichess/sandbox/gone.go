package sandbox

import (
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
)

const (
	goneShownAfter = 5 * time.Second  // a player's absence is not told before
	goneAtLeast    = 10 * time.Second // the shortest wait for a claim
	goneSpare      = 3 * time.Second  // by which his clock must exceed the wait for it to be told
)

// presence is what is known of a player's being there.
type presence struct {
	streams      map[string]*stream // open game streams by User-Agent
	offlineSince time.Time          // zero while he is there
	leaving      *timer
	toldGone     bool // his opponent has been told that he is gone
}

// arrive books that a player has opened a stream.
func (s *Server) arrive(p pov) {
	me := p.player()
	s.cancel(me.leaving)
	me.offlineSince = time.Time{}
	s.tellBack(p)
}

// leave books that a stream of a player has ended: he is gone when he opens no
// other in a moment.
func (s *Server) leave(p pov) {
	me := p.player()
	if len(me.streams) > 0 || p.g.status.Over() {
		return
	}
	s.cancel(me.leaving)
	me.leaving = s.after(s.opts.LeaveDelay, func() { me.offlineSince = s.now() })
}

// sawMove books that a player who may have no stream was there to move.
func (s *Server) sawMove(p pov) {
	if me := p.player(); !me.offlineSince.IsZero() {
		me.offlineSince = s.now()
		s.tellBack(p)
	}
}

func (s *Server) tellBack(p pov) {
	if me := p.player(); me.toldGone {
		me.toldGone = false
		p.opponent().push(lichess.OpponentGone{Gone: false})
	}
}

func (p *player) push(v any) {
	for _, st := range p.streams {
		st.push(v)
	}
}

// tellGone tells each player who is there about an opponent who is not.
func (s *Server) tellGone(g *game) {
	if !g.forceable() {
		return
	}
	now := s.now()
	for _, gone := range g.players {
		there := g.players[gone.side.Other()]
		if gone.offlineSince.IsZero() || !there.offlineSince.IsZero() || now.Sub(gone.offlineSince) <= goneShownAfter {
			continue
		}
		left := max(gone.offlineSince.Add(s.goneWait(g, gone.side)).Sub(now), 0)
		if left > 0 && g.clock.remaining(gone.side, g.turn(), now) <= left+goneSpare {
			continue
		}
		seconds := int(left / time.Second)
		gone.toldGone = true
		there.push(lichess.OpponentGone{Gone: true, ClaimWinInSeconds: &seconds})
	}
}

// forceable reports whether a player's leaving can end the game.
func (g *game) forceable() bool {
	return !g.status.Over() && g.clock != nil && g.bothMoved() && !g.hasRule("noClaimWin")
}

// goneWait is how long a player must be gone before the other may claim: twice
// as long at rapid and three times at classical, and a third of it when the
// one who left is at least 4 points of material behind.
func (s *Server) goneWait(g *game, side chess.Color) time.Duration {
	wait := s.opts.GoneWait
	switch g.speed {
	case lichess.SpeedRapid:
		wait *= 2
	case lichess.SpeedClassical, lichess.SpeedCorrespondence:
		wait *= 3
	}
	if material(g.position(), side.Other())-material(g.position(), side) >= 4 {
		wait /= 3
	}
	return max(wait, min(goneAtLeast, s.opts.GoneWait))
}

// material counts a side's men in points: 1, 3, 3, 5, 9.
func material(p *chess.Position, c chess.Color) int {
	return p.Pieces(c, chess.Pawn).Count() + 3*p.Pieces(c, chess.Knight).Count() +
		3*p.Pieces(c, chess.Bishop).Count() + 5*p.Pieces(c, chess.Rook).Count() + 9*p.Pieces(c, chess.Queen).Count()
}

// longGone reports whether a player has been gone for so long that the other
// may claim.
func (s *Server) longGone(g *game, side chess.Color) bool {
	since := g.players[side].offlineSince
	return !since.IsZero() && s.now().Sub(since) >= s.goneWait(g, side)
}

// claimVictory does nothing, with success, in the caller's own turn and where
// the game does not know it at all.
func (s *Server) claimVictory(_ *call, p pov) (any, error) {
	if !p.g.forceable() || p.myTurn() {
		return ok(nil)
	}
	if !s.longGone(p.g, p.c.Other()) {
		return nil, badRequest("You cannot claim the win on this game")
	}
	s.finish(p.g, lichess.StatusTimeout, winnerOf(p.g.position().OnAbandonment(p.c.Other())))
	return ok(nil)
}

func (s *Server) claimDraw(_ *call, p pov) (any, error) {
	if !p.g.forceable() || p.myTurn() {
		return ok(nil)
	}
	if !s.longGone(p.g, p.c.Other()) {
		return nil, badRequest("You cannot claim draw on this game")
	}
	s.finish(p.g, lichess.StatusTimeout, nil)
	return ok(nil)
}
