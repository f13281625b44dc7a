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
			if wait := l.beginGame(strconv.Itoa(i)); wait != 0 {
				t.Fatalf("game %d waits for %v", i, wait)
			}
		}
		var waits time.Duration
		for range 1000 {
			waits += l.beginGame("again")
		}
		if waits < 800*time.Second {
			t.Errorf("a thousand openings of one game wait for %v together", waits)
		}
		if len(l.opened) > mostOpened {
			t.Errorf("%d games are remembered", len(l.opened))
		}
	})
}
