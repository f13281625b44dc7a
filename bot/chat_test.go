package bot_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
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

// words are what a bot says that has something to say to everybody.
func words() bot.Chat {
	return bot.Chat{
		Greeting: "Hello {opponent}, I am {me} with {engine} {version}.", GreetingSpectators: "{me} plays {opponent}.",
		Farewell: "Bye {opponent}.", FarewellSpectators: "That was {me} with {engine} {version}.",
		Commands: true, Engine: "Castellan", Version: "1.2.3",
	}
}

// said returns what the bot said in a game's rooms, as its own stream told it.
func (d *daemon) said(id string) (player, spectator []string) {
	line := regexp.MustCompile(`msg=chat game=` + id + ` room=(player|spectator) from=Castellan text="?([^"\n]*)`)
	for _, m := range line.FindAllStringSubmatch(d.log.String(), -1) {
		if strings.HasPrefix(m[2], "!") {
			continue // put into its mouth
		}
		if m[1] == "player" {
			player = append(player, m[2])
		} else {
			spectator = append(spectator, m[2])
		}
	}
	return player, spectator
}

// chatted returns what the bot said to the player by the server's word.
func (a arena) chatted(id string) (lines []string) {
	for _, m := range a.game(id).Chat {
		if m.User == "Castellan" {
			lines = append(lines, m.Text)
		}
	}
	return lines
}

// tells writes a line for the person.
func (a arena) tells(id, text string) {
	a.t.Helper()
	a.post("/api/board/game/"+id+"/chat", url.Values{"room": {"player"}, "text": {text}})
}

// shouts lets a spectator write a line.
func (n *tap) shouts(id, from, text string) {
	n.t.Helper()
	n.inject(gameStream+id, fields{"type": lichess.TypeChatLine, "room": "spectator", "username": from, "text": text}.String())
}

func TestGreetingAndFarewell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, opponent          string
		bots                    bool
		wantPlayer              []string
		wantSpectator, farewell string
	}{
		{"a person", "Person", false, []string{"Hello Person, I am Castellan with Castellan 1.2.3.", "Bye Person."}, "Castellan plays Person.", "That was Castellan with Castellan 1.2.3."},
		{"a bot", "Rival", false, nil, "Castellan plays Rival.", "That was Castellan with Castellan 1.2.3."},
		{"a bot, and bots are talked to", "Rival", true, []string{"Hello Rival, I am Castellan with Castellan 1.2.3.", "Bye Rival."}, "Castellan plays Rival.", "That was Castellan with Castellan 1.2.3."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{})
			opts := quick()
			opts.Chat = words()
			opts.Chat.Bots = tt.bots
			d := a.startAt(n.URL, "castellan", opts)
			a.until("the bot is online", func() bool { return d.log.has("msg=online") }) // a game from before might have been greeted
			id := a.startGame(sandbox.GameSetup{White: tt.opponent, Black: "Castellan", Limit: time.Minute, FEN: "8/8/8/8/7p/8/7P/k6K w - - 0 1"})
			if tt.opponent == "Rival" {
				a.start("rival", quick())
			}
			a.until("the first greetings", func() bool {
				player, spectator := d.said(id)
				return len(player) >= len(tt.wantPlayer)/2 && len(spectator) == 1
			})
			if tt.opponent == "Person" {
				a.move(id, "h1g1")
				a.plies(id, 2)
				a.resigns(id)
			} else {
				a.finished(id)
			}
			a.until("the farewell", func() bool {
				return n.count("POST /api/bot/game/"+id+"/chat") == 2+len(tt.wantPlayer)
			})
			d.kill()
			if got := a.chatted(id); !slices.Equal(got, tt.wantPlayer) {
				t.Errorf("to the player: %q", got)
			}
			if _, spectator := d.said(id); !slices.Equal(spectator, []string{tt.wantSpectator}) {
				t.Errorf("to the spectators, as far as the stream tells: %q", spectator) // the farewell comes after its end
			}
		})
	}
}

// TestOneGreeting: the stream is lost before the first moves, and the daemon starts anew.
func TestOneGreeting(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Chat = words()
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute})
	a.until("the greeting", func() bool { return len(a.chatted(id)) == 1 })
	n.cut()
	a.until("the stream is back", func() bool { return n.count("GET "+gameStream+id) == 2 })
	d.kill()
	again := a.startAt(n.URL, "castellan", opts)
	a.until("the chat was read", func() bool { return again.log.has("there was one before") })
	a.move(id, "e2e4")
	a.plies(id, 2)
	a.resigns(id)
	a.until("the farewell", func() bool { return len(a.chatted(id)) == 2 })
	if got := a.chatted(id); got[1] != "Bye Person." {
		t.Errorf("said: %q", got)
	}
}

