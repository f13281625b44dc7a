package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"castellan/bot"
	"castellan/bot/watch"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// eveningJudge sees every request of the daemon and its guests arrive at the server, the answers, and what the daemon is told of
// challenges, and holds the daemon to the rules that docs/manners.md and docs/opponents.md give for its settings. Of the daemon it
// knows nothing but those settings and the scores that it publishes; what a position is worth it also looks up for itself.
type eveningJudge struct {
	server *sandbox.Server
	opts   *bot.Options
	mind   *engine.Engine
	tally  *eveningTally

	mu         sync.Mutex
	challenges map[string]*judgedChallenge
	games      map[string]*judgedGame
	order      []*judgedGame
	own        *judgedChallenge // the daemon's, that waits for an answer
	owns       []*judgedChallenge
	taken      []occupancy
	drainAt    time.Time
	speech     map[string]*bucket // by room and account
	streams    map[string]int     // open streams by game
	doubled    map[string]time.Time
}

// eveningCall is a request. It was on its way from sent to at.
type eveningCall struct {
	sent, at          time.Time
	who, method, path string // user id
	form              url.Values
	game, what        string        // of a request in a game: its id and what is asked for
	before            *sandbox.Game // how the game stood, where that matters
}

// judgedChallenge is a challenge to the daemon or of its own.
type judgedChallenge struct {
	lichess.Challenge
	seen     time.Time // told to the daemon, or made by it
	settled  time.Time // when it was answered or withdrawn; zero before
	accepted bool
	reason   lichess.DeclineReason // with which it was declined, "" else
	ignored  bool                  // it was withdrawn
	rematch  bool
}

func (c *judgedChallenge) opponent() string {
	if u := c.Challenger; u != nil && u.Name != eveningDaemon {
		return u.ID
	}
	if c.DestUser != nil {
		return c.DestUser.ID
	}
	return ""
}

func (c *judgedChallenge) mine() bool {
	return c.Challenger != nil && c.Challenger.Name == eveningDaemon
}
func (c *judgedChallenge) isBot() bool { return isBotName(c.opponent()) }
func (c *judgedChallenge) timed() bool { return c.TimeControl.RealTime() }

func isBotName(id string) bool { return strings.HasPrefix(id, "bot") }

// judgedGame is a game of the daemon's.
type judgedGame struct {
	id           string
	challenge    *judgedChallenge
	begun, ended time.Time
	white        bool // the daemon
	final        sandbox.Game
	thoughts     []watch.Thought // on the moves of the game as it stands
	offeredAt    int             // ply of the daemon's last draw offer, -1 for none
	offer        time.Time       // the guest's last draw offer …
	guestMoved   time.Time       // … and move
	takebacks    int
	rewound      time.Time // when moves were taken back last
	proposal     time.Time // the daemon's own proposal to take back, zero for none
	moved        time.Time // the daemon's last move
	claims       int
	greetings    int
	farewells    int
	onlookers    int // questions in the chat of others than the opponent
}

func (g *judgedGame) running() bool { return g.ended.IsZero() }

// occupancy is what was played, agreed on and asked for from a moment on.
type occupancy struct {
	at                time.Time
	timed, bots, days int
	own               int // of the timed ones: the daemon's challenge
}

func (o occupancy) String() string {
	return fmt.Sprintf("%s: %d, %d by bots, %d without a clock", o.at.Format("15:04:05.000"), o.timed, o.bots, o.days)
}

func newEveningJudge(server *sandbox.Server, opts *bot.Options, number uint64) *eveningJudge {
	mind, err := engine.New(engine.Options{HashMB: 4, Threads: 1, Nodes: 10000, MoveOverhead: -1})
	if err != nil {
		panic(err)
	}
	return &eveningJudge{
		server: server, opts: opts, mind: mind, tally: newEveningTally(number),
		challenges: map[string]*judgedChallenge{}, games: map[string]*judgedGame{}, speech: map[string]*bucket{},
		streams: map[string]int{}, doubled: map[string]time.Time{}, taken: []occupancy{{at: time.Now()}},
	}
}

// breach notes that a rule was broken. It may be called with or without anything held, but for the tally's own mutex.
func (j *eveningJudge) breach(r eveningRule, format string, args ...any) {
	j.tally.breach(r, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// holds counts a test of a rule and notes its breach unless the condition holds.
func (j *eveningJudge) holds(r eveningRule, condition bool, format string, args ...any) {
	j.tally.tested(r)
	if !condition {
		j.breach(r, format, args...)
	}
}

func (j *eveningJudge) begun() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.order)
}

func (j *eveningJudge) running() (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, g := range j.order {
		if g.running() {
			n++
		}
	}
	return n
}

