package bot_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot"
	"castellan/bot/opponents"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// weekDays is the length of the week. The race detector makes it ten times as slow, and wants no more than a day of it.
var weekDays = flag.Int("weekdays", 7, "days that the week of matchmaking lasts")

// TestAWeekOfMatchmaking lets the whole daemon and the whole server run for a week, over HTTP, in a bubble in which time passes as
// fast as all wait: 200 bots with tempers, some of whom challenge too, and people now and then. It restarts the daemon each day.
func TestAWeekOfMatchmaking(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWeek(t)
		defer w.close()
		for day := range *weekDays {
			w.live(day, 24*time.Hour)
		}
		w.judge()
	})
}

// temper says what a bot does with a challenge.
type temper struct {
	name    string
	share   int // of 200
	answers func(c *lichess.Challenge, now time.Time) lichess.DeclineReason
}

const (
	accepts lichess.DeclineReason = "" // plays
	ignores lichess.DeclineReason = "-"
)

func always(r lichess.DeclineReason) func(*lichess.Challenge, time.Time) lichess.DeclineReason {
	return func(*lichess.Challenge, time.Time) lichess.DeclineReason { return r }
}

var tempers = []temper{
	{"plays all", 50, always(accepts)},
	{"no bots", 20, always(lichess.DeclineNoBot)},
	{"never answers", 30, always(ignores)},
	{"wants nothing", 15, always(lichess.DeclineGeneric)},
	{"casual only", 20, func(c *lichess.Challenge, _ time.Time) lichess.DeclineReason {
		if c.Rated {
			return lichess.DeclineCasual
		}
		return accepts
	}},
	{"rated only", 15, func(c *lichess.Challenge, _ time.Time) lichess.DeclineReason {
		if !c.Rated {
			return lichess.DeclineRated
		}
		return accepts
	}},
	{"nothing below 3+2", 15, func(c *lichess.Challenge, _ time.Time) lichess.DeclineReason {
		if c.TimeControl.Limit < 180 {
			return lichess.DeclineTooFast
		}
		return accepts
	}},
	{"standard only", 15, func(c *lichess.Challenge, _ time.Time) lichess.DeclineReason {
		if c.Variant.Key != lichess.VariantStandard {
			return lichess.DeclineStandard
		}
		return accepts
	}},
	{"evenings only", 10, func(_ *lichess.Challenge, now time.Time) lichess.DeclineReason {
		if now.Hour() < 18 {
			return lichess.DeclineLater
		}
		return accepts
	}},
	{"takes no challenges", 6, always(accepts)}, // the server says so
	{"at its limit", 4, always(accepts)},        // plays a hundred games a day elsewhere
}

// week is the world of the test.
type week struct {
	t      *testing.T
	server *sandbox.Server
	pipes  *pipes
	http   *http.Server
	client *http.Client // of the others
	random *rand.Rand
	dir    string // of the daemon's state
	stop   context.CancelFunc
	others sync.WaitGroup
	start  time.Time

	mu       sync.Mutex
	temper   map[string]*temper
	games    []playedGame // of the daemon, as they begin
	playing  map[string]bool
	most     int // games at once
	asked    []*askedFor
	answers  map[lichess.DeclineReason]int
	limited  []string             // 429 to the daemon
	refusals int                  // 400 to it
	people   map[string]time.Time // challenges of people, when they were made
	served   map[string]time.Time // … and when they became games
	declined int                  // of people
	come     chan struct{}        // has something when a person would find all places taken, one of them by the daemon's own challenge
	madeWay  int                  // own challenges for people
}

type playedGame struct {
	id, opponent string
	at           time.Time
	bot          bool
}

type askedFor struct {
	opponent string
	at       time.Time
	terms    string
	reason   lichess.DeclineReason
	declined bool // by that reason, before the daemon withdrew it
}

const weekURL = "http://127.0.0.1"

