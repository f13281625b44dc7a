package tablebase

import (
	"math/rand/v2"
	"testing"

	"castellan/engine/chess"
)

// randomPosition puts the men of a table on the board at random.
func randomPosition(r *rand.Rand, m material) (chess.Position, bool) {
	var board [64]byte
	place := func(man chess.Piece) bool {
		s := r.IntN(64)
		if man.Type() == chess.Pawn {
			s = 8 + r.IntN(48)
		}
		if board[s] != 0 {
			return false
		}
		board[s] = man.String()[0]
		return true
	}
	for man := chess.Piece(0); man < 16; man++ {
		if man.Type() == chess.NoPieceType || man.Type() > chess.King {
			continue
		}
		for range m.of(man) {
			if !place(man) {
				return chess.Position{}, false
			}
		}
	}
	var fen []byte
	for rank := 7; rank >= 0; rank-- {
		for file := range 8 {
			if b := board[8*rank+file]; b != 0 {
				fen = append(fen, b)
			} else {
				fen = append(fen, '1')
			}
		}
		if rank > 0 {
			fen = append(fen, '/')
		}
	}
	p, err := chess.ParseFEN(joinGaps(string(fen)) + " " + []string{"w", "b"}[r.IntN(2)] + " - - 0 1")
	return p, err == nil
}

// joinGaps writes gaps of one square beside each other as one.
func joinGaps(text string) string {
	var out []byte
	run := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] == '1' {
			run++
			continue
		}
		if run > 0 {
			out = append(out, byte('0'+run))
			run = 0
		}
		if i < len(text) {
			out = append(out, text[i])
		}
	}
	return string(out)
}

// TestResultsFollowFromMoves holds what the tables say about a position against what they say about its successors: the result
// must be the best of theirs, and the distance one more than that of the best move.
func TestResultsFollowFromMoves(t *testing.T) {
	directories := []string{smallTables}
	if all, ok := findAllTables(); ok && !testing.Short() {
		directories = append(directories, all)
	} else {
		t.Logf("the small tables alone: there are not all of three and four men in %s", all)
	}
	for _, directory := range directories {
		tables := open(t, directory)
		r := rand.New(rand.NewPCG(1, 2))
		checked := 0
		for _, f := range tables.files {
			if f.kind != &kindDTZ {
				continue
			}
			for range 400 {
				p, ok := randomPosition(r, f.material)
				if ok {
					checkFollows(t, tables, &p)
					checked++
				}
			}
		}
		if checked < 1000 {
			t.Errorf("only %d positions", checked)
		}
	}
}

func checkFollows(t *testing.T, tables *Tables, p *chess.Position) {
	t.Helper()
	w, ok := tables.ProbeWDL(p)
	plies, ok2 := tables.ProbeDTZ(p)
	if !ok || !ok2 {
		t.Fatalf("%s: not in the tables", p.FEN())
	}
	var list chess.MoveList
	p.LegalMoves(&list)
	best, distance := Loss, 0
	if list.Len() == 0 {
		if distance = -1; !p.InCheck() {
			best, distance = Draw, 0
		}
	}
	for i, m := range list.Slice() {
		next := p.Play(m)
		reply, _ := tables.ProbeWDL(&next)
		best = max(best, -reply)
		after, _ := tables.after(p, m)
		if better := after > 0 && (distance <= 0 || after < distance) || after == 0 && distance < 0 || distance < 0 && after < distance; i == 0 || better {
			distance = after
		}
	}
	if w != best {
		t.Errorf("%s: %v, and its moves lead to %v", p.FEN(), w, best)
	}
	// Both may be rounded down by one.
	if !sameSign(plies, distance) && plies != distance || plies-distance > 1 || distance-plies > 1 {
		t.Errorf("%s: distance %d, by its moves %d", p.FEN(), plies, distance)
	}
}

