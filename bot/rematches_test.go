package bot_test

import (
	"strings"
	"testing"
	"time"

	"castellan/bot"
	"castellan/bot/opponents"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// again are the options of a bot that asks for rematches.
func again(games int) bot.Options {
	opts := quick()
	opts.Rematch = bot.RematchPolicy{Offer: true, Humans: true, Bots: true, Games: games, Wait: patience}
	return opts
}

const (
	offering = `msg="offering a rematch"`
	// mateAtHand is mate in one for White.
	mateAtHand = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"
)

// TestRematchIsAskedForWithColoursChanged lets a person lose, accept, and lose again, which makes the two games of a row.
func TestRematchIsAskedForWithColoursChanged(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := again(2)
	opts.MaxGames = 1
	d := a.startAt(n.URL, "castellan", opts)
	person := a.online("person")
	first := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 3 * time.Minute, Increment: 2 * time.Second, FEN: fortress})
	a.plies(first, 1)
	a.wanders(first, fortress)
	a.plies(first, 3)
	a.resigns(first)
	var c *lichess.Challenge
	select {
	case c = <-person.challenges:
	case <-time.After(patience):
		t.Fatal("no challenge came")
	}
	if c.TimeControl.Limit != 180 || c.TimeControl.Increment != 2 || c.Rated || c.Color != lichess.ColorBlack || c.InitialFEN == "" {
		t.Errorf("the rematch is %+v", c)
	}
	if err := person.AcceptChallenge(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	a.until("the second game", func() bool { _, ok := a.Game(c.ID); return ok })
	if g := a.game(c.ID); g.Black != "Castellan" {
		t.Errorf("the bot plays the same colour again")
	}
	a.wanders(c.ID, fortress)
	a.plies(c.ID, 2)
	a.resigns(c.ID)
	a.until("the decision", func() bool { return d.log.has("2 games were played in a row") })
	if strings.Count(d.log.String(), offering) != 1 {
		t.Error("another rematch was offered")
	}
}

// TestNobodyIsAskedForARematchUnlessWanted: it is off by default, and there are accounts that the bot does not play.
func TestNobodyIsAskedForARematchUnlessWanted(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]bot.Options{"off": quick(), "blocked": func() bot.Options {
		o := again(5)
		o.Accept.Block = []string{"person"}
		return o
	}()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{})
			d := a.startAt(n.URL, "castellan", opts)
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 3 * time.Minute})
			a.plies(id, 1)
			a.move(id, "e7e5")
			a.plies(id, 3)
			a.resigns(id)
			a.until("the end", func() bool { return d.log.has("game over") })
			// When another challenge has been answered, the end of the game has been thought about.
			a.challenges("Rival", blitz, d)
			if n.count("POST /api/challenge/Person") > 0 {
				t.Error("a rematch was asked for")
			}
		})
	}
}

// TestRematchesThatNobodyAnswersAreWithdrawn leaves the place to others.
func TestRematchesThatNobodyAnswersAreWithdrawn(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := again(5)
	opts.MaxGames = 1
	opts.Rematch.Wait = 300 * time.Millisecond
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 3 * time.Minute})
	a.plies(id, 1)
	a.move(id, "e7e5")
	a.plies(id, 3)
	a.resigns(id)
	a.until("the withdrawal", func() bool { return n.count("/cancel") == 1 && d.log.has(withdrawing) })
	a.until("the place is free", func() bool { _, taken := a.challenges("Rival", blitz, d); return taken })
}

