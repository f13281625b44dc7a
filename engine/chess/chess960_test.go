package chess

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestChess960Starts(t *testing.T) {
	scanner := bufio.NewScanner(bytes.NewReader(readVectors(t, "chess960-starts.txt")))
	line := 0
	for ; scanner.Scan(); line++ {
		name := fmt.Sprintf("chess960-starts.txt:%d", line+1)
		number, fen, _ := strings.Cut(scanner.Text(), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := Chess960Start(n)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := p.FEN(); got != fen {
			t.Errorf("%s: start %d is %s, want %s", name, n, got, fen)
		}
		if read := parseFENOrFail(t, fen); read != p {
			t.Errorf("%s: reads as another position", name)
		}
		if shredder := parseFENOrFail(t, p.ShredderFEN()); shredder != p {
			t.Errorf("%s: Shredder-FEN %s reads as another position", name, p.ShredderFEN())
		}
		if n%7 == 0 || n == 518 || n == 959 {
			if got, err := p.Chess960Number(); err != nil || got != n {
				t.Errorf("%s: number of the start is %d, %v", name, got, err)
			}
		}
	}
	if line != Chess960Starts {
		t.Errorf("%d lines, want %d", line, Chess960Starts)
	}
}

func TestChess960StartRefuses(t *testing.T) {
	for _, n := range []int{-1, 960} {
		if _, err := Chess960Start(n); err == nil || !strings.Contains(err.Error(), strconv.Itoa(n)) {
			t.Errorf("start %d: got error %v", n, err)
		}
	}
	standard := StartPosition()
	if got, err := standard.Chess960Number(); got != 518 || err != nil {
		t.Errorf("standard chess is number %d, %v, want 518", got, err)
	}
	p := parseFENOrFail(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")
	if n, err := p.Chess960Number(); err == nil {
		t.Errorf("a position with Black to move is number %d", n)
	}
}

// TestCastlingRightsLetters reads the same rights in all the ways they are written.
func TestCastlingRightsLetters(t *testing.T) {
	for _, tt := range []struct{ board, rights, xfen, shredder string }{
		{"r3k2r/8/8/8/8/8/8/R3K2R", "KQkq", "KQkq", "HAha"},
		{"r3k2r/8/8/8/8/8/8/R3K2R", "qkQK", "KQkq", "HAha"},
		{"r3k2r/8/8/8/8/8/8/R3K2R", "HAha", "KQkq", "HAha"},
		{"r3k2r/8/8/8/8/8/8/R3K2R", "KAq", "KQq", "HAa"},
		{"1rk2r2/8/8/8/8/8/8/1RK2R2", "KQkq", "KQkq", "FBfb"},
		{"rr2k3/8/8/8/8/8/8/RR2K3", "Bb", "Bb", "Bb"},
		{"rr2k3/8/8/8/8/8/8/RR2K3", "Qq", "Qq", "Aa"},
		{"4k1rr/8/8/8/8/8/8/4K1RR", "Gg", "Gg", "Gg"},
		{"4k1rr/8/8/8/8/8/8/4K1RR", "Hg", "Kg", "Hg"},
		{"r2kr3/8/8/8/8/8/8/R2KR3", "EAea", "KQkq", "EAea"},
		{"r3k2r/8/8/8/8/8/8/R3K2R", "-", "-", "-"},
	} {
		fen := func(rights string) string { return tt.board + " w " + rights + " - 0 1" }
		p := parseFENOrFail(t, fen(tt.rights))
		if got := p.FEN(); got != fen(tt.xfen) {
			t.Errorf("%s: X-FEN %s, want %s", fen(tt.rights), got, tt.xfen)
		}
		if got := p.ShredderFEN(); got != fen(tt.shredder) {
			t.Errorf("%s: Shredder-FEN %s, want %s", fen(tt.rights), got, tt.shredder)
		}
	}
}

func TestIsChess960(t *testing.T) {
	for fen, want := range map[string]bool{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": false,
		"r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1":                       false,
		"bnrkqrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQRNB w KQkq - 0 1": true,
		"bnrkqrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQRNB w - - 0 1":    false,
		"4k3/8/8/8/8/8/8/RR2K3 w B - 0 1":                          true,
		"1r2k3/8/8/8/8/8/8/4K3 w q - 0 1":                          true,
	} {
		p, err := ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.IsChess960(); got != want {
			t.Errorf("%s: %v", fen, got)
		}
	}
}
