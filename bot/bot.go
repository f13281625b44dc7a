package bot

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"castellan/bot/opponents"
	"castellan/bot/watch"
	"castellan/engine"
	"castellan/lichess"
)

const (
	// mostGames bounds the games that are seated or known to be out of reach. More than an account can have: something else than
	// the server speaks then.
	mostGames = 1000
	// mostDeclining bounds the challenges that are being declined at once, one by one as the server wants it.
	mostDeclining = 256
	// startWait is how long a slot is kept for a game that was agreed on and has not begun.
	startWait = time.Minute
	// answerTimeout bounds accepting and declining a challenge.
	answerTimeout = 20 * time.Second
)

// Bot plays for one account. Make it with New and start it with Run, once.
type Bot struct {
	client *lichess.Client
	mind   engine.Mind
	opts   Options
	log    *slog.Logger

	inbox    chan func()   // what other goroutines have for the loop
	stopped  chan struct{} // closed when the loop has ended and takes nothing any more
	drain    chan struct{} // closed by Drain
	drainNow sync.Once
	lookNow  chan struct{}  // has something when the games are to be listed soon
	listed   chan struct{}  // closed when the games that run at the start are known
	work     sync.WaitGroup // games and requests
	overhead overhead       // of a move, measured by all games
	speech   speech         // of all games

	names atomic.Pointer[names] // who may challenge

	// Owned by the loop.
	me         string // user id
	games      map[string]*seat
	reserved   map[string]*seat // by challenge id: agreed on or about to be, and not begun
	toldQueue  []*waiting       // as it was published last …
	toldOwn    *outgoing        // … and so the bot's own challenge
	queue      []*waiting       // challenges for which there is no place yet, in the order in which they get one
	book       *opponents.Book  // what is known of opponents
	match      matchmaking      // the bot's own challenges
	rows       map[string]int   // games in a row by opponent
	random     *rand.Rand
	since      time.Time             // when the bot was made
	saveAt     time.Time             // the book is not written to its file before
	saving     bool                  // it is being written
	unplayable map[string]unplayable // games that are not played, and why
	hears      bool                  // the event stream is open
	heard      int                   // lines of the event stream since it was opened or the bot wanted a look for their number
	strange    map[string]bool       // types of events that are not known and have come
	arenas     map[string]*attendance
	left       map[string]time.Time // when games were left that were over, lately
	draining   bool
	declining  int // challenges, at this moment
}

// unplayable is why a game is not played though it runs.
type unplayable uint8

const (
	byItsTerms unplayable = iota // they are told with it, and may have been damaged on the way
	refused                      // the server does not let the bot play it
	givenUp                      // it could be played before
)

// A seat is a game that the bot plays or has agreed to play.
type seat struct {
	timed    bool          // played by a clock: takes one of MaxGames
	opponent string        // user id, "" for nobody
	arena    string        // id of the arena that it belongs to, "" for none
	bot      bool          // the opponent is known to be one
	inRow    int           // games with the opponent in a row, this one counted in
	finished chan struct{} // closed when the event stream says that the game is over; nil when not begun
	resync   func()        // makes the game ask anew how it stands; nil when not begun
	wake     func()        // makes the game do so if it rests; nil when not begun
	missed   int           // how often the server did not list the game
}

// New returns a bot that plays through the client and thinks with the mind. Both stay the caller's to close, after Run has returned.
func New(client *lichess.Client, mind engine.Mind, opts Options) *Bot {
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	b := &Bot{
		client: client, mind: mind, opts: opts, log: log,
		inbox: make(chan func()), stopped: make(chan struct{}), drain: make(chan struct{}),
		lookNow: make(chan struct{}, 1), listed: make(chan struct{}),
		games: map[string]*seat{}, reserved: map[string]*seat{}, unplayable: map[string]unplayable{}, left: map[string]time.Time{}, arenas: map[string]*attendance{},
		strange: map[string]bool{},
		book:    opts.Opponents, random: newRandom(),
	}
	if b.book == nil {
		b.book = opponents.New()
	}
	now := time.Now()
	b.match.active, b.since = now, now
	client.Recall(b.book.Used(now))
	b.SetNames(opts.Accept.Allow, opts.Accept.Block)
	return b
}

// Drain makes the bot take no more games and makes Run return when those with a clock have ended. It may be called at any
// time, more than once, and from any goroutine.
func (b *Bot) Drain() { b.drainNow.Do(func() { close(b.drain) }) }

