package main

import (
	"context"

	"castellan/engine/uci"
)

type uciCommand struct{}

func (uciCommand) Run(ctx context.Context, std streams) error {
	// A GUI sets what it wants by setoption: the environment plays no part here.
	return uci.Run(ctx, std.in, std.out, uci.Options{Name: "Castellan " + buildVersion(), Author: "the Castellan authors"})
}
