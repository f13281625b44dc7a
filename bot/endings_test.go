package bot_test

import (
	"slices"
	"testing"
	"time"

	"castellan/bot"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestDrainPlaysAllGamesOut(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	d := a.start("castellan", quick())
	a.start("rival", quick())
	var games []string
	for range 3 {
		games = append(games, a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, Increment: time.Second, FEN: "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"}))
	}
	for _, id := range games {
		a.plies(id, 2)
	}
	d.Drain()
	if err := <-d.done; err != nil {
		t.Errorf("draining ended by %v", err)
	}
	for _, id := range games {
		if g := a.game(id); !slices.Contains([]lichess.Status{lichess.StatusMate, lichess.StatusDraw, lichess.StatusStalemate}, g.Status) {
			t.Errorf("a game was left with status %s", g.Status)
		}
	}
}

func TestResignationBeforeBothHaveMovedIsAnAbort(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	opts, think := thorough()
	opts.Resign = bot.ResignPolicy{Enabled: true, Humans: true, Score: -300, Moves: 1, FromMove: 1}
	opts.Chat.Farewell = "Well played!"
	d := a.startWith(a.URL, "castellan", opts, think)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute, FEN: "3qk3/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1"})
	if g := a.finished(id); g.Status != lichess.StatusAborted {
		t.Errorf("the game ended by %s", g.Status)
	}
	a.until("the end", func() bool { return d.log.has("game over") })
	d.Drain()
	<-d.done
	if !d.log.has("result=aborted") || len(a.game(id).Chat) > 0 {
		t.Errorf("the abort was taken for a game: chat %q", a.game(id).Chat)
	}
}

// TestNoPonderingOnAFinishedGame lets the opponent's expected reply be mate.
func TestNoPonderingOnAFinishedGame(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	opts, think := thorough()
	opts.Ponder = true
	d := a.startWith(a.URL, "castellan", opts, think)
	// Black has one move at a time. After the second he expects to be mated.
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute, FEN: "k7/p2K4/P7/8/8/8/8/7R b - - 0 1"})
	a.plies(id, 1)
	a.move(id, "h1h2")
	a.plies(id, 3)
	a.move(id, "h2h8")
	if g := a.finished(id); g.Status != lichess.StatusMate {
		t.Errorf("the game ended by %s", g.Status)
	}
	a.until("the end", func() bool { return d.log.has("game over") })
	if !d.log.has(`score="mate -1"`) || d.log.has("ponder=true") {
		t.Error("the mate was not expected, or thought about")
	}
}
