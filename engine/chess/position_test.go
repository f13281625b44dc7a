package chess

import (
	"testing"
	"unsafe"
)

// TestPositionSize keeps a position within two cache lines: a search copies one at every node.
func TestPositionSize(t *testing.T) {
	if size := unsafe.Sizeof(Position{}); size > 128 {
		t.Errorf("a Position takes %d bytes, at most 128 are wanted", size)
	}
}

// TestKeyTellsPositionsApart checks on every position of the vectors and those one move on that keys are equal exactly when
// the Laws call the positions the same.
func TestKeyTellsPositionsApart(t *testing.T) {
	byKey, byName := map[uint64]string{}, map[string]uint64{}
	see := func(p *Position) {
		name, key := repetitionKey(p), p.Key()
		if other, seen := byKey[key]; seen && other != name {
			t.Errorf("%s and %s have the same key", name, other)
		}
		if other, seen := byName[name]; seen && other != key {
			t.Errorf("%s has two keys", name)
		}
		byKey[key], byName[name] = name, key
	}
	for _, p := range testPositions(t) {
		see(&p)
		var list MoveList
		p.LegalMoves(&list)
		for _, m := range list.Slice() {
			next := p.Play(m)
			see(&next)
		}
		if !p.InCheck() {
			null := p.PlayNull()
			see(&null)
		}
	}
}

// TestCountersStopAtTheirBound checks that a counter goes no higher than what FEN can be read back with.
func TestCountersStopAtTheirBound(t *testing.T) {
	for fen, want := range map[string]string{
		"4k3/8/8/8/8/8/8/4K2R w - - 9998 9999": "4k3/8/8/8/8/8/4K3/7R b - - 9999 9999",
		"4k3/8/8/8/8/8/8/4K2R w - - 9999 1":    "4k3/8/8/8/8/8/4K3/7R b - - 9999 1",
		"4k3/8/8/8/8/8/8/4K2R b - - 9999 9998": "8/4k3/8/8/8/8/8/4K2R w - - 9999 9999",
		"4k3/8/8/8/8/8/8/4K2R b - - 9999 9999": "8/4k3/8/8/8/8/8/4K2R w - - 9999 9999",
	} {
		p := parseFENOrFail(t, fen)
		m, err := p.ParseUCI(map[Color]string{White: "e1e2", Black: "e8e7"}[p.SideToMove()])
		if err != nil {
			t.Fatal(err)
		}
		next, null := p.Play(m), p.PlayNull()
		if got := next.FEN(); got != want {
			t.Errorf("a king's move in %s gives %s, want %s", fen, got, want)
		}
		if null.halfmove != next.halfmove || null.fullmove != next.fullmove {
			t.Errorf("a null move in %s gives %s", fen, null.FEN())
		}
		for _, q := range []Position{next, null} {
			if again, err := ParseFEN(q.FEN()); err != nil || again != q {
				t.Errorf("%s reads as %s, %v", q.FEN(), again.FEN(), err)
			}
		}
	}
}

func TestPlayNull(t *testing.T) {
	for fen, want := range map[string]string{
		startFEN:                            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1",
		"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2": "4k3/8/8/3pP3/8/8/8/4K3 b - - 1 2",
		"4k3/8/8/8/8/8/8/4K3 b - - 7 9":     "4k3/8/8/8/8/8/8/4K3 w - - 8 10",
	} {
		p := parseFENOrFail(t, fen)
		next := p.PlayNull()
		if got := next.FEN(); got != want {
			t.Errorf("a null move in %s gives %s, want %s", fen, got, want)
		}
		checkConsistent(t, &next)
	}
}
