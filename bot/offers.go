package bot

import (
	"context"

	"castellan/lichess"
)

// offerPause is the number of plies within which the server ignores a second draw offer of the same side.
const offerPause = 20

// offers is what has been offered in a game.
type offers struct {
	draw     offer // the opponent's draw offer
	takeback offer // the opponent's proposal to take back
	granted  int   // takebacks accepted
	madeAt   int   // ply of the bot's last draw offer, 0 for none: the first possible one is at ply 2
}

// mayOffer tells whether the server would pass on a draw offer of the bot at the given ply.
func (o *offers) mayOffer(ply int) bool { return o.madeAt == 0 || ply-o.madeAt > offerPause }

// offer is something that the opponent offers. It is told by a flag in every state, and the server may leave the flag up when
// the offer has lapsed by a move: only one that goes up, or that is up for the first position seen, is an offer.
type offer struct {
	up       bool // the flag in the last state
	ply      int  // when it went up
	standing bool // it waits for an answer
}

// note takes the flag of a state at the given ply and tells whether this is a new offer.
func (o *offer) note(flag bool, ply int) (isNew bool) {
	isNew = flag && !o.up
	switch {
	case isNew:
		o.ply, o.standing = ply, true
	case !flag || ply != o.ply:
		o.standing = false
	}
	o.up = flag
	return isNew
}

// noteOffers looks at the flags of the state and answers what does not wait for the bot's move.
func (g *game) noteOffers(ctx context.Context) {
	them := lichess.Color(g.us.Other().String())
	ply := g.board.Ply()
	if g.offers.draw.note(g.state.DrawOffer(them), ply) {
		g.log.Info("the opponent offers a draw")
		// In the bot's own turn the verdict comes with the move, which declines the offer by itself.
		if !g.ourTurn() {
			g.answerDraw(ctx)
		}
	}
	if g.offers.takeback.note(g.state.TakebackOffer(them), ply) {
		g.answerTakeback(ctx)
	}
}

// answerDraw answers an offer made in the opponent's turn by what the bot thought when it moved last.
func (g *game) answerDraw(ctx context.Context) {
	yes := g.opts.Draw.accepts(g.situation())
	g.log.Info("answering the draw offer", "yes", yes)
	g.request(ctx, func(ctx context.Context) error { return g.client.Draw(ctx, g.id, yes) }, func(err error) {
		if err != nil {
			g.log.Warn("answering the draw offer failed", "err", err)
		}
	})
}

// answerTakeback grants a person in a casual game so many takebacks as the options say.
func (g *game) answerTakeback(ctx context.Context) {
	opponent := g.opponent()
	yes := !g.full.Rated && !opponent.IsBot() && !opponent.IsAI() && g.offers.granted < g.opts.Takebacks
	if yes {
		g.offers.granted++
	}
	g.log.Info("answering the proposal to take back", "yes", yes, "granted", g.offers.granted)
	g.request(ctx, func(ctx context.Context) error { return g.client.Takeback(ctx, g.id, yes) }, func(err error) {
		if err != nil {
			g.log.Warn("answering the proposal failed", "err", err)
		}
	})
}
