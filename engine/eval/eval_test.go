package eval

import (
	"fmt"
	"testing"

	"castellan/engine/chess"
)

func position(t *testing.T, fen string) chess.Position {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// walk visits the positions of a fixed pseudo-random game from each start.
func walk(t *testing.T, visit func(p *chess.Position)) {
	t.Helper()
	starts := []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"8/8/8/4k3/8/2N1B3/4K3/8 w - - 0 1",
		"8/P6k/8/8/4b3/8/p6K/8 w - - 0 1",
		"7k/8/6K1/8/8/8/P3B2P/8 w - - 0 1",
		"1r5k/8/8/2b5/8/8/1N6/K7 b - - 0 1",
	}
	for i, fen := range starts {
		p := position(t, fen)
		pick := uint32(i*7919 + 1)
		for range 120 {
			visit(&p)
			var list chess.MoveList
			p.LegalMoves(&list)
			if list.Len() == 0 {
				break
			}
			pick = pick*1664525 + 1013904223
			p = p.Play(list.At(int(pick>>8) % list.Len()))
		}
	}
}

// mirrored turns the board round and swaps the colours.
func mirrored(t *testing.T, p *chess.Position) chess.Position {
	t.Helper()
	var board [64]byte
	for sq := chess.Square(0); sq < 64; sq++ {
		man := p.PieceOn(sq)
		letter := byte('.')
		if man != chess.NoPiece {
			letter = chess.NewPiece(man.Color().Other(), man.Type()).String()[0]
		}
		board[sq^56] = letter
	}
	fen := ""
	for rank := 7; rank >= 0; rank-- {
		for file := range 8 {
			l := board[rank*8+file]
			last := len(fen) - 1
			switch {
			case l != '.':
				fen += string(l)
			case last >= 0 && fen[last] >= '1' && fen[last] < '8':
				fen = fen[:last] + string(fen[last]+1)
			default:
				fen += "1"
			}
		}
		if rank > 0 {
			fen += "/"
		}
	}
	side := " b"
	if p.SideToMove() == chess.Black {
		side = " w"
	}
	return position(t, fmt.Sprintf("%s%s - - %d 1", fen, side, p.HalfmoveClock()))
}

func TestMirroredPositionScoresTheSame(t *testing.T) {
	e, fresh := New(), New()
	seen := 0
	walk(t, func(p *chess.Position) {
		m := mirrored(t, p)
		// Each side's view of its own half: the score follows the mover.
		if a, b := e.Score(p), e.Score(&m); a != b {
			t.Errorf("%s scores %d, mirrored %d", p.FEN(), a, b)
		}
		if a, b := e.Score(p), fresh.Score(p); a != b {
			t.Errorf("%s scores %d with a warm cache and %d with another", p.FEN(), a, b)
		}
		seen++
	})
	if seen < 300 {
		t.Errorf("only %d positions seen", seen)
	}
}

func TestSwappingTheMoveNegatesAllButTempo(t *testing.T) {
	e := New()
	seen := 0
	walk(t, func(p *chess.Position) {
		pawnsAndKings := p.ByType(chess.Pawn) | p.ByType(chess.King)
		if p.InCheck() || p.ByColor(chess.White)&^pawnsAndKings == 0 || p.ByColor(chess.Black)&^pawnsAndKings == 0 {
			return // the move decides pawn endings
		}
		seen++
		n := p.PlayNull()
		bound := 2*max(weights[tempo].mg(), weights[tempo].eg()) + 2
		fade := max(e.Score(p), -e.Score(p)) / 50 // passing counts for the 50-move rule
		if a, b := e.Score(p), e.Score(&n); a+b < -fade || a+b > bound+fade {
			t.Errorf("%s: %d to move, %d after passing: they differ by more than twice the tempo", p.FEN(), a, b)
		}
	})
	if seen < 100 {
		t.Errorf("only %d positions seen", seen)
	}
}

