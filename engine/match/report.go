package match

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Report is how a match stands.
type Report struct {
	Names    [2]string
	Control  Control
	Planned  int       // games
	Finished int       // games that have ended, those of unfinished pairs included
	Games    Counts    // losses, draws and wins of the first player, of finished pairs
	Pairs    Counts    // pairs by the first player's points, the pentanomial; nil when games are not paired
	Faults   [2]Faults // by player
	Searched [2]Searched
	SPRT     *SPRT
	LLR      float64 // of the SPRT
	Decision Decision
	Elapsed  time.Duration
}

func newReport(o *Options) *Report {
	r := &Report{Control: o.Control, Planned: o.Games, Games: make(Counts, 3), SPRT: o.SPRT}
	if !o.Unpaired {
		r.Pairs = make(Counts, 5)
	}
	return r
}

// Results returns the results that statistics go by: pairs, or games when they are not paired.
func (r *Report) Results() Counts {
	if r.Pairs != nil {
		return r.Pairs
	}
	return r.Games
}

// add counts a round, given in halves of a point for each game.
func (r *Report) add(halves []int) {
	sum := 0
	for _, h := range halves {
		r.Games[h]++
		sum += h
	}
	if r.Pairs != nil {
		r.Pairs[sum]++
	}
	if r.SPRT != nil {
		r.LLR = r.SPRT.LLR(r.Results())
		r.Decision = r.SPRT.Decide(r.LLR)
	}
}

// Searched is how many nodes an engine has told for its moves.
type Searched struct {
	Moves int // of which nodes were told
	Nodes uint64
}

func (s *Searched) move(nodes uint64) {
	if nodes > 0 {
		s.Moves++
		s.Nodes += nodes
	}
}

func (s *Searched) add(other Searched) {
	s.Moves += other.Moves
	s.Nodes += other.Nodes
}

// Warning tells, in words, that a player's nodes are far from those that each move was to take, a tenth or the double on average; it is ""
// when they are not. With another limit beside the nodes there may be reason for fewer, and nothing is said.
func (r *Report) Warning(player int) string {
	s, limit := r.Searched[player], r.Control.Nodes
	if s.Moves == 0 || r.Control != (Control{Nodes: limit}) {
		return ""
	}
	mean := float64(s.Nodes) / float64(s.Moves)
	if mean >= float64(limit)/10 && mean <= 2*float64(limit) {
		return ""
	}
	return fmt.Sprintf("%s tells %.0f nodes a move, not some %d: is it made weaker, or does it not know \"go nodes\"?", r.Names[player], mean, limit)
}

// points returns the first player's points and their share.
func (r *Report) points() (points, share float64) {
	points = float64(r.Games[2]) + float64(r.Games[1])/2
	if n := r.Games.N(); n > 0 {
		share = points / float64(n)
	}
	return points, share
}

// Line returns the standing on one line.
func (r *Report) Line() string {
	n := r.Games.N()
	_, share := r.points()
	elo := r.Results().Elo()
	s := fmt.Sprintf("%d/%d  +%d =%d -%d  %.1f %%  Elo %s", n, r.Planned, r.Games[2], r.Games[1], r.Games[0], 100*share, withError(elo))
	if r.SPRT != nil {
		lower, upper := r.SPRT.Bounds()
		s += fmt.Sprintf("  LLR %.2f (%.2f, %.2f)", r.LLR, lower, upper)
	}
	for i, f := range r.Faults {
		if f != (Faults{}) {
			s += fmt.Sprintf("  %s: %v", r.Names[i], f)
		}
	}
	if n > 0 && n < r.Planned && r.Decision == Undecided {
		left := r.Elapsed / time.Duration(n) * time.Duration(r.Planned-n)
		s += fmt.Sprintf("  %v left", left.Round(time.Second))
	}
	return s
}

// String returns what there is to say at the end, on several lines.
func (r *Report) String() string {
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s %s\n", label, fmt.Sprintf(format, args...))
	}
	n := r.Games.N()
	line("match", "%s against %s, %v, %v", r.Names[0], r.Names[1], r.Control, r.Elapsed.Round(time.Second))
	line("games", "%d of %d", n, r.Planned)
	if over := r.Finished - n; over > 0 {
		line("", "%d more of pairs that were not finished are not counted", over)
	}
	if n > 0 {
		r.strength(line)
	} else if r.Pairs != nil {
		line("score", "none: no pair of games was finished")
	} else {
		line("score", "none: no game was finished")
	}
	if r.SPRT != nil {
		lower, upper := r.SPRT.Bounds()
		verdict := map[Decision]string{
			Undecided: "no decision",
			AcceptH0:  fmt.Sprintf("H0 accepted: %g Elo, not %g", r.SPRT.Elo0, r.SPRT.Elo1),
			AcceptH1:  fmt.Sprintf("H1 accepted: %g Elo, not %g", r.SPRT.Elo1, r.SPRT.Elo0),
		}
		line("SPRT", "logistic Elo [%g, %g], LLR %.2f (%.2f, %.2f): %s", r.SPRT.Elo0, r.SPRT.Elo1, r.LLR, lower, upper, verdict[r.Decision])
	}
	for i, f := range r.Faults {
		line("faults", "%s: %v", r.Names[i], f)
	}
	return b.String()
}

// leastForLOS is the number of results from which on their mean is taken to be distributed normally though no error is known
// that would show by its size what the LOS is worth.
const leastForLOS = 10

// strength says on several lines what the results of finished games and pairs show.
func (r *Report) strength(line func(label, format string, args ...any)) {
	n := r.Games.N()
	points, share := r.points()
	line("score", "%g of %d, %.1f %%: %s, %s, %s", points, n, 100*share,
		plural(r.Games[2], "win", "wins"), plural(r.Games[1], "draw", "draws"), plural(r.Games[0], "loss", "losses"))
	elo := r.Results().Elo()
	known := !math.IsInf(elo.Error(), 0)
	if known {
		line("Elo", "%s with 95 %% confidence, from %s to %s", withError(elo), number(elo.Low), number(elo.High))
	} else {
		line("Elo", "%s", withError(elo))
	}
	if known || r.Results().N() >= leastForLOS {
		line("LOS", "%.1f %%", 100*r.Results().LOS())
	} else {
		line("LOS", "too few games to tell")
	}
	line("draws", "%.1f %%", 100*float64(r.Games[1])/float64(n))
	if r.Pairs != nil {
		line("pairs", "%d, by points from 0 to 2: %s", r.Pairs.N(), strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]int(r.Pairs))), ", "), "[]"))
	}
}

// String returns the faults in words, "none" if there are none.
func (f Faults) String() string {
	if f == (Faults{}) {
		return "none"
	}
	return strings.Join([]string{plural(f.Crashes, "crash", "crashes"), plural(f.TimeLosses, "time loss", "time losses"),
		plural(f.IllegalMoves, "illegal move", "illegal moves")}, ", ")
}

// plural returns a number of things in words.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// withError returns a difference and its error, which games that are too few or too much alike do not tell.
func withError(e Elo) string {
	if math.IsInf(e.Error(), 0) {
		return number(e.Value) + ", too few games for its error"
	}
	return number(e.Value) + " ± " + unsigned(e.Error())
}

func number(v float64) string {
	if math.IsInf(v, 0) {
		return strings.TrimSuffix(fmt.Sprintf("%+.0f", v), "Inf") + "∞"
	}
	if math.Abs(v) < 0.05 {
		v = 0 // no "-0.0"
	}
	return fmt.Sprintf("%+.1f", v)
}

func unsigned(v float64) string { return strings.TrimPrefix(number(v), "+") }
