package sandbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestStartGameRefuses(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	for name, setup := range map[string]sandbox.GameSetup{
		"no white":         {White: "Nobody", Black: "Deep"},
		"no black":         {White: "Deep"},
		"oneself":          {White: "Deep", Black: "DEEP"},
		"negative clock":   {White: "Deep", Black: "Fritz", Limit: -time.Second},
		"days":             {White: "Deep", Black: "Fritz", Days: 4},
		"no FEN":           {White: "Deep", Black: "Fritz", Variant: lichess.VariantFromPosition},
		"bad FEN":          {White: "Deep", Black: "Fritz", FEN: "nonsense"},
		"rated FEN":        {White: "Deep", Black: "Fritz", FEN: "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", Rated: true},
		"unplayed variant": {White: "Deep", Black: "Fritz", Variant: lichess.VariantAtomic},
	} {
		if id, err := w.StartGame(setup); err == nil {
			t.Errorf("%s: game %s was started", name, id)
		}
	}
	if games := w.Games(); len(games) != 0 {
		t.Errorf("%+v", games)
	}
}

// A game of 5 s and 50 ms a move is UltraBullet, and bots play it all the same
// when it was started by hand.
func TestStartGameTooFastForLichess(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{Limit: 5 * time.Second, Increment: 50 * time.Millisecond})
	var full lichess.GameFull
	w.watch("deep", id).next("gameFull", &full)
	if full.Clock.Initial != 5000 || full.Clock.Increment != 50 || full.Speed != lichess.SpeedUltraBullet {
		t.Errorf("%+v", full)
	}
	var e lichess.GameStart
	w.open("deep", "/api/stream/event").next("gameStart", &e)
	if !e.Game.Compat.Bot {
		t.Errorf("%+v", e.Game)
	}
}

func TestWaitGame(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.WaitGame(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := w.WaitGame(t.Context(), "nothing"); err == nil {
		t.Error("no error for a game that does not exist")
	}
	done := make(chan sandbox.Game)
	go func() {
		g, err := w.WaitGame(t.Context(), id)
		if err != nil {
			t.Error(err)
		}
		done <- g
	}()
	w.play(id, "deep", "fritz", "f2f3 e7e5 g2g4 d8h4")
	if g := <-done; g.Status != lichess.StatusMate || g.Winner != "black" || g.White != "Deep" || len(g.Moves) != 4 {
		t.Errorf("%+v", g)
	}
}

func TestChallengeByHand(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	deep := w.open("deep", "/api/stream/event")
	id, err := w.Challenge("Mary", "Deep", sandbox.ChallengeSetup{HasClock: true, Limit: 180, Increment: 2, Color: "white"})
	if err != nil {
		t.Fatal(err)
	}
	var e lichess.ChallengeEvent
	if deep.next("challenge", &e); e.Challenge.ID != id || e.Challenge.Challenger.Name != "Mary" || e.Challenge.FinalColor != "white" {
		t.Errorf("%+v", e)
	}
	for name, try := range map[string]func() (string, error){
		"nobody": func() (string, error) { return w.Challenge("Nobody", "Deep", sandbox.ChallengeSetup{}) },
		"bad":    func() (string, error) { return w.Challenge("Mary", "Deep", sandbox.ChallengeSetup{Days: 4}) },
	} {
		if _, err := try(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestKeepGames(t *testing.T) {
	w := newWorld(t, sandbox.Options{KeepGames: 2})
	var ids []string
	for range 4 {
		id := w.start("Deep", "Fritz", sandbox.GameSetup{})
		ids = append(ids, id)
	}
	for _, id := range ids[:3] {
		if _, err := w.OfferRematch(id, "Fritz"); err == nil {
			t.Errorf("a rematch of %s, which is not over", id)
		}
		w.post("deep", "/api/bot/game/"+id+"/abort", "")
	}
	for i, id := range ids {
		if _, known := w.Game(id); known == (i == 0) {
			t.Errorf("game %d is known: %v", i, known)
		}
	}
	if n := len(w.Games()); n != 3 {
		t.Errorf("%d games are listed, want two that are over and one that is not", n)
	}
}
