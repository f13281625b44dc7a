package bot

import (
	"testing"
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
)

func TestOverheadIsRobust(t *testing.T) {
	const ms = time.Millisecond
	start := time.Now()
	of := func(echoes ...time.Duration) *overhead {
		o := &overhead{}
		for _, took := range echoes {
			o.measured(start, took)
		}
		return o
	}
	many := func(n int, took time.Duration) []time.Duration {
		var all []time.Duration
		for range n {
			all = append(all, took)
		}
		return all
	}
	for _, test := range []struct {
		name string
		o    *overhead
		at   time.Duration
		want time.Duration
	}{
		{"nothing measured", of(), 0, 0},
		{"the first move", of(300 * ms), 0, 300 * ms},
		{"the first move opened the connection", of(300*ms, 50*ms, 55*ms), 0, 55 * ms},
		{"a lost line among many", of(append(many(20, 50*ms), 5*time.Second)...), 0, 50 * ms},
		{"one in five is slow", of(append(many(8, 50*ms), many(2, 200*ms)...)...), 0, 200 * ms},
		{"all are lost lines", of(many(5, time.Minute)...), 0, longestEcho},
		{"the network has become slower", of(append(many(100, 50*ms), many(8, 250*ms)...)...), 0, 250 * ms},
		{"the network has become faster", of(append(many(100, 250*ms), many(30, 50*ms)...)...), 0, 50 * ms},
		{"long ago", of(many(32, 250*ms)...), 11 * time.Minute, 0},
	} {
		if got := test.o.expected(start.Add(test.at)); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if n := len(test.o.echoes); n > echoesKept {
			t.Errorf("%s: %d are kept", test.name, n)
		}
	}
}

func TestOverheadGoesToTheEngine(t *testing.T) {
	g := &game{
		timed: true, us: chess.White, board: chess.NewGame(chess.StartPosition(), chess.LichessBot), overhead: &overhead{}, opts: &Options{},
		state: &lichess.GameState{WTime: 60_000, BTime: 60_000}, seenAt: time.Now(),
	}
	for _, m := range []string{"e2e4", "e7e5"} {
		if err := g.board.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	if got := g.limits().Overhead; got != 0 {
		t.Errorf("overhead %v before anything was measured", got)
	}
	g.overhead.measured(time.Now(), 70*time.Millisecond)
	if l := g.limits(); l.Overhead != 70*time.Millisecond || l.WTime < 59*time.Second {
		t.Errorf("overhead %v of a clock of %v, want 70ms and the whole clock", l.Overhead, l.WTime)
	}
}
