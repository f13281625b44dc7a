package sandbox

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"castellan/engine/chess"
	"castellan/lichess"
)

// maxChatLines is how many lines a game's chat keeps; older ones are lost.
const maxChatLines = 200

// link finds what the server takes for a link.
var link = regexp.MustCompile(`(?i)https?://|www\.|\b[a-z0-9-]+\.(com|org|net|io|dev|gg|tv|app|me|co|info|xyz)\b`)

// writeChat adds a line to a room. A line of a bot with a link in it is
// dropped, with success.
func (s *Server) writeChat(c *call, p pov) (any, error) {
	room, text := lichess.Room(c.form.Get("room")), strings.TrimSpace(c.form.Get("text"))
	switch {
	case room != lichess.RoomPlayer && room != lichess.RoomSpectator:
		return nil, badRequest("room: must be player or spectator")
	case text == "":
		return nil, badRequest("text: This field is required")
	case utf8.RuneCountInString(text) > lichess.MaxChatText:
		return nil, badRequest("text: Maximum length is %d", lichess.MaxChatText)
	case c.me.isBot() && link.MatchString(text):
		return ok(nil)
	}
	p.g.chatLine(room, c.me.Name, text)
	return ok(nil)
}

// chatLine adds a line and sends it to the streams. What the players write
// can be read later.
func (g *game) chatLine(room lichess.Room, user, text string) {
	if room == lichess.RoomPlayer {
		if len(g.chat) == maxChatLines {
			g.chat = g.chat[1:]
		}
		g.chat = append(g.chat, lichess.ChatMessage{Text: text, User: user})
	}
	g.pushChat(lichess.ChatLine{Room: room, Username: user, Text: text})
}

// say tells something to the players in the name of the server.
func (s *Server) say(g *game, text string) {
	g.chatLine(lichess.RoomPlayer, lichess.ChatSystem, text)
}

func sideName(c chess.Color) string {
	if c == chess.White {
		return "White"
	}
	return "Black"
}

func (s *Server) readChat(_ *call, p pov) (any, error) {
	return append([]lichess.ChatMessage{}, p.g.chat...), nil
}
