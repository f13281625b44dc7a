package sandbox

import (
	"net/http"
	"slices"
	"time"

	"castellan/lichess"
)

const (
	challengeLife = 14 * 24 * time.Hour // until a challenge that nobody answers is forgotten
	settledLife   = 3 * time.Hour       // until a settled one is: time enough to ask what became of it
	maxSettled    = 1000                // settled ones that are kept, the latest
	maxPlaying    = 200                 // running games from which on real-time challenges are refused
	maxReplayed   = 50                  // incoming challenges told when an event stream opens
)

// challenge is a challenge from one account to another.
type challenge struct {
	id       string
	from, to *account
	setup    ChallengeSetup
	variant  lichess.Variant
	tc       lichess.TimeControl
	color    lichess.Color // the challenger's, decided
	status   lichess.ChallengeStatus
	reason   lichess.DeclineReason
	away     *timer  // turns it offline
	expiry   *timer  // forgets it
	keep     *stream // of keepAliveStream, or nil
}

func (ch *challenge) active() bool {
	return ch.status == lichess.ChallengeCreated || ch.status == lichess.ChallengeOffline
}

func (ch *challenge) speed() lichess.Speed { return ch.tc.Speed() }

// Challenge makes a challenge as if from had asked for it over HTTP: the same
// rules, limits and events.
func (s *Server) Challenge(from, to string, setup ChallengeSetup) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[lichess.UserID(from)]
	if a == nil {
		return "", badRequest("No such user: %s", from)
	}
	ch, err := s.challenge(a, to, setup)
	if err != nil {
		return "", err
	}
	s.announce(ch)
	return ch.id, nil
}

// challenge makes a challenge that nobody knows of yet.
func (s *Server) challenge(from *account, to string, setup ChallengeSetup) (*challenge, error) {
	if lichess.UserID(to) == from.id {
		return nil, notFound()
	}
	if err := setup.check(); err != nil {
		return nil, err
	}
	dest := s.accounts[lichess.UserID(to)]
	if dest == nil || dest.Closed {
		return nil, badRequest("No such user: %s", to)
	}
	if dest.isBot() && len(setup.Rules) > 0 {
		return nil, badRequest("Rules not applicable for bots")
	}
	if err := s.payForChallenge(from, dest); err != nil {
		return nil, err
	}
	ch := &challenge{id: s.newID(), from: from, to: dest, setup: setup, tc: setup.timeControl()}
	ch.variant, _ = lichess.VariantByKey(setup.Variant)
	if err := s.mayChallenge(ch); err != nil {
		return nil, err
	}
	ch.color = setup.Color
	if ch.color == lichess.ColorRandom {
		ch.color = [...]lichess.Color{lichess.ColorWhite, lichess.ColorBlack}[s.rand.IntN(2)]
	}
	ch.status = lichess.ChallengeCreated
	return ch, nil
}

// payForChallenge counts a challenge against the challenger's limits.
func (s *Server) payForChallenge(from, to *account) error {
	now := s.now()
	cost := 5
	if to.isBot() {
		cost = 1
	}
	if from.pointsPerMinute.full(now) || from.pointsPerDay.full(now) {
		return tooManyRequests()
	}
	from.pointsPerMinute.add(now, cost)
	from.pointsPerDay.add(now, cost)
	return nil
}

func (s *Server) mayChallenge(ch *challenge) error {
	from, to := ch.from, ch.to
	switch {
	case to.blocks(from):
		return badRequest("You cannot challenge %s.", to.Name)
	case to.NoChallenges:
		return badRequest("%s does not accept challenges.", to.Name)
	case (to.isBot() || from.isBot()) && !ch.speed().BotPlayable():
		return badRequest("Bots cannot play UltraBullet. Choose a slower time control.")
	case ch.tc.RealTime() && len(from.running) >= maxPlaying:
		return badRequest("You have %d games in progress: finish some before you challenge anybody.", maxPlaying)
	}
	return s.botLimit(from, to)
}

// botLimit refuses a game between two bots of which one has played as many
// today as it may. me is the one who asks.
func (s *Server) botLimit(me, other *account) error {
	if !me.isBot() || !other.isBot() {
		return nil
	}
	now := s.now()
	if me.botGames.full(now) {
		return botLimited(http.StatusTooManyRequests, me.botGames.left(now),
			"You played %d games against other bots today, please wait before challenging another bot.", me.botGames.used)
	}
	if other.botGames.full(now) {
		return botLimited(http.StatusBadRequest, other.botGames.left(now),
			"%s played %d games against other bots today, please wait before challenging them.", other.Name, other.botGames.used)
	}
	return nil
}

