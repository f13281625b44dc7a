package match

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/uci"
	"castellan/engine/uciclient"
)

// TestMain lets the test binary be an engine: "binary fake-engine KIND".
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "fake-engine" {
		beEngine(os.Args[2])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// fake is a player of a kind, with time-outs that a test can wait for.
func fake(t *testing.T, kind string) Player {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Player{Command: uciclient.Command{
		Path: path, Args: []string{"fake-engine", kind},
		StartTimeout: 10 * time.Second, ReadyTimeout: 10 * time.Second, StopTimeout: time.Second,
	}}
}

// beEngine plays the first legal move in the list, and from its third move of a game on does what it is made for.
func beEngine(kind string) {
	if kind == "castellan" {
		if err := uci.Run(context.Background(), os.Stdin, os.Stdout, uci.Options{Name: "Castellan", Engine: engine.Options{HashMB: 1}}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var game *chess.Game
	ready, chess960 := 0, false
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		words := strings.Fields(s.Text())
		switch words[0] {
		case "uci":
			fmt.Println("id name " + kind + "\noption name UCI_Chess960 type check default false\nuciok")
		case "setoption":
			chess960 = s.Text() == "setoption name UCI_Chess960 value true"
		case "isready":
			if ready++; kind == "crash-between" && ready == 3 {
				os.Exit(1)
			}
			fmt.Println("readyok")
		case "position":
			game = chess.NewGame(chess.StartPosition(), chess.FIDE)
			for i, w := range words {
				if w == "moves" {
					for _, m := range words[i+1:] {
						if err := game.PlayUCI(m); err != nil {
							fmt.Fprintln(os.Stderr, err)
							os.Exit(1)
						}
					}
				}
			}
		case "go":
			if kind == "only-chess960" && !chess960 {
				os.Exit(1)
			}
			move := firstMove(game)
			if game.Ply() >= 4 {
				switch kind {
				case "crash":
					fmt.Fprintln(os.Stderr, "out of luck")
					os.Exit(1)
				case "hang":
					continue
				case "late": // answers when told to stop
					continue
				case "illegal":
					move = "e2e5"
				case "resigns":
					move = "(none)"
				}
			}
			nodes := ""
			if _, after, ok := strings.Cut(kind, "nodes-"); ok {
				nodes = " nodes " + after
			}
			fmt.Println("info depth 1 score cp 0" + nodes + "\nbestmove " + move)
		case "stop":
			if kind == "late" {
				fmt.Println("bestmove " + firstMove(game))
			}
		case "quit":
			return
		}
	}
}

func firstMove(g *chess.Game) string {
	var list chess.MoveList
	g.Position().LegalMoves(&list)
	return g.Position().UCI(list.At(0), false)
}
