package eval

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"testing"

	"castellan/engine/chess"
)

func kpkPosition(white, pawn, black chess.Square, toMove chess.Color) (chess.Position, error) {
	letters := map[chess.Square]string{white: "K", pawn: "P", black: "k"}
	fen := ""
	for rank := 7; rank >= 0; rank-- {
		empty := 0
		for file := range 8 {
			man, ok := letters[chess.NewSquare(file, rank)]
			if !ok {
				empty++
				continue
			}
			if empty > 0 {
				fen += strconv.Itoa(empty)
				empty = 0
			}
			fen += man
		}
		if empty > 0 {
			fen += strconv.Itoa(empty)
		}
		if rank > 0 {
			fen += "/"
		}
	}
	side := "w"
	if toMove == chess.Black {
		side = "b"
	}
	return chess.ParseFEN(fmt.Sprintf("%s %s - - 0 1", fen, side))
}

// Every position is won or drawn as its moves by the rules say: White needs
// one that wins, Black one that draws.
func TestKPKAgreesWithTheRules(t *testing.T) {
	New()
	random := rand.New(rand.NewPCG(5, 6))
	won, drawn := 0, 0
	for range 60000 {
		white, black := chess.Square(random.IntN(64)), chess.Square(random.IntN(64))
		pawn := chess.Square(8 + random.IntN(48))
		toMove := chess.Color(random.IntN(2))
		if white == black || white == pawn || black == pawn || kingDistance[white][black] <= 1 {
			continue
		}
		p, err := kpkPosition(white, pawn, black, toMove)
		if err != nil {
			continue // White to move gives check
		}
		got := kpkWon(chess.White, white, pawn, black, toMove)
		var list chess.MoveList
		p.LegalMoves(&list)
		want := toMove == chess.Black && (list.Len() > 0 || p.InCheck())
		for _, m := range list.Slice() {
			next := p.Play(m)
			wins := whiteWins(&next)
			if toMove == chess.White {
				want = want || wins
			} else {
				want = want && wins
			}
		}
		if got != want {
			t.Fatalf("%s: won is %v, its moves say %v", p.FEN(), got, want)
		}
		if got {
			won++
		} else {
			drawn++
		}
	}
	if won < 5000 || drawn < 3000 {
		t.Errorf("%d won and %d drawn positions seen: too few to be right", won, drawn)
	}
}

// whiteWins judges a position one move on.
func whiteWins(p *chess.Position) bool {
	pawns := p.Pieces(chess.White, chess.Pawn)
	if pawns != 0 {
		return kpkWon(chess.White, p.King(chess.White), pawns.First(), p.King(chess.Black), p.SideToMove())
	}
	if p.ByType(chess.Queen)|p.ByType(chess.Rook) == 0 {
		return false // the pawn fell, or became a minor piece
	}
	// Promoted: a queen or rook wins unless it falls or it is stalemate.
	var list chess.MoveList
	p.LegalMoves(&list)
	for _, m := range list.Slice() {
		if p.IsCapture(m) {
			return false
		}
	}
	return list.Len() > 0 || p.InCheck()
}

// The number of won positions of all with a pawn on the files a to d, either
// side to move, is known from other programs' tables.
func TestKPKCount(t *testing.T) {
	New()
	n := 0
	for _, word := range kpkWins {
		n += bits.OnesCount64(word)
	}
	if n != 111282 {
		t.Errorf("%d positions are won, want 111282", n)
	}
}

func TestKPKKnownPositions(t *testing.T) {
	e := New()
	tests := []struct {
		fen string
		won bool
	}{
		{"4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", true},  // king on the sixth before its pawn
		{"4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", true},  //
		{"8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", false}, // opposition to Black
		{"8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", true},  // and to White
		{"k7/8/K7/P7/8/8/8/8 w - - 0 1", false},    // a rook pawn
		{"8/8/8/8/P7/8/8/K6k w - - 0 1", true},     // out of the square
		{"8/8/8/8/7P/8/8/k6K w - - 0 1", true},     // on the other wing
		{"6K1/8/7P/8/6k1/8/8/8 w - - 0 1", true},
	}
	for _, tt := range tests {
		p := position(t, tt.fen)
		m := mirrored(t, &p)
		a, b := e.Score(&p), e.Score(&m)
		if p.SideToMove() == chess.Black {
			a, b = -a, -b
		}
		if (a > 300) != tt.won || !tt.won && a != 0 || a != b {
			t.Errorf("%s scores %d, with colours swapped %d; won is %v", tt.fen, a, b, tt.won)
		}
	}
}
