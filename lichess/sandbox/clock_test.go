package sandbox_test

import (
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// times returns the clocks as a stream opened now shows them.
func (w *world) times(id string) (white, black lichess.Millis) {
	w.t.Helper()
	l := w.open("deep", "/api/bot/game/stream/"+id)
	var full lichess.GameFull
	l.next("gameFull", &full)
	l.close()
	return full.State.WTime, full.State.BTime
}

func (w *world) wantTimes(id string, white, black lichess.Millis) {
	w.t.Helper()
	if gotWhite, gotBlack := w.times(id); gotWhite != white || gotBlack != black {
		w.t.Errorf("clocks %d and %d ms, want %d and %d", gotWhite, gotBlack, white, black)
	}
}

func TestClockRuns(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{})
	w.clock.Advance(30 * time.Second)
	w.wantTimes(id, 180000, 180000)
	w.play(id, "deep", "fritz", "e2e4")
	w.clock.Advance(30 * time.Second)
	w.play(id, "fritz", "", "e7e5")
	w.wantTimes(id, 180000, 180000) // the first moves are free and earn nothing
	w.clock.Advance(1500 * time.Millisecond)
	w.wantTimes(id, 178500, 180000) // told as it is now
	w.play(id, "deep", "", "g1f3")
	w.wantTimes(id, 180500, 180000)
	w.clock.Advance(10 * time.Second)
	w.play(id, "fritz", "", "b8c6")
	w.wantTimes(id, 180500, 172000)
	w.clock.Advance(5 * time.Second)
	w.ok("deep", gamePath("deep", id, "resign"), "")
	w.clock.Advance(time.Minute)
	w.wantTimes(id, 175500, 172000) // stopped
}

func TestZeroLimit(t *testing.T) {
	for _, test := range []struct {
		increment, start time.Duration
	}{{time.Second, 3 * time.Second}, {5 * time.Second, 5 * time.Second}} {
		w := newWorld(t, sandbox.Options{})
		id := w.start("Deep", "Fritz", sandbox.GameSetup{Increment: test.increment})
		var full lichess.GameFull
		w.watch("deep", id).next("gameFull", &full)
		if full.Clock.Initial != 0 || full.State.WTime != lichess.MillisOf(test.start) {
			t.Errorf("0+%v: initial %d, %d on the clock", test.increment, full.Clock.Initial, full.State.WTime)
		}
	}
}

func TestLateMoveIsAFlag(t *testing.T) {
	w := newWorld(t, sandbox.Options{GoneTick: time.Hour})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{Limit: 10 * time.Second})
	w.play(id, "deep", "fritz", "e2e4 e7e5")
	w.clock.Advance(10*time.Second - time.Millisecond)
	w.play(id, "deep", "", "g1f3")
	w.clock.Advance(10 * time.Second)
	w.ok("fritz", gamePath("fritz", id, "move/b8c6"), "")
	w.ended(id, lichess.StatusOutOfTime, "white")
	if n := len(w.game(id).Moves); n != 3 {
		t.Errorf("%d plies: the late move was played", n)
	}
}

// A flag that nobody moves on falls with the next beat after the grace: that
// of a stream, or of the game itself when nobody watches.
func TestFlagFallsByItself(t *testing.T) {
	for _, watched := range []bool{true, false} {
		w := newWorld(t, sandbox.Options{KeepAlive: 7 * time.Second, GoneTick: 5 * time.Second})
		id := w.start("Deep", "Fritz", sandbox.GameSetup{Limit: 10 * time.Second})
		w.play(id, "deep", "fritz", "e2e4 e7e5")
		falls := 15 * time.Second // 10 s and a grace of 2 s, by beats of 5 s
		var l *lines
		if watched {
			l = w.watch("fritz", id)
			l.next("gameFull", nil)
			falls = 14 * time.Second // by beats of 7 s
		}
		w.clock.Advance(falls - time.Millisecond)
		w.ended(id, lichess.StatusStarted, "")
		w.clock.Advance(time.Millisecond)
		w.ended(id, lichess.StatusOutOfTime, "black")
		if watched {
			l.raw() // blanks
			l.raw()
			if s := l.state(); s.WTime != 0 || s.Winner != "black" || s.Status != lichess.StatusOutOfTime {
				t.Errorf("%+v", s)
			}
			l.end()
		}
	}
}