// TestNoGreetingInMidGame starts the daemon when a game runs already.
func TestNoGreetingInMidGame(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	opts := quick()
	d := a.start("castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute})
	a.move(id, "e2e4")
	a.plies(id, 2)
	d.kill()
	opts.Chat = words()
	again := a.start("castellan", opts)
	a.move(id, "d2d4")
	a.plies(id, 4)
	again.kill()
	if got := a.chatted(id); len(got) > 0 {
		t.Errorf("said: %q", got)
	}
}

func TestTextsWithLinksAreNotSent(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Chat = bot.Chat{Greeting: "See https://example.org", GreetingSpectators: "Play at Example.Org"}
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute})
	a.until("both are left out", func() bool { return strings.Count(d.log.String(), "the server drops lines with links") == 2 })
	if n.count("POST /api/bot/game/"+id+"/chat") > 0 {
		t.Error("lines with links were sent")
	}
}

// aheadByARook is a game in which the bot, as Black, stands better.
const aheadByARook = "3rk3/5ppp/8/8/8/8/5PPP/4K3 w - - 0 1"

func TestCommands(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Chat = bot.Chat{Commands: true, Engine: "Castellan", Version: "1.2.3"}
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour, FEN: aheadByARook})
	a.move(id, "g2g3")
	a.plies(id, 2)
	a.until("the bot has seen its move", func() bool { return n.count("/move/") == 1 && d.log.has("verdict=") })

	// The opponent hears what anybody may know, and not what the bot thinks.
	for i, q := range []struct{ ask, answer string }{
		{"!help", `^I answer to !cpu, !eval, !help, `},
		{"  !NAME please", `^I am Castellan, and my moves are found by Castellan 1\.2\.3\.$`},
		{"!eval", `^I tell what I think when the game is over\.`},
	} {
		a.tells(id, q.ask)
		a.until("an answer to "+q.ask, func() bool { return len(a.chatted(id)) == i+1 })
		if got := a.chatted(id)[i]; !regexp.MustCompile(q.answer).MatchString(got) {
			t.Errorf("%s: %q", q.ask, got)
		}
	}
	for i, q := range []struct{ ask, answer string }{
		{"!eval", `^-[3-9]\.\d\d at depth \d+\. I expect 1\.\.\. \S+`},
		{"!ping", `^Pong\.`},
		{"!cpu", `^I think on \d+ processors \(\w+, \w+\)`},
		{"!howto", `^I am a Castellan: .* Lichess Bot API`},
	} {
		n.shouts(id, fmt.Sprintf("Onlooker%d", i), q.ask)
		a.until("an answer to "+q.ask, func() bool { _, s := d.said(id); return len(s) == i+1 })
		if _, s := d.said(id); !regexp.MustCompile(q.answer).MatchString(s[i]) {
			t.Errorf("%s: %q", q.ask, s[i])
		}
	}
	// What is no command, or nobody's, is not answered: the next answer is to what follows it.
	for _, text := range []string{"hello", "", "!", "! help", "!nonsense", "help", "!helpme", "!!help", "!" + strings.Repeat("help", 3000)} {
		n.shouts(id, "Other", text)
	}
	n.shouts(id, "Castellan", "!help")
	n.shouts(id, "lichess", "!help")
	n.shouts(id, "", "!help")
	n.shouts(id, "Other", "!name")
	a.until("an answer", func() bool { _, s := d.said(id); return len(s) > 4 })
	player, spectator := d.said(id)
	if !strings.HasPrefix(spectator[4], "I am Castellan, and") {
		t.Errorf("after much that is no command: %q", spectator[4])
	}
	for _, line := range slices.Concat(player, spectator) {
		if len(line) > lichess.MaxChatText {
			t.Errorf("%d characters: %q", len(line), line)
		}
	}
}

// TestOpponentAmongTheSpectators is the opponent in the other room: a person does not hear there what the bot thinks, and a bot nothing.
func TestOpponentAmongTheSpectators(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Chat = bot.Chat{Commands: true}
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour, FEN: aheadByARook})
	other := a.startGame(sandbox.GameSetup{White: "Rival", Black: "Castellan", Limit: time.Hour})
	a.until("the bot is there", func() bool { return d.log.has("msg=game game=" + other) })
	a.move(id, "g2g3")
	a.plies(id, 2)
	a.until("the bot has seen its move", func() bool { return d.log.has("verdict=") })
	a.post("/api/board/game/"+id+"/chat", url.Values{"room": {"spectator"}, "text": {"!eval"}})
	a.until("an answer", func() bool { _, s := d.said(id); return len(s) == 1 })
	n.shouts(id, "Onlooker", "!eval") // is not kept waiting by the opponent's question
	a.until("the onlooker's answer", func() bool { _, s := d.said(id); return len(s) == 2 })
	if _, s := d.said(id); !strings.HasPrefix(s[0], "I tell what I think when the game is over.") || !strings.Contains(s[1], "at depth") {
		t.Errorf("said %q", s)
	}
	for _, text := range []string{"!help", "!eval"} {
		if err := a.client("rival").Chat(t.Context(), other, lichess.RoomSpectator, text); err != nil {
			t.Fatal(err)
		}
	}
	n.shouts(other, "Onlooker", "!name")
	a.until("the onlooker's answer", func() bool { _, s := d.said(other); return len(s) > 0 })
	if player, s := d.said(other); len(player) > 0 || len(s) != 1 || !strings.HasPrefix(s[0], "I am Castellan") {
		t.Errorf("said %q, %q", player, s)
	}
}