// Run signs in and plays until ctx is cancelled or, after Drain, until the last game with a clock has ended; both are
// success. Games that run when ctx is cancelled go on: the next Run finds them. The error is a *FatalError when no further
// try could help.
func (b *Bot) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer b.closeBook()
	defer b.work.Wait()
	defer close(b.stopped)
	defer cancel()

	me, tested, err := b.signIn(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	b.me = me
	b.log.Info("online", "account", b.client.Username(), "url", b.client.URL())
	b.noteOnline()

	events := make(chan lichess.Event)
	ends := make(chan error, 3) // why the bot cannot go on
	b.work.Go(func() { ends <- b.listen(ctx, events) })
	b.work.Go(func() { ends <- b.watchToken(ctx, tested) })
	if tested {
		b.work.Go(func() {
			if err := b.untilClear(ctx, b.checkAccount); err != nil {
				ends <- err
				return
			}
			b.noteOnline() // by its name now, not by its id
		})
	}
	b.work.Go(func() { b.lookOut(ctx) })
	for _, arena := range b.opts.Arenas {
		b.attendArena(ctx, arena)
	}
	drain := b.drain
	alarm := time.NewTimer(0)
	defer alarm.Stop()
	for {
		select {
		case <-alarm.C:
		case <-ctx.Done():
			b.log.Info("leaving", "games", len(b.games))
			return nil
		case <-drain:
			drain, b.draining = nil, true
			b.unwant("the bot is about to stop")
			b.leaveArenas()
			b.log.Info("taking no more games", "playing", b.timed(""))
			b.opts.publish(&watch.Draining{})
		case event := <-events:
			b.onEvent(ctx, event)
		case f := <-b.inbox:
			f()
		case err := <-ends:
			if ctx.Err() != nil {
				continue
			}
			return err
		}
		if b.draining && !b.atBoard() {
			b.log.Info("all games have ended")
			return nil
		}
		b.serveQueue(ctx)
		b.seekGame(ctx)
		b.keepBook()
		b.noteQueue()
		b.noteOwn()
		alarm.Reset(b.untilAlarm())
	}
}

// listen hands the events to the loop. It returns when the bot cannot go on, or ctx ends.
func (b *Bot) listen(ctx context.Context, events chan<- lichess.Event) error {
	for {
		err := forward(ctx, b.client.EventStream(ctx), events)
		if ctx.Err() != nil || !lichess.IsAuthError(err) {
			return fatal(err, b.client.URL())
		}
		if err := b.untilClear(ctx, b.checkToken); err != nil {
			return err
		}
		b.log.Warn("the event stream was refused and the token is good, trying again", "in", testAgain.String(), "err", err)
		if err := sleep(ctx, testAgain); err != nil {
			return err
		}
	}
}

