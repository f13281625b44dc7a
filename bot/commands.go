package bot

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode"

	"castellan/bot/watch"
	"castellan/engine/chess"
	"castellan/lichess"
)

// commandPause is how long the same command in the same room of a game is not answered again: the answer still stands there.
const commandPause = 10 * time.Second

// command is what somebody asks for in the chat.
type command string

// The commands.
const (
	askHelp  command = "help"
	askEval  command = "eval"
	askName  command = "name"
	askHowTo command = "howto"
	askPing  command = "ping"
	askCPU   command = "cpu"
)

// parseCommand reads a chat line: an exclamation mark and one of the words, in any case. What follows it is not looked at.
func parseCommand(text string) (c command, ok bool) {
	word, ok := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !ok {
		return "", false
	}
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word = word[:end]
	}
	switch c = command(strings.ToLower(word)); c {
	case askHelp, askEval, askName, askHowTo, askPing, askCPU:
		return c, true
	}
	return "", false
}

// asked is a command in a room.
type asked struct {
	command
	room  lichess.Room
	rival bool // the opponent asks, while the game is in play
}

// onChat answers commands. All else, what the bot itself says and what the server says is let be.
func (g *game) onChat(ctx context.Context, line *lichess.ChatLine) {
	g.log.Debug("chat", "room", line.Room, "from", line.Username, "text", lichess.CleanText(line.Text, 200))
	if answer := g.hear(line, true); answer != "" {
		g.work.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, echoWait)
			defer cancel()
			g.write(ctx, []chatLine{{line.Room, answer}})
		})
	}
}

// hear returns the answer to a line, "" for none. inPlay tells that the game is not over.
func (g *game) hear(line *lichess.ChatLine, inPlay bool) (answer string) {
	from := lichess.UserID(line.Username)
	if !g.opts.Chat.Commands || g.full == nil || from == "" || from == g.me || from == lichess.ChatSystem {
		return ""
	}
	// The opponent may write among the spectators too, and is the same there.
	opponent := line.Room == lichess.RoomPlayer || from == lichess.UserID(g.opponent().ID)
	switch {
	case line.Room != lichess.RoomPlayer && line.Room != lichess.RoomSpectator, opponent && !g.talksToOpponent():
		return ""
	}
	c, ok := parseCommand(line.Text)
	if !ok {
		return ""
	}
	question := asked{c, line.Room, opponent && inPlay}
	if last, before := g.answered[question]; before && time.Since(last) < commandPause || !g.speech.allow(from) {
		g.log.Debug("a command is not answered: there was too much talk", "command", string(c))
		return ""
	}
	if g.answered == nil {
		g.answered = map[asked]time.Time{}
	}
	g.answered[question] = time.Now()
	return lichess.FitChat(g.answer(question))
}

func (g *game) answer(q asked) string {
	switch q.command {
	case askHelp:
		return "I answer to !cpu, !eval, !help, !howto, !name and !ping. What !eval tells is for spectators, and after the game for all."
	case askEval:
		if q.rival {
			return "I tell what I think when the game is over. Until then only the spectators hear it."
		}
		return g.opinion()
	case askName:
		return g.fill("I am {me}, and my moves are found by {engine} {version}.")
	case askHowTo:
		return "I am a Castellan: one program that plays here by the Lichess Bot API. With a BOT account and a token you can run one too."
	case askPing:
		if way := g.overhead.expected(time.Now()); way > 0 {
			return fmt.Sprintf("Pong. My moves take up to %d ms to the board and back.", way.Milliseconds())
		}
		return "Pong."
	case askCPU:
		return fmt.Sprintf("I think on %d processors (%s, %s), for all my games together.", runtime.GOMAXPROCS(0), runtime.GOARCH, runtime.GOOS)
	}
	return ""
}

// opinion is what the bot thought when it moved last, as White sees it, with as much of its line as there is room for.
func (g *game) opinion() string {
	thought := g.past.thought
	if len(g.history) == 0 || thought == nil || g.history[len(g.history)-1].ply != thought.Ply || thought.Ply > g.board.Ply() {
		return "I have not thought about a move yet."
	}
	last := g.history[len(g.history)-1]
	at := g.board.PositionAt(thought.Ply)
	var text string
	switch {
	case last.basis == booked:
		text = "My last move needed no thought. I play"
	case last.basis == glance:
		text = "There was no time to think. I play"
	case last.basis == tabled:
		text = "By the endgame tables " + tableWord(&last) + ". I play"
	default:
		text = fmt.Sprintf("%s at depth %d. I expect", watch.ScoreForWhite(last.score, g.us), last.depth)
	}
	for i, m := range thought.PV {
		if !at.IsLegal(m) {
			break
		}
		number := ""
		switch {
		case at.SideToMove() == chess.White:
			number = fmt.Sprintf("%d. ", at.FullmoveNumber())
		case i == 0:
			number = fmt.Sprintf("%d... ", at.FullmoveNumber())
		}
		next := text + " " + number + at.SAN(m)
		if len(next) > lichess.MaxChatText {
			break
		}
		text, at = next, at.Play(m)
	}
	return text
}

// tableWord is the result that endgame tables give.
func tableWord(a *assessment) string {
	switch {
	case a.tableDraw():
		return "this is a draw"
	case a.score > 0:
		return "I win this"
	}
	return "I lose this"
}
