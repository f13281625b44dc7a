package bot

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"castellan/lichess"
)

// Chat says what the bot says in the chat of its games. An empty text is not sent; in the others {me} and {opponent} stand for the
// names of the players, {engine} and {version} for what finds the moves.
type Chat struct {
	// Greeting is said to the opponent at the start of a game and Farewell at its end, the others to the spectators.
	Greeting           string
	GreetingSpectators string
	Farewell           string
	FarewellSpectators string
	// Commands makes the bot answer !help and the other commands.
	Commands bool
	// Bots makes the bot talk to opponents that are bots, too. Spectators are talked to in any game.
	Bots bool
	// Engine and Version are the name of what finds the moves, and its version, which may be "".
	Engine  string
	Version string
}

// fill puts the names into a text and fits it to what the server takes.
func (g *game) fill(text string) string {
	if g.opts.Chat.Version == "" {
		text = strings.ReplaceAll(text, " {version}", "")
	}
	names := strings.NewReplacer(
		"{me}", plainName(g.full.Player(lichess.Color(g.us.String())).Name), "{opponent}", chatName(g.opponent()),
		"{engine}", harmless(g.opts.Chat.Engine), "{version}", harmless(g.opts.Chat.Version),
	)
	return lichess.FitChat(names.Replace(text))
}

// chatName is what a player is called in the chat.
func chatName(p *lichess.GamePlayer) string {
	name := plainName(p.Name)
	switch {
	case p.IsAI():
		return fmt.Sprintf("Lichess AI level %d", p.AILevel)
	case name == "":
		return "stranger"
	}
	return name
}

// maxChatName bounds a name in the chat. The server's own bound is less.
const maxChatName = 30

// plainName leaves what an account's name can have.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return -1
	}, name)
	return name[:min(len(name), maxChatName)]
}

// link finds what the server may take for a link. It drops lines with one, without saying so.
var link = regexp.MustCompile(`(?i)https?:|www\.|[a-z0-9-]\.[a-z]{2}`)

// harmless breaks what looks like a link in the name of an engine: "1.0-dev.dirty" becomes "1.0-dev-dirty". Its maker meant none, and the
// server would drop the line.
func harmless(name string) string {
	for link.MatchString(name) { // each time there is one dot or colon less
		name = link.ReplaceAllStringFunc(name, strings.NewReplacer(".", "-", ":", "-").Replace)
	}
	return name
}

// talksToOpponent tells whether the bot says anything to its opponent.
func (g *game) talksToOpponent() bool {
	o := g.opponent()
	return !o.IsAI() && (!o.IsBot() || g.opts.Chat.Bots)
}

// greet greets, unless an earlier run of the program has done so: when that kept no note of it, the players' chat shows it. The spectators'
// room cannot be read, so they alone are not greeted in a game that may be from before. It asks beside the game's goroutine.
func (g *game) greet(ctx context.Context) {
	toPlayer, toSpectators := g.opts.Chat.Greeting, g.opts.Chat.GreetingSpectators
	if !g.talksToOpponent() {
		toPlayer = ""
	}
	if toPlayer == "" && toSpectators == "" {
		return
	}
	if g.greeted || toPlayer == "" && !g.known && time.UnixMilli(g.full.CreatedAt).Before(g.since) {
		g.log.Debug("no greeting: there was one before, or may have been")
		return
	}
	lines := g.lines(toPlayer, toSpectators)
	g.greeted = true
	doings := g.doings()
	g.work.Go(func() {
		g.did(doings) // before it is done: a run that ends in between greets not at all rather than twice
		ctx, cancel := context.WithTimeout(ctx, echoWait)
		defer cancel()
		if toPlayer != "" {
			chat, err := g.client.ReadChat(ctx, g.id)
			switch {
			case err != nil && !errors.Is(err, lichess.ErrNotFound):
				g.log.Info("no greeting: the chat could not be read", "err", err)
				return
			case slices.ContainsFunc(chat, func(m lichess.ChatMessage) bool { return lichess.UserID(m.User) == g.me }):
				g.log.Debug("no greeting: there was one before")
				return
			}
		}
		g.write(ctx, lines)
	})
}

// sayFarewell takes leave.
func (g *game) sayFarewell(ctx context.Context) {
	toPlayer := g.opts.Chat.Farewell
	if !g.talksToOpponent() {
		toPlayer = ""
	}
	lines := g.lines(toPlayer, g.opts.Chat.FarewellSpectators)
	g.work.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, echoWait)
		defer cancel()
		g.write(ctx, lines)
	})
}

// chatLine is something to say.
type chatLine struct {
	room lichess.Room
	text string
}

// lines fills the texts for the two rooms in. There are none when the bot has talked too much already.
func (g *game) lines(toPlayer, toSpectators string) (lines []chatLine) {
	for _, l := range []chatLine{{lichess.RoomPlayer, g.fill(toPlayer)}, {lichess.RoomSpectator, g.fill(toSpectators)}} {
		if l.text != "" {
			lines = append(lines, l)
		}
	}
	if len(lines) > 0 && !g.speech.allow(g.opponent().ID) {
		g.log.Info("nothing is said: there was too much talk")
		return nil
	}
	return lines
}

// write sends lines. Chat is worth no second try. It may be called from any goroutine.
func (g *game) write(ctx context.Context, lines []chatLine) {
	for _, l := range lines {
		if link.MatchString(l.text) {
			g.log.Warn("chat line not sent: the server drops lines with links", "text", l.text)
			continue
		}
		if err := g.client.Chat(ctx, g.id, l.room, l.text); err != nil {
			g.log.Warn("chat line not sent", "room", l.room, "err", err)
		}
	}
}