// forward sends what a stream yields to a channel until the stream ends, and returns why it did.
func forward[T any](ctx context.Context, stream func(func(T, error) bool), to chan<- T) (end error) {
	for event, err := range stream {
		if err != nil {
			return err
		}
		select {
		case to <- event:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// tell hands a function to the loop, unless the loop has ended.
func (b *Bot) tell(f func()) {
	select {
	case b.inbox <- f:
	case <-b.stopped:
	}
}

// untilAlarm is the time until the loop has something to do by itself.
func (b *Bot) untilAlarm() time.Duration {
	now := time.Now()
	next := now.Add(time.Hour)
	at := func(t time.Time) {
		if t.Before(next) {
			next = t
		}
	}
	for _, w := range b.queue {
		at(w.until)
	}
	switch o := b.match.out; {
	case o != nil && o.id != "" && !o.leaving && o.again.After(now):
		at(o.again)
	case o != nil && o.id != "" && !o.leaving:
		at(o.until)
	case o == nil && b.opts.Match.Enabled && !b.match.looking && !b.draining && b.mayWant():
		at(b.seekAt())
	}
	if b.opts.StateDir != "" && !b.saving && b.saveAt.After(now) {
		at(b.saveAt)
	}
	return max(next.Sub(now), 0)
}

func (b *Bot) onEvent(ctx context.Context, event lichess.Event) {
	if b.heard++; b.heard >= hiddenBy {
		b.heard = 0
		b.lookAgain() // so many lines may have pushed out one that told of a game
	}
	switch e := event.(type) {
	case *lichess.GameStart:
		b.onGameStart(ctx, &e.Game)
	case *lichess.GameFinish:
		if s := b.games[e.Game.GameID]; s != nil && s.finished != nil {
			close(s.finished)
			s.finished = nil
			b.book.Ended(s.opponent, time.Now())
			b.match.played(time.Now())
		}
		delete(b.reserved, e.Game.GameID)
		delete(b.unplayable, e.Game.GameID)
		b.noteRating(&e.Game)
	case *lichess.ChallengeEvent:
		b.onChallenge(ctx, &e.Challenge)
	case *lichess.ChallengeCanceledEvent:
		b.log.Info("challenge withdrawn", "challenge", e.Challenge.ID)
		b.onOutgoingCanceled(e.Challenge.ID)
		b.leaveQueue(e.Challenge.ID)
		if o := b.match.out; o == nil || o.id != e.Challenge.ID {
			delete(b.reserved, e.Challenge.ID)
		}
	case *lichess.ChallengeDeclinedEvent:
		// Ours that somebody declined, or the echo of our own answer, which has been told.
		b.log.Debug("challenge declined", "challenge", e.Challenge.ID, "reason", e.Challenge.DeclineReason)
		b.onOutgoingDeclined(&e.Challenge)
	case *lichess.Connected:
		b.hears = true
		b.heard = 0 // all games that run are told after this, and none of those lines gets lost
		b.opts.publish(&watch.Stream{})
	case *lichess.Disconnected:
		b.hears = false
		b.opts.publish(&watch.Stream{Err: e.Err})
	case *lichess.Unknown:
		b.log.Debug("event skipped", "type", e.Type, "err", e.Err)
		// It may have told of a game. A type that comes again is a new kind of event.
		if e.Err != nil || !b.strange[e.Type] {
			b.lookAgain()
		}
		if e.Err == nil && len(b.strange) < mostStrange {
			b.strange[e.Type] = true
		}
	}
}

// onGameStart seats a player at a game, once: the server repeats the event for every running game whenever the event stream
// is opened.
func (b *Bot) onGameStart(ctx context.Context, info *lichess.GameInfo) {
	id := info.GameID
	agreed := b.reserved[id]
	b.onOutgoingStart(id)
	delete(b.reserved, id)
	b.leaveQueue(id)
	if _, given := b.unplayable[id]; given || b.games[id] != nil {
		b.wakeGame(info)
		return
	}
	if len(b.games)+len(b.unplayable) >= mostGames {
		b.log.Error("no account has so many games at once: this one is left alone", "game", id, "games", len(b.games))
		return
	}
	if !playableBy(info) {
		b.unplayable[id] = byItsTerms
		b.lookAgain()
		b.log.Error("this game cannot be played by the bot; abort it on the website", "game", id, "variant", info.Variant.Key)
		return
	}
	b.seat(ctx, info, agreed)
}

// seat seats a player at a game that has none. agreed is the place that was kept for it, nil for none.
func (b *Bot) seat(ctx context.Context, info *lichess.GameInfo, agreed *seat) {
	id := info.GameID
	finished := make(chan struct{})
	g := newGame(id, b, finished)
	g.played = b.unplayable[id] == givenUp
	delete(b.unplayable, id)
	s := &seat{
		timed: info.Speed != lichess.SpeedCorrespondence, finished: finished,
		opponent: lichess.UserID(info.Opponent.ID), arena: info.TournamentID,
		resync: func() { g.tell(func() { g.openStream(ctx) }) },
		wake:   func() { g.tell(func() { g.wake(ctx) }) },
	}
	if s.arena != "" {
		b.onArenaGame(ctx, s.arena)
	}
	done, known := b.book.Doings(s.opponent, id)
	g.offers.granted, g.offers.madeAt, g.greeted, g.known = done.Takebacks, done.OfferedAt, done.Greeted, known
	g.did = func(d opponents.Doings) {
		b.tell(func() {
			b.book.Did(s.opponent, id, d)
			b.saveAt = time.Time{} // a restart that comes soon is to know
		})
	}
	s.bot = agreed != nil && agreed.bot || b.book.IsBot(s.opponent)
	s.inRow = b.nextInRow(s.opponent)
	b.games[id] = s
	b.book.Began(s.opponent, id, s.bot, time.Now())
	if s.timed {
		b.match.played(time.Now())
	}
	// The event that a game has begun does not tell whether the opponent is a bot, the game itself does.
	g.met = func(bot bool) {
		b.tell(func() {
			s.bot = bot
			b.book.Began(s.opponent, id, bot, time.Now())
		})
	}
	b.work.Go(func() {
		unplayable := g.run(ctx)
		again := g.rematch()
		b.tell(func() {
			delete(b.games, id)
			b.afterArenaGame(s.arena)
			if s.finished != nil {
				s.finished = nil
				b.book.Ended(s.opponent, time.Now())
				b.match.played(time.Now())
			}
			switch {
			case unplayable && g.played:
				b.unplayable[id] = givenUp
			case unplayable:
				b.unplayable[id] = refused
			default:
				b.left[id] = time.Now()
			}
			b.offerRematch(ctx, again, s.inRow)
		})
		g.linger(ctx)
	})
}

// playableBy tells whether the bot can play a game by what is told of it.
func playableBy(info *lichess.GameInfo) bool { return info.BotPlayable() && playable(variantOf(info)) }

// variantOf returns the variant of a game; only its id is sure to be sent.
func variantOf(info *lichess.GameInfo) lichess.VariantKey {
	if info.Variant.Key == "" {
		return lichess.VariantStandard
	}
	return info.Variant.Key
}

func (b *Bot) onChallenge(ctx context.Context, c *lichess.Challenge) {
	if c.Challenger != nil && lichess.UserID(c.Challenger.ID) == b.me {
		b.onOwnChallenge(c) // reported back
		return
	}
	if b.reserved[c.ID] != nil || b.games[c.ID] != nil || b.waits(c.ID) {
		return // repeated by a new event stream
	}
	log := b.log.With("challenge", c.ID, "from", challengerName(c), "terms", describe(c))
	if b.meetsOwn(c) {
		b.refuseWith(ctx, c, &refusal{lichess.DeclineLater, "the bot has asked for a rematch itself"}, log)
		return
	}
	if r := b.refuse(c); r != nil {
		b.refuseWith(ctx, c, r, log)
		return
	}
	if noPlace := b.noPlace(c); noPlace != "" {
		room, wait := b.opts.Accept.Queue, b.opts.Accept.QueueWait
		switch {
		case b.playedWith(challengerID(c.Challenger), "") > 0:
			room, wait = max(room, 1), max(wait, crossingWait)
		case b.makeWay(c):
			room, wait = max(room, 1), max(wait, makeWayWait)
		}
		if why := b.enqueue(ctx, c, room, wait, log); why != "" {
			b.refuseWith(ctx, c, &refusal{lichess.DeclineLater, noPlace + ", and " + why}, log)
			return
		}
		log.Info("challenge waits", "why", noPlace, "for", wait.String())
		return
	}
	b.take(ctx, c, log)
}

// take accepts a challenge. The slot is taken before the request, so that answers that cross never add up to more games than
// allowed.
func (b *Bot) take(ctx context.Context, c *lichess.Challenge, log *slog.Logger) {
	b.reserved[c.ID] = &seat{timed: c.TimeControl.RealTime(), opponent: challengerID(c.Challenger), bot: c.Challenger.IsBot()}
	log.Info("challenge accepted")
	b.noteAnswer(c, nil)
	b.work.Go(func() { b.accept(ctx, c.ID, log) })
}

// refuseWith declines a challenge.
func (b *Bot) refuseWith(ctx context.Context, c *lichess.Challenge, r *refusal, log *slog.Logger) {
	log.Info("challenge declined", "reason", r.reason, "why", r.why)
	b.noteAnswer(c, r)
	if b.declining >= mostDeclining {
		log.Warn("too many answers are on their way: this one is left out, and the challenge ends by itself")
		return
	}
	b.declining++
	b.work.Go(func() {
		b.decline(ctx, c.ID, r.reason, log)
		b.tell(func() { b.declining-- })
	})
}

func challengerName(c *lichess.Challenge) string {
	if c.Challenger == nil {
		return "nobody"
	}
	return lichess.CleanText(c.Challenger.Name, 40)
}

func (b *Bot) decline(ctx context.Context, id string, reason lichess.DeclineReason, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if err := b.client.DeclineChallenge(ctx, id, reason); err != nil && !errors.Is(err, lichess.ErrNotFound) {
		log.Warn("declining failed", "err", err)
	}
}

func (b *Bot) accept(ctx context.Context, id string, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	err := b.client.AcceptChallenge(ctx, id)
	switch {
	case err == nil, lichess.Uncertain(err):
		b.lookAgain()
		// The game begins with an event. Should that never come, the slot must not be lost.
		time.AfterFunc(startWait, func() { b.tell(func() { delete(b.reserved, id) }) })
		if err != nil {
			log.Warn("no answer to accepting; the event stream will tell", "err", err)
		}
	default:
		log.Warn("accepting failed", "err", err)
		b.tell(func() { delete(b.reserved, id) })
	}
}