func newWeek(t *testing.T) *week {
	w := &week{
		t: t, pipes: newPipes(net.Pipe), random: rand.New(rand.NewPCG(1, 2)), dir: t.TempDir(), start: time.Now(),
		temper: map[string]*temper{}, playing: map[string]bool{}, answers: map[lichess.DeclineReason]int{},
		people: map[string]time.Time{}, served: map[string]time.Time{}, come: make(chan struct{}, 1),
	}
	w.server = sandbox.New(sandbox.Options{Seed: 1, KeepAlive: time.Hour, KeepGames: 100})
	w.add(sandbox.Account{Name: "Castellan", Token: "lip_xcastellan", Title: lichess.TitleBot, Rating: 2000})
	n := 0
	for i := range tempers {
		for range tempers[i].share {
			n++
			name := fmt.Sprintf("bot%03d", n)
			w.temper[name] = &tempers[i]
			w.add(sandbox.Account{Name: name, Token: "lip_x" + name, Title: lichess.TitleBot, Rating: 1700 + w.random.IntN(600), NoChallenges: tempers[i].name == "takes no challenges"})
		}
	}
	for i := range 4 {
		w.add(sandbox.Account{Name: fmt.Sprint("person", i), Token: fmt.Sprint("lip_xperson", i)})
	}
	w.http = &http.Server{Handler: http.HandlerFunc(w.serve)}
	w.client = &http.Client{Transport: &http.Transport{DialContext: w.pipes.dial, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute}}
	w.others.Go(func() { w.http.Serve(w.pipes) })
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	for name := range w.temper {
		w.others.Go(func() { w.play(ctx, name) })
	}
	for i := range 3 {
		w.others.Go(func() {
			random := rand.New(rand.NewPCG(9, uint64(i)))
			w.visit(ctx, fmt.Sprint("person", i), func() { wait(ctx, time.Duration(20+random.IntN(60))*time.Minute) })
		})
	}
	w.others.Go(func() {
		w.visit(ctx, "person3", func() {
			wait(ctx, 2*time.Hour)
			select {
			case <-w.come: // of long ago
			default:
			}
			select {
			case <-w.come:
			case <-ctx.Done():
			}
		})
	})
	for i, name := range slices.Sorted(maps.Keys(w.temper)) {
		if i%10 == 0 && w.temper[name].name == "plays all" {
			w.others.Go(func() { w.challengeNowAndThen(ctx, name, rand.New(rand.NewPCG(8, uint64(i)))) })
		}
	}
	w.others.Go(func() { w.tire(ctx) })
	synctest.Wait()
	return w
}

func (w *week) add(a sandbox.Account) {
	if err := w.server.AddAccount(a); err != nil {
		w.t.Fatal(err)
	}
}

// serve answers the daemon and the others, and takes note of the limits that the daemon meets.
func (w *week) serve(rw http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer lip_xcastellan" {
		w.server.ServeHTTP(rw, r)
		return
	}
	status := &statusWriter{ResponseWriter: rw}
	w.server.ServeHTTP(status, r)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch status.code {
	case http.StatusTooManyRequests:
		w.limited = append(w.limited, r.URL.Path)
	case http.StatusBadRequest:
		w.refusals++
	}
}

type statusWriter struct {
	http.ResponseWriter
	code int
}

func (s *statusWriter) WriteHeader(code int)        { s.code = code; s.ResponseWriter.WriteHeader(code) }
func (s *statusWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// call is a request of one of the others.
func (w *week) call(ctx context.Context, name, path string, form url.Values) (int, []byte) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, weekURL+path, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Error(err)
		return 0, nil
	}
	r.Header.Set("Authorization", "Bearer lip_x"+name)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := w.client.Do(r)
	if err != nil {
		return 0, nil
	}
	defer reply.Body.Close()
	body, _ := io.ReadAll(reply.Body)
	return reply.StatusCode, body
}

// listen hands over the events of an account until the context ends.
func (w *week) listen(ctx context.Context, name string, on func(lichess.Event)) {
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, weekURL+"/api/stream/event", nil)
	r.Header.Set("Authorization", "Bearer lip_x"+name)
	reply, err := w.client.Do(r)
	if err != nil {
		return
	}
	defer reply.Body.Close()
	for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			on(lichess.DecodeEvent(line))
		}
	}
}

