package bot_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot"
	"castellan/bot/opponents"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

const (
	challenging = `msg=challenging`
	withdrawing = `msg="withdrawing the challenge"`
)

// seeking are the options of a bot that challenges others to 3+2 as soon as it is idle.
func seeking() bot.Options {
	opts := quick()
	opts.Match = bot.MatchPolicy{
		Enabled: true, Interval: time.Millisecond, Wait: patience, Games: 1, GamesPerDay: 80, ChallengesPerDay: 150,
		Wish: opponents.Wish{Clocks: []opponents.Clock{{Limit: 180, Increment: 2}}, Variants: []lichess.VariantKey{lichess.VariantStandard}, Casual: true},
	}
	return opts
}

// another is what an account that is played by hand hears of.
type another struct {
	*lichess.Client
	challenges chan *lichess.Challenge // to it
}

// online brings an account online that answers nothing by itself.
func (a arena) online(token string) another {
	a.t.Helper()
	o := another{a.client(token), make(chan *lichess.Challenge, 10)}
	ctx, cancel := context.WithCancel(context.Background())
	ended, open := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := o.Account(ctx); err != nil {
			return
		}
		for event, err := range o.EventStream(ctx) {
			if err != nil {
				return
			}
			switch e := event.(type) {
			case *lichess.Connected:
				close(open)
			case *lichess.ChallengeEvent:
				if lichess.UserID(e.Challenge.Challenger.ID) == "castellan" {
					o.challenges <- &e.Challenge
				}
			}
		}
	}()
	a.t.Cleanup(func() { cancel(); <-ended })
	a.t.Helper()
	select {
	case <-open:
	case <-time.After(patience):
		a.t.Fatalf("%s does not come online", token)
	}
	return o
}

// challenged waits for a challenge.
func (a arena) challenged(o another) *lichess.Challenge {
	a.t.Helper()
	select {
	case c := <-o.challenges:
		return c
	case <-time.After(patience):
		a.t.Fatal("no challenge came")
		return nil
	}
}

