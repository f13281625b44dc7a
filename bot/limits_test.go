package bot_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// withThird adds a third BOT account.
func (a arena) withThird() {
	a.t.Helper()
	if err := a.AddAccount(sandbox.Account{Name: "Third", Token: "lip_third", Title: lichess.TitleBot}); err != nil {
		a.t.Fatal(err)
	}
}

// blitz is a challenge that the bot of these tests takes when it has a place.
var blitz = sandbox.ChallengeSetup{HasClock: true, Limit: 180, Color: lichess.ColorWhite}

// challenges makes a challenge to the bot and waits until it is decided on.
func (a arena) challenges(from string, setup sandbox.ChallengeSetup, d *daemon) (id string, accepted bool) {
	a.t.Helper()
	id, err := a.Challenge(from, "Castellan", setup)
	if err != nil {
		a.t.Fatal(err)
	}
	yes, no := `msg="challenge accepted" challenge=`+id, `msg="challenge declined" challenge=`+id
	a.until("a decision", func() bool { return d.log.has(yes) || d.log.has(no) })
	return id, d.log.has(yes)
}

func TestErrorPagesAreCutAndCleaned(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	page := "<html><body><h1>\x1b[31mBad gateway</h1>\n\x00" + strings.Repeat("<p>please come again</p>\n", 3000) + "</body></html>"
	var moves atomic.Int32
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !isMove(r) {
			return false
		}
		switch moves.Add(1) {
		case 1:
			return reply(w, http.StatusBadGateway, "text/html", page)
		case 2:
			return reply(w, http.StatusTooManyRequests, "text/html", page)
		case 3:
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
		return false
	}})
	d := a.startAt(n.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	if !d.log.has("502: ") || !d.log.has("Bad gateway please come again") {
		t.Error("the log does not show what the page says")
	}
	for line := range strings.Lines(d.log.String()) {
		if len(line) > 1000 || strings.ContainsAny(line, "<\x1b\x00") || strings.Contains(line, `\x1b`) {
			t.Errorf("a line of %d bytes: %.200q", len(line), line)
		}
	}
}

func TestDailyLimitOfBotGamesStopsThoseAlone(t *testing.T) {
	t.Parallel()
	var limited atomic.Bool
	a := newArena(t, sandbox.Options{})
	a.withThird()
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool {
		return strings.HasSuffix(r.URL.Path, "/accept") && limited.CompareAndSwap(false, true) && replyJSON(w, http.StatusTooManyRequests,
			`{"error":"You played 100 games against other bots today, please wait.","ratelimit":{"key":"bot.vsBot.day","seconds":4000}}`)
	}})
	d := a.startAt(n.URL, "castellan", quick())
	running := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
	a.plies(running, 1)
	if _, taken := a.challenges("Third", blitz, d); !taken {
		t.Error("a challenge was declined before the limit was known")
	}
	a.until("the limit", func() bool { return d.log.has("accepting failed") })
	if id, taken := a.challenges("Third", blitz, d); taken {
		t.Errorf("a bot's challenge %s was accepted within the limit", id)
	}
	if n.count("/accept") != 1 {
		t.Errorf("requests: %q", n.requests("/accept"))
	}
	id, _ := a.challenges("Person", blitz, d)
	a.until("a game against a person", func() bool { _, ok := a.Game(id); return ok })
	a.move(id, "e2e4")
	a.plies(id, 2)
	if err := a.client("rival").Move(t.Context(), running, "e7e5", false); err != nil {
		t.Fatal(err)
	}
	a.plies(running, 3)
}

