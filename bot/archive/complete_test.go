package archive

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// TestEndThatNobodySaw lets a game end while the bot is away, and another go on.
func TestEndThatNobodySaw(t *testing.T) {
	server, dir := newServer(t), t.TempDir()
	seat(t, server, "Rival", nil)
	first := open(t, Options{Dir: dir, Files: Together})
	leave := seat(t, server, "Castellan", first)
	id := start(t, server, sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 2 * time.Second})
	long := start(t, server, sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Hour})
	until(t, "some moves", func() bool {
		a, _ := server.Game(id)
		b, _ := server.Game(long)
		return len(a.Moves) >= 6 && len(b.Moves) >= 2
	})
	leave()
	first.Close()
	game := end(t, server, id) // on time

	second := open(t, Options{Dir: dir, Files: Together})
	client, err := lichess.New(lichess.Options{URL: server.URL, Token: "lip_xCastellan"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	second.Complete(t.Context(), func(context.Context, string) (string, error) { return "", errors.New("away") })
	second.Complete(t.Context(), client.ExportPGN)
	until(t, "the game", func() bool { return len(read(t, dir)) == 1 })
	second.Complete(t.Context(), client.ExportPGN)
	second.Close()
	games := read(t, dir)
	if len(games) != 1 {
		t.Fatalf("%d games are kept", len(games))
	}
	g := games[0]
	if g.Tag("GameId") != id || g.Game.Ply() != len(game.Moves) || g.Result != "0-1" || g.Tag(sideTag) != "" {
		t.Errorf("the game is %v, %d plies, %s", g.Tags, g.Game.Ply(), g.Result)
	}
	scores := 0
	for ply := range g.Game.Ply() + 1 {
		if g.NoteAt(ply).Eval != nil {
			scores++
		}
	}
	if scores < 2 {
		t.Errorf("%d of the bot's scores are in it", scores)
	}
	if _, err := os.Stat(draftPath(dir, id)); err == nil {
		t.Error("the game is among the unfinished ones still")
	}
	if _, err := os.Stat(draftPath(dir, long)); err != nil {
		t.Errorf("the game that goes on is not: %v", err)
	}
}
