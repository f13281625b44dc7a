package main

import (
	"fmt"
	"strings"

	"castellan/engine/chess"
)

type perftCommand struct {
	Divide bool     `help:"Print the number of sequences for each first move."`
	Depth  int      `arg:"" help:"Plies, 0 to 20."`
	FEN    []string `arg:"" optional:"" name:"fen" help:"Position to start from, quoted or not. The start of the game by default."`
}

// Help is shown by castellan perft --help.
func (perftCommand) Help() string {
	return `Examples:

  castellan perft 5                                                       4865609
  castellan perft --divide 3 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1    by first move`
}

func (c perftCommand) Run(std streams) error {
	if c.Depth < 0 || c.Depth > 20 {
		return usagef("perft depth %d: choose 0 to 20", c.Depth)
	}
	start := chess.StartPosition()
	if len(c.FEN) > 0 {
		var err error
		if start, err = chess.ParseFEN(strings.Join(c.FEN, " ")); err != nil {
			return usageError{err}
		}
	}
	if !c.Divide || c.Depth == 0 {
		_, err := fmt.Fprintln(std.out, chess.Perft(&start, c.Depth))
		return err
	}
	var total uint64
	for _, entry := range chess.Divide(&start, c.Depth) {
		if _, err := fmt.Fprintf(std.out, "%s: %d\n", start.UCI(entry.Move, false), entry.Nodes); err != nil {
			return err
		}
		total += entry.Nodes
	}
	_, err := fmt.Fprintln(std.out, total)
	return err
}
