package bot_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/uci"
)

// fakeEngine, as the first argument, makes the test binary a UCI engine: "binary fake-engine KIND [FILE]".
const fakeEngine = "fake-engine"

// misbehaveFrom is the first of its moves with which a fake engine does what it is made for.
const misbehaveFrom = 3

// beEngine plays legal moves at random, and misbehaves after its kind.
func beEngine(kind string, args []string) {
	if kind == "castellan" {
		if err := uci.Run(context.Background(), os.Stdin, os.Stdout, uci.Options{Name: "Castellan", Author: "us", Engine: engine.Options{HashMB: 1}}); err != nil {
			panic(err)
		}
		return
	}
	out := bufio.NewWriter(os.Stdout)
	say := func(format string, args ...any) {
		fmt.Fprintf(out, format+"\n", args...)
		out.Flush()
	}
	game := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	chess960, pondering, asked := false, false, 0
	move := func() string {
		var legal chess.MoveList
		game.Position().LegalMoves(&legal)
		m := legal.Slice()[rand.IntN(len(legal.Slice()))]
		return game.Position().UCI(m, chess960)
	}
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		words := strings.Fields(s.Text())
		switch words[0] {
		case "uci":
			if kind == "no uciok" {
				continue
			}
			say("id name Fake %s", kind)
			say("option name Hash type spin default 16 min 1 max 4\noption name Threads type spin default 1 min 1 max 8")
			say("option name Ponder type check default false\noption name Style type combo default Calm var Calm var Wild")
			if kind != "no chess960" {
				say("option name UCI_Chess960 type check default false")
			}
			say("uciok")
		case "ucinewgame":
			if kind == "slow to begin" {
				time.Sleep(6 * time.Second) // longer than the first move waits
			}
		case "isready":
			say("readyok")
		case "setoption":
			fmt.Fprintln(os.Stderr, s.Text())
			if s.Text() == "setoption name UCI_Chess960 value true" {
				chess960 = true
			}
			if kind == "environment" {
				fmt.Fprintln(os.Stderr, "environment", os.Environ())
			}
		case "position":
			game = readPosition(words[1:])
		case "ponderhit":
			if pondering {
				pondering = false
				say("info depth 2 score cp 7\nbestmove %s", move())
			}
		case "stop":
			switch {
			case kind == "hang" && asked >= misbehaveFrom:
			case kind == "late" && asked >= misbehaveFrom:
				time.Sleep(700 * time.Millisecond)
				say("bestmove %s", move())
			case kind == "thinks on" || pondering:
				pondering = false
				say("info depth 9 score cp 3\nbestmove %s", move())
			}
		case "go":
			asked++
			if words[1] == "ponder" && kind != "ponders not" { // which answers at once, and once
				pondering = true
				continue
			}
			if asked >= misbehaveFrom {
				switch kind {
				case "hang", "thinks on", "late":
					continue
				case "crash":
					fmt.Fprintln(os.Stderr, "segmentation fault, of a kind")
					os.Exit(139)
				case "crash once":
					if f, err := os.OpenFile(args[0], os.O_CREATE|os.O_EXCL, 0o600); err == nil {
						f.Close()
						os.Exit(139)
					}
				case "illegal":
					say("bestmove e2e5")
					continue
				case "no move":
					say("bestmove (none)")
					continue
				case "garbage":
					say("best move\x00\xff\ninfo score\nbestmove\n\x1b[2J bestmove %s", strings.Repeat("x", 1<<17))
					continue
				case "floods":
					for n := 1; ; n++ {
						if n%32 == 0 {
							time.Sleep(time.Millisecond) // leaves the processor to others
						}
						say("info depth 1 score cp 0 nodes 1 pv e2e4 %s", strings.Repeat("e7e5 ", 200))
					}
				}
			}
			if kind == "noisy" {
				for range 20_000 {
					say("info depth 1 currmove e2e4 currmovenumber 1")
				}
			}
			m := move()
			say("info depth 3 score cp 12 nodes 99 pv %s", m)
			if next := game.Clone(); next.PlayUCI(m) == nil && next.Position().HasLegalMove() {
				var legal chess.MoveList
				next.Position().LegalMoves(&legal)
				say("bestmove %s ponder %s", m, next.Position().UCI(legal.Slice()[0], chess960))
			} else {
				say("bestmove %s", m)
			}
			if kind == "dies after a move" && asked >= misbehaveFrom {
				os.Exit(1)
			}
		case "quit":
			if kind == "stays" {
				time.Sleep(time.Hour)
			}
			return
		}
	}
	if kind == "stays" {
		time.Sleep(time.Hour)
	}
}

func readPosition(words []string) *chess.Game {
	text := strings.Join(words, " ")
	fen, moves, _ := strings.Cut(text, " moves ")
	start := chess.StartPosition()
	if fen, ok := strings.CutPrefix(fen, "fen "); ok {
		var err error
		if start, err = chess.ParseFEN(fen); err != nil {
			panic(err)
		}
	}
	g := chess.NewGame(start, chess.LichessBot)
	for m := range strings.FieldsSeq(moves) {
		if err := g.PlayUCI(m); err != nil {
			panic(err)
		}
	}
	return g
}
