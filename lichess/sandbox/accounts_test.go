package sandbox_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestAddAccountRefuses(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	defer s.Close()
	if err := s.AddAccount(sandbox.Account{Name: "Deep", Token: "deep"}); err != nil {
		t.Fatal(err)
	}
	for _, a := range []sandbox.Account{
		{Name: ""}, {Name: "x"}, {Name: "a b"}, {Name: strings.Repeat("x", 31)},
		{Name: "DEEP"}, {Name: "Other", Token: "deep"}, {Name: "Other", Token: "no spaces"},
	} {
		if err := s.AddAccount(a); err == nil {
			t.Errorf("%+v was added", a)
		}
	}
}

func TestAuthentication(t *testing.T) {
	w := newWorld(t, sandbox.Options{},
		sandbox.Account{Name: "Gone", Title: "BOT", Token: "gone", Closed: true},
		sandbox.Account{Name: "Weak", Title: "BOT", Token: "weak", Scopes: []string{"challenge:read"}})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{})
	for _, test := range []struct {
		token, agent, path string
		code               int
		body               string
	}{
		{"", "", "/api/account", 401, `{"error":"Missing authorization header"}`},
		{"wrong", "", "/api/account", 401, `{"error":"No such token"}`},
		{"gone", "", "/api/account", 401, `{"error":"No such user"}`},
		{"weak", "", "/api/bot/game/stream/" + id, 403, `{"error":"Missing scope: bot:play"}`},
		{"deep", "bot/1 user:Fritz", "/api/account", 401, `{"error":"The user in the user-agent doesn't match the token bearer"}`},
		{"deep", "lichess-bot/1 user:?", "/api/account/playing", 200, `{"nowPlaying":[{"gameId":"`},
		{"deep", "bot/1 as:deep", "/api/account/playing", 200, `{"nowPlaying":[{"gameId":"`},
		{"mary", "", "/api/bot/game/stream/" + id, 403, `{"error":"Missing scope: bot:play"}`},
		{"deep", "", "/api/challenge", 403, `{"error":"Missing scope: challenge:read"}`},
	} {
		w.agent = test.agent
		r := w.get(test.token, test.path)
		if r.code != test.code || !strings.HasPrefix(r.body, test.body) {
			t.Errorf("GET %s by %q (%s): %d %s, want %d %s", test.path, test.token, test.agent, r.code, r.body, test.code, test.body)
		}
	}
	r := w.get("deep", "/api/account/playing")
	if got := r.header.Get("X-OAuth-Scopes"); got != "bot:play" {
		t.Errorf("X-OAuth-Scopes %q", got)
	}
	r = w.get("weak", "/api/bot/game/stream/"+id)
	if got := r.header.Get("X-Accepted-OAuth-Scopes"); got != "bot:play" {
		t.Errorf("X-Accepted-OAuth-Scopes %q", got)
	}
}

func TestTokenTest(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	r := w.do("POST", "", "/api/token/test", "text/plain", "deep,unknown")
	if want := `{"deep":{"userId":"deep","scopes":"bot:play","expires":null},"unknown":null}`; r.body != want {
		t.Errorf("got  %s\nwant %s", r.body, want)
	}
}

func TestAccount(t *testing.T) {
	w := newWorld(t, sandbox.Options{}, sandbox.Account{Name: "GrandMa", Title: "GM", Token: "gm",
		Rating: 2400, Ratings: map[string]int{"blitz": 2600}})
	var u lichess.User
	w.get("gm", "/api/account").decode(t, &u)
	if u.ID != "grandma" || u.Username != "GrandMa" || u.Title != "GM" || u.URL != w.URL+"/@/GrandMa" {
		t.Errorf("%+v", u)
	}
	if blitz, rapid := u.Perfs["blitz"].Rating, u.Perfs["rapid"].Rating; blitz != 2600 || rapid != 2400 {
		t.Errorf("blitz %d, rapid %d", blitz, rapid)
	}
	if u.Count.Playing != 0 || u.Playing != "" {
		t.Errorf("plays %q", u.Playing)
	}
	id := w.start("Deep", "GrandMa", sandbox.GameSetup{})
	w.get("", "/api/user/GRANDMA").decode(t, &u)
	if u.Count.Playing != 1 || u.Playing != w.URL+"/"+id+"/black" {
		t.Errorf("plays %q", u.Playing)
	}
	if r := w.get("", "/api/user/nobody"); r.code != 404 {
		t.Errorf("nobody: %d", r.code)
	}
}