func TestIdleBotChallenges(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	rival := a.online("rival")
	d := a.start("castellan", seeking())
	c := a.challenged(rival)
	if c.Rated || c.Variant.Key != lichess.VariantStandard || c.TimeControl.Limit != 180 || c.TimeControl.Increment != 2 {
		t.Errorf("challenged to %+v", c)
	}
	if err := rival.AcceptChallenge(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	a.until("the game", func() bool { return d.log.has(`msg=game game=` + c.ID) })
	// It has its game, and wants no other before that has ended.
	a.stays("one challenge", 200*time.Millisecond, func() bool { return strings.Count(d.log.String(), challenging) == 1 })
	if err := rival.Resign(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	if again := a.challenged(rival); again.ID == c.ID {
		t.Error("the same challenge")
	}
}

func TestNobodyIsChallengedUnlessAsked(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	a.online("rival")
	d := a.start("castellan", quick())
	a.until("the bot is online", func() bool { return d.log.has("msg=online") })
	a.stays("no challenge", 200*time.Millisecond, func() bool { return !d.log.has(challenging) })
}

// TestNobodyIsChallengedUnheard opens the event stream late. A challenge that is declined before would never be told of.
func TestNobodyIsChallengedUnheard(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	rival := a.online("rival")
	release := make(chan struct{})
	n := newTap(t, a.URL, tapping{answer: func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.URL.Path == eventStream {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		return false
	}})
	a.startAt(n.URL, "castellan", seeking())
	a.until("the event stream", func() bool { return n.count(eventStream) == 1 })
	a.stays("no challenge", 200*time.Millisecond, func() bool { return n.count("/api/bot/online") == 0 })
	close(release)
	c := a.challenged(rival)
	if err := rival.DeclineChallenge(t.Context(), c.ID, lichess.DeclineNoBot); err != nil {
		t.Fatal(err)
	}
}

func TestIdleTimeIsWaited(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	rival := a.online("rival")
	opts := seeking()
	opts.Match.Idle = 600 * time.Millisecond
	start := time.Now()
	a.start("castellan", opts)
	a.challenged(rival)
	if waited := time.Since(start); waited < opts.Match.Idle {
		t.Errorf("challenged after %v", waited)
	}
}

func TestUnansweredChallengeIsWithdrawn(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	rival := a.online("rival")
	opts := seeking()
	opts.MaxGames = 1
	opts.Match.Wait = 200 * time.Millisecond
	n := newTap(t, a.URL, tapping{})
	d := a.startAt(n.URL, "castellan", opts)
	c := a.challenged(rival)
	a.until("the withdrawal", func() bool { return d.log.has(withdrawing) && n.count("/api/challenge/"+c.ID+"/cancel") == 1 })
	// Its place is free again, and the one who did not answer is not asked again.
	a.until("a place", func() bool { _, taken := a.challenges("Person", blitz, d); return taken })
	if n := strings.Count(d.log.String(), challenging); n != 1 {
		t.Errorf("%d challenges", n)
	}
}

func TestDeclinedChallengeTeaches(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	a.withThird()
	rival, third := a.online("rival"), a.online("third")
	dir := t.TempDir()
	opts := seeking()
	opts.StateDir = dir
	opts.Match.Wish.OpponentGamesPerDay = 1
	d := a.start("castellan", opts)
	// Both are asked, whoever is first, and both want no bots.
	for range 2 {
		o, c := rival, (*lichess.Challenge)(nil)
		select {
		case c = <-rival.challenges:
		case c = <-third.challenges:
			o = third
		case <-time.After(patience):
			t.Fatal("no challenge came")
		}
		if err := o.DeclineChallenge(t.Context(), c.ID, lichess.DeclineNoBot); err != nil {
			t.Fatal(err)
		}
	}
	a.until("both lessons", func() bool { return strings.Count(d.log.String(), "it does not play bots") == 2 })
	// The bot itself is skipped, if it was online already when the list was fetched.
	a.until("nobody is left", func() bool {
		return d.log.has("nobody to challenge") && d.log.has("rating=0 declined=2 capped=0 skipped=")
	})
	d.kill()
	book, err := opponents.Load(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if book.Challenges(time.Now()) != 2 || time.Until(book.LeftAlone("rival")) < 6*opponents.Day || time.Until(book.LeftAlone("third")) < 6*opponents.Day {
		t.Errorf("kept: %d challenges, left alone until %v and %v", book.Challenges(time.Now()), book.LeftAlone("rival"), book.LeftAlone("third"))
	}
	// The next process knows.
	opts.Opponents = book
	again := a.start("castellan", opts)
	a.until("nobody is left", func() bool { return again.log.has("nobody to challenge") })
	if again.log.has(challenging) {
		t.Error("challenged again after a restart")
	}
}

func TestOwnChallengeMakesWayForPeople(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	rival := a.online("rival")
	opts := seeking()
	opts.MaxGames = 1
	d := a.start("castellan", opts)
	c := a.challenged(rival)
	id, err := a.Challenge("Person", "Castellan", blitz)
	if err != nil {
		t.Fatal(err)
	}
	a.until("the person's game", func() bool { _, began := a.Game(id); return began })
	if !d.log.has(withdrawing) || !d.log.has("a person wants the place") {
		t.Error("the bot's own challenge was not withdrawn")
	}
	if err := rival.AcceptChallenge(t.Context(), c.ID); err == nil {
		t.Error("the bot's own challenge could still be accepted")
	}
}

// TestOwnChallengeTakesAPlace has a limit of one game, a challenge of the bot's own that waits, and others that come: also in the
// moment in which the bot does not yet know the id of its own.
func TestOwnChallengeTakesAPlace(t *testing.T) {
	t.Parallel()
	for _, slow := range []bool{false, true} {
		name := map[bool]string{false: "known", true: "answer on its way"}[slow]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			a.withThird()
			rival := a.online("rival")
			release := make(chan struct{})
			n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool {
				if !slow || !strings.HasPrefix(r.URL.Path, "/api/challenge/") || strings.Count(r.URL.Path, "/") != 3 {
					return false
				}
				late := httptest.NewRecorder()
				pass.ServeHTTP(late, r)
				<-release
				w.WriteHeader(late.Code)
				w.Write(late.Body.Bytes())
				return true
			}, line: func(path, line string) []string {
				if slow && path == eventStream && parse(line).is(lichess.TypeChallenge) && strings.Contains(line, `"challenger":{"id":"castellan"`) {
					return nil
				}
				return []string{line}
			}})
			opts := seeking()
			opts.MaxGames = 1
			d := a.startAt(n.URL, "castellan", opts)
			c := a.challenged(rival)
			if id, taken := a.challenges("Third", blitz, d); taken {
				t.Errorf("%s was accepted beside the bot's own challenge", id)
			}
			if err := rival.AcceptChallenge(t.Context(), c.ID); err != nil {
				t.Fatal(err)
			}
			if id, taken := a.challenges("Third", blitz, d); taken {
				t.Errorf("%s was accepted beside the game", id)
			}
			close(release)
			a.until("the game", func() bool { return d.log.has(`msg=game game=` + c.ID) })
			if id, taken := a.challenges("Third", blitz, d); taken {
				t.Errorf("%s was accepted beside the game", id)
			}
		})
	}
}

