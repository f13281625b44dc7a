package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

var arenaScopes = []string{"bot:play", lichess.ScopeTournament}

func TestArena(t *testing.T) {
	w := newWorld(t, sandbox.Options{},
		sandbox.Account{Name: "Knight", Title: "BOT", Token: "lip_xknight", Scopes: arenaScopes},
		sandbox.Account{Name: "Squire", Title: "BOT", Token: "lip_xsquire", Scopes: arenaScopes},
		sandbox.Account{Name: "Lady", Token: "lip_xlady", Scopes: []string{lichess.ScopeTournament}})
	add := func(setup sandbox.ArenaSetup) string {
		t.Helper()
		setup.Name, setup.Limit = "Test", 3*time.Minute
		if setup.Lasts == 0 {
			setup.Lasts = time.Hour
		}
		id, err := w.AddArena(setup)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	open := add(sandbox.ArenaSetup{Bots: true, StartsIn: 10 * time.Minute})
	people := add(sandbox.ArenaSetup{})
	secret := add(sandbox.ArenaSetup{Bots: true, Password: "sesame"})
	team := add(sandbox.ArenaSetup{Bots: true, Team: "knights"})
	short := add(sandbox.ArenaSetup{Bots: true, Lasts: time.Minute})
	w.clock.Advance(2 * time.Minute)
	for _, test := range []struct {
		token, id, form string
		code            int
		body            string
	}{
		{"lip_xknight", "nosuch00", "", 400, `{"error":"This tournament no longer exists"}`},
		{"deep", open, "", 403, `{"error":"Missing scope: tournament:write"}`},
		{"lip_xknight", people, "", 400, `{"error":"Bots are not allowed in this tournament"}`},
		{"lip_xlady", people, "", 200, `{"ok":true}`},
		{"lip_xknight", secret, "password=sesam", 400, `{"error":"Wrong entry code"}`},
		{"lip_xknight", secret, "password=sesame", 200, `{"ok":true}`},
		{"lip_xknight", secret, "", 200, `{"ok":true}`}, // coming back needs none
		{"lip_xknight", team, "", 400, `{"error":"You must play for a team of this tournament"}`},
		{"lip_xknight", team, "team=knights", 200, `{"ok":true}`},
		{"lip_xknight", short, "", 400, `{"error":"This tournament is over"}`},
		{"lip_xknight", open, "pairMeAsap=true", 200, `{"ok":true}`}, // too early for a game
		{"lip_xsquire", open, "pairMeAsap=true", 200, `{"ok":true}`},
	} {
		r := w.post(test.token, "/api/tournament/"+test.id+"/join", test.form)
		if r.code != test.code || !strings.HasPrefix(r.body, test.body) {
			t.Errorf("%s joins %s with %q: %d %s, want %d %s", test.token, test.id, test.form, r.code, r.body, test.code, test.body)
		}
	}
	if games := w.Games(); len(games) > 0 {
		t.Fatalf("%d games before the beginning", len(games))
	}
	for id, want := range map[string]string{open: `"secondsToStart":480`, people: `"secondsToFinish":3480`, short: `"isFinished":true`} {
		if r := w.get("deep", "/api/tournament/"+id); r.code != 200 || !strings.Contains(r.body, want) {
			t.Errorf("%d %s, want %s", r.code, r.body, want)
		}
	}

	w.clock.Advance(10 * time.Minute)
	w.post("lip_xknight", "/api/tournament/"+open+"/join", "pairMeAsap=true")
	w.clock.Advance(61 * time.Second)
	w.post("lip_xsquire", "/api/tournament/"+open+"/join", "pairMeAsap=true")
	if games := w.Games(); len(games) > 0 {
		t.Fatal("paired with somebody who asked more than a minute ago")
	}
	w.post("lip_xknight", "/api/tournament/"+open+"/join", "pairMeAsap=true")
	games := w.Games()
	if len(games) != 1 {
		t.Fatalf("%d games", len(games))
	}
	token := map[string]string{"Knight": "lip_xknight", "Squire": "lip_xsquire"}[games[0].White]
	if r := w.post(token, "/api/bot/game/"+games[0].ID+"/abort", ""); r.code != 400 {
		t.Errorf("a game of an arena was aborted: %d %s", r.code, r.body)
	}
	if r := w.get(token, "/api/account/playing"); !strings.Contains(r.body, `"source":"arena"`) || !strings.Contains(r.body, `"tournamentId":"`+open+`"`) {
		t.Error(r.body)
	}
	w.post("lip_xknight", "/api/tournament/"+open+"/join", "pairMeAsap=true")
	w.post("lip_xsquire", "/api/tournament/"+open+"/join", "pairMeAsap=true")
	if games := w.Games(); len(games) != 1 {
		t.Fatal("paired while playing")
	}
	w.clock.Advance(22 * time.Second) // blitz: nobody has moved
	if g, _ := w.Game(games[0].ID); g.Status != lichess.StatusNoStart || g.Winner != lichess.ColorBlack {
		t.Errorf("without a first move the game ended by %s, won by %q", g.Status, g.Winner)
	}

	if r := w.post("lip_xsquire", "/api/tournament/"+open+"/withdraw", ""); r.code != 200 {
		t.Errorf("leaving: %d %s", r.code, r.body)
	}
	w.post("lip_xknight", "/api/tournament/"+open+"/join", "pairMeAsap=true")
	if games := w.Games(); len(games) != 1 {
		t.Error("paired with somebody who has left")
	}
	if got := strings.Join(w.ArenaPlayers(open), " "); got != "knight" {
		t.Errorf("players: %q", got)
	}
}
