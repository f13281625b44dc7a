package bot_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// systemLines counts lines of the server in the players' chat.
func (a arena) systemLines(id, text string) (n int) {
	for _, m := range a.game(id).Chat {
		if m.User == lichess.ChatSystem && m.Text == text {
			n++
		}
	}
	return n
}

func TestTakebacksAreForPeopleInCasualGames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		opponent string
		rated    bool
		granted  int
		want     int // of two proposals
	}{
		{"two", "Person", false, 2, 2},
		{"one", "Person", false, 1, 1},
		{"none", "Person", false, 0, 0},
		{"rated", "Person", true, 2, 0},
		{"a bot", "Willing", false, 2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			if err := a.AddAccount(sandbox.Account{
				Name: "Willing", Token: "lip_willing", Title: lichess.TitleBot, Takebacks: sandbox.TakebacksAlways,
			}); err != nil {
				t.Fatal(err)
			}
			n := newTap(t, a.URL, tapping{})
			opts := quick()
			opts.Takebacks = tt.granted
			d := a.startAt(n.URL, "castellan", opts)
			id := a.startGame(sandbox.GameSetup{White: tt.opponent, Black: "Castellan", Limit: time.Hour, Rated: tt.rated})
			move, propose := func(uci string) { a.move(id, uci) }, func() { a.post("/api/board/game/"+id+"/takeback/yes", nil) }
			if tt.opponent != "Person" {
				c := a.client(strings.ToLower(tt.opponent))
				move = func(uci string) {
					if err := c.Move(t.Context(), id, uci, false); err != nil {
						t.Fatal(err)
					}
				}
				propose = func() {
					if err := c.Takeback(t.Context(), id, true); err != nil {
						t.Fatal(err)
					}
				}
			}
			taken := 0
			for i, uci := range []string{"e2e4", "d2d4"} {
				move(uci)
				a.until("the reply", func() bool { g := a.game(id); return len(g.Moves)%2 == 0 && g.Moves[len(g.Moves)-2] == uci })
				a.until("the bot sees its reply", func() bool { return strings.Count(d.log.String(), `verdict="go on"`) == i+1 })
				propose()
				a.until("an answer", func() bool { return n.count("/takeback/") == i+1 })
				if strings.HasSuffix(n.requests("/takeback/")[i], "/yes") {
					taken++
					a.until("the takeback", func() bool { return !slices.Contains(a.game(id).Moves, uci) })
				} else if got := a.game(id).Moves; !slices.Contains(got, uci) {
					t.Errorf("refused, and the moves are %v", got)
				}
				if tt.want < 2 {
					break // a second proposal soon after a refused one is not passed on
				}
			}
			if taken != min(tt.want, 2) {
				t.Errorf("%d takebacks, want %d", taken, tt.want)
			}
		})
	}
}

// TestTakebackIsNotOvertakenByAMove has the person propose a takeback while the bot thinks, on a network that is slow with the answer: a
// move that came first would decline the proposal and make the bot's acceptance a proposal of its own.
func TestTakebackIsNotOvertakenByAMove(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{answer: func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if strings.Contains(r.URL.Path, "/takeback/") {
			time.Sleep(1300 * time.Millisecond) // the client takes a longer wait for a lost answer
		}
		return false
	}})
	opts := quick()
	opts.Takebacks = 1
	opts.CorrespondenceThink = 10 * time.Millisecond
	d := a.startWith(n.URL, "castellan", opts, engine.Options{MaxMoveTime: time.Second})
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour})
	a.move(id, "e2e4")
	a.plies(id, 2)
	a.move(id, "d2d4")
	a.until("the bot thinks", func() bool { return strings.Count(d.log.String(), "msg=thinking") >= 2 })
	a.post("/api/board/game/"+id+"/takeback/yes", nil)
	a.until("the takeback", func() bool { return a.systemLines(id, "Takeback accepted") == 1 })
	a.move(id, "g1f3")
	a.plies(id, 4)
	if g := a.game(id); g.Moves[2] != "g1f3" || a.systemLines(id, "Takeback sent") != 1 || a.systemLines(id, "Takeback declined") != 0 {
		t.Errorf("moves %v, chat %v", g.Moves, g.Chat)
	}
}

// TestTakebackThatIsLostIsNotWaitedForForEver: the server says that it has accepted, or nothing, and the moves stay.
func TestTakebackThatIsLostIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"ignored": http.StatusOK, "in trouble": http.StatusBadGateway, "refused": http.StatusBadRequest} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				return strings.Contains(r.URL.Path, "/takeback/") && replyJSON(w, status, `{"ok":true}`)
			}})
			opts := quick()
			opts.Takebacks = 1
			opts.CorrespondenceThink = 10 * time.Millisecond
			d := a.startWith(n.URL, "castellan", opts, engine.Options{MaxMoveTime: 3 * time.Second})
			id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour})
			a.move(id, "e2e4")
			a.plies(id, 2)
			a.move(id, "d2d4")
			a.until("the bot thinks", func() bool { return strings.Count(d.log.String(), "msg=thinking") >= 2 })
			a.post("/api/board/game/"+id+"/takeback/yes", nil)
			a.until("an answer", func() bool { return n.count("/takeback/yes") == 1 })
			a.plies(id, 4)
		})
	}
}

// TestProposalInTheBotsNameIsWithdrawn: an acceptance came too late and stands as the bot's own proposal.
func TestProposalInTheBotsNameIsWithdrawn(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour})
	a.move(id, "e2e4")
	a.plies(id, 2)
	a.until("the bot has seen it", func() bool { return d.log.has(`verdict="go on"`) })
	if err := a.client("castellan").Takeback(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	a.until("the withdrawal", func() bool { return a.systemLines(id, "Takeback canceled") == 1 })
	if n.count("/takeback/") != 1 {
		t.Errorf("requests: %q", n.requests("/takeback/"))
	}
}

// TestNobodyIsAskedForMoreTime looks through all that a bot asks for in a game with offers, takebacks and chat.
func TestNobodyIsAskedForMoreTime(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Takebacks, opts.Draw, opts.Resign, opts.Chat = 1, flat(), readily(), words()
	opts.Chat.Bots = true
	a.startAt(n.URL, "castellan", opts)
	a.start("rival", quick())
	a.finished(a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 20 * time.Second}))
	for _, r := range n.requests("") {
		if strings.Contains(r, "add-time") || strings.Contains(r, "/api/round/") {
			t.Errorf("the bot asked for %s", r)
		}
	}
}