// TestEngineNamesAreMadeHarmless: a version may look like a link, and a line with one would be lost.
func TestEngineNamesAreMadeHarmless(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Chat = bot.Chat{Greeting: "I am {engine}.", Commands: true, Engine: "Lc0 v0.31.0-dev+git.dirty of www.a.bc.de https://x.org"}
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour})
	const name = "Lc0 v0.31.0-dev+git-dirty of www-a-bc-de https-//x-org"
	a.until("the greeting", func() bool { return len(a.chatted(id)) == 1 || d.log.has("not sent") })
	a.tells(id, "!name")
	a.until("an answer", func() bool { return len(a.chatted(id)) == 2 || strings.Count(d.log.String(), "not sent") > 1 })
	if got := a.chatted(id); !slices.Equal(got, []string{"I am " + name + ".", "I am Castellan, and my moves are found by " + name + "."}) {
		t.Errorf("said %q", got)
	}
}

// TestNobodyElseIsAnswered: with commands switched off, and in a game against a bot.
func TestNobodyElseIsAnswered(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Chat = bot.Chat{Commands: true}
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Rival", Black: "Castellan", Limit: time.Hour})
	a.until("the bot is there", func() bool { return d.log.has("msg=game game=" + id) })
	if err := a.client("rival").Chat(t.Context(), id, lichess.RoomPlayer, "!help"); err != nil {
		t.Fatal(err)
	}
	a.until("it is heard", func() bool { return d.log.has("text=!help") })
	n.shouts(id, "Onlooker", "!eval")
	a.until("the onlooker's answer", func() bool { _, s := d.said(id); return len(s) == 1 })
	if _, s := d.said(id); s[0] != "I have not thought about a move yet." || len(a.chatted(id)) > 0 {
		t.Errorf("said %q and, to a bot, %q", s, a.chatted(id))
	}
}

// TestCommandsAfterTheGame lets the opponent ask when the stream has ended. The game's place is free by then.
func TestCommandsAfterTheGame(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.MaxGames = 1
	opts.Chat = bot.Chat{Commands: true, Farewell: "Bye."}
	d := a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour, FEN: aheadByARook})
	a.move(id, "g2g3")
	a.plies(id, 2)
	a.until("the bot's thought", func() bool { return d.log.has("verdict=") })
	a.resigns(id)
	a.until("the farewell", func() bool { return len(a.chatted(id)) == 1 })
	a.until("the chat is read", func() bool { return n.count("GET /api/bot/game/"+id+"/chat") > 0 })
	if again, taken := a.challenges("Person", blitz, d); !taken {
		t.Errorf("challenge %s was declined", again)
	}
	a.tells(id, "!eval")
	a.tells(id, "!eval")
	a.until("an answer", func() bool { return len(a.chatted(id)) > 1 })
	if got := a.chatted(id); len(got) != 2 || !strings.Contains(got[1], " at depth ") {
		t.Errorf("said: %q", got)
	}
	d.Drain()
}

// TestFlood has one person ask again and again, in one game and in many.
func TestFlood(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Chat = bot.Chat{Commands: true}
	d := a.startAt(n.URL, "castellan", opts)
	var games []string
	for range 6 {
		games = append(games, a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour}))
	}
	for _, id := range games {
		a.until("the bot is there", func() bool { return d.log.has("msg=game game=" + id) })
	}
	answers := func() (all int) {
		for _, id := range games {
			all += len(a.chatted(id))
		}
		return all
	}
	for i := range 5 {
		a.tells(games[0], "!ping")
		a.tells(games[0], fmt.Sprint("line ", i))
		a.until("it is heard", func() bool { return d.log.has(fmt.Sprintf(`text="line %d"`, i)) })
	}
	a.until("one answer", func() bool { return answers() == 1 })
	for i, id := range games {
		a.tells(id, "!name")
		a.tells(id, fmt.Sprint("word ", i))
		a.until("it is heard", func() bool { return d.log.has(fmt.Sprintf(`text="word %d"`, i)) })
	}
	a.until("the answers", func() bool { return answers() >= 4 })
	// Somebody else is answered, and that is the last answer.
	n.shouts(games[0], "Onlooker", "!help")
	a.until("the onlooker's answer", func() bool { _, s := d.said(games[0]); return len(s) == 1 })
	if got := answers(); got != 4 || n.count("POST /api/bot/game/") != 5 {
		t.Errorf("%d answers, requests %q", got, n.requests("POST /api/bot/game/"))
	}
}
