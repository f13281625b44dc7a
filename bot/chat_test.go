package bot_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"castellan/bot"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestChatIsHeardAndNotAnswered(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	d := a.startAt(n.URL, "castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	line := func(from, text string) string {
		return fields{"type": lichess.TypeChatLine, "room": "player", "username": from, "text": text}.String()
	}
	for _, l := range []string{
		line("Castellan", "!help"), line("lichess", "White offers draw"), line("lichess", "!help"), line("Person", ""), line("Person", "!"), line("Person", "! \x1b[2J"),
		line("Person", strings.Repeat("long ", 2000)), line("", "!help"), `{"type":"chatLine"}`, `{"type":"chatLine","text":7,"username":null}`,
		line("Person", "the last one"),
	} {
		n.inject(gameStream+id, l)
	}
	a.until("all are heard", func() bool { return d.log.has("the last one") })
	a.move(id, "e7e5")
	a.plies(id, 3)
	if n.count("/chat") > 0 {
		t.Errorf("the bot wrote %d lines", n.count("/chat"))
	}
	for l := range strings.Lines(d.log.String()) {
		if len(l) > 1000 || strings.Contains(l, `\x1b`) || strings.Contains(l, "\x1b") {
			t.Errorf("a line of %d bytes in the log: %.200q", len(l), l)
		}
	}
}

func TestGreetingIsCutToWhatTheServerTakes(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	name := "Person_of_20_letters"
	if err := a.AddAccount(sandbox.Account{Name: name, Token: "lip_longname"}); err != nil {
		t.Fatal(err)
	}
	opts := quick()
	// 135 characters, most of them of two bytes, without the name.
	opts.Chat = bot.Chat{Greeting: "Hi {opponent}! " + strings.Repeat("ü", 124)}
	d := a.start("castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: name, Limit: time.Minute})
	a.until("a greeting", func() bool { return len(a.game(id).Chat) > 0 || d.log.has("chat line not sent") })
	chat := a.game(id).Chat
	if len(chat) != 1 || utf8.RuneCountInString(chat[0].Text) != lichess.MaxChatText || !strings.HasPrefix(chat[0].Text, "Hi "+name+"! ü") {
		t.Errorf("the chat is %q", chat)
	}
}
