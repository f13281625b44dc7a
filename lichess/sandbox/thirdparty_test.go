package sandbox_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"castellan/lichess/sandbox"
)

// The calls of the reference client in its order, in its spelling and with its
// headers, from start to the record of the game; and whatever it reads of the
// replies must be there.
func TestReferenceClientPlaysAGame(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	type object = map[string]any
	has := func(where string, o object, paths ...string) {
		t.Helper()
		for _, path := range paths {
			var v any = o
			for _, name := range strings.Split(path, ".") {
				inner, ok := v.(object)
				if !ok {
					t.Errorf("%s: no %s in %v", where, path, o)
					break
				}
				if v, ok = inner[name]; !ok {
					t.Errorf("%s: no %s in %v", where, path, o)
					break
				}
			}
		}
	}
	parse := func(text string) (o object) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return o
	}

	w.agent = "lichess-bot/2026.8.2.1 user:?" // it does not know its name yet
	tokens := parse(w.do("POST", "deep", "/api/token/test", "", "deep").body)
	has("token test", tokens, "deep.scopes", "deep.userId")
	profile := parse(w.get("deep", "/api/account").body)
	has("profile", profile, "username", "id", "title", "perfs.blitz.games", "perfs.blitz.rating")
	w.agent = "lichess-bot/2026.8.2.1 user:" + profile["username"].(string)
	has("playing", parse(w.get("deep", "/api/account/playing").body), "nowPlaying")

	events := w.open("deep", "/api/stream/event")
	challenge := w.do("POST", "fritz", "/api/challenge/Deep", "application/json",
		`{"rated": false, "variant": "standard", "clock.limit": 300, "clock.increment": 3, "color": "black"}`)
	if challenge.code != 401 { // Fritz, in the name of Deep's user agent
		t.Errorf("%d %s", challenge.code, challenge.body)
	}
	w.agent = "lichess-bot/2026.8.2.1 user:Fritz"
	challenge = w.do("POST", "fritz", "/api/challenge/Deep", "application/json",
		`{"rated": false, "variant": "standard", "clock.limit": 300, "clock.increment": 3, "color": "black"}`)
	w.agent = "lichess-bot/2026.8.2.1 user:Deep"
	id := parse(challenge.body)["id"].(string)
	event := parse(events.raw())
	has("challenge", event, "type", "challenge.id", "challenge.rated", "challenge.variant.key", "challenge.perf.name",
		"challenge.speed", "challenge.timeControl.increment", "challenge.timeControl.limit", "challenge.challenger.name",
		"challenge.challenger.title", "challenge.challenger.rating", "challenge.destUser.name", "challenge.color", "challenge.finalColor")

	w.ok("deep", "/api/challenge/"+id+"/accept", "")
	event = parse(events.raw())
	has("gameStart", event, "type", "game.id", "game.gameId", "game.isMyTurn", "game.secondsLeft", "game.opponent.username", "game.speed")
	game := w.watch("deep", id)
	full := parse(game.raw())
	has("gameFull", full, "id", "speed", "clock.initial", "clock.increment", "perf.name", "variant.name", "variant.key", "rated",
		"white.name", "white.title", "white.rating", "black.name", "initialFen", "createdAt",
		"state.type", "state.moves", "state.wtime", "state.btime", "state.winc", "state.binc", "state.status")
	for _, room := range []string{"player", "spectator"} {
		w.ok("deep", gamePath("deep", id, "chat"), url.Values{"room": {room}, "text": {"Hi! I'm Deep. Good luck!"}}.Encode())
		has("chatLine", parse(game.raw()), "type", "username", "text", "room")
	}
	w.ok("deep", gamePath("deep", id, "move/f2f3?offeringDraw=false"), "")
	w.agent = "other"
	w.ok("fritz", gamePath("fritz", id, "move/e7e5"), "")
	w.agent = "lichess-bot/2026.8.2.1 user:Deep"
	w.ok("deep", gamePath("deep", id, "move/g2g4?offeringDraw=false"), "")
	w.agent = "other"
	w.ok("fritz", gamePath("fritz", id, "move/d8h4"), "")
	w.agent = "lichess-bot/2026.8.2.1 user:Deep"
	for range 4 {
		has("gameState", parse(game.raw()), "type", "moves", "wtime", "btime", "winc", "binc", "status")
	}
	game.end()
	has("gameFinish", parse(events.raw()), "type", "game.id", "game.status.name", "game.winner")
	w.ok("deep", gamePath("deep", id, "chat"), "room=player&text=Good+game%21")
	if r := w.get("deep", "/game/export/"+id); !strings.Contains(r.body, `[White "Deep"]`) || !strings.Contains(r.body, "Qh4#") {
		t.Errorf("%s", r.body)
	}
	// Its blank lines must come well within its read timeout of 15 s.
	w.clock.Advance(7 * time.Second)
	if line := events.raw(); line != "" {
		t.Errorf("%q", line)
	}

	// It opens a declined challenge's way too.
	w.agent = "other"
	r := w.do("POST", "mary", "/api/challenge/deep", formType, blitz)
	w.ok("deep", "/api/challenge/"+parse(r.body)["id"].(string)+"/decline", "reason=timeControl")
}
