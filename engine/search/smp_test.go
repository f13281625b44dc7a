package search

import (
	"context"
	"testing"
	"time"

	"castellan/engine/chess"
)

func TestThreadsShareTheWork(t *testing.T) {
	for _, n := range []int{2, 4} {
		p := position(t, kiwipete)
		threads := newThreads(t, n)
		r, err := Run(t.Context(), threads, Job{Position: p, Limits: Limits{Nodes: 60_000}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !p.IsLegal(r.Move) || r.Depth == 0 {
			t.Errorf("%d threads: %+v", n, r)
		}
		for i, th := range threads {
			if th.nodes == 0 {
				t.Errorf("thread %d of %d has done nothing", i, n)
			}
		}
		for i, line := 0, r.PV; i < len(line); i++ {
			if !p.IsLegal(line[i]) {
				t.Errorf("move %d of %v is not legal", i+1, line)
				break
			}
			p = p.Play(line[i])
		}
	}
}

// When the caller cancels, the answer comes soon. The bound is generous for
// slow machines under load; the best of several tries must be within 10 ms.
func TestStopLatency(t *testing.T) {
	best := time.Hour
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		thinking := make(chan struct{}, 1)
		done := make(chan time.Time)
		go func() {
			_, err := Run(ctx, newThreads(t, 2), Job{Position: position(t, kiwipete), Limits: Limits{Infinite: true, Report: func(i Info) {
				if i.Depth >= 8 {
					select {
					case thinking <- struct{}{}:
					default:
					}
				}
			}}}, nil)
			if err != nil {
				t.Error(err)
			}
			done <- time.Now()
		}()
		<-thinking
		stopped := time.Now()
		cancel()
		late := (<-done).Sub(stopped)
		best = min(best, late)
		if late > 500*time.Millisecond {
			t.Errorf("stopped %v after the call", late)
		}
	}
	if best > 10*time.Millisecond {
		t.Errorf("at best stopped %v after the call, want 10ms", best)
	}
}

func TestCancelledBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := position(t, kiwipete)
	r, err := Run(ctx, newThreads(t, 2), Job{Position: p}, nil)
	if err != nil || !p.IsLegal(r.Move) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestShortOfTime(t *testing.T) {
	p := position(t, kiwipete)
	job := Job{Position: p, Limits: Limits{WTime: 50 * ms, BTime: 50 * ms}, Policy: Policy{Overhead: 10 * ms}}
	threads := newThreads(t, 1)
	best := time.Hour
	for range 5 {
		start := time.Now()
		r, err := Run(t.Context(), threads, job, nil)
		best = min(best, time.Since(start))
		if err != nil || !p.IsLegal(r.Move) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if best > 20*ms {
		t.Errorf("a move on 50 ms took %v, want 20ms at most", best)
	}
}

func TestPonderHitStartsTheClock(t *testing.T) {
	const own = 100 * ms
	hit := make(chan struct{})
	deep := make(chan struct{}, 1)
	done := make(chan Result)
	go func() {
		r, err := Run(t.Context(), newThreads(t, 1), Job{
			Position: chess.StartPosition(),
			Limits: Limits{MoveTime: own, PonderHit: hit, Report: func(i Info) {
				if i.Time > 2*own { // over the limit, had the clock been running
					select {
					case deep <- struct{}{}:
					default:
					}
				}
			}},
		}, nil)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	select {
	case <-deep:
	case r := <-done:
		t.Fatalf("the search ended before the ponder hit: %+v", r)
	}
	start := time.Now()
	close(hit)
	<-done
	if took := time.Since(start); took < own*9/10 || took > own+500*ms {
		t.Errorf("the search went on for %v after the ponder hit, want %v", took, own)
	}
}

func TestMateLimitStopsTheSearch(t *testing.T) {
	r := think(t, "7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", Limits{Mate: 2})
	if n, ok := r.Score.Mate(); !ok || n > 2 || n < 1 {
		t.Errorf("score %v", r.Score)
	}
}
