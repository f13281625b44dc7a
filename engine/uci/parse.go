package uci

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"castellan/engine/chess"
)

// goCommand is a "go" line as written, before it meets a position.
type goCommand struct {
	depth, mate, movesToGo   int
	nodes                    uint64
	moveTime                 time.Duration
	wtime, btime, winc, binc time.Duration
	infinite, ponder         bool
	searchMoves              []string
}

// maxMillis keeps sums of times far from overflow; it is over 30 years.
const maxMillis = 1_000_000_000_000

// timeInstead is what a move gets when its command says nothing else that can
// be read.
const timeInstead = time.Second

// limited tells whether anything ends the search, or is not to end it.
func (c *goCommand) limited() bool {
	return c.infinite || c.depth > 0 || c.mate > 0 || c.nodes > 0 || c.moveTime > 0 || c.wtime > 0 || c.btime > 0 || c.winc > 0 || c.binc > 0
}

// parseGo reads the words after "go". Unknown words are reported and skipped;
// what was understood is returned with the error, and timeInstead when that
// has no limit: a GUI that meant to set one is not going to say "stop".
func parseGo(args []string) (goCommand, error) {
	var c goCommand
	var faults []error
	number := func(word, text string, low, high int64) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			err = nil // n is at the end of the range already
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("go %s: %q is not a whole number", word, text))
			return 0
		}
		return max(low, min(n, high))
	}
	millis := func(word, text string, low int64) time.Duration {
		return time.Duration(number(word, text, low, maxMillis)) * time.Millisecond
	}
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch word {
		case "infinite":
			c.infinite = true
			continue
		case "ponder":
			c.ponder = true
			continue
		case "searchmoves":
			for len(args) > 0 && looksLikeMove(args[0]) {
				c.searchMoves = append(c.searchMoves, args[0])
				args = args[1:]
			}
			continue
		case "depth", "mate", "movestogo", "nodes", "movetime", "wtime", "btime", "winc", "binc":
		default:
			faults = append(faults, fmt.Errorf("go: unknown word %q", word))
			continue
		}
		if len(args) == 0 {
			faults = append(faults, fmt.Errorf("go %s: a number is missing", word))
			break
		}
		text := args[0]
		args = args[1:]
		switch word {
		case "depth":
			c.depth = int(number(word, text, 1, 1000))
		case "mate":
			c.mate = int(number(word, text, 1, 1000))
		case "movestogo":
			c.movesToGo = int(number(word, text, 0, 1000))
		case "nodes":
			c.nodes = uint64(number(word, text, 1, 1<<62))
		case "movetime":
			c.moveTime = millis(word, text, 1)
		case "wtime": // GUIs send 0 and less for a clock that has run out
			c.wtime = millis(word, text, 1)
		case "btime":
			c.btime = millis(word, text, 1)
		case "winc":
			c.winc = millis(word, text, 0)
		case "binc":
			c.binc = millis(word, text, 0)
		}
	}
	if len(faults) > 0 && !c.limited() {
		c.moveTime = timeInstead
		faults = append(faults, fmt.Errorf("go: no limit is left: thinking for %v", timeInstead))
	}
	return c, errors.Join(faults...)
}

func looksLikeMove(s string) bool {
	return (len(s) == 4 || len(s) == 5) && s[0] >= 'a' && s[0] <= 'h' && s[1] >= '1' && s[1] <= '8'
}

// parsePosition reads the words after "position".
func parsePosition(args []string) (*chess.Game, error) {
	if len(args) == 0 {
		return nil, errors.New(`position: "startpos" or "fen" is missing`)
	}
	kind := args[0]
	args = args[1:]
	moves := len(args)
	for i, word := range args {
		if word == "moves" {
			moves = i
			break
		}
	}
	var start chess.Position
	switch kind {
	case "startpos":
		if moves > 0 {
			return nil, fmt.Errorf("position startpos: unknown word %q", args[0])
		}
		start = chess.StartPosition()
	case "fen":
		var err error
		if start, err = chess.ParseFEN(strings.Join(args[:moves], " ")); err != nil {
			return nil, fmt.Errorf("position: %w", err)
		}
	default:
		return nil, fmt.Errorf(`position: %q is neither "startpos" nor "fen"`, kind)
	}
	g := chess.NewGame(start, chess.FIDE)
	if moves < len(args) {
		for i, text := range args[moves+1:] {
			if err := g.PlayUCI(text); err != nil {
				return nil, fmt.Errorf("position: move %d: %w", i+1, err)
			}
		}
	}
	return g, nil
}

// parseSetOption reads the words after "setoption"; names and values may have
// blanks in them.
func parseSetOption(args []string) (name, value string, err error) {
	if len(args) < 2 || args[0] != "name" {
		return "", "", errors.New(`setoption: "name" and the option's name are missing`)
	}
	args = args[1:]
	for i, word := range args {
		if word == "value" {
			return strings.Join(args[:i], " "), strings.Join(args[i+1:], " "), nil
		}
	}
	return strings.Join(args, " "), "", nil
}
