package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// newTournament is a sandbox with an arena, and with accounts whose tokens may join it.
func newTournament(t *testing.T, setup sandbox.ArenaSetup) (a arena, id string) {
	t.Helper()
	a = newArena(t, sandbox.Options{})
	for _, name := range []string{"Knight", "Squire"} {
		err := a.AddAccount(sandbox.Account{Name: name, Token: "lip_x" + name, Title: lichess.TitleBot, Scopes: []string{"bot:play", lichess.ScopeTournament}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if setup.Lasts == 0 {
		setup.Lasts = time.Hour
	}
	setup.Name, setup.Limit = "Test", 3*time.Minute
	id, err := a.AddArena(setup)
	if err != nil {
		t.Fatal(err)
	}
	return a, id
}

// plays are the games of an account in the order of their beginnings.
func (a arena) plays(name string) (games []sandbox.Game) {
	for _, g := range a.Games() {
		if g.White == name || g.Black == name {
			games = append(games, g)
		}
	}
	return games
}

// enters joins an arena by hand and asks for an opponent.
func (a arena) enters(c *lichess.Client, id string) {
	a.t.Helper()
	if err := c.JoinArena(a.t.Context(), id, lichess.ArenaEntry{PairNow: true}); err != nil {
		a.t.Fatal(err)
	}
}

func TestArenaIsPlayedToItsEnd(t *testing.T) {
	t.Parallel()
	a, id := newTournament(t, sandbox.ArenaSetup{Bots: true, StartsIn: time.Second, Lasts: 6 * time.Second})
	opts := quick()
	opts.MaxGames, opts.AbortAfter = 1, 100*time.Millisecond // an arena's game cannot be aborted, and is not tried to be
	opts.Arenas = []bot.Arena{{ID: id}}
	n := newTap(t, a.URL, tapping{})
	d := a.startAt(n.URL, "xKnight", opts)
	a.until("joined before the beginning", func() bool { return slices.Contains(a.ArenaPlayers(id), "knight") })
	if len(a.plays("Knight")) > 0 {
		t.Error("a game before the beginning")
	}
	// The second one asks for opponents by hand and gives every game up.
	squire := a.client("xSquire")
	for played := 0; played < 3; {
		a.until("a game", func() bool {
			info, err := squire.Arena(t.Context(), id)
			if err != nil || info.IsFinished || !info.Started() {
				return err == nil && info.IsFinished
			}
			a.enters(squire, id)
			return len(a.plays("Knight")) > played
		})
		games := a.plays("Knight")
		if len(games) == played {
			break
		}
		played = len(games)
		g := games[played-1].ID
		if played == 1 { // the opponent takes his time to begin
			a.stays("no abort", 300*time.Millisecond, func() bool { return n.count("/abort") == 0 })
		}
		if games[played-1].White == "Squire" {
			squire.Move(t.Context(), g, "e2e4", false)
		} else {
			a.plies(g, 1)
			for _, move := range []string{"e7e5", "a7a6"} {
				if squire.Move(t.Context(), g, move, false) == nil {
					break
				}
			}
		}
		a.plies(g, 2)
		if err := squire.Resign(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		a.finished(g)
	}
	games := a.plays("Knight")
	if len(games) < 2 {
		t.Errorf("%d games", len(games))
	}
	for _, g := range games {
		if g.Status != lichess.StatusResign {
			t.Errorf("game %s ended by %s", g.ID, g.Status)
		}
	}
	if n.count("/abort") > 0 {
		t.Errorf("%q", n.requests("/abort"))
	}
	if !d.log.has("joined the arena") {
		t.Error("the log does not tell of joining")
	}
}

// TestArenaKeepsAPlace has one place: while the bot waits for an arena's opponent, nobody else gets it.
func TestArenaKeepsAPlace(t *testing.T) {
	t.Parallel()
	a, id := newTournament(t, sandbox.ArenaSetup{Bots: true})
	opts := quick()
	opts.MaxGames, opts.Arenas = 1, []bot.Arena{{ID: id}}
	d := a.start("xKnight", opts)
	a.until("joined", func() bool { return d.log.has("joined the arena") })
	c, err := a.Challenge("Person", "Knight", blitz)
	if err != nil {
		t.Fatal(err)
	}
	a.until("declined", func() bool { return d.log.has(`msg="challenge declined" challenge=` + c) })
	a.enters(a.client("xSquire"), id)
	a.until("the arena's game", func() bool { return len(a.plays("Knight")) == 1 })
}

func TestArenaWaitsForAPlace(t *testing.T) {
	t.Parallel()
	a, id := newTournament(t, sandbox.ArenaSetup{Bots: true})
	running := a.startGame(sandbox.GameSetup{White: "Knight", Black: "Person", Limit: time.Minute})
	opts := quick()
	opts.MaxGames = 1
	d := a.start("xKnight", opts)
	a.plies(running, 1)
	squire := a.client("xSquire")
	a.enters(squire, id)
	// Joined by hand while all places are taken: the server pairs all the same, and the game has to be played.
	a.enters(a.client("xKnight"), id)
	a.until("the arena's game", func() bool { return len(a.plays("Knight")) == 2 })
	g := a.plays("Knight")[1]
	if g.White == "Squire" {
		if err := squire.Move(t.Context(), g.ID, "e2e4", false); err != nil {
			t.Fatal(err)
		}
		a.plies(g.ID, 2)
	} else {
		a.plies(g.ID, 1)
	}
	// The bot has learned of the arena by its game, and stays in it; but it asks for no opponent while there is no place.
	a.until("a look at the arena", func() bool { return d.log.has(`endpoint="GET /api/tournament/{id}"`) })
	a.stays("no joining", 200*time.Millisecond, func() bool { return !d.log.has("/join") })
}

// TestArenaLeavesPlacesForPeople has one place for anybody and one for people. A game with a bot has the first, so that the arena waits;
// then the arena has it, and a bot waits.
func TestArenaLeavesPlacesForPeople(t *testing.T) {
	t.Parallel()
	a, id := newTournament(t, sandbox.ArenaSetup{Bots: true})
	running := a.startGame(sandbox.GameSetup{White: "Knight", Black: "Rival", Limit: time.Minute})
	opts := quick()
	opts.MaxGames, opts.Accept.HumanPlaces = 2, 1
	opts.Arenas = []bot.Arena{{ID: id}}
	d := a.start("xKnight", opts)
	a.plies(running, 1)
	// It looks which games it has before it joins.
	a.until("a look at the games", func() bool { return d.log.has(`endpoint="GET /api/account/playing"`) })
	a.stays("no joining", 200*time.Millisecond, func() bool { return !d.log.has("/join") })
	if err := a.client("rival").Resign(t.Context(), running); err != nil {
		t.Fatal(err)
	}
	a.finished(running)
	d.kill()
	d = a.start("xKnight", opts) // looks again at once
	a.until("joined", func() bool { return d.log.has("joined the arena") })
	answer := func(who string) (yes bool) {
		c, err := a.Challenge(who, "Knight", blitz)
		if err != nil {
			t.Fatal(err)
		}
		a.until("a decision", func() bool { return d.log.has("challenge=" + c) })
		return d.log.has(`msg="challenge accepted" challenge=` + c)
	}
	if answer("Rival") {
		t.Error("a bot got the place that is kept for people")
	}
	if !answer("Person") {
		t.Error("the arena has the place that is kept for people")
	}
}

func TestArenaIsTakenUpByItsGame(t *testing.T) {
	t.Parallel()
	a, id := newTournament(t, sandbox.ArenaSetup{Bots: true})
	d := a.start("xKnight", quick())
	a.until("the event stream", func() bool { return d.log.has(`endpoint="GET /api/stream/event" status=200`) })
	squire := a.client("xSquire")
	a.enters(squire, id)
	a.enters(a.client("xKnight"), id) // as castellan arena join does
	a.until("the first game", func() bool { return len(a.plays("Knight")) == 1 })
	first := a.plays("Knight")[0].ID
	if err := squire.Resign(t.Context(), first); err != nil {
		a.plies(first, 1)
		for _, move := range []string{"e7e5", "a7a6", "e2e4"} {
			squire.Move(t.Context(), first, move, false)
		}
		a.plies(first, 2)
		if err := squire.Resign(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	a.until("asking for the next", func() bool { return d.log.has("joined the arena") })
	a.enters(squire, id)
	a.until("the second game", func() bool { return len(a.plays("Knight")) == 2 })
	// SIGTERM with finish: the bot leaves the arena when it takes no more games.
	d.Drain()
	a.until("left", func() bool { return d.log.has("left the arena") || !slices.Contains(a.ArenaPlayers(id), "knight") })
}

func TestArenaThatDoesNotWantTheBot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		setup sandbox.ArenaSetup
		token string
		entry bot.Arena
		says  string
		plays bool
	}{
		{"no bots", sandbox.ArenaSetup{}, "xKnight", bot.Arena{}, "Bots are not allowed", false},
		{"wrong password", sandbox.ArenaSetup{Bots: true, Password: "sesame"}, "xKnight", bot.Arena{Password: "sesam"}, "Wrong entry code", false},
		{"right password", sandbox.ArenaSetup{Bots: true, Password: "sesame"}, "xKnight", bot.Arena{Password: "sesame"}, "joined the arena", true},
		{"no team", sandbox.ArenaSetup{Bots: true, Team: "knights"}, "xKnight", bot.Arena{}, "You must play for a team", false},
		{"a team", sandbox.ArenaSetup{Bots: true, Team: "knights"}, "xKnight", bot.Arena{Team: "knights"}, "joined the arena", true},
		{"no permission", sandbox.ArenaSetup{Bots: true}, "castellan", bot.Arena{}, "lacks the permission tournament:write", false},
		{"no such arena", sandbox.ArenaSetup{Bots: true}, "xKnight", bot.Arena{ID: "nosucharena"}, "there is no such arena", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, id := newTournament(t, tt.setup)
			opts := quick()
			if tt.entry.ID == "" {
				tt.entry.ID = id
			}
			opts.MaxGames, opts.Arenas = 1, []bot.Arena{tt.entry}
			d := a.start(tt.token, opts)
			a.until("a word on it", func() bool { return d.log.has(tt.says) })
			if strings.Contains(d.log.String(), "sesame") {
				t.Error("the log shows the password")
			}
			if tt.plays {
				return
			}
			// The daemon lives, and the place is free.
			name := map[string]string{"xKnight": "Knight", "castellan": "Castellan"}[tt.token]
			a.until("a place", func() bool {
				c, err := a.Challenge("Person", name, blitz)
				if err != nil {
					t.Fatal(err)
				}
				yes, no := `msg="challenge accepted" challenge=`+c, `msg="challenge declined" challenge=`+c
				a.until("a decision", func() bool { return d.log.has(yes) || d.log.has(no) })
				return d.log.has(yes)
			})
		})
	}
}

func TestDrainLeavesTheArena(t *testing.T) {
	t.Parallel()
	a, id := newTournament(t, sandbox.ArenaSetup{Bots: true})
	opts := quick()
	opts.Arenas = []bot.Arena{{ID: id}}
	d := a.start("xKnight", opts)
	a.until("joined", func() bool { return slices.Contains(a.ArenaPlayers(id), "knight") })
	d.Drain()
	select {
	case err := <-d.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("the bot does not end")
	}
	if slices.Contains(a.ArenaPlayers(id), "knight") {
		t.Error("the bot is still in the arena")
	}
}
