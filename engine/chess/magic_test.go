package chess

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var findMagics = flag.Bool("find-magics", false, "search for new magic numbers and print them for magicnumbers.go")

func TestSliderAttacksEqualWalks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for s := A1; s <= H8; s++ {
		for range 2000 {
			occ := Bitboard(rng.Uint64() & rng.Uint64())
			if got, want := RookAttacks(s, occ), slide(s, occ, rookSteps); got != want {
				t.Fatalf("rook on %v, occupied %#x: got %#x, want %#x", s, occ, got, want)
			}
			if got, want := BishopAttacks(s, occ), slide(s, occ, bishopSteps); got != want {
				t.Fatalf("bishop on %v, occupied %#x: got %#x, want %#x", s, occ, got, want)
			}
		}
	}
}

func TestFindMagics(t *testing.T) {
	if !*findMagics {
		t.Skip("magicnumbers.go is checked by TestSliderAttacksEqualWalks; run with -find-magics to search for new numbers")
	}
	rng := rand.New(rand.NewPCG(20261130, 64))
	for _, slider := range []struct {
		name  string
		steps [4][2]int
	}{{"bishopNumbers", bishopSteps}, {"rookNumbers", rookSteps}} {
		fmt.Printf("var %s = [64]uint64{\n", slider.name)
		for s := A1; s <= H8; s++ {
			fmt.Printf("\t%#016x,\n", findMagic(rng, s, slider.steps))
		}
		fmt.Print("}\n\n")
	}
}

// findMagic tries sparse random numbers until one sends no two occupations with different attacks to one index.
func findMagic(rng *rand.Rand, s Square, steps [4][2]int) uint64 {
	m := magic{mask: sliderMask(s, steps)}
	m.shift = uint8(64 - m.mask.Count())
	var used [4096]Bitboard
next:
	for {
		m.number = rng.Uint64() & rng.Uint64() & rng.Uint64()
		clear(used[:])
		for occ := Bitboard(0); ; {
			attacks := slide(s, occ, steps)
			i := m.index(occ)
			if used[i] != 0 && used[i] != attacks {
				continue next
			}
			used[i] = attacks
			if occ = (occ - m.mask) & m.mask; occ == 0 {
				return m.number
			}
		}
	}
}
