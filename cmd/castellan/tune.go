package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/signal"
	"syscall"

	"castellan/engine/search"
	"castellan/engine/tune"
)

type tuneCommand struct {
	Data    []string `arg:"" complete:"file" help:"Files written by castellan selfplay."`
	Out     string   `complete:"file" help:"Go source to write the weights to (${default})." placeholder:"FILE" default:"engine/eval/weights.go"`
	Epochs  int      `help:"Passes over the positions (${default})." placeholder:"N" default:"40"`
	Threads int      `help:"Threads, 1 to 256; 0 for one a processor. The result is the same for any number (${default})." placeholder:"N" default:"0"`
	Seed    uint64   `help:"Splits and orders the positions (${default})." placeholder:"N" default:"1"`
	Blend   float64  `help:"Share of the search's score in what is aimed at, 0 to 1; the rest is the game's result (${default})." placeholder:"SHARE" default:"0.4"`
	Rate    float64  `help:"First step of each weight in centipawns (${default})." placeholder:"STEP" default:"1.5"`
	Hold    float64  `help:"Pull towards the present weights (${default})." placeholder:"PULL" default:"1e-8"`
}

// Help is shown by castellan tune --help.
func (tuneCommand) Help() string {
	return `Examples:

  castellan tune games1.dat games2.dat
  castellan tune --blend 0.2 --out /tmp/weights.go games1.dat

Each pass over the positions prints a line with its losses. The weights of the pass with the least loss on games that were not trained on
are written, when they are better than the present ones. They are Go source: run it in the source tree of Castellan, and build it anew for the
weights to count. Whether the engine plays better with them is for castellan match to say.`
}

func (c tuneCommand) Run(ctx context.Context, std streams) error {
	if c.Threads == 0 {
		c.Threads = search.Processors()
	}
	options := tune.Options{Epochs: c.Epochs, Threads: c.Threads, Seed: c.Seed, Blend: c.Blend, Rate: c.Rate, Hold: c.Hold}
	if err := options.Validate(); err != nil {
		return usageError{err}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	data, err := tune.Load(c.Data, c.Threads, c.Seed)
	if errors.Is(err, fs.ErrNotExist) {
		return usageError{err}
	} else if err != nil {
		return err
	}
	// A mistake in this name is told before the work, not after it.
	_, err = os.Stat(c.Out)
	made := errors.Is(err, fs.ErrNotExist)
	out, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return usagef("the weights cannot be written: %w; go to the top of the source tree, or name a file with --out", err)
	}
	out.Close()
	if made {
		os.Remove(c.Out) // it comes when there is something to write
	}
	for _, path := range data.Truncated {
		fmt.Fprintf(std.err, "%s ends within a game, which is left out\n", path)
	}
	training, validation := data.Positions()
	fmt.Fprintf(std.out, "%d games: %d positions to train on, %d to validate, %d left out\n", data.Games, training, validation, data.Skipped)
	least, best := math.Inf(1), 0 // epoch
	progress := newProgressLine(std.err)
	options.Progress = func(e tune.Epoch) {
		progress.clear()
		fmt.Fprintln(std.out, e)
		if progress.terminal { // elsewhere the lines of the epochs are enough
			progress.show(int64(e.Number), int64(c.Epochs), "tuning")
		}
		if e.Validation < least {
			least, best = e.Validation, e.Number
		}
	}
	weights, k, err := tune.Fit(ctx, data, tune.Current(), options)
	progress.clear()
	if err != nil {
		return err
	}
	if best == 0 {
		_, err = fmt.Fprintf(std.out, "K %.6f; nothing better than the present weights was found, and nothing is written to %s\n", k, c.Out)
		return err
	}
	var source bytes.Buffer
	if err := weights.WriteSource(&source); err != nil {
		return err
	}
	if err := os.WriteFile(c.Out, source.Bytes(), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "K %.6f; the weights of epoch %d are in %s\n", k, best, c.Out)
	return err
}
