package chess

import "testing"

// benchPositions are those that perft is timed on.
var benchPositions = []struct{ name, fen string }{
	{"start", startFEN},
	{"kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"},
	{"endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"},
}

var sink uint64 // keeps results alive

func forEachBenchPosition(b *testing.B, run func(b *testing.B, p *Position, moves *MoveList)) {
	for _, pos := range benchPositions {
		b.Run(pos.name, func(b *testing.B) {
			p := parseFENOrFail(b, pos.fen)
			var list MoveList
			p.LegalMoves(&list)
			b.ReportAllocs()
			run(b, &p, &list)
		})
	}
}

func BenchmarkLegalMoves(b *testing.B) {
	forEachBenchPosition(b, func(b *testing.B, p *Position, _ *MoveList) {
		var list MoveList
		for b.Loop() {
			p.LegalMoves(&list)
		}
	})
}

func BenchmarkLegalCaptures(b *testing.B) {
	forEachBenchPosition(b, func(b *testing.B, p *Position, _ *MoveList) {
		var list MoveList
		for b.Loop() {
			p.LegalCaptures(&list)
		}
	})
}

func BenchmarkCountMoves(b *testing.B) {
	forEachBenchPosition(b, func(b *testing.B, p *Position, _ *MoveList) {
		for b.Loop() {
			sink += uint64(p.CountMoves())
		}
	})
}

func BenchmarkPlay(b *testing.B) {
	forEachBenchPosition(b, func(b *testing.B, p *Position, moves *MoveList) {
		for i := 0; b.Loop(); i++ {
			next := p.Play(moves.At(i % moves.Len()))
			sink += next.key
		}
	})
}

func BenchmarkIsLegal(b *testing.B) {
	forEachBenchPosition(b, func(b *testing.B, p *Position, moves *MoveList) {
		for i := 0; b.Loop(); i++ {
			if p.IsLegal(moves.At(i % moves.Len())) {
				sink++
			}
		}
	})
}

// BenchmarkGamePlay plays a game of 400 plies; divide by 400 for a move.
func BenchmarkGamePlay(b *testing.B) {
	game := NewGame(StartPosition(), FIDE)
	for ply := range 400 {
		text := [...]string{"g1f3", "g8f6", "f3g1", "f6g8"}[ply%4]
		if err := game.PlayUCI(text); err != nil {
			b.Fatal(err)
		}
	}
	moves := game.Moves()
	b.ReportAllocs()
	for b.Loop() {
		g := NewGame(StartPosition(), FIDE)
		for _, m := range moves {
			if err := g.Play(m); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkPerft(b *testing.B) {
	for i, depth := range []int{5, 4, 6} {
		b.Run(benchPositions[i].name, func(b *testing.B) {
			p := parseFENOrFail(b, benchPositions[i].fen)
			b.ReportAllocs()
			var nodes uint64
			for b.Loop() {
				nodes += Perft(&p, depth)
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}

// TestNothingIsAllocated holds move generation and play to no allocation at all, a game's next move to none once its history has
// room, and perft to one for each ply and none for its nodes.
func TestNothingIsAllocated(t *testing.T) {
	p := parseFENOrFail(t, benchPositions[1].fen)
	var list, captures MoveList
	p.LegalMoves(&list)
	g := NewGame(p, LichessBot)
	for name, do := range map[string]func(){
		"LegalMoves":    func() { p.LegalMoves(&list) },
		"LegalCaptures": func() { p.LegalCaptures(&captures) },
		"CountMoves":    func() { sink += uint64(p.CountMoves()) },
		"HasLegalMove":  func() { p.HasLegalMove() },
		"IsLegal":       func() { p.IsLegal(list.At(7)) },
		"Play":          func() { next := p.Play(list.At(7)); sink += next.key },
		"PlayNull":      func() { next := p.PlayNull(); sink += next.key },
		"Game": func() {
			if err := g.Play(list.At(7)); err != nil || g.Outcome().Over() || g.Repetitions() != 1 {
				t.Errorf("%v, %v", err, g.Outcome())
			}
			g.Undo()
		},
	} {
		if n := testing.AllocsPerRun(100, do); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	if n := testing.AllocsPerRun(10, func() { sink += Perft(&p, 4) }); n > 4 {
		t.Errorf("a perft of depth 4 allocates %v times", n)
	}
}
