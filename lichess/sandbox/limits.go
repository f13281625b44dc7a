package sandbox

import "time"

// window counts against a limit. It starts with the first count and is
// forgotten as a whole when the period is over.
type window struct {
	period time.Duration
	limit  int // negative for none
	ends   time.Time
	used   int
}

// full reports whether the limit is reached.
func (w *window) full(now time.Time) bool {
	return w.limit >= 0 && now.Before(w.ends) && w.used >= w.limit
}

// left returns the time until the window is forgotten.
func (w *window) left(now time.Time) time.Duration { return max(w.ends.Sub(now), 0) }

// add counts n whether or not the window is full.
func (w *window) add(now time.Time, n int) {
	if !now.Before(w.ends) {
		w.ends, w.used = now.Add(w.period), 0
	}
	w.used += n
}
