package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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
			for range 200 {
				if !p.Enter(ctx, helper) {
					return
				}
				for range 3 {
					n := inside.Add(1)
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					inside.Add(-1)
					if !p.Yield(ctx, helper) {
						break
					}
				}
				p.Leave()
			}
		})
	}
	wg.Wait()
	if n := most.Load(); n > places {
		t.Errorf("%d threads inside at once, want at most %d", n, places)
	}
	if p.free != places || len(p.queue) != 0 || p.crowded.Load() != 0 {
		t.Errorf("in the end %d places are free and %d wait, want %d and none", p.free, len(p.queue), places)
	}
}

func TestMainThreadsComeBeforeHelpers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(1)
		ctx := t.Context()
		if !p.Enter(ctx, false) {
			t.Fatal("an empty pool has no place")
		}
		var order []string
		wait := func(name string, helper bool) {
			go func() {
				if p.Enter(ctx, helper) {
					order = append(order, name)
					p.Leave()
				}
			}()
			synctest.Wait()
		}
		wait("helper", true)
		if !p.Yield(ctx, false) || len(order) != 0 {
			t.Errorf("a main thread gave way to a helper: %v", order)
		}
		wait("first", false)
		wait("second", false)
		p.Leave()
		synctest.Wait()
		if len(order) != 3 || order[0] != "first" || order[1] != "second" || order[2] != "helper" {
			t.Errorf("order %v", order)
		}
	})
}

// When a place and the end of the context come together, the place is either
// taken or passed on.
func TestPlaceAtTheLastMomentIsNotLost(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		p := newPool(1)
		w := p.enqueue(false)
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

func TestYieldTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(1)
		ctx := t.Context()
		var order []int
		if !p.Enter(ctx, false) { // so that both begin in line
			t.Fatal("an empty pool has no place")
		}
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				p.Enter(ctx, false)
				for range 3 {
					order = append(order, i)
					p.Yield(ctx, false)
				}
				p.Leave()
			})
			synctest.Wait()
		}
		p.Leave()
		wg.Wait()
		for n, i := range order {
			if i != n%2 {
				t.Fatalf("order %v, want turns", order)
			}
		}
	})
}
