package bot_test

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"
)

var (
	eveningGames = flag.Int("evening-games", 40, "games of the mixed evening")
	eveningSeed  = flag.Uint64("evening-seed", 1, "of its guests")
)

const (
	// eveningGamesOfAWorld is how many games an evening has at most, about.
	eveningGamesOfAWorld = 50
	// eveningAllRulesFrom is the number of games from which every rule must have been tested.
	eveningAllRulesFrom = 300
)

// TestEvening lets the daemon spend evenings with thirty people and thirty bots who have tempers of their own, under settings of five
// kinds, and a judge that stands apart hold it to its rules. See docs/testing.md.
func TestEvening(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	worlds := max((*eveningGames+eveningGamesOfAWorld-1)/eveningGamesOfAWorld, eveningKinds)
	total := newEveningTally(0)
	var mu sync.Mutex
	t.Run("evenings", func(t *testing.T) {
		free := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i := range worlds {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				free <- struct{}{}
				defer func() { <-free }()
				tally := runEvening(t, *eveningSeed, uint64(i), (*eveningGames+worlds-1)/worlds)
				mu.Lock()
				defer mu.Unlock()
				total.add(tally)
			})
		}
	})
	t.Logf("seed %d, %d evenings\n%s", *eveningSeed, worlds, total)
	for r, list := range total.breaches {
		for _, what := range list[:min(len(list), 5)] {
			t.Errorf("%s: %s", eveningRule(r), what)
		}
		if total.tests[r] == 0 && *eveningGames >= eveningAllRulesFrom {
			t.Errorf("never tested: %s", eveningRule(r))
		}
	}
	if total.games < *eveningGames {
		t.Errorf("%d games were played, of %d", total.games, *eveningGames)
	}
}
