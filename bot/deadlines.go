package bot

import (
	"context"
	"time"
)

// deadlines are the moments at which a game must do something by itself; zero means never.
type deadlines struct {
	abort  time.Time // the opponent has not begun
	claim  time.Time // the opponent has been gone for long enough
	resync time.Time // something should have come by the stream
	reopen time.Time // a fresh state is wanted, to be on the safe side
	rest   time.Time // the opponent has not moved for long, or has been left alone for long
	finish time.Time // the game is over by the event stream's word
}

// next returns the time until the earliest deadline.
func (d *deadlines) next() time.Duration {
	earliest := time.Now().Add(time.Hour)
	for _, t := range []time.Time{d.abort, d.claim, d.resync, d.reopen, d.rest, d.finish} {
		if !t.IsZero() && t.Before(earliest) {
			earliest = t
		}
	}
	return max(time.Until(earliest), 0)
}

// passed tells whether a deadline has come, and clears it.
func passed(t *time.Time) bool {
	if t.IsZero() || time.Now().Before(*t) {
		return false
	}
	*t = time.Time{}
	return true
}

func (g *game) onAlarm(ctx context.Context) {
	if passed(&g.due.finish) {
		g.log.Info("game over by the event stream's word")
		g.over = true
		return
	}
	if passed(&g.due.abort) {
		g.log.Info("the opponent does not begin, aborting", "after", g.opts.AbortAfter.String())
		g.request(ctx, func(ctx context.Context) error { return g.client.Abort(ctx, g.id) }, func(err error) {
			if err != nil {
				g.log.Warn("aborting failed, trying again", "in", abortAgain.String(), "err", err)
				if g.board.Ply() < 2 {
					g.due.abort = time.Now().Add(abortAgain)
				}
			}
		})
	}
	if passed(&g.due.claim) && g.board != nil && !g.ourTurn() {
		g.log.Info("the opponent is gone, claiming the win")
		g.request(ctx, func(ctx context.Context) error { return g.client.ClaimVictory(ctx, g.id) }, func(err error) {
			if err != nil {
				g.log.Warn("claiming failed", "err", err) // the server goes on telling how long to wait
			}
		})
	}
	if passed(&g.due.rest) {
		g.onRest(ctx)
	}
	if passed(&g.due.resync) {
		g.onSilence(ctx)
	}
	if passed(&g.due.reopen) {
		g.askNow(ctx)
	}
}

// onSilence looks after a stream that should have said something. A game that the board says is over is only played on when the
// server has been asked anew and says that it goes on.
func (g *game) onSilence(ctx context.Context) {
	if g.fresh && g.ourTurn() && g.thought == nil && g.sent == nil && g.board.Outcome().Over() && g.board.Position().HasLegalMove() {
		g.log.Warn("the board says that the game is over and the server does not: playing on", "outcome", g.board.Outcome().String())
		g.think(ctx)
		return
	}
	g.log.Warn("the game stream does not show what it should, opening it again")
	g.openStream(ctx)
}
