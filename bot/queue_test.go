package bot_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot"
	"castellan/lichess/sandbox"
)

// queueing are the options of a bot with one place and a queue.
func queueing(wait time.Duration) bot.Options {
	opts := quick()
	opts.MaxGames = 1
	opts.Accept.Queue, opts.Accept.QueueWait, opts.Accept.PreferHumans = 3, wait, true
	return opts
}

// waiting makes a challenge and waits until it waits.
func (a arena) waiting(from string, d *daemon) (id string) {
	a.t.Helper()
	id, err := a.Challenge(from, "Castellan", blitz)
	if err != nil {
		a.t.Fatal(err)
	}
	a.until("waiting for a place", func() bool { return d.log.has(`msg="challenge waits" challenge=` + id) })
	return id
}

func TestChallengesWaitForAPlace(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	a.withThird()
	d := a.start("castellan", queueing(patience))
	running := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(running, 1)

	withdrawn := a.waiting("Rival", d)
	bots := a.waiting("Third", d)
	person := a.waiting("Person", d)
	if err := a.client("rival").CancelChallenge(t.Context(), withdrawn); err != nil {
		t.Fatal(err)
	}
	a.until("the withdrawal", func() bool { return d.log.has(`msg="challenge withdrawn" challenge=` + withdrawn) })
	for _, id := range []string{bots, person} {
		if _, began := a.Game(id); began {
			t.Fatalf("%s began beside the one game that may run", id)
		}
	}
	a.resigns(running)
	a.until("the person's game", func() bool { _, began := a.Game(person); return began })
	if _, began := a.Game(bots); began {
		t.Fatal("two games at once")
	}
	a.move(person, "e2e4")
	a.plies(person, 2)
	a.resigns(person)
	a.until("the bot's game", func() bool { _, began := a.Game(bots); return began })
	if d.log.has(`msg="challenge accepted" challenge=` + withdrawn) {
		t.Error("a withdrawn challenge was accepted")
	}
}

func TestWaitingChallengeIsDeclinedInTime(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	d := a.start("castellan", queueing(300*time.Millisecond))
	running := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(running, 1)
	id := a.waiting("Rival", d)
	a.until("declined", func() bool { return d.log.has(`msg="challenge declined" challenge=` + id) })
	if !strings.Contains(d.log.String(), "reason=later") {
		t.Error("declined with another reason than later")
	}
}

func TestDrainDeclinesWhatWaits(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	d := a.start("castellan", queueing(patience))
	running := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(running, 1)
	id := a.waiting("Rival", d)
	d.Drain()
	a.until("declined", func() bool { return d.log.has(`msg="challenge declined" challenge=` + id) })
	a.resigns(running)
	if err := <-d.done; err != nil {
		t.Error(err)
	}
}

func TestPlacesKeptForPeople(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	a.withThird()
	opts := quick()
	opts.MaxGames, opts.Accept.HumanPlaces = 2, 1
	d := a.start("castellan", opts)
	// The bot finds this game: only the game itself tells that the opponent is one.
	running := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
	a.plies(running, 1)
	if id, taken := a.challenges("Third", blitz, d); taken {
		t.Errorf("a second bot got a place with %s", id)
	}
	if id, taken := a.challenges("Person", blitz, d); !taken {
		t.Errorf("a person got no place with %s", id)
	}
}

// TestRematchesInARow plays a bot that wants a rematch each time.
func TestRematchesInARow(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.MaxGames = 1
	opts.Accept.OfBots.OpponentGamesPerDay, opts.Accept.OfBots.OpponentGames = 3, 1
	d := a.start("castellan", opts)
	rival := a.client("rival")
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
	for played := 1; ; played++ {
		a.until("two plies", func() bool {
			g := a.game(id)
			if len(g.Moves) == 0 && strings.EqualFold(g.White, "Rival") {
				rival.Move(t.Context(), id, "e2e4", false)
			}
			if len(g.Moves) == 1 && strings.EqualFold(g.Black, "Rival") {
				for _, move := range []string{"e7e5", "a7a6", "g8f6"} {
					if rival.Move(t.Context(), id, move, false) == nil {
						break
					}
				}
			}
			return len(g.Moves) >= 2
		})
		if err := rival.Resign(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		a.finished(id)
		again, err := a.OfferRematch(id, "Rival")
		if err != nil {
			t.Fatal(err)
		}
		yes, no := `msg="challenge accepted" challenge=`+again, `msg="challenge declined" challenge=`+again
		a.until("a decision", func() bool { return d.log.has(yes) || d.log.has(no) })
		if d.log.has(no) {
			if played != 3 || !d.log.has("reason=later") {
				t.Errorf("the rematch after %d games was declined", played)
			}
			return
		}
		a.until("the rematch", func() bool { _, began := a.Game(again); return began })
		if id = again; played > 3 {
			t.Fatalf("%d games of 3", played)
		}
	}
}

// TestGameThatIsOverTakesNoPlace has the opponent resign while the answer to the bot's move hangs.
func TestGameThatIsOverTakesNoPlace(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	hangs, hung := make(chan struct{}), sync.Once{}
	n := newTap(t, a.URL, tapping{answer: func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if isMove(r) {
			hung.Do(func() { close(hangs) })
			<-r.Context().Done()
		}
		return false
	}})
	opts := quick()
	opts.MaxGames = 1
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 10 * time.Minute})
	<-hangs
	if err := a.client("rival").Abort(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if next, taken := a.challenges("Person", blitz, d); !taken {
		t.Errorf("%s was declined", next)
	}
}

func TestNamesChangeWhileRunning(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	d := a.start("castellan", quick())
	a.until("the bot is online", func() bool { return d.log.has("msg=online") })
	d.SetNames(nil, []string{"PERSON"})
	if id, taken := a.challenges("Person", blitz, d); taken {
		t.Errorf("%s of a blocked account was accepted", id)
	}
	d.SetNames([]string{"Person"}, nil)
	if id, taken := a.challenges("Person", blitz, d); !taken {
		t.Errorf("%s of an allowed account was declined", id)
	}
	if id, taken := a.challenges("Rival", blitz, d); taken {
		t.Errorf("%s of an account that is not on the list was accepted", id)
	}
}
