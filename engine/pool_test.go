package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestPoolIsBoundedAndLosesNoPlace(t *testing.T) {
	const places = 3
	p := newPool(places)
	var inside, most atomic.Int32
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			helper := i%3 == 0
			ctx, cancel := context.WithCancel(t.Context())
			if i%4 == 0 {
				go cancel() // at any moment
			} else {
				defer cancel()
			}
			for n := range 200 {
				c := p.claim(terms{urgency: urgency((i + n) % 4), from: time.Now().Add(time.Duration(i - n)), soft: time.Duration(i)})
				if n%2 == 0 {
					go c.promote(terms{urgency: pressed, from: time.Now()}) // at any moment too, after the end among them
				}
				if n%3 == 0 && !helper {
					c.get(ctx) // may go unused
				}
				if n%5 != 0 && c.Enter(ctx, helper) {
					for range 3 {
						n := inside.Add(1)
						for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
						}
						inside.Add(-1)
						if !c.Yield(ctx, helper) {
							break
						}
					}
					c.Leave()
				}
				c.giveUp()
			}
		})
	}
	wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := most.Load(); n > places {
		t.Errorf("%d threads inside at once, want at most %d", n, places)
	}
	if p.free != places || len(p.queue) != 0 || p.crowded.Load() != 0 || p.wanted != [urgencies]int{} {
		t.Errorf("in the end %d places are free, %d wait and %v are wanted, want %d, none and none", p.free, len(p.queue), p.wanted, places)
	}
}

func TestMostUrgentComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(1)
		holder := p.claim(terms{urgency: pressed, from: time.Now()})
		if !holder.get(t.Context()) {
			t.Fatal("an empty pool has no place")
		}
		var order []string
		wait := func(name string, u urgency, waited, soft time.Duration, helper bool) {
			c := p.claim(terms{urgency: u, from: time.Now().Add(-waited), soft: soft})
			go func() {
				if c.Enter(t.Context(), helper) {
					order = append(order, name)
					c.Leave()
				}
				c.giveUp()
			}()
			synctest.Wait()
		}
		wait("correspondence", idle, time.Hour, 0, false)
		wait("pondering", pondering, time.Hour, 0, false)
		wait("helper", onClock, time.Second, time.Second, true)
		wait("helper in a hurry", pressed, 2*time.Second, time.Second, true)
		wait("rapid", onClock, time.Second, 20*time.Second, false)
		wait("blitz", onClock, time.Second, 5*time.Second, false)
		wait("rapid that has waited", onClock, 15*time.Second, 20*time.Second, false)
		wait("one second left", pressed, 0, 20*time.Millisecond, false)
		holder.giveUp()
		synctest.Wait()
		want := []string{"one second left", "rapid that has waited", "blitz", "rapid", "helper in a hurry", "helper", "pondering", "correspondence"}
		if !slices.Equal(order, want) {
			t.Errorf("the order is %q,\nwant %q", order, want)
		}
	})
}

// A running thread gives way to what is more urgent and to nothing else.
func TestWhoGivesWay(t *testing.T) {
	now := time.Now()
	type rank struct {
		urgency urgency
		waited  time.Duration // of a soft time of 10 s
		helper  bool
	}
	bullet, classical := rank{urgency: pressed}, rank{urgency: onClock, waited: time.Hour}
	for _, tt := range []struct {
		name           string
		runs, waits    rank
		wantsGivingWay bool
	}{
		{"a classical game to one with a second left", classical, bullet, true},
		{"a game with a second left to a classical one", bullet, classical, false},
		{"pondering to a move", rank{urgency: pondering}, classical, true},
		{"correspondence to a move", rank{urgency: idle}, classical, true},
		{"correspondence to pondering", rank{urgency: idle}, rank{urgency: pondering}, true},
		{"correspondence to a helper", rank{urgency: idle}, rank{urgency: onClock, helper: true}, true},
		{"a move to a helper", classical, rank{urgency: pressed, helper: true}, false},
		{"a helper to a move", rank{urgency: pressed, helper: true}, classical, true},
		{"a move to one that has waited less", classical, rank{urgency: onClock}, false},
		{"a move to one that has waited as long", classical, classical, false},
		{"a move to one that has waited longer", rank{urgency: onClock}, classical, true},
	} {
		p := newPool(1)
		runs := p.claim(terms{urgency: tt.runs.urgency, from: now.Add(-tt.runs.waited), soft: 10 * time.Second})
		waits := p.claim(terms{urgency: tt.waits.urgency, from: now.Add(-tt.waits.waited), soft: 10 * time.Second})
		if !runs.Enter(t.Context(), tt.runs.helper) {
			t.Fatal("an empty pool has no place")
		}
		p.mu.Lock()
		w := p.enqueue(waits, tt.waits.helper)
		p.mu.Unlock()
		go func() {
			select {
			case <-w.place:
				waits.Leave()
			case <-t.Context().Done():
			}
		}()
		if !runs.Yield(t.Context(), tt.runs.helper) {
			t.Fatal("no place was got back")
		}
		gaveWay := false
		select {
		case <-w.place:
			gaveWay = true
		default:
		}
		if gaveWay != tt.wantsGivingWay {
			t.Errorf("%s: gives way: %v", tt.name, gaveWay)
		}
	}
}

// When a place and the end of the context come together, the place is either
// taken or passed on.
func TestPlaceAtTheLastMomentIsNotLost(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		p := newPool(1)
		w := p.enqueue(p.claim(terms{urgency: onClock, from: time.Now()}), false)
		p.admit()
		want := 1
		if p.wait(ctx, w) {
			want = 0
		}
		if p.free != want {
			t.Fatalf("%d places are free, want %d", p.free, want)
		}
	}
}

// Searches without an end run in turns.
func TestEndlessSearchesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(1)
		var turns []int
		var wg sync.WaitGroup
		for i := range 3 {
			c := p.claim(terms{urgency: idle, from: time.Now()})
			wg.Go(func() {
				defer c.giveUp()
				if !c.Enter(t.Context(), false) {
					t.Error("no place")
					return
				}
				defer c.Leave()
				for ran := time.Duration(0); ran < 4*idleTurn && c.Yield(t.Context(), false); ran += time.Millisecond {
					if len(turns) == 0 || turns[len(turns)-1] != i {
						turns = append(turns, i)
					}
					time.Sleep(time.Millisecond)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		if len(turns) != 12 {
			t.Errorf("turns %v, want four for each of three", turns)
		}
	})
}

// Searches that may have a place for some time run one after the other, each
// for just so long.
func TestIdleSearchesAreFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(1)
		var order []int
		var wg sync.WaitGroup
		for i := range 3 {
			c := p.claim(terms{urgency: idle, from: time.Now()})
			c.atMost = 200 * time.Millisecond
			wg.Go(func() {
				defer c.giveUp()
				c.Enter(t.Context(), false)
				defer c.Leave()
				order = append(order, i)
				began := time.Now()
				for c.Yield(t.Context(), false) {
					time.Sleep(time.Millisecond)
				}
				if ran := time.Since(began); ran != c.atMost {
					t.Errorf("search %d ran for %v, want %v", i, ran, c.atMost)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		if !slices.Equal(order, []int{0, 1, 2}) {
			t.Errorf("the order is %v", order)
		}
	})
}