func TestScoreOrder(t *testing.T) {
	e := New()
	tests := []struct {
		name          string
		better, worse string
	}{
		{"a rook is worth more than a knight",
			"4k3/pppp4/8/8/8/8/PPPP4/R3K3 w - - 0 1", "4k3/pppp4/8/8/8/8/PPPP4/N3K3 w - - 0 1"},
		{"a knight in the centre is better than on the rim",
			"4k3/pppp4/8/8/3N4/8/PPPP4/4K3 w - - 0 1", "4k3/pppp4/8/8/7N/8/PPPP4/4K3 w - - 0 1"},
		{"two bishops are better than bishop and knight",
			"4k3/pppp4/8/8/8/2BB4/PPPP4/4K3 w - - 0 1", "4k3/pppp4/8/8/8/2BN4/PPPP4/4K3 w - - 0 1"},
		{"a passed pawn gains by advancing",
			"4k3/8/3P4/8/8/8/8/4K2R w - - 0 1", "4k3/8/8/8/3P4/8/8/4K2R w - - 0 1"},
		{"doubled pawns are worse",
			"4k3/2pp4/8/8/8/8/2PP4/4K3 w - - 0 1", "4k3/2pp4/8/8/8/2P5/2P5/4K3 w - - 0 1"},
		{"a sheltered king is safer",
			"r1bq1rk1/ppp2ppp/8/8/8/8/PPP2PPP/R1BQ1RK1 w - - 0 1", "r1bq1rk1/ppp2ppp/8/8/5PPP/8/PPP5/R1BQ1RK1 w - - 0 1"},
		{"a rook wants an open file",
			"4k2r/1ppp3p/8/8/8/8/1PPP3P/R3K3 w - - 0 1", "4k2r/1ppp3p/8/8/8/8/1PPP3P/3RK3 w - - 0 1"},
	}
	for _, tt := range tests {
		better, worse := position(t, tt.better), position(t, tt.worse)
		if a, b := e.Score(&better), e.Score(&worse); a <= b {
			t.Errorf("%s: %d is not above %d", tt.name, a, b)
		}
	}
}

func TestDrawishEndings(t *testing.T) {
	e := New()
	tests := []struct {
		name, fen string
		low, high int
	}{
		{"two knights cannot force mate", "8/8/4k3/8/8/3NN3/4K3/8 w - - 0 1", -20, 20},
		{"rook against bishop", "8/8/4k3/4b3/8/3R4/4K3/8 w - - 0 1", -10, 60},
		{"wrong bishop for the rook pawn", "7k/8/8/8/7P/3B4/8/K7 w - - 0 1", -20, 20},
		{"right bishop for the rook pawn", "7k/8/8/8/7P/4B3/8/K7 w - - 0 1", 250, 2000},
		{"wrong rook pawns without a bishop", "7k/8/7P/7P/8/8/8/K7 w - - 0 1", -20, 20},
		{"bishop and knight win", "8/8/4k3/8/8/3NB3/4K3/8 w - - 0 1", 400, 2000},
		{"rook wins", "8/8/4k3/8/8/3R4/4K3/8 w - - 0 1", 400, 2000},
	}
	for _, tt := range tests {
		p := position(t, tt.fen)
		if v := e.Score(&p); v < tt.low || v > tt.high {
			t.Errorf("%s: score %d is not in %d..%d", tt.name, v, tt.low, tt.high)
		}
		m := mirrored(t, &p)
		if v := -e.Score(&m); v < -tt.high || v > -tt.low {
			t.Errorf("%s, black: score %d is not in %d..%d", tt.name, v, -tt.high, -tt.low)
		}
	}
}

func TestBishopAndKnightDriveToTheRightCorner(t *testing.T) {
	e := New()
	// The bishop is light-squared: a8 and h1 are the corners to mate in.
	right := position(t, "k7/8/2K5/3N4/4B3/8/8/8 w - - 0 1")
	wrong := position(t, "7k/8/5K2/4N3/4B3/8/8/8 w - - 0 1")
	if a, b := e.Score(&right), e.Score(&wrong); a <= b {
		t.Errorf("right corner %d, wrong corner %d", a, b)
	}
}

func TestPackedScore(t *testing.T) {
	for _, mg := range []int{-3000, -1, 0, 1, 77, 3000} {
		for _, eg := range []int{-3000, -1, 0, 1, 99, 3000} {
			v := s(mg, eg)
			if v.mg() != mg || v.eg() != eg {
				t.Errorf("s(%d, %d) reads %d, %d", mg, eg, v.mg(), v.eg())
			}
			if w := v - s(5, -7); w.mg() != mg-5 || w.eg() != eg+7 {
				t.Errorf("s(%d, %d) - s(5, -7) reads %d, %d", mg, eg, w.mg(), w.eg())
			}
			if w := v * 3; w.mg() != 3*mg || w.eg() != 3*eg {
				t.Errorf("s(%d, %d) * 3 reads %d, %d", mg, eg, w.mg(), w.eg())
			}
		}
	}
}

func TestScoreDoesNotAllocate(t *testing.T) {
	var positions []chess.Position
	walk(t, func(p *chess.Position) { positions = append(positions, *p) })
	e := New()
	next := 0
	n := testing.AllocsPerRun(len(positions)-1, func() {
		e.Score(&positions[next])
		next++
	})
	if n != 0 {
		t.Errorf("%v allocations per score", n)
	}
}

func BenchmarkScore(b *testing.B) {
	e := New()
	p, _ := chess.ParseFEN("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	for b.Loop() {
		e.Score(&p)
	}
}
