package bot

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"castellan/bot/opponents"
	"castellan/lichess"
)

// MatchPolicy says when the bot challenges others, and to what. Its zero value challenges nobody.
type MatchPolicy struct {
	Enabled bool
	// Idle is how long nothing must have been played before the bot challenges somebody.
	Idle time.Duration
	// Interval is the least time between two challenges.
	Interval time.Duration
	// Wait is how long a challenge may go without an answer; then it is withdrawn.
	Wait time.Duration
	// Games is how many games with a clock may run, those against people and by others' challenges included, for the bot to
	// want one more.
	Games int
	// GamesPerDay is how many games against bots, whoever wanted them, may have begun within 24 hours for the bot to want one
	// more. ChallengesPerDay bounds its challenges in the same time.
	GamesPerDay      int
	ChallengesPerDay int
	// Wish says whom to challenge, and to what.
	Wish opponents.Wish
}

const (
	// listFor is how long the list of bots that are online is used, and ratingsFor how long the bot's own ratings are.
	listFor    = 10 * time.Minute
	ratingsFor = time.Hour
	// mostBots is how many the server lists.
	mostBots = 512
	// nobodyPause is the time until the bot looks again when there was nobody to challenge.
	nobodyPause = 10 * time.Minute
	// cancelAgain is the pause after a withdrawal that failed, which is tried cancelTries times.
	cancelAgain = 10 * time.Second
	cancelTries = 6
	// refusedFor is how long an account is left alone after the server has refused a challenge to it. When it refuses those to
	// so many in a row as refusedInARow, the fault is likely here: they are not held responsible, and the bot pauses.
	refusedFor    = opponents.Day
	refusedInARow = 3
	refusedPause  = time.Hour
	// failedPause is the pause after a request that got no answer.
	failedPause = 5 * time.Minute
)

// matchmaking is what the loop knows of the bot's own challenges. There is one at a time.
type matchmaking struct {
	active  time.Time // when a game began or ended last
	next    time.Time // no challenge before
	held    time.Time // no rematch is offered before either: the server has had enough
	looking bool      // the bots that are online are being listed, or a challenge is being chosen
	quiet   bool      // it was said that there is nobody to challenge
	out     *outgoing // the challenge that waits for its answer, nil when there is none
	refused []string  // whom the server did not let the bot challenge, in a row
	counted []string  // ids of challenges of this account that the book knows, the newest last

	bots      []lichess.User
	botsAt    time.Time
	ratings   map[string]lichess.Perf
	ratingsAt time.Time
}

// outgoing is a challenge of the bot's own. Its place is taken under its key, which is its id once that is known.
type outgoing struct {
	key       string
	id        string
	opponent  string // user id
	name      string
	terms     opponents.Terms
	rematchOf string        // id of the game before, "" when it is no rematch
	wait      time.Duration // for an answer
	until     time.Time     // when it is withdrawn; zero until it has an id
	unwanted  string        // why it is withdrawn before, "" when it is not
	leaving   bool          // it is being withdrawn
	tries     int           // to withdraw it …
	again     time.Time     // … and when the next is due
}

// unnamed is the key of a challenge without an id; no id has this form.
const unnamed = "challenge to come"

// played takes note that a game began or ended.
func (m *matchmaking) played(now time.Time) { m.active = now }

// seekGame challenges somebody when it is time to.
func (b *Bot) seekGame(ctx context.Context) {
	m, now := &b.match, time.Now()
	if o := m.out; o != nil {
		switch {
		case o.id == "" || o.leaving || now.Before(o.again):
		case o.unwanted != "":
			b.withdraw(ctx, o.unwanted)
		case !now.Before(o.until):
			b.withdraw(ctx, "nobody answered")
		}
		return
	}
	if m.looking || b.draining || !b.opts.Match.Enabled || now.Before(b.seekAt()) || !b.mayWant() {
		return
	}
	switch games, challenges, limit := b.book.BotGames(now), b.book.Challenges(now), b.client.LimitedUntil(lichess.KeyBotVsBotDay); {
	case now.Before(limit):
		m.pause(now, time.Until(limit))
		return
	case games >= b.opts.Match.GamesPerDay:
		b.log.Debug("no challenge: enough games against bots within a day", "games", games)
		m.pause(now, nobodyPause)
		return
	case challenges >= b.opts.Match.ChallengesPerDay:
		b.log.Debug("no challenge: enough challenges within a day", "challenges", challenges)
		m.pause(now, nobodyPause)
		return
	}
	m.looking = true
	b.work.Go(func() {
		err := b.lookAround(ctx)
		b.tell(func() {
			m.looking = false
			if err != nil {
				b.log.Warn("no challenge: the bots that are online could not be listed", "err", err)
				m.pauseAfter(time.Now(), err)
				return
			}
			b.challengeSomebody(ctx)
		})
	})
}