// TestUnderpromotion: taking the rook wins with a rook alone; a queen stalemates.
func TestUnderpromotion(t *testing.T) {
	tables := open(t, allTables(t))
	p := position(t, "2r5/kP6/8/1K6/8/8/8/8 w - - 0 1")
	if w, ok := tables.ProbeWDL(&p); !ok || w != Win {
		t.Errorf("%v, %v", w, ok)
	}
}

// TestLeadPawnsMirrored: the board may be turned left to right, and each set of pawns has a number of its own.
func TestLeadPawnsMirrored(t *testing.T) {
	for n := 1; n <= maxLeadPawns; n++ {
		r := rand.New(rand.NewPCG(8, uint64(n)))
		seen := map[[2]uint64]chess.Bitboard{}
		for range 3000 {
			var set, mirror chess.Bitboard
			for set.Count() < n {
				s := chess.Square(8 + r.IntN(48))
				set, mirror = set|s.Bit(), mirror|(s^7).Bit()
			}
			number := func(set chess.Bitboard) (uint64, uint64) {
				var squares []uint8
				for set != 0 {
					squares = append(squares, uint8(set.PopFirst()))
				}
				number := numberLeadPawns(squares, squares)
				return number, uint64(squares[0] & 7)
			}
			a, file := number(set)
			if a >= leadPawnWays[n][min(file, 7-file)] {
				t.Fatalf("%x has number %d on file %d", set, a, file)
			}
			// With the leading pawn and its mirror image both there, left and right stay apart.
			image := set
			if leader := leading(set); !set.Has(leader ^ 7) {
				if b, other := number(mirror); a != b || file != other {
					t.Fatalf("%x has number %d on file %d, its mirror image %d on %d", set, a, file, b, other)
				}
				image = min(set, mirror)
			}
			if before, found := seen[[2]uint64{a, file}]; found && before != image {
				t.Fatalf("%x and %x have number %d", image, before, a)
			}
			seen[[2]uint64{a, file}] = image
		}
	}
}

// leading is the pawn of a set that is numbered highest.
func leading(set chess.Bitboard) chess.Square {
	best := set.First()
	for set != 0 {
		if s := set.PopFirst(); pawnOrder[s] > pawnOrder[best] {
			best = s
		}
	}
	return best
}

func TestOutside(t *testing.T) {
	tables := open(t, smallTables)
	for _, test := range []struct{ name, fen string }{
		{"castling", "8/8/8/8/8/4k3/8/4K2R w K - 0 1"},
		{"too many men", "8/8/8/8/8/4k3/4pp2/4K2R w - - 0 1"},
		{"no such table", "8/8/8/3k4/8/8/1K3R2/3q4 w - - 0 1"},
	} {
		p := position(t, test.fen)
		if w, ok := tables.ProbeWDL(&p); ok {
			t.Errorf("%s: %v", test.name, w)
		}
		if plies, ok := tables.ProbeDTZ(&p); ok {
			t.Errorf("%s: distance %d", test.name, plies)
		}
	}
	kings := position(t, "8/8/8/8/8/4k3/8/7K w - - 0 1")
	if w, ok := tables.ProbeWDL(&kings); !ok || w != Draw {
		t.Errorf("two kings: %v, %v", w, ok)
	}
	var none *Tables
	if _, ok := none.ProbeWDL(&kings); ok || none.MaxMen() != 0 || none.Close() != nil || none.Faults() != nil {
		t.Error("a nil Tables knows something")
	}
}

func TestProbeDoesNotAllocate(t *testing.T) {
	tables := open(t, smallTables)
	var positions []chess.Position
	for _, a := range readAnswers(t, "testdata/answers.jsonl") {
		positions = append(positions, position(t, a.FEN))
	}
	ask := func() {
		for i := range positions {
			tables.ProbeWDL(&positions[i])
			tables.ProbeDTZ(&positions[i])
		}
	}
	ask()
	if n := testing.AllocsPerRun(3, ask); n != 0 {
		t.Errorf("%v allocations in %d positions", n, len(positions))
	}
}
