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
		r, err := Run(t.Context(), threads, Job{Position: p, Limits: Limits{Nodes: 1_000_000}}, nil) // long enough for each to get a turn on a busy machine
		if err != nil {
			t.Fatal(err)
		}
		if !p.IsLegal(r.Move) || r.Depth == 0 {
			t.Errorf("%d threads: %+v", n, r)
		}
		for i, th := range threads {
			if err := th.Wait(); err != nil {
				t.Error(err)
			}
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

// No thread goes beyond the limit of all, and what threads hold that are not running when it is reached is less than a quarter of it.
func TestNodeLimitOfManyThreads(t *testing.T) {
	for _, n := range []int{2, 4, 16} {
		for _, lines := range []int{1, 4} {
			for _, limit := range []uint64{1, 100, 1000, 10_000, 50_000} {
				threads := newThreads(t, n)
				r, err := Run(t.Context(), threads, Job{Position: position(t, kiwipete), Limits: Limits{Nodes: limit, MultiPV: lines}}, nil)
				if err != nil {
					t.Fatal(err)
				}
				var sum uint64
				for _, th := range threads {
					if err := th.Wait(); err != nil {
						t.Error(err)
					}
					sum += th.nodes
				}
				if main := threads[0].nodes; main < limit/uint64(n) {
					t.Errorf("%d threads, %d lines, limit of %d nodes: the main thread has searched %d", n, lines, limit, main)
				}
				if sum > limit || sum+max(uint64(n)-1, limit/4) < limit || r.Nodes > sum {
					t.Errorf("%d threads, %d lines, limit of %d nodes: searched %d, told %d", n, lines, limit, sum, r.Nodes)
				}
			}
		}
	}
}

// When the caller cancels, each thread stops where it looks next: within a
// millisecond's worth of nodes. BenchmarkStop tells the time.
func TestStopsWithinNodes(t *testing.T) {
	for _, n := range []int{1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		threads := newThreads(t, n)
		var atStop uint64
		_, err := Run(ctx, threads, Job{Position: position(t, kiwipete), Limits: Limits{Infinite: true, Report: func(i Info) {
			if i.Depth == 8 {
				atStop = threads[0].nodes
				cancel()
			}
		}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if after := threads[0].nodes - atStop; atStop == 0 || after > pollEvery {
			t.Errorf("%d threads: %d nodes after the call to stop, want at most %d", n, after, pollEvery)
		}
		for _, th := range threads {
			if err := th.Wait(); err != nil {
				t.Error(err)
			}
		}
	}
}

// BenchmarkStop measures from the call to stop to the answer.
func BenchmarkStop(b *testing.B) {
	threads := newThreads(b, 2)
	var late time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		var stopped time.Time
		_, err := Run(ctx, threads, Job{Position: position(b, kiwipete), Limits: Limits{Infinite: true, Report: func(i Info) {
			if i.Depth == 6 {
				time.AfterFunc(time.Millisecond, func() { stopped = time.Now(); cancel() })
			}
		}}}, nil)
		if err != nil {
			b.Fatal(err)
		}
		late += time.Since(stopped)
		for _, th := range threads {
			if err := th.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(late.Microseconds())/1000/float64(b.N), "ms/stop")
}

// slowHelper is a gate at which helpers stand until they are let go, as on a
// machine with too much to do.
type slowHelper struct{ leave chan struct{} }

func (slowHelper) Enter(context.Context, bool) bool { return true }
func (slowHelper) Leave()                           {}
func (g slowHelper) Yield(ctx context.Context, helper bool) bool {
	if helper {
		<-g.leave
	}
	return ctx.Err() == nil
}

func TestMoveDoesNotWaitForHelpers(t *testing.T) {
	gate := slowHelper{make(chan struct{})}
	threads := newThreads(t, 2)
	p := position(t, kiwipete)
	r, err := Run(t.Context(), threads, Job{Position: p, Limits: Limits{Depth: 10}}, gate)
	if err != nil || !p.IsLegal(r.Move) {
		t.Errorf("%+v, %v", r, err)
	}
	close(gate.leave)
	for _, th := range threads {
		if err := th.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// The last line told begins with the move that is played, also when an
// iteration was cut short in which another move became the best.
func TestLastReportIsTheMove(t *testing.T) {
	late := 0
	for _, fen := range []string{kiwipete, "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"} {
		for nodes := uint64(500); nodes < 20_000; nodes = nodes * 11 / 10 {
			var last Info
			r := think(t, fen, Limits{Nodes: nodes, Report: func(i Info) { last = i }})
			if last.PV[0] != r.Move {
				t.Fatalf("%s, %d nodes: told %v, played %v", fen, nodes, last.PV[0], r.Move)
			}
			if last.Depth > r.Depth {
				late++
			}
			r = think(t, fen, Limits{Nodes: nodes, MultiPV: 3, Report: func(i Info) {
				if i.MultiPV == 1 {
					last = i
				}
			}})
			if last.PV[0] != r.Move {
				t.Fatalf("%s, %d nodes, three lines: told %v, played %v", fen, nodes, last.PV[0], r.Move)
			}
		}
	}
	if late == 0 {
		t.Error("no search changed its mind at the end: the test shows nothing")
	}
}

// A search that ends before its first iteration does tells its move all the same.
func TestReportWithoutAnIteration(t *testing.T) {
	for _, fen := range []string{kiwipete, "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"} { // the second in check
		for _, nodes := range []uint64{1, 5, 20, 100} {
			var told []Info
			r := think(t, fen, Limits{Nodes: nodes, MultiPV: 3, Report: func(i Info) { told = append(told, i) }})
			if r.Depth > 0 {
				continue
			}
			if len(told) != 1 {
				t.Fatalf("%s, %d nodes: %d reports", fen, nodes, len(told))
			}
			if i := told[0]; i.Depth != 1 || i.SelDepth < 1 || i.MultiPV != 1 || i.PV[0] != r.Move || i.Score != r.Score || i.Nodes != nodes || i.Bound != Exact {
				t.Errorf("%s, %d nodes: told %+v, played %+v", fen, nodes, i, r)
			}
			if fen == kiwipete && (r.Score < -1000 || r.Score > 1000 || r.Score == 0) {
				t.Errorf("%d nodes: score %v", nodes, r.Score)
			}
		}
	}
}

// Lines that were told together or one by one, taken as a GUI shows them: each number's latest. No two are for the same move, and none is
// deeper than its search: the best move may be one that the last iteration did not come to.
func TestLinesShownAtTheEnd(t *testing.T) {
	late := 0
	for _, fen := range []string{"8/8/2k1r3/B7/3K4/4N3/8/7b b - - 0 1", kiwipete, "5r2/Rpp3pk/4p3/5p2/3r3b/1P3P1P/3qBKP1/Q2R4 w - - 0 1"} {
		for nodes := uint64(100); nodes <= 2500; nodes += 50 {
			for _, lines := range []int{2, 3} {
				shown := map[int]Info{}
				r := think(t, fen, Limits{Nodes: nodes, MultiPV: lines, Report: func(i Info) {
					if i.SelDepth < i.Depth {
						t.Errorf("%s, %d nodes, %d lines: deepest is %d at depth %d", fen, nodes, lines, i.SelDepth, i.Depth)
					}
					shown[i.MultiPV] = i
				}})
				if r.Depth == 0 {
					continue
				}
				if len(shown) != lines || shown[1].PV[0] != r.Move || shown[1].Score != r.Score && shown[1].Depth > r.Depth {
					t.Errorf("%s, %d nodes, %d lines: %d shown, the first %v %v, played %v %v", fen, nodes, lines, len(shown), shown[1].PV[0], shown[1].Score, r.Move, r.Score)
				}
				if shown[1].Nodes == nodes {
					late++
				}
				moves := map[chess.Move]int{}
				for n, i := range shown {
					if other := moves[i.PV[0]]; other > 0 {
						t.Errorf("%s, %d nodes, %d lines: %v in lines %d and %d", fen, nodes, lines, i.PV[0], n, other)
					}
					moves[i.PV[0]] = n
				}
			}
		}
	}
	if late == 0 {
		t.Error("no search changed its mind at the end: the test shows nothing")
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
	// The machine may have other work: one good try of many says what the
	// search itself takes.
	best := time.Hour
	for tries := 0; tries < 50 && best > 20*ms; tries++ {
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