// TestTwoBotsThatBothWantARematchPlayOne has both ask at the same moment, with a place each.
func TestTwoBotsThatBothWantARematchPlayOne(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	opts := again(2)
	opts.MaxGames = 1
	castellan, rival := a.start("castellan", opts), a.start("rival", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
	a.finished(id)
	a.until("a second game", func() bool { return len(a.Games()) > 1 })
	a.finished(a.Games()[1].ID)
	a.until("both are done", func() bool {
		return castellan.log.has("games were played in a row") && rival.log.has("games were played in a row")
	})
	if games := a.Games(); len(games) != 2 || games[1].White != "Rival" {
		t.Errorf("%d games were played, the second with %s as White", len(games), games[1].White)
	}
}

// TestPersonsOwnRematchGoesBefore has the person ask for the rematch too while the bot's offer waits.
func TestPersonsOwnRematchGoesBefore(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := again(5)
	opts.MaxGames = 1
	a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 3 * time.Minute})
	a.plies(id, 1)
	a.move(id, "e7e5")
	a.plies(id, 3)
	a.resigns(id)
	a.until("the bot's offer", func() bool { return n.count("POST /api/challenge/Person") == 1 })
	theirs, err := a.OfferRematch(id, "Person")
	if err != nil {
		t.Fatal(err)
	}
	a.until("the person's rematch", func() bool { _, ok := a.Game(theirs); return ok })
	if len(a.Games()) != 2 || n.count("/cancel") != 1 {
		t.Errorf("%d games, requests %q", len(a.Games()), n.requests("/api/challenge/"))
	}
}

func TestRematchesAreDeclinedBySetting(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Rematch.Decline = true
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 3 * time.Minute, FEN: mateAtHand})
	a.finished(id)
	theirs, err := a.OfferRematch(id, "Person")
	if err != nil {
		t.Fatal(err)
	}
	a.until("the refusal", func() bool { return n.count("/api/challenge/"+theirs+"/decline") == 1 })
	if _, taken := a.challenges("Person", blitz, d); !taken {
		t.Error("a challenge that is no rematch was declined")
	}
}

// loses plays a game with the person, which the bot wins, so that it would offer a rematch.
func (a arena) loses() {
	a.t.Helper()
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 3 * time.Minute, Increment: 2 * time.Second, FEN: fortress})
	a.plies(id, 1)
	a.wanders(id, fortress)
	a.plies(id, 3)
	a.resigns(id)
}

// TestRematchesKeepToTheDay: they count among the day's challenges, over a restart too.
func TestRematchesKeepToTheDay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		day  int // challenges that may be made, of which 4 were
		says string
	}{
		{"there is room", 5, offering},
		{"no more a day", 4, "the day's challenges are used up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{})
			opts := again(2)
			opts.Match.ChallengesPerDay = tt.day
			book, now, dir := opponents.New(), time.Now(), t.TempDir()
			for range 4 {
				book.Challenged(now.Add(-time.Second), 5)
			}
			if err := opponents.Save(dir, book.Changed(now)); err != nil {
				t.Fatal(err)
			}
			var err error
			if opts.Opponents, err = opponents.Load(dir, now); err != nil {
				t.Fatal(err)
			}
			d := a.startAt(n.URL, "castellan", opts)
			a.online("person")
			a.loses()
			a.until("the decision", func() bool { return d.log.has(tt.says) })
			if tt.says != offering && n.count("POST /api/challenge/") > 0 {
				t.Errorf("the server was asked: %q", n.requests("/api/challenge/"))
			}
		})
	}
}

// TestChallengesByHandAreCounted makes one with the account beside the bot; the event stream repeats it when it is opened again.
func TestChallengesByHandAreCounted(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := again(2)
	opts.Match.ChallengesPerDay = 1
	d := a.startAt(n.URL, "castellan", opts)
	a.until("the event stream", func() bool { return n.count(eventStream) == 1 })
	a.online("person")
	request := lichess.ChallengeRequest{TimeControl: lichess.CorrespondenceControl(3)}
	if _, err := a.client("castellan").CreateChallenge(t.Context(), "person", request); err != nil {
		t.Fatal(err)
	}
	const counted = `msg="a challenge was made with the account"`
	a.until("it is counted", func() bool { return d.log.has(counted) })
	a.loses()
	a.until("the decision", func() bool { return d.log.has("the day's challenges are used up") })
}