// play is a bot: it answers by its temper, and gives a game up after some minutes.
func (w *week) play(ctx context.Context, name string) {
	random := rand.New(rand.NewPCG(5, uint64(len(name)*1000+int(name[len(name)-1])+10*int(name[len(name)-2]))))
	var doing sync.WaitGroup
	defer doing.Wait()
	w.listen(ctx, name, func(event lichess.Event) {
		switch e := event.(type) {
		case *lichess.ChallengeEvent:
			c := &e.Challenge
			if lichess.UserID(c.Challenger.ID) != "castellan" {
				return
			}
			answer := w.temper[name].answers(c, time.Now())
			w.mu.Lock()
			asked := &askedFor{opponent: name, at: time.Now(), terms: fmt.Sprint(c.TimeControl, c.Rated, c.Variant.Key), reason: answer}
			w.asked = append(w.asked, asked)
			w.answers[answer]++
			w.mu.Unlock()
			thinks := time.Duration(random.IntN(8000)) * time.Millisecond
			doing.Go(func() {
				if wait(ctx, thinks); ctx.Err() != nil {
					return
				}
				if answer == ignores {
					if w.running() == 1 { // and the challenge has the other place
						select {
						case w.come <- struct{}{}:
						default:
						}
					}
					return
				}
				if answer == accepts {
					w.call(ctx, name, "/api/challenge/"+c.ID+"/accept", nil)
					return
				}
				code, _ := w.call(ctx, name, "/api/challenge/"+c.ID+"/decline", url.Values{"reason": {string(answer)}})
				w.mu.Lock()
				asked.declined = code == http.StatusOK
				w.mu.Unlock()
			})
		case *lichess.GameStart:
			if e.Game.Opponent.ID != "castellan" {
				return
			}
			w.began(ctx, &e.Game, name)
			lasts := time.Duration(2+random.IntN(12)) * time.Minute
			doing.Go(func() { w.giveUp(ctx, "bot", name, e.Game.GameID, lasts) })
		}
	})
}

// running counts the daemon's games.
func (w *week) running() (n int) {
	for _, g := range w.server.Games() {
		if !g.Over() && (g.White == "Castellan" || g.Black == "Castellan") {
			n++
		}
	}
	return n
}

// giveUp makes a first move, if that is to be made, and resigns some time later.
func (w *week) giveUp(ctx context.Context, api, name, id string, lasts time.Duration) {
	path := "/api/" + api + "/game/" + id
	// Who has no stream of the game has left it.
	present, leave := context.WithCancel(ctx)
	defer leave()
	w.others.Go(func() {
		r, _ := http.NewRequestWithContext(present, http.MethodGet, weekURL+"/api/"+api+"/game/stream/"+id, nil)
		r.Header.Set("Authorization", "Bearer lip_x"+name)
		if reply, err := w.client.Do(r); err == nil {
			io.Copy(io.Discard, reply.Body)
			reply.Body.Close()
		}
	})
	for range 6 {
		wait(ctx, 5*time.Second)
		for _, move := range []string{"e2e4", "e7e5", "a2a3", "a7a6"} {
			if code, _ := w.call(ctx, name, path+"/move/"+move, nil); code == http.StatusOK {
				break
			}
		}
	}
	wait(ctx, lasts)
	w.call(ctx, name, path+"/resign", nil)
}

// visit is a person who comes now and then, when next returns, and wants a game.
func (w *week) visit(ctx context.Context, name string, next func()) {
	var doing sync.WaitGroup
	defer doing.Wait()
	doing.Go(func() {
		w.listen(ctx, name, func(event lichess.Event) {
			switch e := event.(type) {
			case *lichess.GameStart:
				w.began(ctx, &e.Game, name)
				w.mu.Lock()
				w.served[e.Game.GameID] = time.Now()
				w.mu.Unlock()
				doing.Go(func() { w.giveUp(ctx, "board", name, e.Game.GameID, 3*time.Minute) })
			case *lichess.ChallengeDeclinedEvent:
				w.mu.Lock()
				w.declined++
				w.mu.Unlock()
			}
		})
	})
	for ctx.Err() == nil {
		if next(); ctx.Err() != nil {
			return
		}
		_, body := w.call(ctx, name, "/api/challenge/Castellan", url.Values{"clock.limit": {"180"}, "clock.increment": {"2"}})
		var c lichess.Challenge
		if json.Unmarshal(body, &c) == nil && c.ID != "" {
			w.mu.Lock()
			w.people[c.ID] = time.Now()
			w.mu.Unlock()
		}
	}
}

