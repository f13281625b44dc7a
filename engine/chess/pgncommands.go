package chess

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Commands in PGN comments, such as [%clk 0:03:00] and [%eval -0.35,20], as Lichess and ChessBase write them.

// String returns the text of an [%eval] command: pawns with two decimals or "#" and moves to mate, then the depth if known.
func (e *Eval) String() string {
	var s string
	if e.Mate {
		s = "#" + strconv.Itoa(e.Value)
	} else {
		s = strconv.FormatFloat(float64(e.Value)/100, 'f', 2, 64)
	}
	if e.Depth > 0 {
		s += "," + strconv.Itoa(e.Depth)
	}
	return s
}

// parseEval reads the text of an [%eval] command; ok is false when it is none.
func parseEval(text string) (e Eval, ok bool) {
	score, depth, hasDepth := strings.Cut(text, ",")
	if hasDepth {
		d, err := strconv.ParseUint(strings.TrimSpace(depth), 10, 16)
		if err != nil {
			return e, false
		}
		e.Depth = int(d)
	}
	if moves, isMate := strings.CutPrefix(score, "#"); isMate {
		v, err := strconv.ParseInt(moves, 10, 16)
		if err != nil {
			return e, false
		}
		e.Mate, e.Value = true, int(v)
		return e, true
	}
	v, err := strconv.ParseFloat(score, 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > 1e6 {
		return e, false
	}
	e.Value = int(math.Round(v * 100))
	return e, true
}

// formatClock writes a time as hours, minutes and seconds, with up to three decimals when there are any. A negative time is
// written as zero.
func formatClock(d time.Duration) string {
	ms := max(d.Milliseconds(), 0)
	s := fmt.Sprintf("%d:%02d:%02d", ms/3_600_000, ms/60_000%60, ms/1000%60)
	if ms%1000 != 0 {
		s += strings.TrimRight(fmt.Sprintf(".%03d", ms%1000), "0")
	}
	return s
}

// parseClockTime reads "h:mm:ss", "mm:ss" or "ss", the seconds perhaps with decimals; ok is false when it is none of them.
func parseClockTime(text string) (d time.Duration, ok bool) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(parts[len(parts)-1], 64)
	if err != nil || !(seconds >= 0 && seconds < 1e6) {
		return 0, false
	}
	total := time.Duration(math.Round(seconds*1000)) * time.Millisecond
	unit := time.Minute
	for i := len(parts) - 2; i >= 0; i-- {
		v, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil {
			return 0, false
		}
		total += time.Duration(v) * unit
		unit = time.Hour
	}
	return total, true
}

// takeCommands moves the [%clk] and [%eval] commands of a comment into the note and returns the rest of the text. Other
// commands, and those that make no sense, stay in the text.
func (n *Note) takeCommands(text string) string {
	var rest strings.Builder
	for {
		start := strings.Index(text, "[%")
		if start < 0 {
			break
		}
		length := strings.IndexByte(text[start:], ']')
		if length < 0 {
			break
		}
		end := start + length + 1
		name, value, _ := strings.Cut(strings.TrimSpace(text[start+2:end-1]), " ")
		if n.take(name, strings.TrimSpace(value)) {
			rest.WriteString(text[:start])
			rest.WriteByte(' ')
		} else {
			rest.WriteString(text[:end])
		}
		text = text[end:]
	}
	rest.WriteString(text)
	return oneLine(rest.String())
}

func (n *Note) take(name, value string) bool {
	switch name {
	case "clk":
		d, ok := parseClockTime(value)
		if ok {
			n.Clock = &d
		}
		return ok
	case "eval":
		e, ok := parseEval(value)
		if ok {
			n.Eval = &e
		}
		return ok
	}
	return false
}
