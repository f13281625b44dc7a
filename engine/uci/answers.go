package uci

import (
	"fmt"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/chess"
)

// boundWords is indexed by search.Bound.
var boundWords = [4]string{1: " upperbound", 2: " lowerbound"}

// notation is what the GUI wants to see in answers.
type notation struct {
	chess960 bool // castling as king takes rook
	wdl      bool // chances beside the score
}

// infoLine writes an iteration; p is the position searched.
func (n notation) infoLine(p chess.Position, i engine.Info) string {
	var b strings.Builder
	fmt.Fprintf(&b, "info depth %d seldepth %d multipv %d score %v", i.Depth, i.SelDepth, i.MultiPV, i.Score)
	b.WriteString(boundWords[i.Bound&3])
	if n.wdl {
		w := engine.WinRates(i.Score)
		fmt.Fprintf(&b, " wdl %d %d %d", w.Win, w.Draw, w.Loss)
	}
	nps := uint64(0)
	if i.Time > 0 {
		nps = uint64(float64(i.Nodes) / i.Time.Seconds())
	}
	fmt.Fprintf(&b, " nodes %d nps %d hashfull %d tbhits %d time %d pv", i.Nodes, nps, i.Hashfull, i.TableHits, i.Time/time.Millisecond)
	for _, m := range i.PV {
		b.WriteString(" " + p.UCI(m, n.chess960))
		p = p.Play(m)
	}
	return b.String()
}

func (n notation) bestMoveLine(p chess.Position, d engine.Decision) string {
	if d.Move == chess.NoMove {
		return "bestmove (none)"
	}
	line := "bestmove " + p.UCI(d.Move, n.chess960)
	if d.Ponder != chess.NoMove {
		p = p.Play(d.Move)
		line += " ponder " + p.UCI(d.Ponder, n.chess960)
	}
	return line
}