func TestUpgrade(t *testing.T) {
	w := newWorld(t, sandbox.Options{}, sandbox.Account{Name: "New", Token: "new", Scopes: []string{"bot:play"}},
		sandbox.Account{Name: "Old", Token: "old", Scopes: []string{"bot:play"}})
	w.refused("deep", "/api/bot/account/upgrade", "", 400, "bot already")
	w.refused("mary", "/api/bot/account/upgrade", "", 403, "Missing scope")
	w.start("Old", "Fritz", sandbox.GameSetup{})
	w.refused("old", "/api/bot/account/upgrade", "", 400, "already have games played")
	w.ok("new", "/api/bot/account/upgrade", "")
	var u lichess.User
	w.get("new", "/api/account").decode(t, &u)
	if u.Title != "BOT" {
		t.Errorf("title %q", u.Title)
	}
}

func TestOnlineBotsAndStatus(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	online := func(query string) (names []string) {
		r := w.get("", "/api/bot/online"+query)
		if kind := r.header.Get("Content-Type"); kind != "application/x-ndjson" {
			t.Errorf("type %q", kind)
		}
		for scan := bufio.NewScanner(strings.NewReader(r.body)); scan.Scan(); {
			var u lichess.User
			if err := json.Unmarshal(scan.Bytes(), &u); err != nil {
				t.Fatal(err)
			}
			names = append(names, u.Username)
		}
		return names
	}
	if names := online(""); names != nil {
		t.Errorf("online: %q", names)
	}
	w.open("deep", "/api/stream/event")
	w.open("mary", "/api/stream/event")
	id := w.start("Fritz", "Bob", sandbox.GameSetup{})
	w.watch("fritz", id)
	if names := online(""); strings.Join(names, " ") != "Deep Fritz" {
		t.Errorf("online: %q", names)
	}
	if names := online("?nb=1"); strings.Join(names, " ") != "Deep" {
		t.Errorf("online: %q", names)
	}
	if r := w.get("", "/api/bot/online?nb=0"); r.code != 400 {
		t.Errorf("nb=0: %d", r.code)
	}
	r := w.get("", "/api/users/status?withGameIds=true&ids=Mary,fritz,nobody,bob")
	want := `[{"name":"Mary","id":"mary","online":true},` +
		`{"name":"Fritz","id":"fritz","title":"BOT","online":true,"playing":true,"playingId":"` + id + `"},` +
		`{"name":"Bob","id":"bob","playing":true,"playingId":"` + id + `"}]`
	if r.body != want {
		t.Errorf("got  %s\nwant %s", r.body, want)
	}
}

func TestNowPlaying(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	slow := w.start("Deep", "Fritz", sandbox.GameSetup{Days: 3})
	waits := w.start("Fritz", "Deep", sandbox.GameSetup{})
	fast := w.start("Deep", "Mary", sandbox.GameSetup{})
	var now lichess.NowPlaying
	w.get("deep", "/api/account/playing").decode(t, &now)
	var order []string
	for _, g := range now.NowPlaying {
		order = append(order, g.GameID)
	}
	if got, want := strings.Join(order, " "), strings.Join([]string{fast, slow, waits}, " "); got != want || now.NbMyTurn != 2 {
		t.Errorf("%s, %d at move; want %s, 2", got, now.NbMyTurn, want)
	}
	if g := now.NowPlaying[0]; g.Opponent.Username != "Mary" || *g.SecondsLeft != 180 || !g.IsMyTurn || g.HasMoved || len(g.FullID) != 12 {
		t.Errorf("%+v", g)
	}
	w.get("deep", "/api/account/playing?nb=1").decode(t, &now)
	if len(now.NowPlaying) != 1 || now.NbMyTurn != 2 {
		t.Errorf("%+v", now)
	}
}
