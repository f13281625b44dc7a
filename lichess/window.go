package lichess

import (
	"math"
	"slices"
	"time"
)

// window is a limit on what is used within any stretch of time so long. The zero
// value limits nothing.
type window struct {
	space time.Duration
	most  int
	what  string // is counted, for the message
	uses  []use  // the oldest first
}

type use struct {
	at     time.Time
	points int
}

// cost is what a call takes of a window.
type cost struct {
	window *window
	points int
}

// room returns when there is room for so many points, the zero time when there
// is now.
func (w *window) room(now time.Time, points int) time.Time {
	w.uses = slices.DeleteFunc(w.uses, func(u use) bool { return now.Sub(u.at) >= w.space })
	used := 0
	for _, u := range w.uses {
		used += u.points
	}
	until := time.Time{}
	for _, u := range w.uses {
		if used+points <= w.most {
			break
		}
		used -= u.points
		until = u.at.Add(w.space)
	}
	return until
}

// left returns how many points have room now.
func (w *window) left(now time.Time) int {
	if w.space <= 0 {
		return math.MaxInt
	}
	w.room(now, 0)
	left := w.most
	for _, u := range w.uses {
		left -= u.points
	}
	return left
}

// add counts so many points.
func (w *window) add(now time.Time, points int) {
	if w.space > 0 {
		w.uses = append(w.uses, use{now, points})
	}
}

// bucket is a limit that allows so many at once and then one each time the
// given time has passed.
type bucket struct {
	most int
	each time.Duration
	paid time.Time // when all that was taken is made up for
}

// room returns how long it takes until there is one to take.
func (b *bucket) room(now time.Time) time.Duration {
	if b.paid.Before(now) {
		return 0
	}
	return max(b.paid.Sub(now)-time.Duration(b.most-1)*b.each, 0)
}

// take takes one.
func (b *bucket) take(now time.Time) {
	if b.paid.Before(now) {
		b.paid = now
	}
	b.paid = b.paid.Add(b.each)
}

// giveBack undoes a take.
func (b *bucket) giveBack() { b.paid = b.paid.Add(-b.each) }
