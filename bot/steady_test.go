package bot_test

import (
	"context"
	"flag"
	"runtime"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/lichess/sandbox"
)

var steadyGames = flag.Int("steadygames", 0, "number of games of TestSteady; 0 is 160, or 80 with -short")

// TestSteady plays many games, eight at a time, and wants no more memory and goroutines after the last tenth than
// after the first three. The server forgets games that are over, so what grows is the bot's.
func TestSteady(t *testing.T) {
	const atOnce, tenths = 8, 10
	games := *steadyGames
	switch {
	case games > 0:
	case testing.Short():
		games = 80
	default:
		games = 160
	}
	a := newArena(t, sandbox.Options{KeepGames: 4 * atOnce, EventStreamOpens: -1})
	opts := quick()
	opts.MaxGames = atOnce
	for _, token := range []string{"castellan", "rival"} {
		eng, err := engine.New(engine.Options{HashMB: 1, Threads: 2, MoveOverhead: time.Millisecond, Nodes: 200})
		if err != nil {
			t.Fatal(err)
		}
		// No log: the test would keep it all.
		b := bot.New(a.client(token), eng, opts)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() { done <- b.Run(ctx) }()
		t.Cleanup(func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			eng.Close()
		})
	}

	t.Log("  games  goroutines  heap KiB")
	var first, last figures
	for tenth := range tenths {
		for range max(1, games/tenths/atOnce) {
			var ids []string
			for i := range atOnce {
				setup := sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"}
				if i == 0 {
					setup.FEN = "" // a whole game
				}
				if i%2 == 1 {
					setup.White, setup.Black = setup.Black, setup.White
				}
				if i == 2 {
					setup.Limit, setup.Days = 0, 3
				}
				ids = append(ids, a.startGame(setup))
			}
			for _, id := range ids {
				a.finished(id)
			}
		}
		last = settled()
		if tenth < 3 { // it takes a while until as many search threads are kept as ever will be
			first = figures{max(first.goroutines, last.goroutines), max(first.heap, last.heap)}
		}
		t.Logf("%7d  %10d  %8d", (tenth+1)*max(1, games/tenths/atOnce)*atOnce, last.goroutines, last.heap>>10)
	}
	// Connections come and go with how the games fall together: of two bots, each with a reader and a writer, and the server's.
	if last.goroutines > first.goroutines+8*atOnce {
		t.Errorf("%d goroutines in the first three tenths, %d in the end", first.goroutines, last.goroutines)
	}
	// A search thread more, kept for the next search, is 2.5 MiB. What leaks with each game is far above that in 2,000 games.
	if last.heap > first.heap+7<<20 {
		t.Errorf("a heap of %d KiB in the first three tenths, of %d in the end", first.heap>>10, last.heap>>10)
	}
}

type figures struct {
	goroutines int
	heap       uint64 // bytes
}

// settled takes the figures when nothing is going on: what ends with a game may end a little later than the game.
func settled() (least figures) {
	for i := range 20 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		now := figures{runtime.NumGoroutine(), m.HeapAlloc}
		if i == 0 {
			least = now
		}
		least = figures{min(least.goroutines, now.goroutines), min(least.heap, now.heap)}
		time.Sleep(5 * time.Millisecond)
	}
	return least
}
