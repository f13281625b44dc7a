package bot_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// patience bounds every wait of these tests. It is reached only by a test that fails.
const patience = 60 * time.Second

// arena is a sandbox with two BOT accounts and a person.
type arena struct {
	*sandbox.Server
	t *testing.T
}

func newArena(t *testing.T, opts sandbox.Options) arena {
	t.Helper()
	opts.ChallengePointsPerMinute, opts.ChallengePointsPerDay = -1, -1
	s := sandbox.New(opts)
	for _, a := range []sandbox.Account{
		{Name: "Castellan", Token: "lip_castellan", Title: lichess.TitleBot},
		{Name: "Rival", Token: "lip_rival", Title: lichess.TitleBot},
		{Name: "Person", Token: "lip_person", Takebacks: sandbox.TakebacksAlways},
	} {
		if a.Name == "Castellan" {
			a.Takebacks = sandbox.TakebacksAlways
		}
		if err := s.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return arena{s, t}
}

// quick are the options of a bot that plays everything, on and on.
func quick() bot.Options {
	return bot.Options{
		MaxGames:            4,
		MaxCorrespondence:   50,
		Accept:              bot.Acceptance{Humans: true, OfHumans: anything(), Bots: true, OfBots: anything()},
		AbortAfter:          time.Minute,
		ClaimWhenGone:       true,
		CorrespondenceThink: time.Millisecond,
	}
}

// anything are terms that take every game.
func anything() bot.Terms {
	return bot.Terms{
		Variants: []string{"standard", "chess960", "fromPosition"},
		Speeds:   []string{"bullet", "blitz", "rapid", "classical", "correspondence"},
		Rated:    true, Casual: true,
		BaseMax: 3 * time.Hour, IncMax: 3 * time.Minute, DaysMin: 1, DaysMax: 14, Unlimited: true,
	}
}

// daemon is a bot that runs.
type daemon struct {
	*bot.Bot
	kill func()       // ends it at once, as a signal does
	done chan error   // what Run returned
	log  *lockedLines // all it logged
}

// start runs a bot for an account. Its engine thinks for a millisecond a move.
func (a arena) start(token string, opts bot.Options) *daemon {
	a.t.Helper()
	return a.startAt(a.URL, token, opts)
}

// startAt is start for a bot that reaches the server at another address.
func (a arena) startAt(url, token string, opts bot.Options) *daemon {
	a.t.Helper()
	return a.startWith(url, token, opts, engine.Options{MaxMoveTime: time.Millisecond})
}

// startWith is startAt for a bot with an engine of its own kind, which has one thread and a small table all the same.
func (a arena) startWith(url, token string, opts bot.Options, think engine.Options) *daemon {
	a.t.Helper()
	return a.startMind(url, token, opts, think, func(own *engine.Engine, _ *slog.Logger) (engine.Mind, func()) { return own, func() {} })
}

// client returns the API client of an account, to play by hand.
func (a arena) client(token string) *lichess.Client {
	a.t.Helper()
	c, err := lichess.New(lichess.Options{URL: a.URL, Token: lichess.Token("lip_" + token)})
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(c.Close)
	return c
}

// post is a request of the person, whose account has the Board API and not the Bot API.
func (a arena) post(path string, form url.Values) {
	a.t.Helper()
	r, err := http.NewRequest(http.MethodPost, a.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer lip_person")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer reply.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	if body, _ := io.ReadAll(reply.Body); reply.StatusCode != http.StatusOK {
		a.t.Fatalf("POST %s: %s: %s", path, reply.Status, body)
	}
}

func (a arena) startGame(g sandbox.GameSetup) string {
	a.t.Helper()
	id, err := a.StartGame(g)
	if err != nil {
		a.t.Fatal(err)
	}
	return id
}

func (a arena) game(id string) sandbox.Game {
	a.t.Helper()
	g, ok := a.Game(id)
	if !ok {
		a.t.Fatalf("no game %s", id)
	}
	return g
}

// finished waits for a game to end.
func (a arena) finished(id string) sandbox.Game {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	g, err := a.WaitGame(ctx, id)
	if err != nil {
		a.t.Fatal(err)
	}
	return g
}

// until waits for a condition.
func (a arena) until(what string, is func() bool) {
	a.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			a.t.Fatalf("did not come: %s", what)
		}
	}
}

// plies waits until a game has so many moves.
func (a arena) plies(id string, n int) {
	a.t.Helper()
	a.until("enough moves", func() bool {
		g, ok := a.Game(id)
		return ok && len(g.Moves) >= n
	})
}

// lockedLines collects a log.
type lockedLines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// end returns the last n lines.
func (l *lockedLines) end(n int) string {
	lines := strings.SplitAfter(l.String(), "\n")
	return strings.Join(lines[max(len(lines)-n, 0):], "")
}

func (l *lockedLines) has(text string) bool { return strings.Contains(l.String(), text) }

// fastClock makes a sandbox's time run faster than the world's.
type fastClock struct {
	start  time.Time
	factor int
}

func (c fastClock) Now() time.Time {
	return c.start.Add(time.Since(c.start) * time.Duration(c.factor))
}

func (c fastClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d/time.Duration(c.factor), f).Stop
}
