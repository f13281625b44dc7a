package engine

import (
	"math"
	"math/rand/v2"

	"castellan/engine/chess"
	"castellan/engine/search"
)

// The range of Options.Elo. docs/engine.md tells what the numbers were
// measured against.
const (
	MinElo = 800
	MaxElo = 2800
)

// level is how the engine plays below its full strength: it looks at fewer
// positions, and misjudges what it sees by a little.
type level struct {
	nodes  uint64  // to search for a move
	lines  int     // how many moves to choose among
	spread float64 // standard deviation of the misjudgement, in centipawns
	margin int     // the most that a choice may cost, in centipawns, as the search sees it
}

// calibration says what plays at a rating: docs/engine.md has the matches that
// it comes from. Between two rows the spread and the logarithm of the nodes
// are interpolated.
var calibration = []struct {
	elo           int
	nodes, spread float64
}{
	{MinElo, 260, 260},
	{1100, 550, 157},
	{1400, 1_000, 95},
	{1700, 2_500, 58},
	{2000, 15_000, 17},
	{2300, 45_000, 6},
	{2600, 130_000, 2},
	{MaxElo, 400_000, 0},
}

// levelOf is the level of a rating between MinElo and MaxElo.
func levelOf(elo int) level {
	i := 1
	for elo > calibration[i].elo {
		i++
	}
	low, high := calibration[i-1], calibration[i]
	part := float64(elo-low.elo) / float64(high.elo-low.elo)
	weakness := 1 - float64(elo-MinElo)/(MaxElo-MinElo)
	l := level{
		nodes:  uint64(low.nodes * math.Pow(high.nodes/low.nodes, part)),
		lines:  2 + int(5*weakness*weakness),
		spread: low.spread + part*(high.spread-low.spread),
	}
	l.margin = int(2 * l.spread)
	if l.spread < 1 {
		l.lines = 1
	}
	return l
}

// limit narrows the limits of a search to the level. What the search finds
// ends up in lines, from the best on; the caller's Report hears of as many
// lines as it asked for.
func (l level) limit(limits *Limits, lines *[]Info) {
	if limits.Nodes == 0 || limits.Nodes > l.nodes {
		limits.Nodes = l.nodes
	}
	limits.LeastDepth = 1 // else there would be no lines to choose among
	wanted, report := max(1, limits.MultiPV), limits.Report
	limits.MultiPV = max(wanted, l.lines)
	limits.Report = func(i Info) {
		if i.Bound == search.Exact {
			if i.MultiPV == 1 {
				*lines = (*lines)[:0]
			}
			*lines = append(*lines, i)
		}
		if report != nil && i.MultiPV <= wanted {
			report(i)
		}
	}
}

// choose takes one of the lines, the best first, each misjudged at random. A
// forced mate is never missed once seen, nor walked into, and nothing is
// chosen that costs more than the margin. normal gives standard normal
// numbers.
func (l level) choose(lines []Info, normal func() float64) Info {
	best := lines[0]
	if _, forced := best.Score.Mate(); forced {
		return best
	}
	chosen, most := best, math.Inf(-1)
	for _, line := range lines {
		if best.Score-line.Score > Score(l.margin) {
			continue
		}
		if v := float64(line.Score) + l.spread*normal(); v > most {
			chosen, most = line, v
		}
	}
	return chosen
}

// weaken puts the level's choice in place of the best move of a finished
// search. When that is not in the first line, the caller's Report hears of the
// lines once more, with the choice in front: what was told last is what is
// played.
func (l level) weaken(d *Decision, lines []Info, limits *Limits) {
	if len(lines) < 2 || d.Depth == 0 {
		return
	}
	line := l.choose(lines, rand.NormFloat64)
	if limits.Report != nil && line.MultiPV > 1 {
		ordered := append([]Info{line}, lines[:line.MultiPV-1]...)
		ordered = append(ordered, lines[line.MultiPV:]...)
		for n, i := range ordered[:min(len(ordered), max(1, limits.MultiPV))] {
			i.MultiPV, i.Nodes, i.Time = n+1, d.Nodes, d.Time
			limits.Report(i)
		}
	}
	d.Move, d.Score, d.PV, d.Ponder = line.PV[0], line.Score, line.PV, chess.NoMove
	if len(line.PV) > 1 {
		d.Ponder = line.PV[1]
	}
}
