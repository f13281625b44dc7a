package bot_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var (
	chaosGames = flag.Int("games", 25, "games of the chaos suite")
	chaosSeed  = flag.Uint64("seed", 1, "of the chaos suite's faults and games")
)

// chaosAllFaultsFrom is the number of games from which every kind of fault must have been injected.
const chaosAllFaultsFrom = 200

// chaosTally is what came out.
type chaosTally struct {
	games, moves, sent int // games played, plies in them, moves that the daemon sent
	late               int // … of those, arrived when they had been given up: a stall had held them up
	timeLosses         int // of the daemon, whoever's fault
	faults             [chaosFaults]int

	// All that follows must be empty. Each is described.
	lostByUs, illegal, doubled, orphaned, goroutines []string
}

func (t *chaosTally) add(o *chaosTally) {
	t.games += o.games
	t.moves += o.moves
	t.sent += o.sent
	t.late += o.late
	t.timeLosses += o.timeLosses
	for f := range t.faults {
		t.faults[f] += o.faults[f]
	}
	t.lostByUs = append(t.lostByUs, o.lostByUs...)
	t.illegal = append(t.illegal, o.illegal...)
	t.doubled = append(t.doubled, o.doubled...)
	t.orphaned = append(t.orphaned, o.orphaned...)
	t.goroutines = append(t.goroutines, o.goroutines...)
}

// failed tells whether anything is there that must not be.
func (t *chaosTally) failed() bool {
	return len(t.lostByUs)+len(t.illegal)+len(t.doubled)+len(t.orphaned)+len(t.goroutines) > 0
}

// String is the report.
func (t *chaosTally) String() string {
	var b strings.Builder
	sum := 0
	for _, n := range t.faults {
		sum += n
	}
	fmt.Fprintf(&b, "%-32s %7d\n", "games", t.games)
	fmt.Fprintf(&b, "%-32s %7d\n", "plies", t.moves)
	fmt.Fprintf(&b, "%-32s %7d\n", "moves sent", t.sent)
	fmt.Fprintf(&b, "%-32s %7d\n", "faults injected", sum)
	for f, n := range t.faults {
		fmt.Fprintf(&b, "  %-30s %7d\n", chaosFault(f), n)
	}
	fmt.Fprintf(&b, "%-32s %7d\n", "moves held up and sent again", t.late)
	fmt.Fprintf(&b, "%-32s %7d\n", "lost on time to an outage alone", t.timeLosses-len(t.lostByUs))
	for _, line := range []struct {
		name string
		list []string
	}{
		{"lost on time because of us", t.lostByUs}, {"illegal moves sent", t.illegal}, {"duplicate moves sent", t.doubled},
		{"games orphaned", t.orphaned}, {"goroutines left", t.goroutines},
	} {
		fmt.Fprintf(&b, "%-32s %7d\n", line.name, len(line.list))
	}
	return b.String()
}

// TestChaos plays games of the real daemon, with people and another bot, through every fault that a network and a server can
// have, and wants none of them lost to it. See docs/testing.md.
func TestChaos(t *testing.T) {
	var mu sync.Mutex
	var total chaosTally
	worlds := (*chaosGames + chaosGamesOfAWorld - 1) / chaosGamesOfAWorld
	t.Run("worlds", func(t *testing.T) {
		free := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i := range worlds {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				free <- struct{}{}
				defer func() { <-free }()
				tally := runChaosWorld(t, *chaosSeed, uint64(i), min(chaosGamesOfAWorld, *chaosGames-i*chaosGamesOfAWorld))
				mu.Lock()
				defer mu.Unlock()
				total.add(&tally)
			})
		}
	})
	t.Logf("seed %d\n%s", *chaosSeed, &total)
	for _, list := range [][]string{total.lostByUs, total.illegal, total.doubled, total.orphaned, total.goroutines} {
		for _, what := range list[:min(len(list), 5)] {
			t.Error(what)
		}
	}
	if total.games != *chaosGames {
		t.Errorf("%d games were played, of %d", total.games, *chaosGames)
	}
	for f, n := range total.faults {
		if n == 0 && total.games >= chaosAllFaultsFrom {
			t.Errorf("never injected: %s", chaosFault(f))
		}
	}
}
