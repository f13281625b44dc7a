package bot

import (
	"context"
	"fmt"
	"maps"
	"time"

	"castellan/bot/opponents"
	"castellan/lichess"
)

// RematchPolicy says after which games the bot asks for another with colours changed, and whether it plays those that opponents
// ask for. What they ask for is a challenge like any other: the rules of Acceptance hold. Its zero value asks for nothing and
// declines nothing.
type RematchPolicy struct {
	// Offer makes the bot ask, after a game with a clock against a person (Humans) or a bot (Bots). It does so by a challenge: the
	// server has no other way for bots.
	Offer        bool
	Humans, Bots bool
	// Lost makes the bot ask only when it has lost or drawn.
	Lost bool
	// Games is how many games in a row are played so with one opponent, the first counted in: 2 is one with each colour.
	Games int
	// Wait is how long an offer may go without an answer; then it is withdrawn.
	Wait time.Duration
	// Decline makes the bot decline all rematches that opponents offer.
	Decline bool
}

// ended is what the decision to ask for a rematch depends on.
type ended struct {
	status     lichess.Status
	won        bool // by the bot
	plies      int
	timed      bool
	account    bool // the opponent has one, and is not the server's engine
	bot        bool // the opponent is one
	tournament bool
	inRow      int // games with that opponent, this one counted in
}

// declines says why no rematch is asked for, "" when one is.
func (r *RematchPolicy) declines(e *ended) string {
	switch {
	case !r.Offer:
		return "they are switched off"
	case e.bot && !r.Bots, !e.bot && !r.Humans:
		return "not with this kind of opponent"
	case !e.account:
		return "the opponent has no account"
	case e.tournament:
		return "the game was part of a tournament"
	case !e.timed:
		return "the game had no clock"
	case e.plies < 2:
		return "the game was hardly begun"
	case r.Lost && e.won:
		return "the bot has won"
	case e.inRow >= r.Games:
		return fmt.Sprintf("%d games were played in a row", e.inRow)
	}
	switch e.status {
	case lichess.StatusMate, lichess.StatusResign, lichess.StatusStalemate, lichess.StatusDraw, lichess.StatusOutOfTime,
		lichess.StatusInsufficientMaterialClaim, lichess.StatusVariantEnd:
		return ""
	}
	return "the opponent has left, or the game was not to be" // timeout, aborted, cheat and the like
}

// rematch is a game to ask for.
type rematch struct {
	of       string // id of the game before
	ended    ended
	opponent lichess.GamePlayer
	request  lichess.ChallengeRequest
	terms    opponents.Terms
}

// rematch returns what a rematch of the game would be, nil when its end was not seen.
func (g *game) rematch() *rematch {
	if !g.parting {
		return nil
	}
	full, opponent := g.full, *g.opponent()
	r := &rematch{
		of: g.id, opponent: opponent,
		ended: ended{
			status: g.state.Status, won: g.state.Winner == lichess.Color(g.us.String()), plies: len(g.moves), timed: g.timed,
			account: opponent.ID != "" && !opponent.IsAI(), bot: opponent.IsBot(), tournament: full.TournamentID != "",
		},
	}
	if !g.timed {
		return r
	}
	limit, increment := int(full.Clock.Initial.Duration()/time.Second), int(full.Clock.Increment.Duration()/time.Second)
	variant := full.Variant.Key
	if variant == "" {
		variant = lichess.VariantStandard
	}
	r.terms = opponents.Terms{Clock: opponents.Clock{Limit: limit, Increment: increment}, Rated: full.Rated, Variant: variant}
	r.request = lichess.ChallengeRequest{
		Rated: full.Rated, TimeControl: lichess.ClockControl(limit, increment), Color: lichess.Color(g.us.Other().String()),
		Variant: variant, ToBot: opponent.IsBot(),
	}
	if variant == lichess.VariantFromPosition {
		r.request.FEN = full.InitialFEN
	}
	return r
}