// announce makes a challenge known to both sides.
func (s *Server) announce(ch *challenge) {
	s.challenges[ch.id] = ch
	s.pending = append(s.pending, ch)
	ch.expiry = s.after(challengeLife, func() {
		s.settle(ch)
		s.forgetChallenge(ch)
	})
	if ch.keep == nil {
		s.leaveChallenge(ch)
	}
	speed := ch.speed()
	event := lichess.ChallengeEvent{
		Challenge: s.challengeView(ch, ""),
		Compat:    &lichess.Compat{Bot: speed.BotPlayable(), Board: boardPlayable(speed)},
	}
	ch.to.notify(event)
	ch.from.notify(event)
}

// leaveChallenge starts the wait after which a real-time challenge is offline,
// since its maker is not there. No event tells of it.
func (s *Server) leaveChallenge(ch *challenge) {
	if !ch.active() || !ch.tc.RealTime() {
		return
	}
	s.cancel(ch.away)
	ch.away = s.after(s.opts.ChallengeOffline, func() { ch.status = lichess.ChallengeOffline })
}

// settle stops what waits for an answer to the challenge, and keeps it for a
// while to be shown.
func (s *Server) settle(ch *challenge) {
	s.cancel(ch.away)
	s.cancel(ch.expiry)
	s.pending = slices.DeleteFunc(s.pending, func(p *challenge) bool { return p == ch })
	if ch.keep != nil {
		ch.keep.push(struct {
			Done lichess.ChallengeStatus `json:"done"`
		}{ch.status})
		ch.keep.close()
		ch.keep = nil
	}
	s.settled = append(s.settled, ch)
	ch.expiry = s.after(settledLife, func() { s.forgetChallenge(ch) })
	if len(s.settled) > maxSettled {
		s.forgetChallenge(s.settled[0])
	}
}

// forgetChallenge removes all traces of a settled challenge.
func (s *Server) forgetChallenge(ch *challenge) {
	s.cancel(ch.expiry)
	delete(s.challenges, ch.id)
	s.settled = slices.DeleteFunc(s.settled, func(o *challenge) bool { return o == ch })
}

func (s *Server) accept(ch *challenge, me *account) error {
	if !ch.speed().BotPlayable() && me.isBot() {
		return badRequest("Game incompatible with a BOT account")
	}
	if err := s.botLimit(me, ch.from); err != nil {
		return err
	}
	white, black := ch.from, ch.to
	if ch.color == lichess.ColorBlack {
		white, black = black, white
	}
	g, err := s.makeGame(ch.id, white, black, gameRules{
		variant: ch.variant, fen: ch.setup.FEN, rated: ch.setup.Rated, rules: ch.setup.Rules,
		hasClock: ch.tc.RealTime(), days: ch.tc.DaysPerTurn,
		limit:     time.Duration(ch.tc.Limit) * time.Second,
		increment: time.Duration(ch.tc.Increment) * time.Second,
	})
	if err != nil {
		return err
	}
	ch.status = lichess.ChallengeAccepted
	s.settle(ch)
	s.startGame(g)
	return nil
}

func (s *Server) decline(ch *challenge, reason lichess.DeclineReason) {
	ch.status, ch.reason = lichess.ChallengeDeclined, reason
	s.settle(ch)
	event := lichess.ChallengeDeclinedEvent{Challenge: s.challengeView(ch, "")}
	ch.from.notify(event)
	ch.to.notify(event)
}

func (s *Server) withdraw(ch *challenge) {
	ch.status = lichess.ChallengeCanceled
	s.settle(ch)
	event := lichess.ChallengeCanceledEvent{Challenge: s.challengeView(ch, "")}
	ch.from.notify(event)
	ch.to.notify(event)
}

// pendingFor lists the challenges that wait for an answer, oldest first: those
// to the account, or those by it.
func (s *Server) pendingFor(a *account, incoming bool) (list []*challenge) {
	for _, ch := range s.pending {
		if incoming && ch.to == a || !incoming && ch.from == a {
			list = append(list, ch)
		}
	}
	return list
}
