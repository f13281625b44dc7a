package bot

import (
	"context"
	"time"

	"castellan/bot/opponents"
	"castellan/lichess"
)

// offerPause is the number of plies within which the server ignores a second draw offer of the same side.
const offerPause = 20

// offers is what has been offered in a game.
type offers struct {
	draw     offer // the opponent's draw offer
	takeback offer // the opponent's proposal to take back
	own      offer // such a proposal in the bot's name, which it never means
	granted  int   // takebacks accepted
	rewind   bool  // one was accepted and the stream does not show it yet …
	granting bool  // … and the request is not answered yet
	agreeing bool  // a draw is being accepted, and the request is not answered yet
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
	if g.offers.own.note(g.state.TakebackOffer(lichess.Color(g.us.String())), ply) {
		g.log.Info("the acceptance of a takeback came too late and counts as a proposal, withdrawing it")
		g.withdrawTakeback(ctx)
	}
}

// answerDraw answers an offer made in the opponent's turn by what the bot thought when it moved last. The opponent may move meanwhile.
// A move of the bot's would decline what it has just accepted, and the acceptance, if it came after the move, be an offer of the bot's
// own: so nothing moves when an acceptance is on its way.
func (g *game) answerDraw(ctx context.Context) {
	yes := g.opts.Draw.accepts(g.situation())
	g.log.Info("answering the draw offer", "yes", yes)
	if yes {
		g.offers.agreeing = true
		g.stopThinking()
	}
	patience := g.withinClock(echoWait)
	g.request(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return g.client.Draw(ctx, g.id, yes)
	}, func(err error) {
		if err != nil {
			g.log.Warn("answering the draw offer failed", "err", err)
		}
		if yes {
			g.offers.agreeing = false
			g.act(ctx) // should the game go on
		}
	})
}

// noteDoings tells what a later run of the program has to know. The loop may be telling this game something, so nothing waits for it.
func (g *game) noteDoings() {
	d := g.doings()
	g.work.Go(func() { g.did(d) })
}

func (g *game) doings() opponents.Doings {
	return opponents.Doings{Takebacks: g.offers.granted, OfferedAt: g.offers.madeAt, Greeted: g.greeted}
}

// grantsTakeback tells whether a proposal to take back is accepted: from a person in a casual game, and so often as the options say.
func (g *game) grantsTakeback() bool {
	opponent := g.opponent()
	return !g.full.Rated && !opponent.IsBot() && !opponent.IsAI() && g.offers.granted < g.opts.Takebacks
}

func (g *game) withdrawTakeback(ctx context.Context) {
	g.request(ctx, func(ctx context.Context) error { return g.client.Takeback(ctx, g.id, false) }, func(err error) {
		if err != nil {
			g.log.Warn("withdrawing the proposal failed", "err", err)
		}
	})
}

// answerTakeback answers a proposal to take back. A move declines it, and accepting what has been declined would be a proposal of
// the bot's own: so nothing is answered when a move is on its way, and nothing moves when the answer is.
func (g *game) answerTakeback(ctx context.Context) {
	if g.sent != nil {
		g.log.Info("the proposal to take back comes too late: a move is on its way")
		return
	}
	yes := g.grantsTakeback()
	if yes {
		g.offers.granted++
		g.noteDoings()
		g.offers.rewind, g.offers.granting = true, true
		g.stopThinking()
	}
	g.log.Info("answering the proposal to take back", "yes", yes, "granted", g.offers.granted)
	patience := g.withinClock(echoWait)
	g.request(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return g.client.Takeback(ctx, g.id, yes)
	}, func(err error) {
		g.offers.granting = false
		switch {
		case err != nil:
			g.log.Warn("answering the proposal failed", "err", err)
			if yes {
				g.askSoon() // how the game stands now is the server's to say
			}
		case g.offers.rewind:
			g.due.resync = time.Now().Add(g.withinClock(echoWait))
		}
	})
}