const (
	// rowGap is how soon after the end of a game another with the same opponent begins for the two to be in a row, whoever has
	// asked for it.
	rowGap = 2 * time.Minute
	// mostRows bounds the opponents whose rows are remembered.
	mostRows = 1000
)

// nextInRow counts a game that begins with an opponent among those that came one after the other.
func (b *Bot) nextInRow(opponent string) int {
	if opponent == "" {
		return 1
	}
	now := time.Now()
	recent := func(id string) bool { return now.Before(b.book.PausedUntil(id, rowGap)) }
	if !recent(opponent) {
		delete(b.rows, opponent)
	}
	if len(b.rows) >= mostRows {
		maps.DeleteFunc(b.rows, func(id string, _ int) bool { return id != opponent && !recent(id) })
	}
	if len(b.rows) >= mostRows {
		clear(b.rows)
	}
	if b.rows == nil {
		b.rows = map[string]int{}
	}
	b.rows[opponent]++
	return b.rows[opponent]
}

// offerRematch asks for a rematch when the policy wants it and there is a place. A chance that is missed does not come again.
func (b *Bot) offerRematch(ctx context.Context, r *rematch, inRow int) {
	if r == nil || !b.opts.Rematch.Offer {
		return
	}
	r.ended.inRow = inRow
	why := b.opts.Rematch.declines(&r.ended)
	if why == "" {
		why = b.cannotOffer(r)
	}
	log := b.log.With("game", r.of, "opponent", lichess.CleanText(r.opponent.Name, 40))
	if why != "" {
		log.Debug("no rematch is offered", "why", why)
		return
	}
	log.Info("offering a rematch", "terms", r.terms.String())
	o := &outgoing{
		key: unnamed, opponent: lichess.UserID(r.opponent.ID), name: lichess.CleanText(r.opponent.Name, 40), terms: r.terms,
		rematchOf: r.of, wait: b.opts.Rematch.Wait,
	}
	b.challenge(ctx, o, &seat{timed: true, opponent: o.opponent, bot: r.ended.bot}, r.opponent.Name, r.request)
}

// cannotOffer says what stands in the way of a rematch that is wanted, "" for nothing.
func (b *Bot) cannotOffer(r *rematch) string {
	opponent := &lichess.ChallengeUser{ID: r.opponent.ID, Name: r.opponent.Name, Title: r.opponent.Title}
	c := &lichess.Challenge{Challenger: opponent, TimeControl: r.request.TimeControl}
	if err := r.request.Check(); err != nil {
		return err.Error()
	}
	switch {
	case b.draining:
		return "the bot is about to stop"
	case b.match.out != nil:
		return "another challenge of the bot's waits for an answer"
	case len(b.queue) > 0:
		return "others wait for a place"
	case time.Now().Before(b.match.held):
		return "the server takes no challenges for some time"
	case b.opts.Match.ChallengesPerDay > 0 && b.book.Challenges(time.Now()) >= b.opts.Match.ChallengesPerDay:
		return "the day's challenges are used up"
	case r.ended.bot && time.Now().Before(b.client.LimitedUntil(lichess.KeyBotVsBotDay)):
		return "the day's games against bots are used up"
	}
	if refusal := b.names.Load().refuse(opponent); refusal != nil {
		return refusal.why
	}
	if refusal := b.refuseOpponent(c); refusal != nil {
		return refusal.why
	}
	return b.noPlace(c)
}

// meetsOwn looks at a challenge of somebody to whom the bot has offered a rematch. People's goes before; of two bots that ask each
// other at the same moment, the one whose name comes first in the alphabet is answered, so that one game comes of it and not two or
// none. It tells whether the challenge is declined for that.
func (b *Bot) meetsOwn(c *lichess.Challenge) (declined bool) {
	o := b.match.out
	if o == nil || o.rematchOf == "" || o.opponent != challengerID(c.Challenger) {
		return false
	}
	if c.Challenger.IsBot() && b.me < o.opponent {
		return true
	}
	b.unwant("the opponent asks for a game itself")
	return false
}
