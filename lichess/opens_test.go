package lichess

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Games that begin one after another are not held up; those that are opened again and again are.
func TestFirstOpeningOfAGameIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits(30, 10*time.Minute, true)
		for i := range 2 * mostOpened {
			if _, first := l.beginGame(strconv.Itoa(i)); !first {
				t.Fatalf("game %d is known", i)
			}
		}
		if len(l.opened) > mostOpened {
			t.Errorf("%d games are remembered", len(l.opened))
		}
		start := time.Now()
		open := func() { l.awaitTurn(t.Context(), start) }
		for range 1000 {
			open()
		}
		if took := time.Since(start); took < 400*time.Second || took > 500*time.Second {
			t.Errorf("a thousand openings take %v", took)
		}
		for range 2000 {
			l.unopened() // none of those has reached the server, nor those that follow
		}
		start = time.Now()
		for range 2000 {
			open()
			l.unopened()
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("what did not reach the server counts: %v", took)
		}
	})
}

// TestShortClockGoesFirst has a hundred games with ten minutes wait for their turn, and then one with ten seconds.
func TestShortClockGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits(30, 10*time.Minute, true)
		start := time.Now()
		for range l.gameOpens.most {
			l.awaitTurn(t.Context(), start)
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("the first %d wait for %v", l.gameOpens.most, took)
		}
		var others sync.WaitGroup
		for range 100 {
			others.Go(func() { l.awaitTurn(t.Context(), start.Add(10*time.Minute)) })
		}
		time.Sleep(1100 * time.Millisecond)
		begun := time.Now()
		gone, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := l.awaitTurn(gone, start.Add(5*time.Second)); err == nil {
			t.Error("there is no turn so soon")
		}
		l.awaitTurn(t.Context(), start.Add(10*time.Second))
		if took := time.Since(begun); took > time.Second {
			t.Errorf("a game with ten seconds waits for %v", took)
		}
		others.Wait()
		if took := time.Since(start); took < 45*time.Second || took > 60*time.Second || len(l.turns) > 0 {
			t.Errorf("all have had their turn after %v, %d are left", took, len(l.turns))
		}
	})
}

// TestClocksOfOverGamesAreForgotten: only the clocks of games in play are kept, however many have been played.
func TestClocksOfOverGamesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, stop := newPipeClient(t, Options{}, nil)
		defer stop()
		p := &gamePacer{client: c, gameID: "Ab3dEf9h"}
		p.note(&GameState{Status: StatusStarted})
		if c.limits.opened[p.gameID].state == nil {
			t.Error("the clock of a game in play is not kept")
		}
		p.note(&GameState{Status: StatusMate})
		if c.limits.opened[p.gameID].state != nil {
			t.Error("the clock of a game that is over is kept")
		}
	})
}
