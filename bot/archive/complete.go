package archive

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"castellan/engine/chess"
)

// mostAsked bounds the games that are asked for at a time. The rest is for the next time.
const mostAsked = 20

// ending is a game whose end was found out afterwards.
type ending struct {
	id   string
	game *chess.PGNGame
	us   chess.Color
}

// Complete looks for the end of games that ended while nobody was there to see it: for each game in play that the archive has not
// been told of since it was opened it asks fetch, which returns a game as the server has it, and puts it into its place when it
// has ended, with what is known of it here besides. Call it when the bot has taken its games up again.
func (a *Archive) Complete(ctx context.Context, fetch func(ctx context.Context, id string) (pgn string, err error)) {
	drafts, err := filepath.Glob(filepath.Join(escapeGlob(a.opts.Dir), unfinished, "*.pgn"))
	if err != nil {
		return // the pattern is a good one
	}
	asked := 0
	for _, path := range drafts {
		draft, us, err := readDraft(path)
		if err != nil || draft == nil || asked == mostAsked {
			continue // told when the archive was opened; or in its place by now
		}
		id := draft.Tag("GameId")
		a.mu.Lock()
		_, played := a.games[id]
		a.mu.Unlock()
		if played {
			continue
		}
		asked++
		text, err := fetch(ctx, id)
		if ctx.Err() != nil {
			return
		}
		var g *chess.PGNGame
		if err == nil {
			g, err = chess.NewPGNReader(strings.NewReader(text)).Read()
		}
		if err != nil {
			a.opts.Log.Warn("the end of a game cannot be found out", "game", id, "err", err)
			continue
		}
		if g.Tag("GameId") == "" {
			g.Tags = append(g.Tags, chess.Tag{Name: "GameId", Value: id})
		}
		if g.Result == "*" && g.Tag("Termination") != "Abandoned" {
			continue // it is played on, by whomever
		}
		g.Notes = append(g.Notes, make([]chess.Note, max(g.Game.Ply()+1-len(g.Notes), 0))...)
		complete(g, draft)
		a.mu.Lock()
		a.found = append(a.found, ending{id, g, us})
		a.mu.Unlock()
		select {
		case a.wake <- struct{}{}:
		default:
		}
	}
}

// placeFound puts the games that were found to have ended into their place. What cannot be written is left for the next start.
func (a *Archive) placeFound() (fault error) {
	a.mu.Lock()
	found := a.found
	a.found = nil
	a.mu.Unlock()
	for _, e := range found {
		var err error
		if e.game.Result != "*" {
			err = place(a.opts.Dir, a.opts.Files, e.game, e.us)
		}
		if err == nil {
			err = a.forget(e.id)
		}
		fault = errors.Join(fault, err)
	}
	return fault
}
