package sandbox

import (
	"castellan/engine/chess"
	"castellan/lichess"
)

const (
	firstDrawPly   = 2  // plies before a draw can be offered
	drawOfferPause = 20 // plies between two offers of one player
	earlyDrawPlies = 60 // of the rule noEarlyDraw
)

// draw offers, accepts or declines a draw. It always succeeds, also when the
// server ignores it.
func (s *Server) draw(c *call, p pov) (any, error) {
	if trueish(c.path("answer")) {
		s.offerDraw(p)
	} else {
		s.declineDraw(p)
	}
	return ok(nil)
}

// trueish reads the yes or no of a path.
func trueish(answer string) bool {
	switch answer {
	case "yes", "true", "1", "on":
		return true
	}
	return false
}

// drawable reports whether a draw can be agreed on or claimed at all.
func (g *game) drawable() bool {
	early := g.hasRule("noEarlyDraw") && g.chess.Ply() < earlyDrawPlies
	return !g.status.Over() && !g.abortable() && !early
}

func (p pov) mayOfferDraw() bool {
	return p.g.chess.Ply() >= firstDrawPly && !p.player().offersDraw && !p.offeredLately()
}

func (p pov) offeredLately() bool {
	offers := p.player().offers
	return len(offers) > 0 && offers[len(offers)-1] >= p.g.chess.Ply()-drawOfferPause
}

// claimsThreefold reports whether the server claims the draw by a threefold
// repetition itself: with a bot in the game, and after a draw offer of late.
// Everybody's preference is not to have it claimed otherwise.
func (g *game) claimsThreefold() bool {
	wanted := g.hasBot() || pov{g, chess.White}.offeredLately() || pov{g, chess.Black}.offeredLately()
	return wanted && g.drawable() && g.threefold()
}

func (g *game) threefold() bool {
	threefold, _ := g.chess.Claims()
	return threefold
}

// offerDraw offers a draw, accepts the opponent's offer, or claims a threefold
// repetition. An offer to an opponent who cannot mate ends the game at once.
func (s *Server) offerDraw(p pov) {
	g, me := p.g, p.player()
	if !g.drawable() {
		return
	}
	switch {
	case p.opponent().offersDraw:
		s.say(g, "Draw offer accepted")
		s.finish(g, lichess.StatusDraw, nil)
	case g.threefold():
		s.finish(g, lichess.StatusDraw, nil)
	case !p.mayOfferDraw():
	case !g.position().CanMate(p.c.Other()):
		s.finish(g, lichess.StatusInsufficientMaterialClaim, nil)
	default:
		me.offersDraw = true
		me.offers = append(me.offers, g.chess.Ply())
		s.say(g, sideName(p.c)+" offers draw")
		g.pushState(s.now())
	}
}

// declineDraw turns down the opponent's offer, if there is one. An own offer
// cannot be taken back.
func (s *Server) declineDraw(p pov) {
	if !p.g.drawable() || !p.opponent().offersDraw {
		return
	}
	p.opponent().offersDraw = false
	s.say(p.g, sideName(p.c)+" declines draw")
	p.g.pushState(s.now())
}
