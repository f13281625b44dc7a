package external

import (
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/engine/uciclient"
)

// positionOf writes a game as UCI has it.
func positionOf(g *chess.Game, chess960 bool) uciclient.Position {
	var p uciclient.Position
	if start := g.Start(); start != chess.StartPosition() {
		p.FEN = start.FEN()
	}
	for i, m := range g.Moves() {
		at := g.PositionAt(i)
		p.Moves = append(p.Moves, at.UCI(m, chess960))
	}
	return p
}

// decisionOf reads an answer; false when it is no legal move. What is wrong behind the move only shortens the line.
func decisionOf(p *chess.Position, r uciclient.Result) (engine.Decision, bool) {
	m, err := p.ParseUCI(r.Move)
	if err != nil {
		return engine.Decision{}, false
	}
	d := engine.Decision{
		Move: m, PV: []chess.Move{m}, SelDepth: r.Info.SelDepth, Nodes: r.Info.Nodes, Time: r.Elapsed, Source: engine.SourceExternal,
	}
	if s := r.Info.Score; s != nil && (!s.Mate || s.Value != 0) { // who is mated has no move
		d.Depth, d.Score = max(r.Info.Depth, 1), scoreOf(*s)
	}
	next := p.Play(m)
	line := r.Info.PV
	if len(line) > 0 && line[0] == r.Move {
		line = line[1:]
	} else {
		line = nil
	}
	if len(line) == 0 && r.Ponder != "" {
		line = []string{r.Ponder}
	}
	for _, text := range line {
		m, err := next.ParseUCI(text)
		if err != nil {
			break
		}
		d.PV = append(d.PV, m)
		next = next.Play(m)
	}
	if r.Ponder != "" {
		after := p.Play(d.Move)
		d.Ponder, _ = after.ParseUCI(r.Ponder)
	}
	if d.Ponder == chess.NoMove && len(d.PV) > 1 {
		d.Ponder = d.PV[1]
	}
	return d, true
}

// Bounds of the scores that are taken over: mates beyond the horizon of our own search are mates all the same.
const (
	mostMate       = search.MaxPly / 2
	mostCentipawns = 20_000
)

func scoreOf(s uciclient.Score) engine.Score {
	if !s.Mate {
		return engine.Score(max(-mostCentipawns, min(s.Value, mostCentipawns)))
	}
	return search.MateIn(max(-mostMate+1, min(s.Value, mostMate-1)))
}
