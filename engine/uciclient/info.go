package uciclient

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Bound says how a score relates to the true value.
type Bound uint8

// Kinds of scores.
const (
	Exact      Bound = iota
	LowerBound       // the true value is at least this
	UpperBound       // the true value is at most this
)

// Score is an engine's view of a position from the side to move.
type Score struct {
	Mate  bool // Value is in moves to mate, negative when the side to move is mated; else in centipawns
	Value int
	Bound Bound
}

// matedNow stands for a mate in centipawns; nearer mates are further from zero.
const matedNow = 100_000

// Centipawns returns the score as one number for comparisons: centipawns, or for a mate about 100,000.
func (s Score) Centipawns() int {
	switch {
	case !s.Mate:
		return max(-matedNow/2, min(s.Value, matedNow/2))
	case s.Value > 0:
		return matedNow - min(s.Value, 1000)
	}
	return -matedNow - max(s.Value, -1000)
}

// String returns the score as UCI writes it, such as "cp 31" or "mate -3".
func (s Score) String() string {
	if s.Mate {
		return fmt.Sprintf("mate %d", s.Value)
	}
	return fmt.Sprintf("cp %d", s.Value)
}

// Info is what an engine says about its search. What it has not said is zero.
type Info struct {
	Depth, SelDepth int
	MultiPV         int // 1 for the best line, or 0 when the engine does not count them
	Score           *Score
	Nodes           uint64
	Time            time.Duration // by the engine's own clock
	PV              []string      // moves in UCI notation, unchecked
}

// maxPV bounds the moves kept of a line.
const maxPV = 256

// parseInfo reads the words after "info". A part that makes no sense is skipped.
func parseInfo(words []string) (i Info) {
	for len(words) > 0 {
		key := words[0]
		words = words[1:]
		switch key {
		case "string":
			return i // the rest of the line is for people
		case "pv":
			n := 0
			for n < len(words) && isMove(words[n]) {
				n++
			}
			i.PV = append([]string(nil), words[:min(n, maxPV)]...)
			words = words[n:]
		case "score":
			i.Score, words = parseScore(words)
		case "depth", "seldepth", "multipv", "nodes", "time":
			if len(words) == 0 {
				return i
			}
			n, err := strconv.ParseUint(words[0], 10, 63)
			if err != nil {
				continue
			}
			small := int(min(n, math.MaxInt32))
			switch key {
			case "depth":
				i.Depth = small
			case "seldepth":
				i.SelDepth = small
			case "multipv":
				i.MultiPV = small
			case "nodes":
				i.Nodes = n
			case "time":
				i.Time = time.Duration(min(n, math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
			}
			words = words[1:]
		}
	}
	return i
}

// parseScore reads the words after "score" and returns the rest; the score is nil when they are none.
func parseScore(words []string) (*Score, []string) {
	var s *Score
	for len(words) > 0 {
		switch words[0] {
		case "cp", "mate":
			if len(words) == 1 {
				return s, nil
			}
			n, err := strconv.ParseInt(words[1], 10, 32)
			if err != nil {
				return s, words[1:]
			}
			s = &Score{Mate: words[0] == "mate", Value: int(n)}
			words = words[2:]
		case "lowerbound", "upperbound":
			if s == nil {
				return nil, words[1:]
			}
			s.Bound = LowerBound
			if words[0] == "upperbound" {
				s.Bound = UpperBound
			}
			words = words[1:]
		default:
			return s, words
		}
	}
	return s, words
}

// merge takes over what a later line about the best line of play says.
func (i *Info) merge(later Info) {
	if later.MultiPV > 1 {
		return
	}
	if later.Score != nil {
		// A new iteration, or a part of one: its line of play belongs to its score.
		i.Score, i.PV = later.Score, later.PV
		if later.Depth > 0 {
			i.Depth, i.SelDepth = later.Depth, later.SelDepth
		}
	}
	i.Nodes = max(i.Nodes, later.Nodes)
	i.Time = max(i.Time, later.Time)
}

// isMove tells whether a word has the form of a move in UCI notation.
func isMove(s string) bool {
	return (len(s) == 4 || len(s) == 5 && isPromotion(s[4])) &&
		s[0] >= 'a' && s[0] <= 'h' && s[1] >= '1' && s[1] <= '8' && s[2] >= 'a' && s[2] <= 'h' && s[3] >= '1' && s[3] <= '8'
}

func isPromotion(c byte) bool { return c == 'q' || c == 'r' || c == 'b' || c == 'n' }

// parseBestMove reads the words after "bestmove". The move is "" when the engine says that it has none, and whatever stands
// there otherwise, cut to a length that fits in a message.
func parseBestMove(words []string) (move, ponder string) {
	if len(words) == 0 {
		return "", ""
	}
	switch move = words[0]; move {
	case "(none)", "0000", "NULL", "null", "none":
		move = ""
	}
	if len(words) >= 3 && words[1] == "ponder" && isMove(words[2]) {
		ponder = words[2]
	}
	return move[:min(len(move), 20)], ponder
}