// challengeNowAndThen is a bot that challenges the daemon some times a day.
func (w *week) challengeNowAndThen(ctx context.Context, name string, random *rand.Rand) {
	for ctx.Err() == nil {
		wait(ctx, time.Duration(60+random.IntN(240))*time.Minute)
		w.call(ctx, name, "/api/challenge/Castellan", url.Values{"clock.limit": {"180"}, "clock.increment": {"2"}, "rated": {"true"}})
	}
}

// tire lets the bots that are at their limit play each other a hundred times each morning.
func (w *week) tire(ctx context.Context) {
	var tired []string
	for _, name := range slices.Sorted(maps.Keys(w.temper)) {
		if w.temper[name].name == "at its limit" {
			tired = append(tired, name)
		}
	}
	for ; ctx.Err() == nil; wait(ctx, opponents.Day) {
		for i := 0; i < len(tired); i += 2 {
			for range 100 {
				id, err := w.server.StartGame(sandbox.GameSetup{White: tired[i], Black: tired[i+1], Limit: time.Minute})
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					w.t.Error(err)
					return
				}
				w.call(ctx, tired[i], "/api/bot/game/"+id+"/abort", nil)
			}
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// live runs the daemon for a day.
func (w *week) live(day int, long time.Duration) {
	book, err := opponents.Load(w.dir, time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	opts := quick()
	opts.MaxGames, opts.StateDir, opts.Opponents, opts.AbortAfter = 2, w.dir, book, 0
	opts.Accept.Queue, opts.Accept.QueueWait, opts.Accept.PreferHumans, opts.Accept.HumanPlaces = 4, 15*time.Second, true, 0
	opts.Match = bot.MatchPolicy{
		Enabled: true, Idle: 2 * time.Minute, Interval: time.Minute, Wait: time.Minute, Games: 2, GamesPerDay: 80, ChallengesPerDay: 150,
		Wish: opponents.Wish{
			Clocks:   []opponents.Clock{{Limit: 60, Increment: 1}, {Limit: 180, Increment: 2}, {Limit: 300, Increment: 3}},
			Variants: []lichess.VariantKey{lichess.VariantStandard, lichess.VariantChess960}, Rated: true, Casual: true,
			RatingDifference: 250, OpponentGamesPerDay: 3, Prefer: opponents.PreferNear,
		},
	}
	lines := &lockedLines{}
	opts.Log = slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelInfo}))
	client, err := lichess.New(lichess.Options{URL: weekURL, Token: "lip_xcastellan", Dial: w.pipes.dial, KeepLimits: true, IdleTimeout: 3 * time.Hour})
	if err != nil {
		w.t.Fatal(err)
	}
	eng, err := engine.New(engine.Options{HashMB: 1, Threads: 1, Nodes: 50, MoveOverhead: -1})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	daemon := bot.New(client, eng, opts)
	done := make(chan error, 1)
	go func() { done <- daemon.Run(ctx) }()
	wait(ctx, long)
	cancel()
	if err := <-done; err != nil {
		w.t.Errorf("day %d: %v", day+1, err)
	}
	eng.Close()
	client.Close()
	w.madeWay += strings.Count(lines.String(), "a person wants the place")
	if w.t.Failed() || testing.Verbose() {
		w.t.Logf("day %d: %d lines of log, the last:\n%s", day+1, strings.Count(lines.String(), "\n"), lines.end(3))
	}
}

