package main

import (
	"context"
	"fmt"

	"castellan/engine"
)

type benchCommand struct {
	Depth int `arg:"" optional:"" default:"${bench_depth}" help:"Plies to search each position to, 1 to 40 (${default})."`
}

func (c benchCommand) Run(ctx context.Context, std streams) error {
	if c.Depth < 1 || c.Depth > 40 {
		return usagef("bench depth %d: choose 1 to 40", c.Depth)
	}
	result, err := engine.Bench(ctx, c.Depth, std.out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%d nodes %.0f nps\n", result.Nodes, result.NPS())
	return err
}
