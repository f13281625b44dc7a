package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/signal"
	"syscall"

	"castellan/engine/search"
	"castellan/engine/selfplay"
)

type selfplayCommand struct {
	Out     string `arg:"" complete:"file" help:"File to write, which must not exist yet. docs/training-data.md describes the format."`
	Games   uint64 `help:"Games to play; without it, or with 0, until interrupted." placeholder:"N" default:"0"`
	First   uint64 `help:"Number of the first game, to go on where another file ends (${default})." placeholder:"N" default:"0"`
	Nodes   uint64 `help:"Nodes to search for a move, 100 or more (${default})." placeholder:"N" default:"5000"`
	Threads int    `help:"Games at a time, 1 to 256; 0 for one a processor (${default})." placeholder:"N" default:"0"`
	Seed    uint64 `help:"A game depends on seed, number and nodes alone: the same give the same file (${default})." placeholder:"N" default:"1"`
}

// Help is shown by castellan selfplay --help.
func (selfplayCommand) Help() string {
	return `Examples:

  castellan selfplay games1.dat --games 10000
  castellan selfplay games2.dat --games 10000 --first 10000      the next ones, here or on another machine
  castellan tune games1.dat games2.dat

Ctrl-C ends it; the file holds whole games up to there. The progress goes to standard error, the sum to standard output:
"white +12 =15 -13" are the games won, drawn and lost by White.`
}

func (c selfplayCommand) Run(ctx context.Context, std streams) (err error) {
	if c.Threads == 0 {
		c.Threads = search.Processors()
	}
	if c.Nodes < selfplay.MinNodes {
		return usagef("selfplay with %d nodes a move: choose %d or more", c.Nodes, selfplay.MinNodes)
	}
	if c.Threads < 1 || c.Threads > selfplay.MaxThreads {
		return usagef("selfplay on %d threads: choose 1 to %d, or 0 for one a processor", c.Threads, selfplay.MaxThreads)
	}
	file, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s exists already: name another file; several files can be tuned on together", c.Out)
	}
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	buffer := bufio.NewWriterSize(file, 1<<16)
	progress := newProgressLine(std.err)
	sum, err := selfplay.Run(ctx, buffer, selfplay.Options{
		Games: c.Games, First: c.First, Nodes: c.Nodes, Threads: c.Threads, Seed: c.Seed,
		Progress: func(p selfplay.Progress) {
			progress.show(int64(p.Games), int64(min(c.Games, math.MaxInt64)), p.String())
		},
	})
	progress.clear()
	if err := errors.Join(err, buffer.Flush(), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", c.Out, err)
	}
	_, err = fmt.Fprintf(std.out, "%v (%.0f a second and thread)\n", sum, sum.PerSecond()/float64(c.Threads))
	return err
}
