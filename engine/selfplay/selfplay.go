// Package selfplay lets the engine play games with itself, fast and at a fixed
// number of nodes a move, for positions to tune the evaluation on.
package selfplay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"castellan/engine/eval"
	"castellan/engine/search"
	"castellan/engine/training"
)

// Options say how many games to play and how.
type Options struct {
	Games   uint64 // 0 for no end but ctx's
	First   uint64 // number of the first game
	Nodes   uint64 // a move, at least 100
	Threads int    // games at a time, 1..256
	Seed    uint64 // a game depends on the seed, its number and the nodes alone

	// Progress, when not nil, is told of every game written.
	Progress func(Progress)
}

// Progress is what has been written so far.
type Progress struct {
	Games, Positions   uint64
	White, Drawn, Lost uint64 // results from white's view
	Time               time.Duration
}

const hashMB = 4 // for each thread: some thousand nodes a move fill no more

// Options' bounds.
const (
	MinNodes   = 100
	MaxThreads = 256
)

func (o *Options) check() error {
	var faults []error
	if o.Nodes < MinNodes {
		faults = append(faults, fmt.Errorf("selfplay: %d nodes a move: choose %d or more", o.Nodes, MinNodes))
	}
	if o.Threads < 1 || o.Threads > MaxThreads {
		faults = append(faults, fmt.Errorf("selfplay: %d threads: choose 1 to %d", o.Threads, MaxThreads))
	}
	return errors.Join(faults...)
}

// Run plays games and writes them to out in the order of their numbers, so
// that the same options give the same file on any number of threads. When ctx
// ends it drops the games under way and returns without error.
func Run(ctx context.Context, out io.Writer, o Options) (Progress, error) {
	if err := o.check(); err != nil {
		return Progress{}, err
	}
	writer, err := training.NewWriter(out)
	if err != nil {
		return Progress{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	type finished struct {
		number uint64
		game   played
		err    error
	}
	var next atomic.Uint64
	results := make(chan finished)
	var wg sync.WaitGroup
	for range o.Threads {
		table, err := search.NewTable(hashMB)
		if err != nil {
			cancel()
			wg.Wait()
			return Progress{}, err
		}
		w := &player{thread: search.NewThread(table, eval.New()), table: table, nodes: o.Nodes}
		wg.Go(func() {
			for {
				n := next.Add(1) - 1
				if o.Games > 0 && n >= o.Games || ctx.Err() != nil {
					return
				}
				g, err := w.game(ctx, o.Seed, o.First+n)
				select {
				case results <- finished{n, g, err}:
				case <-ctx.Done():
					return
				}
				if err != nil {
					return
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(results)
	}()

	start := time.Now()
	var sum Progress
	waiting := map[uint64]played{} // finished before one of a lower number
	var wanted uint64
	var fault error
	for f := range results {
		if f.err != nil {
			if fault == nil && ctx.Err() == nil {
				fault = f.err
			}
			cancel()
			continue
		}
		waiting[f.number] = f.game
		for fault == nil {
			g, ok := waiting[wanted]
			if !ok {
				break
			}
			delete(waiting, wanted)
			wanted++
			if len(g.records) > 0 {
				if fault = writer.Game(g.records); fault != nil {
					cancel()
					break
				}
			}
			sum.add(&g)
			sum.Time = time.Since(start)
			if o.Progress != nil {
				o.Progress(sum)
			}
		}
	}
	return sum, fault
}

func (s *Progress) add(g *played) {
	s.Games++
	s.Positions += uint64(len(g.records))
	switch g.result {
	case training.WhiteWins:
		s.White++
	case training.BlackWins:
		s.Lost++
	default:
		s.Drawn++
	}
}

// PerSecond is positions per second, over all threads.
func (s Progress) PerSecond() float64 {
	return float64(s.Positions) / max(s.Time.Seconds(), 1e-9)
}

// String is one line for a person.
func (s Progress) String() string {
	games := "games"
	if s.Games == 1 {
		games = "game"
	}
	return fmt.Sprintf("%d %s (white +%d =%d -%d), %d positions, %.0f a second",
		s.Games, games, s.White, s.Drawn, s.Lost, s.Positions, s.PerSecond())
}