func (j *eveningJudge) draining() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.drainAt = time.Now()
}

func (j *eveningJudge) offeredRematch() { j.tally.count("rematches", "offered to the bot") }

// watch takes what the daemon publishes: its thoughts.
func (j *eveningJudge) watch(e watch.Event) {
	d, ok := e.(*watch.Decided)
	if !ok {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if g := j.games[d.Game]; g != nil {
		for n := len(g.thoughts); n > 0 && g.thoughts[n-1].Ply >= d.Ply; n-- {
			g.thoughts = g.thoughts[:n-1]
		}
		g.thoughts = append(g.thoughts, *d.Thought)
	}
}

// told takes an event that goes to the daemon.
func (j *eveningJudge) told(e lichess.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e := e.(type) {
	case *lichess.ChallengeEvent:
		c := &judgedChallenge{Challenge: e.Challenge, seen: time.Now(), rematch: e.Challenge.RematchOf != ""}
		if j.challenges[c.ID] == nil && !c.mine() {
			j.challenges[c.ID] = c
		}
	case *lichess.ChallengeCanceledEvent:
		if c := j.challenges[e.Challenge.ID]; c != nil && c.settled.IsZero() {
			c.settled, c.ignored = time.Now(), true
		}
	case *lichess.Unknown:
		if e.Err != nil {
			j.breach(ruleNothingOrphaned, "an event that nobody can read: %v", e.Err)
		}
	}
}

// arrived takes a request before the server does.
func (j *eveningJudge) arrived(c *eveningCall) {
	parts := strings.Split(strings.Trim(c.path, "/"), "/")
	if len(parts) >= 5 && parts[2] == "game" {
		c.game, c.what = parts[3], strings.Join(parts[4:], "/")
		if parts[3] == "stream" {
			c.game, c.what = parts[4], "stream"
		}
	}
	if c.what != "" && !strings.HasPrefix(c.what, "move/") && c.what != "stream" || c.form.Get("offeringDraw") == "true" {
		j.look(c)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	g := j.games[c.game]
	if c.who != "castellan" {
		j.guestAsks(c, g)
		return
	}
	j.tally.tested(ruleNoLimitEarned)
	switch {
	case c.what == "stream":
		if j.streams[c.game]++; j.streams[c.game] == 2 {
			j.doubled[c.game] = time.Now()
		}
		j.tally.tested(ruleOnePlayer)
	case g != nil && c.method == http.MethodPost:
		j.daemonAsks(c, g)
	case c.method == http.MethodPost && len(parts) == 4 && parts[1] == "challenge":
		j.answers(c, parts[2], parts[3])
	case c.method == http.MethodPost && len(parts) == 3 && parts[1] == "challenge":
		j.asks(c, parts[2])
	}
}

// look takes note of how the game of a request stands.
func (j *eveningJudge) look(c *eveningCall) {
	if g, ok := j.server.Game(c.game); ok {
		c.before = &g
	}
}

// answered takes the answer to a request.
func (j *eveningJudge) answered(c *eveningCall, code int, body []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c.who == "castellan" && code == http.StatusTooManyRequests {
		j.breach(ruleNoLimitEarned, "429 to %s %s: %s", c.method, c.path, body)
	}
	if c.who == "castellan" && c.what == "stream" {
		if j.streams[c.game]--; j.streams[c.game] == 1 {
			j.holds(ruleOnePlayer, time.Since(j.doubled[c.game]) < 2*time.Second, "game %s had two streams of the daemon's", c.game)
		}
		return
	}
	if c.method != http.MethodPost {
		return
	}
	parts := strings.Split(strings.Trim(c.path, "/"), "/")
	switch g := j.games[c.game]; {
	case g != nil && c.who == "castellan":
		j.daemonAnswered(c, g, code)
	case g != nil:
		j.guestAnswered(c, g, code)
	case len(parts) == 4 && parts[1] == "challenge" && parts[3] == "accept" && code == http.StatusOK:
		j.begin(parts[2])
	case len(parts) == 4 && parts[1] == "challenge" && code == http.StatusOK && j.challenges[parts[2]] != nil:
		ch := j.challenges[parts[2]]
		if ch.mine() && ch.settled.IsZero() {
			ch.settled = time.Now()
			if ch.ignored = parts[3] == "cancel"; !ch.ignored {
				ch.reason = lichess.ParseDeclineReason(c.form.Get("reason"))
			}
			outcome := "declined: " + string(ch.reason)
			if ch.ignored {
				outcome = "withdrawn"
			}
			j.tally.count(ch.kindOfOwn(), outcome)
			j.own = nil
			j.occupy()
		}
	case len(parts) == 3 && parts[1] == "challenge" && c.who == "castellan":
		j.asked(c, parts[2], code, body)
	}
}

// begin takes the beginning of a game by the acceptance of its challenge.
func (j *eveningJudge) begin(id string) {
	ch := j.challenges[id]
	if ch == nil {
		return // of guests among themselves: there are none
	}
	ch.accepted = true
	if ch.settled.IsZero() {
		ch.settled = time.Now()
	}
	if j.own == ch {
		j.own = nil
		j.tally.count(ch.kindOfOwn(), "accepted")
	}
	g := &judgedGame{id: id, challenge: ch, begun: time.Now(), offeredAt: -1}
	j.games[id] = g
	j.order = append(j.order, g)
	j.occupy()
	now := j.taken[len(j.taken)-1]
	if ch.timed() {
		j.holds(rulePlaces, now.timed <= j.opts.MaxGames, "%d games and challenges for %d places with game %s", now.timed, j.opts.MaxGames, id)
		if ch.isBot() {
			most := j.opts.MaxGames - j.opts.Accept.HumanPlaces
			j.holds(rulePlacesForPeople, now.bots <= most, "%d places taken by bots, %d are kept for people: game %s", now.bots, j.opts.Accept.HumanPlaces, id)
		}
	} else {
		j.holds(rulePlaces, now.days <= j.opts.MaxCorrespondence, "%d games without a clock, %d allowed, with game %s", now.days, j.opts.MaxCorrespondence, id)
	}
	go j.await(g)
}

// await waits for the end of a game.
func (j *eveningJudge) await(g *judgedGame) {
	final, err := j.server.WaitGame(context.Background(), g.id)
	if err != nil {
		return // close tells
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	g.ended, g.final, g.white = time.Now(), final, final.White == eveningDaemon
	j.occupy()
	j.over(g)
}

// occupy notes what is played and asked for now.
func (j *eveningJudge) occupy() {
	now := occupancy{at: time.Now()}
	add := func(c *judgedChallenge) {
		switch {
		case !c.timed():
			now.days++
		case c.isBot():
			now.bots++
			fallthrough
		default:
			now.timed++
		}
	}
	for _, g := range j.order {
		if g.running() {
			add(g.challenge)
		}
	}
	if j.own != nil {
		add(j.own)
		now.own = 1
	}
	j.taken = append(j.taken, now)
}

// close ends the evening and says what came of it.
func (j *eveningJudge) close() *eveningTally {
	j.mind.Close()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range j.challenges {
		if !c.mine() {
			j.holds(ruleAnswered, !c.settled.IsZero(), "challenge %s of %s was never answered", c.ID, c.opponent())
		}
	}
	for _, g := range j.order {
		j.holds(ruleNothingOrphaned, !g.running(), "game %s against %s goes on", g.id, g.challenge.opponent())
	}
	return j.tally
}

// bucket is an allowance that grows back.
type bucket struct {
	left float64
	at   time.Time
}

// take takes one and tells whether it was there.
func (b *bucket) take(now time.Time, most float64, each time.Duration) bool {
	if b.at.IsZero() {
		b.left = most
	}
	b.left = min(most, b.left+now.Sub(b.at).Seconds()/each.Seconds())
	b.at = now
	b.left--
	return b.left >= 0
}

// asked takes the answer to a challenge of the daemon's.
func (j *eveningJudge) asked(c *eveningCall, name string, code int, body []byte) {
	var made lichess.Challenge
	if code != http.StatusOK || json.Unmarshal(body, &made) != nil || made.ID == "" {
		return
	}
	ch := &judgedChallenge{Challenge: made, seen: time.Now()}
	ch.rematch = j.rematchOf(ch.opponent(), c.sent) != nil
	j.challenges[ch.ID] = ch
	j.own = ch
	j.owns = append(j.owns, ch)
	j.occupy()
	now := j.taken[len(j.taken)-1]
	j.holds(rulePlaces, now.timed <= j.opts.MaxGames, "%d games and challenges for %d places with the daemon's challenge to %s", now.timed, j.opts.MaxGames, name)
	if ch.isBot() {
		most := j.opts.MaxGames - j.opts.Accept.HumanPlaces
		j.holds(rulePlacesForPeople, now.bots <= most, "%d places taken by bots with the daemon's challenge to %s", now.bots, name)
	}
}

// kindOfOwn is what the report counts a challenge of the daemon's under.
func (c *judgedChallenge) kindOfOwn() string {
	if c.rematch {
		return "rematches asked for by the bot"
	}
	return "challenges of the bot's own"
}
