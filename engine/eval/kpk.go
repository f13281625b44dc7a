package eval

import (
	"math/bits"
	"sync"

	"castellan/engine/chess"
)

// King and pawn against king is solved once, in some milliseconds, working
// backwards from promotions and draws. One bit for each position with a white
// pawn on the files a to d: won for white or drawn.
//
// The index: 1 bit whose move it is (1 black), 6 bits black king, 6 bits white
// king, then 24 squares of the pawn.
const kpkSize = 2 * 64 * 64 * 24

var (
	kpkOnce sync.Once
	kpkWins [kpkSize / 64]uint64
)

func kpkIndex(blackMoves bool, pawn, white, black chess.Square) int {
	i := (int(pawn.Rank()-1)*4+pawn.File())<<13 | int(white)<<7 | int(black)<<1
	if blackMoves {
		i |= 1
	}
	return i
}

// kpkWon tells whether the side with the pawn wins.
func kpkWon(strong chess.Color, king, pawn, weak chess.Square, toMove chess.Color) bool {
	if strong == chess.Black {
		king, pawn, weak = king^56, pawn^56, weak^56
	}
	if pawn.File() > 3 {
		king, pawn, weak = king^7, pawn^7, weak^7
	}
	i := kpkIndex(toMove != strong, pawn, king, weak)
	return kpkWins[i/64]>>(i%64)&1 != 0
}

// kpkState is what is known of a position while the table is built.
type kpkState uint8

const (
	kpkUnknown kpkState = iota
	kpkInvalid
	kpkDraw
	kpkWin
)

func buildKPK() {
	states := make([]kpkState, kpkSize)
	for i := range states {
		states[i] = kpkStart(i)
	}
	for changed := true; changed; {
		changed = false
		for i, state := range states {
			if state != kpkUnknown {
				continue
			}
			if states[i] = kpkStep(states, i); states[i] != kpkUnknown {
				changed = true
			}
		}
	}
	// What is never decided is a draw.
	for i, state := range states {
		if state == kpkWin {
			kpkWins[i/64] |= 1 << (i % 64)
		}
	}
}

func kpkSplit(i int) (blackMoves bool, pawn, white, black chess.Square) {
	square := i >> 13
	return i&1 == 1, chess.NewSquare(square&3, square>>2+1), chess.Square(i >> 7 & 63), chess.Square(i >> 1 & 63)
}

// kpkStart decides the positions that need no look ahead.
func kpkStart(i int) kpkState {
	blackMoves, pawn, white, black := kpkSplit(i)
	attacked := chess.PawnAttacks(chess.White, pawn)
	if white == black || white == pawn || black == pawn || kingDistance[white][black] <= 1 ||
		!blackMoves && attacked.Has(black) {
		return kpkInvalid
	}
	if blackMoves {
		moves := chess.KingAttacks(black) &^ chess.KingAttacks(white) &^ attacked
		if moves.Has(pawn) {
			return kpkDraw // it falls
		}
		if moves == 0 {
			if attacked.Has(black) {
				return kpkWin
			}
			return kpkDraw // stalemate
		}
		return kpkUnknown
	}
	// A pawn that becomes a queen and stays wins; if the black king can take
	// it, another move may still do.
	if pawn.Rank() == 6 {
		goal := pawn + 8
		if goal != white && goal != black &&
			(kingDistance[black][goal] > 1 || kingDistance[white][goal] == 1) {
			return kpkWin
		}
	}
	return kpkUnknown
}

// kpkStep looks one move ahead.
func kpkStep(states []kpkState, i int) kpkState {
	blackMoves, pawn, white, black := kpkSplit(i)
	if blackMoves {
		all := true
		for to := range squares(chess.KingAttacks(black)) {
			switch states[kpkIndex(false, pawn, white, to)] {
			case kpkDraw:
				return kpkDraw
			case kpkUnknown:
				all = false
			}
		}
		if all {
			return kpkWin
		}
		return kpkUnknown
	}
	all := true
	see := func(state kpkState) bool {
		if state == kpkUnknown {
			all = false
		}
		return state == kpkWin
	}
	for to := range squares(chess.KingAttacks(white)) {
		if see(states[kpkIndex(true, pawn, to, black)]) {
			return kpkWin
		}
	}
	if step := pawn + 8; step != white && step != black && step.Rank() < 7 {
		if see(states[kpkIndex(true, step, white, black)]) {
			return kpkWin
		}
		if double := step + 8; pawn.Rank() == 1 && double != white && double != black {
			if see(states[kpkIndex(true, double, white, black)]) {
				return kpkWin
			}
		}
	}
	if all {
		return kpkDraw
	}
	return kpkUnknown
}

// squares goes through a set.
func squares(b chess.Bitboard) func(yield func(chess.Square) bool) {
	return func(yield func(chess.Square) bool) {
		for left := uint64(b); left != 0; left &= left - 1 {
			if !yield(chess.Square(bits.TrailingZeros64(left))) {
				return
			}
		}
	}
}
