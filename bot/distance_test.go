package bot_test

import (
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// farAway stands before a server and makes each byte take half of a round trip in each direction. It returns its address.
func farAway(t *testing.T, server string, roundTrip time.Duration) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var open []net.Conn
	var all sync.WaitGroup
	all.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(server, "http://"))
			if err != nil {
				near.Close()
				continue
			}
			mu.Lock()
			open = append(open, near, far)
			mu.Unlock()
			all.Go(func() { carry(far, near, roundTrip/2) })
			all.Go(func() { carry(near, far, roundTrip/2) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return "http://" + listener.Addr().String()
}

// carry copies from one connection to the other, each piece so much later.
func carry(to, from net.Conn, delay time.Duration) {
	type piece struct {
		due  time.Time
		data []byte
	}
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			buffer := make([]byte, 16<<10)
			n, err := from.Read(buffer)
			if n > 0 {
				pieces <- piece{time.Now().Add(delay), buffer[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	defer to.Close()
	for p := range pieces {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.data); err != nil {
			from.Close()
		}
	}
}

var loggedOverhead = regexp.MustCompile(`msg=move .*overhead=(\S+)`)

// overheads returns what the bot expected a move to lose, after each of its moves.
func (d *daemon) overheads(t *testing.T) (all []time.Duration) {
	t.Helper()
	for _, found := range loggedOverhead.FindAllStringSubmatch(d.log.String(), -1) {
		value, err := time.ParseDuration(found[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, value)
	}
	return all
}

// At half a minute and 50 ms of way, nine tenths of the clock are there to be thought in: the way is counted once for each move to
// come, and not more of it than there is.
func TestClockIsUsableFromAfar(t *testing.T) {
	const way = 50 * time.Millisecond
	a := newArena(t, sandbox.Options{})
	d := a.startAt(farAway(t, a.URL, way), "castellan", quick())
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 30 * time.Second})
	a.until("enough moves, or the end", func() bool {
		g := a.game(id)
		return len(g.Moves) >= 50 || g.Over()
	})

	least, measured := time.Hour, 0
	for _, got := range d.overheads(t) {
		if got > 0 { // at first nothing has come back yet
			least = min(least, got) // a busy machine makes it more at times
			measured++
		}
	}
	if measured < 10 {
		t.Fatalf("only %d moves knew what the way takes: %v", measured, d.overheads(t))
	}
	if least < way {
		t.Errorf("the way takes %v and the bot reckons with %v", way, least)
	}
	clock := search.Limits{WTime: 30 * time.Second, BTime: 30 * time.Second}
	budget := func(lost time.Duration) time.Duration {
		return search.NewBudget(&clock, chess.White, search.Policy{Overhead: lost}).Soft
	}
	if share := float64(budget(least)) / float64(budget(0)); share < 0.9 {
		t.Errorf("with an overhead of %v only %.0f%% of the clock can be used", least, 100*share)
	}
}

// Increments of a second and no time besides, the way takes a tenth of it, and the bot thinks as long as it thinks it may.
func TestNoFlagFallsFromAfar(t *testing.T) {
	moves := 20
	if testing.Short() {
		moves = 8
	}
	a := newArena(t, sandbox.Options{})
	const way = 100 * time.Millisecond
	d := a.startWith(farAway(t, a.URL, way), "castellan", quick(), engine.Options{})
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Increment: time.Second})
	a.until("enough moves, or the end", func() bool {
		g := a.game(id)
		return len(g.Moves) >= 2*moves || g.Over()
	})
	if g := a.game(id); g.Status == lichess.StatusOutOfTime {
		t.Errorf("the flag fell after %d moves", len(g.Moves))
	}
	if all := d.overheads(t); all[len(all)-1] < way {
		t.Errorf("the way takes %v and the bot reckons with %v", way, all[len(all)-1])
	}
}
