package main

import (
	"fmt"
	"strings"

	"castellan/engine/chess"
)

type perftCommand struct {
	JSON   bool     `name:"json" help:"Print JSON."`
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
	var moves []perftMove
	nodes := uint64(0)
	if c.Divide && c.Depth > 0 {
		for _, entry := range chess.Divide(&start, c.Depth) {
			moves = append(moves, perftMove{start.UCI(entry.Move, false), entry.Nodes})
			nodes += entry.Nodes
		}
	} else {
		nodes = chess.Perft(&start, c.Depth)
	}
	if c.JSON {
		return printJSON(std.out, struct {
			FEN   string      `json:"fen"`
			Depth int         `json:"depth"`
			Nodes uint64      `json:"nodes"`
			Moves []perftMove `json:"moves,omitempty"`
		}{start.FEN(), c.Depth, nodes, moves})
	}
	for _, m := range moves {
		if _, err := fmt.Fprintf(std.out, "%s: %d\n", m.Move, m.Nodes); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(std.out, nodes)
	return err
}

// perftMove is a first move and the number of sequences that begin with it.
type perftMove struct {
	Move  string `json:"move"`
	Nodes uint64 `json:"nodes"`
}
