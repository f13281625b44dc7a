package main

import (
	"context"

	"castellan/engine/uci"
)

type uciCommand struct{}

// Help is shown by castellan uci --help.
func (uciCommand) Help() string {
	return `Examples:

  printf 'uci\nquit\n' | castellan uci
  castellan match --a 'castellan uci' --b /usr/games/stockfish --nodes 10000

Give a chess program the command "castellan uci". It sets the options by the protocol; the settings of the environment are not for this.
docs/engine.md lists the options.`
}

func (uciCommand) Run(ctx context.Context, std streams) error {
	// A GUI sets what it wants by setoption: the environment plays no part here.
	return uci.Run(ctx, std.in, std.out, uci.Options{Name: "Castellan " + buildVersion(), Author: "the Castellan authors"})
}