// mayWant tells whether there is a place for a game that the bot would ask for, and nobody who wants it. While the event stream is
// down nobody would tell the bot that its challenge was declined.
func (b *Bot) mayWant() bool {
	return b.hears && len(b.queue) == 0 && b.timed("") < min(b.opts.Match.Games, b.opts.MaxGames) && b.timedBots("") < b.botPlaces()
}

// seekAt is when the bot may challenge somebody next.
func (b *Bot) seekAt() time.Time {
	at := b.match.active.Add(b.opts.Match.Idle)
	if b.match.next.After(at) {
		return b.match.next
	}
	return at
}

func (m *matchmaking) pause(now time.Time, d time.Duration) { m.next = now.Add(d) }

// pauseAfter waits for as long as an error says, and for some time in any case.
func (m *matchmaking) pauseAfter(now time.Time, err error) {
	pause := failedPause
	if limit := (*lichess.LimitError)(nil); errors.As(err, &limit) {
		pause = max(pause, limit.Wait())
	}
	m.pause(now, pause)
}

// lookAround brings the list of bots and the own ratings up to date. It runs beside the loop, one at a time, and hands over what
// it found.
func (b *Bot) lookAround(ctx context.Context) error {
	now := time.Now()
	type known struct{ bots, ratings bool }
	fresh := make(chan known, 1)
	b.tell(func() { fresh <- known{now.Sub(b.match.botsAt) < listFor, now.Sub(b.match.ratingsAt) < ratingsFor} })
	var k known
	select {
	case k = <-fresh:
	case <-b.stopped:
		return context.Canceled
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	if !k.ratings {
		me, err := b.client.Account(ctx)
		if err != nil {
			return err
		}
		b.tell(func() { b.match.ratings, b.match.ratingsAt = me.Perfs, now })
	}
	if !k.bots {
		bots, err := b.client.OnlineBots(ctx, mostBots)
		if err != nil {
			return err
		}
		b.tell(func() { b.match.bots, b.match.botsAt = bots, now })
	}
	return nil
}

// challengeSomebody chooses whom to challenge, and does it. The place of the game is taken before the request.
func (b *Bot) challengeSomebody(ctx context.Context) {
	m, now := &b.match, time.Now()
	if b.draining || m.out != nil || now.Before(b.seekAt()) || !b.mayWant() {
		return // something has come in between
	}
	list := b.names.Load()
	skip := func(id string) bool { return id == b.me || list.block[id] || b.with(id, "") > 0 }
	user, terms, found := b.book.Choose(&b.opts.Match.Wish, m.bots, m.ratings, skip, now, b.random)
	if !found {
		if !m.quiet {
			n := b.book.LeftOut(&b.opts.Match.Wish, m.bots, m.ratings, skip, now)
			b.log.Info("nobody to challenge, looking again now and then", "online", len(m.bots),
				"rating", n.Rated, "declined", n.Alone, "capped", n.Played, "skipped", n.Skipped)
		}
		m.quiet = true
		m.pause(now, nobodyPause)
		return
	}
	m.quiet = false
	o := &outgoing{
		key: unnamed, opponent: lichess.UserID(user.ID), name: lichess.CleanText(user.Username, 40), terms: terms, wait: b.opts.Match.Wait,
	}
	b.log.Info("challenging", "opponent", o.name, "terms", terms.String())
	b.challenge(ctx, o, &seat{timed: true, opponent: o.opponent, bot: true}, user.Username, lichess.ChallengeRequest{
		Rated: terms.Rated, TimeControl: lichess.ClockControl(terms.Clock.Limit, terms.Clock.Increment), Variant: terms.Variant, ToBot: true,
	})
}

// challenge sends a challenge when no other waits for an answer. The place is taken before the request.
func (b *Bot) challenge(ctx context.Context, o *outgoing, place *seat, name string, request lichess.ChallengeRequest) {
	m := &b.match
	m.out = o
	b.reserved[o.key] = place
	b.book.Challenged(time.Now(), request.Points())
	b.work.Go(func() {
		sending, cancel := context.WithTimeout(ctx, answerTimeout)
		defer cancel()
		c, err := b.client.CreateChallenge(sending, name, request)
		b.tell(func() {
			if m.out != o {
				return // it was declined, or has become a game, before its answer came
			}
			if err == nil {
				b.nameOutgoing(c.ID)
				return
			}
			b.onNotChallenged(o, err)
		})
	})
}

// nameOutgoing gives the bot's challenge its id, by the answer to the request or by the event, whichever comes first.
func (b *Bot) nameOutgoing(id string) {
	o := b.match.out
	if o.id != "" {
		return
	}
	b.match.counts(id)
	place := b.reserved[o.key]
	delete(b.reserved, o.key)
	if b.games[id] != nil {
		b.settleOutgoing(b.opts.Match.Interval)
		return
	}
	o.key, o.id, o.until = id, id, time.Now().Add(o.wait)
	b.reserved[id] = place
}

// settleOutgoing forgets the bot's challenge, whatever became of it, and leaves the next for later.
func (b *Bot) settleOutgoing(pause time.Duration) *outgoing {
	o := b.match.out
	b.match.out = nil
	delete(b.reserved, o.key)
	now := time.Now()
	// The day's challenges are to last for the day: what is left of them after half is spread over it.
	if most := b.opts.Match.ChallengesPerDay; most > 0 && 2*b.book.Challenges(now) > most {
		pause = max(pause, opponents.Day/time.Duration(most))
	}
	b.match.pause(now, pause)
	return o
}

// onNotChallenged takes the server's refusal of a challenge.
func (b *Bot) onNotChallenged(o *outgoing, err error) {
	m, now, policy := &b.match, time.Now(), &b.opts.Match
	refusal := (*lichess.APIError)(nil)
	limit := (*lichess.LimitError)(nil)
	log := b.log.With("opponent", o.name, "err", err)
	if !errors.As(err, &refusal) || refusal.Status >= 500 || lichess.IsAuthError(err) {
		if lichess.Uncertain(err) {
			// It may have been made. Then an event told its id, or will; the place is kept for as long as that may take.
			log.Warn("no answer to a challenge; the event stream will tell")
			b.expectOutgoing(o)
			return
		}
		b.settleOutgoing(policy.Interval)
		m.pauseAfter(now, err)
		if errors.As(err, &limit) {
			m.held = limit.Until
			log.Info("no challenges for some time: a limit of the server", "until", limit.Until.Format(time.RFC3339))
		} else {
			log.Warn("challenging failed")
		}
		return
	}
	b.settleOutgoing(policy.Interval)
	if wait, capped := refusal.OpponentLimit(); capped {
		m.refused = nil
		b.book.LeaveAlone(o.opponent, now, wait)
		log.Info("the opponent has played its games of the day", "for", wait.String())
		return
	}
	if m.refused = append(m.refused, o.opponent); len(m.refused) >= refusedInARow {
		log.Error("the server refuses challenges to one opponent after another, pausing", "for", refusedPause.String())
		m.refused = nil
		m.pause(now, refusedPause)
		m.held = now.Add(refusedPause)
		return
	}
	// Held against the opponent for now; for a day once the next one could be challenged.
	b.book.LeaveAlone(o.opponent, now, refusedPause)
	log.Info("the server does not let the bot challenge this account")
}

// expectOutgoing gives up a challenge that nothing is heard of.
func (b *Bot) expectOutgoing(o *outgoing) {
	time.AfterFunc(startWait, func() {
		b.tell(func() {
			if b.match.out == o && o.id == "" {
				b.settleOutgoing(failedPause)
			}
		})
	})
}

// wasMade takes note that the server makes challenges of this bot, so that those that it refused before were the opponents' affair.
func (b *Bot) wasMade() {
	for _, id := range b.match.refused {
		b.book.LeaveAlone(id, time.Now(), refusedFor)
	}
	b.match.refused = nil
}

// onOwnChallenge takes the event that tells of a challenge that the bot, or somebody else with its account, has made. The server counts
// all of them together.
func (b *Bot) onOwnChallenge(c *lichess.Challenge) {
	if o := b.match.out; o != nil && o.id == "" && challengerID(c.DestUser) == o.opponent {
		b.nameOutgoing(c.ID)
		b.wasMade()
	}
	if b.match.counts(c.ID) {
		use := lichess.ChallengeUse{At: time.Now(), Points: lichess.ChallengePoints(c.DestUser.IsBot())}
		b.book.Challenged(use.At, use.Points)
		b.client.Recall(nil, []lichess.ChallengeUse{use})
		b.log.Info("a challenge was made with the account", "challenge", c.ID, "points", use.Points)
	}
}

// mostCounted bounds the challenges that are remembered as counted: more cannot stand.
const mostCounted = 1000

// counts tells whether a challenge is one to count: the event of one that stands is repeated with each new event stream.
func (m *matchmaking) counts(id string) bool {
	if slices.Contains(m.counted, id) {
		return false
	}
	if m.counted = append(m.counted, id); len(m.counted) > mostCounted {
		m.counted = slices.Delete(m.counted, 0, 1)
	}
	return true
}

// onOutgoingStart takes the beginning of a game and tells whether it is that of the bot's own challenge.
func (b *Bot) onOutgoingStart(id string) bool {
	o := b.match.out
	if o == nil || o.id != id {
		return false
	}
	b.wasMade()
	b.book.Accepted(o.opponent)
	b.settleOutgoing(b.opts.Match.Interval)
	b.log.Info("challenge accepted by the opponent", "challenge", id, "opponent", o.name)
	return true
}

// onOutgoingDeclined takes the event that a challenge was declined.
func (b *Bot) onOutgoingDeclined(c *lichess.Challenge) {
	o := b.match.out
	if o == nil || o.id != c.ID {
		return
	}
	b.wasMade()
	reason := lichess.ParseDeclineReason(c.DeclineReasonKey)
	learned := b.book.Declined(o.opponent, o.terms, reason, time.Now())
	b.settleOutgoing(b.opts.Match.Interval)
	b.log.Info("the opponent declined", "challenge", c.ID, "opponent", o.name, "terms", o.terms.String(), "reason", reason, "learned", "it "+learned,
		"until", b.book.LeftAlone(o.opponent).Format(time.RFC3339))
}

// onOutgoingCanceled takes the event that a challenge was withdrawn, by the bot or on the website.
func (b *Bot) onOutgoingCanceled(id string) {
	if o := b.match.out; o != nil && o.id == id && !o.leaving {
		b.settleOutgoing(b.opts.Match.Interval)
	}
}

// unwant withdraws the bot's challenge, if there is one, as soon as it has an id.
func (b *Bot) unwant(why string) {
	if o := b.match.out; o != nil && o.unwanted == "" {
		o.unwanted = why
	}
}

// withdraw takes the bot's challenge back. Its place is free when the server has said so: the opponent may accept in this very
// moment.
func (b *Bot) withdraw(ctx context.Context, why string) {
	o := b.match.out
	o.leaving = true
	unanswered := !time.Now().Before(o.until)
	b.log.Info("withdrawing the challenge", "challenge", o.id, "opponent", o.name, "why", why)
	b.work.Go(func() {
		sending, cancel := context.WithTimeout(ctx, answerTimeout)
		defer cancel()
		err := b.client.CancelChallenge(sending, o.id)
		b.tell(func() {
			if b.match.out != o {
				return
			}
			o.tries++
			if err != nil && !errors.Is(err, lichess.ErrNotFound) && o.tries < cancelTries {
				b.log.Warn("withdrawing the challenge failed, trying again", "in", cancelAgain.String(), "err", err)
				o.leaving, o.again = false, time.Now().Add(cancelAgain)
				return
			}
			b.lookAgain() // it may have become a game
			if unanswered {
				b.book.Unanswered(o.opponent, time.Now())
			}
			b.wasMade()
			b.settleOutgoing(b.opts.Match.Interval)
		})
	})
}

// makeWay withdraws the bot's challenge when a person wants the place that it takes. It tells whether one is withdrawn.
func (b *Bot) makeWay(c *lichess.Challenge) bool {
	o := b.match.out
	if o == nil || c.Challenger.IsBot() && o.unwanted == "" {
		return false
	}
	b.unwant("a person wants the place")
	return true
}

// newRandom is for choices that nobody should foresee.
func newRandom() *rand.Rand { return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) }
