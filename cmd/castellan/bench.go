package main

import (
	"context"
	"fmt"
	"io"

	"castellan/engine"
)

type benchCommand struct {
	JSON  bool `name:"json" help:"Print JSON."`
	Depth int  `arg:"" optional:"" default:"${bench_depth}" help:"Plies to search each position to, 1 to 40 (${default})."`
}

// Help is shown by castellan bench --help.
func (benchCommand) Help() string {
	return `Examples:

  castellan bench            the usual depth
  castellan bench 6 --json   another one, for a program

The last line is "N nodes M nps", as OpenBench wants it. A change of the search that is to change nothing has the same N.`
}

func (c benchCommand) Run(ctx context.Context, std streams) error {
	if c.Depth < 1 || c.Depth > 40 {
		return usagef("bench depth %d: choose 1 to 40", c.Depth)
	}
	lines := std.out
	if c.JSON {
		lines = io.Discard
	}
	result, err := engine.Bench(ctx, c.Depth, lines)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(std.out, struct {
			Depth   int     `json:"depth"`
			Nodes   uint64  `json:"nodes"`
			NPS     uint64  `json:"nps"`
			Seconds float64 `json:"seconds"`
		}{c.Depth, result.Nodes, uint64(result.NPS()), result.Time.Seconds()})
	}
	_, err = fmt.Fprintf(std.out, "%d nodes %.0f nps\n", result.Nodes, result.NPS())
	return err
}
