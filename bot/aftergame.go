package bot

import (
	"context"
	"time"

	"castellan/lichess"
)

// afterLooks are when the bot looks at the chat of a game that has ended, counted from the end: the game's stream, which tells of
// lines during the game, has ended with it.
var afterLooks = []time.Duration{3 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, time.Minute}

// lookTimeout bounds one look.
const lookTimeout = 10 * time.Second

// linger answers commands of the opponent for a while after a game. It is called when the game's goroutine has nothing else to do,
// and takes no place of another game.
func (g *game) linger(ctx context.Context) {
	if !g.parting || !g.opts.Chat.Commands || !g.talksToOpponent() {
		return
	}
	ended := time.Now()
	known, err := g.readChat(ctx)
	if err != nil {
		return
	}
	heard := len(known)
	for _, after := range afterLooks {
		if sleep(ctx, time.Until(ended.Add(after))) != nil {
			return
		}
		chat, err := g.readChat(ctx)
		if err != nil {
			return
		}
		for _, m := range chat[min(heard, len(chat)):] {
			if answer := g.hear(&lichess.ChatLine{Room: lichess.RoomPlayer, Username: m.User, Text: m.Text}, false); answer != "" {
				g.write(ctx, []chatLine{{lichess.RoomPlayer, answer}})
			}
		}
		heard = len(chat)
	}
}

func (g *game) readChat(ctx context.Context) ([]lichess.ChatMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	chat, err := g.client.ReadChat(ctx, g.id)
	if err != nil && ctx.Err() == nil {
		g.log.Debug("the chat of a game that has ended could not be read", "err", err)
	}
	return chat, err
}
