package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestGameFullOnTheWire(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	got := w.watch("deep", id).raw()
	want := `{"type":"gameFull","id":"` + id + `","variant":{"key":"standard","name":"Standard","short":"Std"},` +
		`"speed":"blitz","perf":{"name":"Blitz"},"rated":false,"createdAt":1796040000000,` +
		`"white":{"id":"deep","name":"Deep","title":"BOT","rating":2000},` +
		`"black":{"id":"mary","name":"Mary","title":null,"rating":1600},` +
		`"initialFen":"startpos","clock":{"initial":180000,"increment":2000},` +
		`"state":{"type":"gameState","moves":"","wtime":180000,"btime":180000,"winc":2000,"binc":2000,"status":"started"}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestGameFullWithoutClock(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	for _, test := range []struct {
		form   string
		millis lichess.Millis
		days   int
	}{{"days=3", 259200000, 3}, {"", 2147483647, 0}} {
		ch := w.challenge("mary", "deep", test.form)
		w.ok("deep", "/api/challenge/"+ch.ID+"/accept", "")
		var full lichess.GameFull
		w.watch("deep", ch.ID).next("gameFull", &full)
		s := full.State
		if full.Clock != nil || full.DaysPerTurn != test.days || full.Speed != lichess.SpeedCorrespondence ||
			s.WTime != test.millis || s.BTime != test.millis || s.WInc != 0 || s.BInc != 0 {
			t.Errorf("%q: %+v", test.form, full)
		}
	}
}

func TestGameStreamRefusals(t *testing.T) {
	w := newWorld(t, sandbox.Options{}, sandbox.Account{Name: "Half", Token: "half", Scopes: []string{"bot:play", "board:play"}})
	id := w.start("Deep", "Half", sandbox.GameSetup{})
	fast := w.challenge("half", "bob", "clock.limit=15&clock.increment=0")
	w.ok("bob", "/api/challenge/"+fast.ID+"/accept", "")
	w.ok("half", "/api/board/game/"+fast.ID+"/abort", "")
	for _, test := range []struct {
		token, path string
		code        int
		body        string
	}{
		{"deep", "/api/bot/game/stream/abcdefgh", 404, `{"error":"No such game"}`},
		{"fritz", "/api/bot/game/stream/" + id, 404, `{"error":"Not your game"}`},
		{"half", "/api/bot/game/stream/" + id, 400, `{"error":"This endpoint can only be used with a Bot account.`},
		{"deep", "/api/board/game/stream/" + id, 403, `{"error":"Missing scope: board:play"}`},
		{"deep", "/api/bot/game/abcdefgh/chat", 404, `{"error":"No such game"}`},
	} {
		if r := w.get(test.token, test.path); r.code != test.code || !strings.HasPrefix(r.body, test.body) {
			t.Errorf("%s by %s: %d %s, want %d %s", test.path, test.token, r.code, r.body, test.code, test.body)
		}
	}
	// An account that became a bot in the middle of a game too fast for bots.
	late := w.challenge("half", "bob", "clock.limit=15&clock.increment=0")
	w.ok("half", "/api/challenge/"+late.ID+"/cancel", "")
}

// Bots cannot play what was begun before the upgrade at UltraBullet.
func TestNotForBots(t *testing.T) {
	w := newWorld(t, sandbox.Options{}, sandbox.Account{Name: "Fresh", Token: "fresh", Scopes: []string{"bot:play", "challenge:write"}})
	ch := w.challenge("bob", "fresh", "clock.limit=15&clock.increment=0")
	w.ok("fresh", "/api/bot/account/upgrade", "")
	w.refused("fresh", "/api/challenge/"+ch.ID+"/accept", "", 400, "Game incompatible with a BOT account")
}

// The full id of a game works wherever its id does.
func TestFullID(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	w.start("Deep", "Fritz", sandbox.GameSetup{})
	var e lichess.GameStart
	w.open("deep", "/api/stream/event").next("gameStart", &e)
	w.watch("deep", e.Game.FullID).next("gameFull", nil)
}

func TestStatesToBothSidesAndTheEnd(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	deep, mary := w.watch("deep", id), w.watch("mary", id)
	deep.next("gameFull", nil)
	mary.next("gameFull", nil)
	moves := []string{"f2f3", "e7e5", "g2g4"}
	w.play(id, "deep", "mary", strings.Join(moves, " "))
	for i := range moves {
		for _, l := range []*lines{deep, mary} {
			if s := l.state(); s.Moves != strings.Join(moves[:i+1], " ") || s.Status != lichess.StatusStarted {
				t.Errorf("%+v", s)
			}
		}
	}
	w.ok("mary", gamePath("mary", id, "move/d8h4"), "")
	for _, l := range []*lines{deep, mary} {
		want := `{"type":"gameState","moves":"f2f3 e7e5 g2g4 d8h4","wtime":182000,"btime":182000,"winc":2000,"binc":2000,"status":"mate","winner":"black"}`
		if got := l.raw(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		l.end()
	}
	// A finished game is one gameFull and the end.
	l := w.watch("deep", id)
	var full lichess.GameFull
	l.next("gameFull", &full)
	if full.State.Status != lichess.StatusMate || full.State.Winner != "black" {
		t.Errorf("%+v", full.State)
	}
	l.end()
}

func TestGameStreamKeepAlive(t *testing.T) {
	w := newWorld(t, sandbox.Options{KeepAlive: time.Second})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	l := w.watch("deep", id)
	l.next("gameFull", nil)
	w.clock.Advance(2 * time.Second)
	for range 2 {
		if line := l.raw(); line != "" {
			t.Errorf("%q instead of a blank line", line)
		}
	}
}

// A second stream with the same User-Agent ends the first, another does not.
func TestGameStreamIsUniqueByUserAgent(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{})
	first := w.watch("deep", id)
	first.next("gameFull", nil)
	opponent := w.watch("fritz", id)
	opponent.next("gameFull", nil)
	w.agent = "other"
	other := w.watch("deep", id)
	other.next("gameFull", nil)
	w.agent = "test"
	second := w.watch("deep", id)
	second.next("gameFull", nil)
	first.end()
	w.play(id, "deep", "fritz", "e2e4")
	for _, l := range []*lines{opponent, other, second} {
		if s := l.state(); s.Moves != "e2e4" {
			t.Errorf("%+v", s)
		}
	}
}
