package sandbox

import (
	"fmt"

	"castellan/lichess"
)

// rematch is an offer to play again with colours changed. It goes out as a
// challenge with the id of the game that would come of it.
type rematch struct {
	id    string
	of    *game
	offer pov // the side that offers, in the game before
}

// OfferRematch offers a rematch of a finished game on behalf of one of its
// players; people do this on the website. The opponent hears of it as a
// challenge. newID is the id of the game that it would be.
func (s *Server) OfferRematch(gameID, by string) (newID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.rematchSide(gameID, by)
	if err != nil {
		return "", err
	}
	r := &rematch{id: s.newID(), of: p.g, offer: p}
	s.rematches[r.id] = r
	p.opponent().notify(lichess.ChallengeEvent{
		Challenge: s.rematchView(r, lichess.ChallengeCreated),
		Compat:    &lichess.Compat{Bot: p.g.botOK, Board: boardPlayable(p.g.speed)},
	})
	return r.id, nil
}

// CancelRematch withdraws the offer that OfferRematch has made.
func (s *Server) CancelRematch(gameID, by string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.rematchSide(gameID, by)
	if err != nil {
		return err
	}
	for _, r := range s.rematches {
		if r.offer == p {
			delete(s.rematches, r.id)
			p.opponent().notify(lichess.ChallengeCanceledEvent{Challenge: s.rematchView(r, lichess.ChallengeCanceled)})
			return nil
		}
	}
	return fmt.Errorf("sandbox: %s does not offer a rematch of game %s", by, gameID)
}

func (s *Server) rematchSide(gameID, by string) (pov, error) {
	a := s.accounts[lichess.UserID(by)]
	if a == nil {
		return pov{}, fmt.Errorf("sandbox: no account %s", by)
	}
	p, err := s.povOf(gameID, a)
	switch {
	case err != nil:
		return pov{}, fmt.Errorf("sandbox: game %s: %w", gameID, err)
	case !p.g.status.Over():
		return pov{}, fmt.Errorf("sandbox: game %s is not over yet", gameID)
	case p.g.rematch != "":
		return pov{}, fmt.Errorf("sandbox: game %s has its rematch already: %s", gameID, p.g.rematch)
	}
	return p, nil
}

// rematchView returns the offer in the form of a challenge.
func (s *Server) rematchView(r *rematch, status lichess.ChallengeStatus) lichess.Challenge {
	g, p := r.of, r.offer
	ch := &challenge{
		id: r.id, from: p.player().account, to: p.opponent().account, variant: g.variant, status: status,
		color: wire(p.c.Other()),
		setup: ChallengeSetup{
			HasClock: g.hasClock, Limit: int(g.limit.Seconds()), Increment: int(g.increment.Seconds()), Days: g.days,
			Rated: g.rated, Color: wire(p.c.Other()), Variant: g.variant.Key,
		},
	}
	if g.variant.Key == lichess.VariantFromPosition {
		ch.setup.FEN = g.fen
	}
	ch.tc = ch.setup.timeControl()
	view := s.challengeView(ch, "")
	view.RematchOf = g.id
	return view
}

// offered returns the offer of that id that is made to the account.
func (s *Server) offered(id string, me *account) (*rematch, error) {
	r := s.rematches[id]
	if r == nil || r.offer.opponent().account != me {
		return nil, notFound()
	}
	return r, nil
}

func (s *Server) acceptRematch(id string, me *account) error {
	r, err := s.offered(id, me)
	if err != nil {
		return err
	}
	old, rules := r.of, r.of.gameRules
	if rules.variant.Key == lichess.VariantChess960 {
		rules.fen = "" // another start position
	}
	if err := s.botLimit(me, r.offer.player().account); err != nil {
		return err
	}
	g, err := s.makeGame(r.id, old.players[1].account, old.players[0].account, rules)
	if err != nil {
		return err
	}
	g.botOK = old.botOK
	delete(s.rematches, r.id)
	old.rematch = g.id
	s.startGame(g)
	return nil
}

func (s *Server) declineRematch(id string, me *account) error {
	r, err := s.offered(id, me)
	if err != nil {
		return err
	}
	delete(s.rematches, r.id)
	return nil
}
