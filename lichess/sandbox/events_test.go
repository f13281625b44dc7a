package sandbox_test

import (
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestEventsReplayOnConnect(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	first := w.start("Deep", "Fritz", sandbox.GameSetup{})
	second := w.start("Mary", "Deep", sandbox.GameSetup{Days: 3})
	over := w.start("Deep", "Bob", sandbox.GameSetup{})
	w.ok("deep", gamePath("deep", over, "abort"), "")
	in := w.challenge("bob", "deep", blitz)
	w.challenge("deep", "bob", blitz) // an outgoing one is not told again

	l := w.open("deep", "/api/stream/event")
	for _, id := range []string{first, second} {
		var e lichess.GameStart
		l.next("gameStart", &e)
		if e.Game.GameID != id || e.Game.ID != id || e.Game.Status.Name != lichess.StatusStarted || !e.Game.Compat.Bot {
			t.Errorf("%+v", e.Game)
		}
	}
	var e lichess.ChallengeEvent
	l.next("challenge", &e)
	if e.Challenge.ID != in.ID || e.Compat != nil {
		t.Errorf("%+v: a challenge told again has no compat", e)
	}
	w.clock.Advance(7 * time.Second)
	if line := l.raw(); line != "" {
		t.Errorf("%q instead of a blank line", line)
	}
}

// More running games than the queue has room for are all told.
func TestReplayIsNotLimited(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	const games = 40
	for range games {
		w.start("Mary", "Deep", sandbox.GameSetup{Days: 1})
	}
	l := w.open("deep", "/api/stream/event")
	for range games {
		l.next("gameStart", nil)
	}
}

func TestOneEventStreamAtATime(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	old := w.open("deep", "/api/stream/event")
	other := w.open("fritz", "/api/stream/event")
	fresh := w.open("deep", "/api/stream/event")
	old.end()
	w.challenge("mary", "deep", blitz)
	fresh.next("challenge", nil)
	w.challenge("mary", "fritz", blitz)
	other.next("challenge", nil)
}

func TestEventStreamOpenLimit(t *testing.T) {
	w := newWorld(t, sandbox.Options{EventStreamOpens: 2})
	w.open("deep", "/api/stream/event")
	w.open("deep", "/api/stream/event")
	if r := w.get("deep", "/api/stream/event"); r.code != 429 {
		t.Errorf("%d %s", r.code, r.body)
	}
	w.open("fritz", "/api/stream/event")
	w.clock.Advance(10 * time.Minute)
	w.open("deep", "/api/stream/event")
}

func TestGameFinishEvent(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	deep, fritz := w.open("deep", "/api/stream/event"), w.open("fritz", "/api/stream/event")
	id := w.start("Deep", "Fritz", sandbox.GameSetup{Rated: true})
	w.play(id, "deep", "fritz", "f2f3 e7e5 g2g4 d8h4")
	deep.next("gameStart", nil)
	fritz.next("gameStart", nil)
	var e lichess.GameFinish
	deep.next("gameFinish", &e)
	g := e.Game
	if g.Status.ID != 30 || g.Status.Name != lichess.StatusMate || g.Winner != "black" || g.LastMove != "d8h4" ||
		!g.HasMoved || g.IsMyTurn || g.Rating != 2000 || *g.RatingDiff != -6 || *g.Opponent.RatingDiff != 6 || *g.SecondsLeft != 182 {
		t.Errorf("%+v", g)
	}
	fritz.next("gameFinish", &e)
	if e.Game.Color != "black" || *e.Game.RatingDiff != 6 {
		t.Errorf("%+v", e.Game)
	}
	var u lichess.User
	w.get("deep", "/api/account").decode(t, &u)
	if u.Perfs["blitz"].Rating != 1994 || u.Count.Loss != 1 || u.Count.All != 1 || u.Perfs["blitz"].Games != 1 {
		t.Errorf("%+v", u)
	}
}

// A game too fast for bots is shown as such and cannot be played by them.
func TestIncompatibleGame(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	ch := w.challenge("mary", "bob", "clock.limit=15&clock.increment=0&color=white")
	w.ok("bob", "/api/challenge/"+ch.ID+"/accept", "")
	var e lichess.GameStart
	w.open("mary", "/api/stream/event").next("gameStart", &e)
	if g := e.Game; g.Compat.Bot || g.Compat.Board || g.Speed != lichess.SpeedUltraBullet {
		t.Errorf("%+v", g)
	}
}

func TestRematch(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	w.play(id, "deep", "mary", "f2f3 e7e5 g2g4 d8h4")
	deep := w.open("deep", "/api/stream/event")

	offer, err := w.OfferRematch(id, "Mary")
	if err != nil {
		t.Fatal(err)
	}
	var e lichess.ChallengeEvent
	deep.next("challenge", &e)
	if c := e.Challenge; c.ID != offer || c.RematchOf != id || c.Challenger.ID != "mary" || c.FinalColor != "white" ||
		c.TimeControl.Show != "3+2" || e.Compat == nil {
		t.Errorf("%+v", e)
	}
	if r := w.get("mary", "/api/challenge/"+offer+"/show"); r.code != 404 {
		t.Errorf("show knows the offer: %s", r.body)
	}
	if err := w.CancelRematch(id, "mary"); err != nil {
		t.Fatal(err)
	}
	var canceled lichess.ChallengeCanceledEvent
	deep.next("challengeCanceled", &canceled)
	if canceled.Challenge.ID != offer || canceled.Challenge.RematchOf != id {
		t.Errorf("%+v", canceled)
	}
	w.refused("deep", "/api/challenge/"+offer+"/accept", "", 404, "Not found")

	offer, _ = w.OfferRematch(id, "Mary")
	deep.next("challenge", nil)
	w.refused("mary", "/api/challenge/"+offer+"/accept", "", 404, "Not found")
	w.ok("deep", "/api/challenge/"+offer+"/decline", "reason=later")
	w.refused("deep", "/api/challenge/"+offer+"/accept", "", 404, "Not found")

	offer, _ = w.OfferRematch(id, "Mary")
	deep.next("challenge", nil)
	w.ok("deep", "/api/challenge/"+offer+"/accept", "")
	var start lichess.GameStart
	deep.next("gameStart", &start)
	if start.Game.GameID != offer || start.Game.Color != "black" {
		t.Errorf("%+v", start.Game)
	}
	var full lichess.GameFull
	w.watch("deep", id).next("gameFull", &full)
	if full.State.Rematch != offer {
		t.Errorf("the old game knows rematch %q, want %q", full.State.Rematch, offer)
	}
	if _, err := w.OfferRematch(id, "Mary"); err == nil {
		t.Error("a second rematch of one game")
	}
	if _, err := w.OfferRematch(offer, "Mary"); err == nil {
		t.Error("a rematch of a running game")
	}
}
