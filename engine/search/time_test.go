package search

import (
	"testing"
	"time"

	"castellan/engine/chess"
)

const (
	ms = time.Millisecond
	us = time.Microsecond
)

func TestBudget(t *testing.T) {
	unlimited := 2147483647 * ms
	tests := []struct {
		name             string
		limits           Limits
		policy           Policy
		softMin, softMax time.Duration
		hardMax          time.Duration
	}{
		{"no clock", Limits{}, Policy{Overhead: 50 * ms}, 0, 0, 0},
		{"infinite despite clocks", Limits{WTime: time.Second, Infinite: true}, Policy{}, 0, 0, 0},
		{"50 ms left, no overhead", Limits{WTime: 50 * ms, BTime: 50 * ms}, Policy{}, ms, 5 * ms, 15 * ms},
		{"50 ms left, overhead 10", Limits{WTime: 50 * ms, BTime: 50 * ms}, Policy{Overhead: 10 * ms}, ms / 5, 5 * ms, 15 * ms},
		{"50 ms left, overhead above the clock", Limits{WTime: 50 * ms, BTime: 50 * ms}, Policy{Overhead: 100 * ms}, ms / 5, 2 * ms, 2 * ms},
		{"5 ms left", Limits{WTime: 5 * ms, BTime: time.Second}, Policy{Overhead: 10 * ms}, 50 * us, 60 * us, 100 * us},
		{"no time left", Limits{WTime: 0, BTime: time.Second}, Policy{Overhead: 50 * ms}, 20 * us, ms, ms},
		{"negative clock", Limits{WTime: -5 * time.Second, BTime: time.Second}, Policy{}, 20 * us, ms, ms},
		{"1 minute", Limits{WTime: time.Minute, BTime: time.Minute}, Policy{}, 1500 * ms, 3500 * ms, 18 * time.Second},
		{"1 minute with overhead", Limits{WTime: time.Minute, BTime: time.Minute}, Policy{Overhead: 100 * ms}, 1500 * ms, 3500 * ms, 18 * time.Second},
		{"3 minutes + 2 s", Limits{WTime: 180 * time.Second, BTime: 1, WInc: 2 * time.Second}, Policy{Overhead: 50 * ms}, 6 * time.Second, 11 * time.Second, 100 * time.Second},
		{"living on the increment", Limits{WTime: 300 * ms, BTime: 1, WInc: 2 * time.Second}, Policy{Overhead: 50 * ms}, 50 * ms, 150 * ms, 150 * ms},
		{"one move to go", Limits{WTime: 10 * time.Second, MovesToGo: 1}, Policy{}, 8 * time.Second, 9 * time.Second, 9 * time.Second},
		{"two moves to go", Limits{WTime: 10 * time.Second, MovesToGo: 2}, Policy{}, 4 * time.Second, 6 * time.Second, 7 * time.Second},
		{"40 moves to go", Limits{WTime: 5 * time.Minute, MovesToGo: 40}, Policy{}, 8 * time.Second, 13 * time.Second, 113 * time.Second},
		{"correspondence", Limits{WTime: unlimited, BTime: unlimited}, Policy{Overhead: 50 * ms, MaxTime: time.Minute}, time.Minute, time.Minute, time.Minute},
		{"unlimited without a cap", Limits{WTime: unlimited, BTime: unlimited}, Policy{}, time.Hour, 24 * time.Hour, 200 * time.Hour},
		{"absurd numbers", Limits{WTime: 1<<63 - 1, WInc: 1<<63 - 1, MovesToGo: 1 << 60}, Policy{Overhead: 1<<63 - 1}, ms / 5, 1 << 62, 1 << 62},
		{"absurd numbers for one move", Limits{WTime: 1<<63 - 1, MovesToGo: 1}, Policy{}, time.Hour, 1 << 62, 1 << 62},
		{"move time", Limits{MoveTime: time.Second}, Policy{}, time.Second, time.Second, time.Second},
		{"move time less overhead", Limits{MoveTime: time.Second}, Policy{Overhead: 50 * ms}, 950 * ms, 950 * ms, 950 * ms},
		{"tiny move time", Limits{MoveTime: 10 * ms}, Policy{Overhead: 50 * ms}, 5 * ms, 5 * ms, 5 * ms},
	}
	for _, tt := range tests {
		b := NewBudget(&tt.limits, chess.White, tt.policy)
		if b.Soft < tt.softMin || b.Soft > tt.softMax {
			t.Errorf("%s: soft limit %v is not in %v..%v", tt.name, b.Soft, tt.softMin, tt.softMax)
		}
		if b.Hard < b.Soft || b.Hard > tt.hardMax {
			t.Errorf("%s: hard limit %v is not in %v..%v", tt.name, b.Hard, b.Soft, tt.hardMax)
		}
	}
}

func TestBudgetTakesTheMoversClock(t *testing.T) {
	l := Limits{WTime: time.Minute, BTime: time.Second}
	if w, b := NewBudget(&l, chess.White, Policy{}), NewBudget(&l, chess.Black, Policy{}); w.Soft < 10*b.Soft {
		t.Errorf("white %v, black %v", w, b)
	}
}

// A whole game on one clock, spending up to the hard limit on every move and
// losing the overhead besides, must not end on time.
func TestBudgetNeverFlags(t *testing.T) {
	overhead := 20 * ms
	for _, tt := range []struct{ base, inc time.Duration }{
		{time.Second, 0}, {200 * ms, 0}, {15 * time.Second, 0}, {time.Second, 100 * ms}, {0, time.Second}, {3 * time.Minute, 2 * time.Second},
	} {
		left := tt.base + tt.inc
		for move := 1; move <= 200; move++ {
			l := Limits{WTime: left, BTime: time.Second, WInc: tt.inc}
			b := NewBudget(&l, chess.White, Policy{Overhead: 2 * overhead})
			left -= b.Hard
			if left < overhead && tt.inc == 0 && left > 0 {
				break // nothing left but the overhead itself: 10 moves or so
			}
			if left <= 0 {
				t.Errorf("%v+%v: no time left at move %d", tt.base, tt.inc, move)
				break
			}
			left += tt.inc
		}
	}
}

func TestSettledMovesTakeLessTime(t *testing.T) {
	b := Budget{Soft: 100 * ms, Hard: 400 * ms}
	settled, open := b.scaled(8, 0.9, 0), b.scaled(0, 0.3, 0)
	if settled >= b.Soft || open <= b.Soft {
		t.Errorf("settled %v, open %v", settled, open)
	}
	if falling := b.scaled(0, 0.3, 50); falling <= open || falling > b.Hard {
		t.Errorf("falling %v, open %v", falling, open)
	}
}

// The overhead of a move is paid for once: with 50 ms of it, 30 s without increment give at least nine tenths of the thinking time that
// they give without any.
func TestOverheadIsPaidOnce(t *testing.T) {
	thinking := func(overhead time.Duration) (sum time.Duration) {
		left := 30 * time.Second
		for range 40 {
			b := NewBudget(&Limits{WTime: left, BTime: left}, chess.White, Policy{Overhead: overhead})
			sum += b.Soft
			left -= b.Soft + overhead
		}
		if left < 0 {
			t.Errorf("with %v a move the clock is overdrawn by %v", overhead, -left)
		}
		return sum
	}
	if with, without := thinking(50*ms), thinking(0); with < without*9/10 {
		t.Errorf("%v of thinking in 40 moves with an overhead of 50 ms, %v without", with, without)
	}
}
