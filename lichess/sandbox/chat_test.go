package sandbox_test

import (
	"net/url"
	"strings"
	"testing"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestChat(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	deep, mary := w.watch("deep", id), w.watch("mary", id)
	deep.next("gameFull", nil)
	mary.next("gameFull", nil)
	say := func(token, room, text string) string {
		t.Helper()
		form := url.Values{"room": {room}, "text": {text}}
		w.ok(token, gamePath(token, id, "chat"), form.Encode())
		return `{"type":"chatLine","room":"` + room + `","username":"` + strings.ToUpper(token[:1]) + token[1:] + `","text":"` + text + `"}`
	}
	long := strings.Repeat("é", 140)
	for _, text := range []string{"Hello", long} {
		want := say("deep", "player", text)
		if got := deep.raw(); got != want { // the own echo
			t.Errorf("got %s, want %s", got, want)
		}
		if got := mary.raw(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestChatRooms(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	deep, mary := w.watch("deep", id), w.watch("mary", id)
	deep.next("gameFull", nil)
	mary.next("gameFull", nil)
	w.ok("deep", gamePath("deep", id, "chat"), "room=spectator&text=for+all")
	w.ok("deep", gamePath("deep", id, "chat"), "room=player&text=for+you")
	for _, want := range []lichess.ChatLine{{Room: "spectator", Username: "Deep", Text: "for all"}, {Room: "player", Username: "Deep", Text: "for you"}} {
		var c lichess.ChatLine
		if deep.next("chatLine", &c); c != want {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	var c lichess.ChatLine
	if mary.next("chatLine", &c); c.Text != "for you" {
		t.Errorf("a person hears %+v", c)
	}
	r := w.get("deep", gamePath("deep", id, "chat"))
	if want := `[{"text":"for you","user":"Deep"}]`; r.body != want || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("chat %s, want %s", r.body, want)
	}
}

func TestChatRefusals(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	chat := gamePath("deep", id, "chat")
	w.refused("deep", chat, "room=player&text="+strings.Repeat("a", 141), 400, "text")
	w.refused("deep", chat, "room=player&text=", 400, "text")
	w.refused("deep", chat, "room=garden&text=hi", 400, "room")
	w.refused("deep", chat, "", 400, "room")
	// Links by a bot are dropped in silence, those by people are not.
	for _, text := range []string{"see https://example.org/x", "www.example", "visit example.com now"} {
		w.ok("deep", chat, url.Values{"room": {"player"}, "text": {text}}.Encode())
	}
	w.ok("deep", chat, "room=player&text=e4.+Nf3+is+2.5+ply...ok.")
	w.ok("mary", gamePath("mary", id, "chat"), "room=player&text=www.example.org")
	r := w.get("mary", gamePath("mary", id, "chat"))
	if want := `[{"text":"e4. Nf3 is 2.5 ply...ok.","user":"Deep"},{"text":"www.example.org","user":"Mary"}]`; r.body != want {
		t.Errorf("got  %s\nwant %s", r.body, want)
	}
}

func TestChatGoesOnAfterTheEnd(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	w.ok("deep", gamePath("deep", id, "abort"), "")
	w.ok("deep", gamePath("deep", id, "chat"), "room=player&text=gg")
	if chat := w.game(id).Chat; len(chat) != 1 || chat[0].Text != "gg" {
		t.Errorf("%+v", chat)
	}
}
