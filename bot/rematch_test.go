package bot_test

import (
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestOwnChallengeIsLeftAlone(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	d := a.startAt(n.URL, "castellan", quick())
	a.until("the bot is online", func() bool { return n.count(eventStream) == 1 && d.log.has("msg=online") })
	own, err := a.client("castellan").CreateChallenge(t.Context(), "Person", lichess.ChallengeRequest{TimeControl: lichess.ClockControl(180, 0)})
	if err != nil {
		t.Fatal(err)
	}
	// Somebody else's comes after it, so that its turn is over when this one is answered.
	if _, taken := a.challenges("Person", blitz, d); !taken {
		t.Error("the other challenge was declined")
	}
	if asked := n.requests("/api/challenge/" + own.ID); len(asked) > 0 {
		t.Errorf("the bot answered itself: %q", asked)
	}
}

func TestRematchIsAnsweredByItsOwnID(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	if err := a.AddAccount(sandbox.Account{Name: "Nuisance", Token: "lip_nuisance"}); err != nil {
		t.Fatal(err)
	}
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Accept.Block = []string{"NUISANCE"}
	a.startAt(n.URL, "castellan", opts)
	rematchOf := func(person string) string {
		t.Helper()
		id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: person, Limit: 3 * time.Minute, FEN: "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"})
		if g := a.finished(id); g.Status != lichess.StatusMate {
			t.Fatalf("the first game ended by %s", g.Status)
		}
		again, err := a.OfferRematch(id, person)
		if err != nil {
			t.Fatal(err)
		}
		return again
	}
	wanted := rematchOf("Person")
	a.until("the rematch", func() bool { _, ok := a.Game(wanted); return ok })

	unwanted := rematchOf("Nuisance")
	a.until("an answer", func() bool { return n.count("/api/challenge/"+unwanted+"/decline") == 1 })
	if _, ok := a.Game(unwanted); ok {
		t.Error("a rematch was played with a blocked user")
	}
	if n.count("/show") > 0 {
		t.Errorf("the server does not know rematch offers by their id: %q", n.requests("/show"))
	}
}

func TestNamesInListsAreReadWithoutCase(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	a.withThird()
	opts := quick()
	opts.Accept.Allow = []string{"PERSON", "third"}
	opts.Accept.Block = []string{"tHIRD"}
	d := a.start("castellan", opts)
	for from, want := range map[string]bool{"Person": true, "Third": false, "Rival": false} {
		if id, taken := a.challenges(from, blitz, d); taken != want {
			t.Errorf("challenge %s of %s: accepted %v", id, from, taken)
		}
	}
}