// TestRefusedAcceptanceCostsNothingElse wants the place of a game that did not come about to be free again, and the running game to go on.
func TestRefusedAcceptanceCostsNothingElse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
	}{
		{"the opponent has played all games of his day", http.StatusBadRequest, `{"error":"Rival played 100 games against other bots today","ratelimit":{"key":"bot.vsBot.day","seconds":4000}}`},
		{"too many requests, without a time", http.StatusTooManyRequests, `{"error":"Too many requests. Try again later."}`},
		{"gone", http.StatusNotFound, `{"error":"Not found"}`},
		{"not for bots", http.StatusBadRequest, `{"error":"Game incompatible with a BOT account"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				return strings.HasSuffix(r.URL.Path, "/accept") && replyJSON(w, tt.status, tt.body)
			}})
			opts := quick()
			opts.MaxGames = 2
			d := a.startAt(n.URL, "castellan", opts)
			running := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
			a.plies(running, 1)
			for i, from := range []string{"Rival", "Person", "Rival"} {
				if id, taken := a.challenges(from, blitz, d); !taken {
					t.Errorf("challenge %d, %s, was declined", i+1, id)
				}
				a.until("the refusal", func() bool { return strings.Count(d.log.String(), "accepting failed") == i+1 })
			}
			a.move(running, "e7e5")
			a.plies(running, 3)
		})
	}
}

// TestLimitWhileSigningInHoldsNoGameUp: the server wants a minute without one of the questions about the account.
func TestLimitWhileSigningInHoldsNoGameUp(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/api/account", "/api/token/test", "/api/account/playing"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				return r.URL.Path == path && replyJSON(w, http.StatusTooManyRequests, `{"error":"Too many requests. Try again later."}`)
			}})
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
			start := time.Now()
			a.startAt(n.URL, "castellan", quick())
			a.plies(id, 1)
			if waited := time.Since(start); waited > patience/3 {
				t.Errorf("the first move came after %v", waited)
			}
		})
	}
}

func TestLimitOnMovesIsWaitedOut(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	asked := make(chan time.Time, 10)
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !isMove(r) {
			return false
		}
		if asked <- time.Now(); len(asked) > 1 {
			return false
		}
		w.Header().Set("Retry-After", "1")
		return replyJSON(w, http.StatusTooManyRequests, `{"error":"Too many requests. Try again later."}`)
	}})
	d := a.startAt(n.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	if !d.log.has(`level=WARN msg="limited by the server, trying again"`) || !d.log.has("in=1s") {
		t.Error("the log does not tell of the limit and how long it lasts")
	}
	if n.count("/move/") != 2 {
		t.Fatalf("requests: %q", n.requests("/move/"))
	}
	first, second := <-asked, <-asked
	if waited := second.Sub(first); waited < 900*time.Millisecond {
		t.Errorf("tried again after %v", waited)
	}
}

// TestLongLimitOnMoves: the server wants a longer wait than a request may take. The move is sent again after it, or, when the clock has
// no room for that, with the last of the clock, and not before.
func TestLongLimitOnMoves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		clock, demands time.Duration
		least          time.Duration // from the refusal to the next try
	}{
		{"no room on the clock", 12 * time.Second, time.Minute, 8 * time.Second},
		{"room on the clock", 3 * time.Minute, 27 * time.Second, 26 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && tt.demands < tt.clock {
				t.Skip("takes half a minute")
			}
			a := newArena(t, sandbox.Options{})
			var limited atomic.Bool
			asked := make(chan time.Time, 100)
			n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				if !isMove(r) || !limited.Load() {
					return false
				}
				if asked <- time.Now(); len(asked) > 1 {
					return false
				}
				w.Header().Set("Retry-After", strconv.Itoa(int(tt.demands/time.Second)))
				return replyJSON(w, http.StatusTooManyRequests, `{"error":"Too many requests. Try again later."}`)
			}})
			a.startAt(n.URL, "castellan", quick())
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: tt.clock})
			a.plies(id, 1)
			limited.Store(true)
			a.move(id, "e7e5")
			a.plies(id, 3)
			first, second := <-asked, <-asked
			if waited := second.Sub(first); waited < tt.least {
				t.Errorf("tried again after %v", waited)
			}
		})
	}
}
