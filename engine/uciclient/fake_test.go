package uciclient

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"castellan/engine"
	"castellan/engine/uci"
)

// TestMain lets the test binary be an engine: "binary fake-engine KIND".
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "fake-engine" {
		beEngine(os.Args[2])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// fake is the command of a fake engine, with time-outs that a test can wait for.
func fake(t *testing.T, kind string) Command {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command{
		Path: path, Args: []string{"fake-engine", kind},
		StartTimeout: 10 * time.Second, ReadyTimeout: 10 * time.Second, StopTimeout: 5 * time.Second,
	}
}

func beEngine(kind string) {
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	switch kind {
	case "castellan":
		if err := uci.Run(context.Background(), os.Stdin, os.Stdout, uci.Options{Name: "Castellan", Author: "us", Engine: engine.Options{HashMB: 2}}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	case "silent": // reads and says nothing
		for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		}
		return
	case "deaf": // introduces itself when asked to, and never reads on
		var word string
		fmt.Fscanln(os.Stdin, &word) // not a byte beyond the line
		say("uciok")
		time.Sleep(time.Hour)
	case "a parent":
		beParent()
	case "stillborn":
		fmt.Fprintln(os.Stderr, "no net file found")
		os.Exit(3)
	case "endless-line": // writes without a line end
		chunk := strings.Repeat("x", 1<<16)
		for {
			if _, err := os.Stdout.WriteString(chunk); err != nil {
				return
			}
		}
	case "parent": // leaves a child behind that holds its output
		child := exec.Command("sleep", "60")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, "child", child.Process.Pid)
	}
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		switch word, _, _ := strings.Cut(s.Text(), " "); word {
		case "uci":
			if kind == "noisy" {
				say("Fake 1.0 by nobody\n\x00\xff\nid\nid name\noption\noption name Broken type spin\nbestmove e2e4\nreadyok\ninfo\ninfo score\ninfo score cp")
			}
			say("id name Fake %s\nid author nobody", kind)
			say("option name Level type spin default 3 min 0 max 20\noption name Style type combo default Calm var Calm var Very Wild")
			say("option name Own Book type check default true\noption name Clear type button\noption name Net File type string default <empty>")
			say("uciok")
		case "isready":
			if kind == "busy" {
				continue
			}
			if kind == "noisy" {
				say("readyok readyok\nreadyok\nbestmove a1a1")
			}
			say("readyok")
		case "go":
			switch kind {
			case "crash":
				say("info depth 1 score cp 13")
				fmt.Fprintln(os.Stderr, "segmentation fault, of a kind")
				os.Exit(139)
			case "last-word":
				say("bestmove e2e4")
				return
			case "hang": // never answers
				continue
			case "slow": // answers to stop
				say("info depth 4 score cp -20 pv e7e5")
				continue
			case "flood":
				for range 200_000 {
					say("info depth 1 nodes 5 currmove e2e4")
				}
			case "noisy":
				say("info depth x nodes y score cp z pv\ninfo string bestmove e7e5\n\n   \n bestmoves\ninfo depth 7 score cp 55 pv e2e4 e7e5 nonsense")
			}
			say("info depth 9 seldepth 12 score cp 31 lowerbound nodes 1234 time 56 pv e2e4 e7e5")
			say("info depth 2 multipv 2 score cp -400 pv a2a3")
			say("bestmove e2e4 ponder e7e5")
			if kind == "noisy" {
				say("bestmove e2e4 ponder e7e5")
			}
		case "stop":
			if kind == "slow" {
				say("bestmove e7e5")
			}
		case "quit":
			if kind == "stays" {
				continue
			}
			return
		case "setoption", "position":
			fmt.Fprintln(os.Stderr, s.Text())
		}
	}
	if kind == "stays" {
		time.Sleep(time.Hour)
	}
}
