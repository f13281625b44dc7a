package lichess

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// Games that begin one after another are not held up; one that is opened again and again is.
func TestFirstOpeningOfAGameIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits(30, 10*time.Minute, true)
		for i := range 2 * mostOpened {
			if wait, _ := l.beginGame(strconv.Itoa(i)); wait != 0 {
				t.Fatalf("game %d waits for %v", i, wait)
			}
		}
		var waits time.Duration
		for range 1000 {
			wait, _ := l.beginGame("again")
			waits += wait
		}
		if waits < 400*time.Second {
			t.Errorf("a thousand openings of one game wait for %v together", waits)
		}
		for range 2000 {
			l.unopened() // none of those has reached the server, nor those that follow
			l.beginGame("again")
			l.unopened()
		}
		if wait, _ := l.beginGame("again"); wait != 0 {
			t.Errorf("what did not reach the server counts: a wait of %v", wait)
		}
		if len(l.opened) > mostOpened {
			t.Errorf("%d games are remembered", len(l.opened))
		}
	})
}