// began takes note of a game of the daemon, and of how many it has now.
func (w *week) began(ctx context.Context, g *lichess.GameInfo, opponent string) {
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, weekURL+"/api/account/playing", nil)
	r.Header.Set("Authorization", "Bearer lip_xcastellan")
	reply, err := w.client.Do(r)
	if err != nil {
		return
	}
	defer reply.Body.Close()
	var running lichess.NowPlaying
	if err := json.NewDecoder(reply.Body).Decode(&running); err != nil {
		w.t.Error(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.most = max(w.most, len(running.NowPlaying))
	if !w.playing[g.GameID] {
		w.playing[g.GameID] = true
		w.games = append(w.games, playedGame{g.GameID, opponent, time.Now(), w.temper[opponent] != nil})
	}
}

func (w *week) close() {
	w.stop()
	w.server.Close()
	w.http.Close()
	w.client.CloseIdleConnections()
	w.others.Wait()
}

// judge prints the figures and holds them against the rules.
func (w *week) judge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	var botGames, challenges []time.Time
	with := map[string]int{}   // games, by whoever's challenge
	wanted := map[string]int{} // games that the daemon asked for
	for _, g := range w.games {
		if g.bot {
			botGames = append(botGames, g.at)
			with[g.opponent]++
		}
	}
	repeated := 0 // asked for what had been declined the day before
	for i, a := range w.asked {
		challenges = append(challenges, a.at)
		if a.reason == accepts {
			wanted[a.opponent]++
		}
		if slices.ContainsFunc(w.asked[:i], func(b *askedFor) bool {
			return b.opponent == a.opponent && b.declined && b.reason != lichess.DeclineLater &&
				b.reason != lichess.DeclineGeneric && b.terms == a.terms && a.at.Sub(b.at) < 2*opponents.Day
		}) {
			repeated++
		}
	}
	longest, queued := time.Duration(0), 0
	for id, at := range w.served {
		waited := at.Sub(w.people[id])
		if longest = max(longest, waited); waited > 0 {
			queued++
		}
	}
	mostWanted := slices.Max(slices.Collect(maps.Values(wanted)))
	t := w.t
	t.Logf("games: %d against %d bots, at most %d within 24 hours, at most %d at once", len(botGames), len(with), within(botGames), w.most)
	t.Logf("challenges made: %d that arrived, at most %d within 24 hours; %d refused by the server with 400", len(challenges), within(challenges), w.refusals)
	var answers []string
	for _, reason := range slices.Sorted(maps.Keys(w.answers)) {
		name := string(reason)
		switch reason {
		case accepts:
			name = "accepted"
		case ignores:
			name = "no answer"
		}
		answers = append(answers, fmt.Sprintf("%s %d", name, w.answers[reason]))
	}
	t.Logf("answers: %s", strings.Join(answers, ", "))
	t.Logf("accepted: %d by %d opponents, at most %d by one", w.answers[accepts], len(wanted), mostWanted)
	t.Logf("asked again for what was declined: %d; 429: %d", repeated, len(w.limited))
	t.Logf("people: %d challenges, %d games, %d of them after a wait, of %v at most; %d declined for want of a place; %d times the daemon's own challenge made way",
		len(w.people), len(w.served), queued, longest.Round(time.Second), w.declined, w.madeWay)
	if len(w.limited) > 0 {
		t.Errorf("the server limited the bot: %q", w.limited)
	}
	if n := within(botGames); n > 100 {
		t.Errorf("%d games against bots within a day", n)
	}
	if n := within(challenges); n > 150 {
		t.Errorf("%d challenges within a day", n)
	}
	if w.most > 2 {
		t.Errorf("%d games at once, 2 allowed", w.most)
	}
	if repeated > 0 {
		t.Errorf("%d challenges for what had been declined", repeated)
	}
	if days := *weekDays; w.answers[accepts] < 25*days || len(wanted) < min(60, 20*days) || mostWanted > 12 {
		t.Error("too few games, or too little variety")
	}
	if len(w.people) < 30**weekDays || 10*len(w.served) < 9*len(w.people) {
		t.Error("people do not get their games")
	}
	if w.madeWay < *weekDays || queued == 0 && *weekDays >= 7 || longest > 15*time.Second {
		t.Error("the daemon's own challenges do not make way for people")
	}
}

// within is the largest number of moments within 24 hours.
func within(moments []time.Time) (most int) {
	for i, first := range moments {
		n := 0
		for _, at := range moments[i:] {
			if at.Sub(first) < opponents.Day {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
