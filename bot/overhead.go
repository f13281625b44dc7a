package bot

import (
	"slices"
	"sync"
	"time"
)

const (
	// echoesKept is how many of the last moves, of all games, the overhead is taken from.
	echoesKept = 32
	// echoAge is how long a measurement counts: the way to the server may be another one by then.
	echoAge = 10 * time.Minute
	// longestEcho bounds a single measurement. A line that was lost and asked for anew says nothing about the network.
	longestEcho = 2 * time.Second
)

// overhead is what a move loses on its way: the time from sending it to seeing it on the stream, which is the way there and
// back and so the same as the way of the opponent's move here and of ours there. All games of a bot measure it together, so that a
// new one need not begin with a guess.
type overhead struct {
	mu     sync.Mutex
	echoes []echo // the newest last, at most echoesKept
}

type echo struct {
	at   time.Time
	took time.Duration
}

// measured takes note of the time from a move's sending to its coming back.
func (o *overhead) measured(at time.Time, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.echoes) == echoesKept {
		o.echoes = slices.Delete(o.echoes, 0, 1)
	}
	o.echoes = append(o.echoes, echo{at, min(took, longestEcho)})
}

// expected returns what the next move will hardly exceed: nine of ten of the last ones did not, and the longest of up to eleven is
// left out. It is 0 as long as nothing was measured.
func (o *overhead) expected(now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	var took []time.Duration
	for _, e := range o.echoes {
		if now.Sub(e.at) <= echoAge {
			took = append(took, e.took)
		}
	}
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[(len(took)-1)*9/10]
}