// TestLostAnswerToAChallenge: the challenge was made, and the event tells its id.
func TestLostAnswerToAChallenge(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	rival := a.online("rival")
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool {
		if !strings.HasPrefix(r.URL.Path, "/api/challenge/") || strings.Count(r.URL.Path, "/") != 3 {
			return false
		}
		pass.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}})
	opts := seeking()
	opts.MaxGames = 1
	opts.Match.Wait = 300 * time.Millisecond
	d := a.startAt(n.URL, "castellan", opts)
	c := a.challenged(rival)
	a.until("the withdrawal", func() bool { return n.count("/api/challenge/"+c.ID+"/cancel") == 1 })
	a.until("a place", func() bool { _, taken := a.challenges("Person", blitz, d); return taken })
}

func TestServerRefusesAChallenge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
		says   string
		others bool // another opponent is challenged at once
	}{
		{"the opponent's day is over", http.StatusBadRequest, `{"error":"Rival played 100 games against other bots today","ratelimit":{"key":"bot.vsBot.day","seconds":4000}}`, "has played its games of the day", true},
		{"the bot's own day is over", http.StatusTooManyRequests, `{"error":"You played 100 games against other bots today","ratelimit":{"key":"bot.vsBot.day","seconds":4000}}`, "a limit of the server", false},
		{"too many challenges", http.StatusTooManyRequests, `{"error":"Too many requests. Try again later."}`, "a limit of the server", false},
		{"the opponent takes none", http.StatusBadRequest, `{"error":"Rival does not accept challenges."}`, "does not let the bot challenge this account", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			a.withThird()
			rival, third := a.online("rival"), a.online("third")
			var refused atomic.Bool
			n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				return r.Method == http.MethodPost && strings.Count(r.URL.Path, "/") == 3 && strings.HasPrefix(r.URL.Path, "/api/challenge/") &&
					refused.CompareAndSwap(false, true) && replyJSON(w, tt.status, tt.body)
			}})
			d := a.startAt(n.URL, "castellan", seeking())
			a.until("the refusal", func() bool { return d.log.has(tt.says) })
			if !tt.others {
				a.stays("no other challenge", 200*time.Millisecond, func() bool { return strings.Count(d.log.String(), challenging) == 1 })
				if _, taken := a.challenges("Person", blitz, d); !taken {
					t.Error("a person's challenge was declined")
				}
				return
			}
			asked := n.requests("POST /api/challenge/")[0]
			select {
			case <-rival.challenges:
				if strings.HasSuffix(asked, "/Rival") {
					t.Error("the same account was challenged again")
				}
			case <-third.challenges:
				if strings.HasSuffix(asked, "/Third") {
					t.Error("the same account was challenged again")
				}
			case <-time.After(patience):
				t.Error("nobody else was challenged")
			}
		})
	}
}

// TestServerRefusesAllChallenges: three different opponents in a row point to a fault of the bot's own, and it pauses.
func TestServerRefusesAllChallenges(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	for _, name := range []string{"B1", "B2", "B3", "B4"} {
		if err := a.AddAccount(sandbox.Account{Name: name, Token: "lip_x" + name, Title: lichess.TitleBot}); err != nil {
			t.Fatal(err)
		}
		a.online("x" + name)
	}
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		return strings.Count(r.URL.Path, "/") == 3 && strings.HasPrefix(r.URL.Path, "/api/challenge/") && replyJSON(w, http.StatusBadRequest, `{"error":"clock.limit: no such clock"}`)
	}})
	d := a.startAt(n.URL, "castellan", seeking())
	a.until("the pause", func() bool { return d.log.has("one opponent after another") })
	a.stays("no other challenge", 200*time.Millisecond, func() bool { return strings.Count(d.log.String(), challenging) == 3 })
}

func TestNobodyToChallenge(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	d := a.startAt(n.URL, "castellan", seeking())
	a.until("a look", func() bool { return d.log.has("nobody to challenge") })
	a.stays("one quiet line", 200*time.Millisecond, func() bool {
		return strings.Count(d.log.String(), "nobody to challenge") == 1 && n.count("/api/bot/online") == 1 && !d.log.has(challenging)
	})
}

func TestDrainWithdrawsTheChallenge(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	rival := a.online("rival")
	d := a.start("castellan", seeking())
	c := a.challenged(rival)
	d.Drain()
	if err := <-d.done; err != nil {
		t.Error(err)
	}
	if err := rival.AcceptChallenge(t.Context(), c.ID); err == nil {
		t.Error("the challenge of a bot that has ended could be accepted")
	}
}

// TestDayOfBotGamesIsKeptOverARestart: a new process must not go beyond what the one before has left of the day.
func TestDayOfBotGamesIsKeptOverARestart(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	a.online("rival")
	opts := seeking()
	opts.Opponents = opponents.New()
	for i := range 80 {
		opts.Opponents.Began("third", string(rune('a'+i%26))+string(rune('a'+i/26)), true, time.Now().Add(-time.Hour))
	}
	d := a.start("castellan", opts)
	a.until("the bot is online", func() bool { return d.log.has("enough games against bots within a day") })
	if d.log.has(challenging) {
		t.Error("challenged beyond the games of the day")
	}
}