func TestNoFlagBeforeBothHaveMoved(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{Limit: 10 * time.Second})
	w.play(id, "deep", "fritz", "e2e4")
	w.clock.Advance(20 * 24 * time.Hour)
	w.ended(id, lichess.StatusStarted, "")
	w.clock.Advance(24 * time.Hour)
	w.ended(id, lichess.StatusAborted, "") // abandoned for three weeks
}

func TestFlagAgainstMaterial(t *testing.T) {
	for _, test := range []struct {
		name, fen string
		winner    lichess.Color
	}{
		{"lone king", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", ""},
		{"knight against king and queen", "4k1n1/8/8/8/8/8/8/3QK3 w - - 0 1", ""},
		{"knight against king and pawn", "4k1n1/8/8/8/8/8/4P3/4K3 w - - 0 1", "black"},
		{"bishop against bishop of one colour", "4k1b1/8/8/8/8/8/8/1B2K2R w - - 0 1", ""},
		{"bishop against knight", "4k1b1/8/8/8/8/8/8/1N2K2R w - - 0 1", "black"},
		{"two knights", "4knn1/8/8/8/8/8/8/4K2R w - - 0 1", "black"},
		{"pawn", "4k3/4p3/8/8/8/8/8/4K2R w - - 0 1", "black"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sandbox.Options{})
			id := w.start("Deep", "Fritz", sandbox.GameSetup{Limit: 10 * time.Second, FEN: test.fen})
			w.play(id, "deep", "fritz", "e1d2 e8d7")
			w.clock.Advance(20 * time.Second)
			w.ended(id, lichess.StatusOutOfTime, test.winner)
		})
	}
}

// When the player who has not flagged has a draw offer standing, the flag is
// an accepted draw.
func TestFlagWithPendingOffer(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{Limit: 10 * time.Second})
	w.play(id, "deep", "fritz", "e2e4 e7e5")
	w.ok("fritz", gamePath("fritz", id, "draw/yes"), "")
	w.clock.Advance(20 * time.Second)
	w.ended(id, lichess.StatusDraw, "")

	// The other way round it does not help.
	id = w.start("Deep", "Fritz", sandbox.GameSetup{Limit: 10 * time.Second})
	w.play(id, "deep", "fritz", "e2e4 e7e5")
	w.ok("deep", gamePath("deep", id, "draw/yes"), "")
	w.clock.Advance(20 * time.Second)
	w.ended(id, lichess.StatusOutOfTime, "black")
}

func TestCorrespondenceTime(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{Days: 2})
	const day = 24 * time.Hour
	w.clock.Advance(5 * day) // nothing before both have moved
	w.play(id, "deep", "fritz", "e2e4 e7e5")
	w.clock.Advance(day)
	w.wantTimes(id, 86400000, 172800000)
	w.play(id, "deep", "", "g1f3")
	w.wantTimes(id, 172800000, 172800000)
	w.clock.Advance(2*day - time.Second)
	w.ended(id, lichess.StatusStarted, "")
	w.clock.Advance(2 * time.Second)
	w.ended(id, lichess.StatusOutOfTime, "white")
}

func TestUnlimitedIsAbandoned(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	ch := w.challenge("mary", "deep", "color=white")
	w.ok("deep", "/api/challenge/"+ch.ID+"/accept", "")
	w.clock.Advance(20 * 24 * time.Hour)
	w.play(ch.ID, "mary", "deep", "e2e4 e7e5")
	w.wantTimes(ch.ID, 2147483647, 2147483647)
	w.clock.Advance(20 * 24 * time.Hour)
	w.ended(ch.ID, lichess.StatusStarted, "")
	w.clock.Advance(24 * time.Hour)
	w.ended(ch.ID, lichess.StatusResign, "black")
}

func TestAddTime(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	l := w.watch("deep", id)
	l.next("gameFull", nil)
	w.refused("deep", "/api/round/"+id+"/add-time/15", "", 403, "Missing scope: challenge:write")
	w.refused("mary", "/api/round/"+id+"/add-time/61", "", 400, "seconds")
	w.ok("mary", "/api/round/"+id+"/add-time/15", "")
	if s := l.state(); s.WTime != 195000 || s.BTime != 180000 {
		t.Errorf("%+v", s)
	}
}
