package sandbox

import (
	"sync"
	"time"
)

// Clock is the source of time of a server.
type Clock interface {
	Now() time.Time
	// AfterFunc runs f once after d, on any goroutine. The returned function
	// prevents it and reports whether it was in time.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

// ManualClock is a Clock that stands still until it is told to advance.
type ManualClock struct {
	advance sync.Mutex // held by Advance, one at a time

	mu     sync.Mutex
	now    time.Time
	timers []*manualTimer // in the order of their making
}

type manualTimer struct {
	at time.Time
	f  func()
}

// NewManualClock returns a clock that shows the given time.
func NewManualClock(now time.Time) *ManualClock { return &ManualClock{now: now} }

// Now returns the time that the clock shows.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc runs f inside the Advance that reaches now + d.
func (c *ManualClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &manualTimer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.remove(t)
	}
}

// Advance moves the clock on by d and runs on the way what falls due, each at
// its own time and in order. All of it has run when Advance returns.
func (c *ManualClock) Advance(d time.Duration) {
	c.advance.Lock()
	defer c.advance.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	end := c.now.Add(d)
	for {
		t := c.next()
		if t == nil || t.at.After(end) {
			break
		}
		c.remove(t)
		if t.at.After(c.now) {
			c.now = t.at
		}
		c.mu.Unlock()
		t.f()
		c.mu.Lock()
	}
	c.now = end
}

// next returns the timer that falls due first, nil when there is none.
func (c *ManualClock) next() *manualTimer {
	var first *manualTimer
	for _, t := range c.timers {
		if first == nil || t.at.Before(first.at) {
			first = t
		}
	}
	return first
}

func (c *ManualClock) remove(t *manualTimer) bool {
	for i := range c.timers {
		if c.timers[i] == t {
			c.timers = append(c.timers[:i], c.timers[i+1:]...)
			return true
		}
	}
	return false
}

// timer is a call of the server to itself. It runs under the server's mutex.
type timer struct {
	stop    func() bool
	stopped bool
}

// after runs f once after d, with s.mu held, unless the timer is stopped or
// the server closed before. The caller holds s.mu.
func (s *Server) after(d time.Duration, f func()) *timer {
	t := &timer{}
	if s.closed {
		t.stopped = true
		return t
	}
	s.timers[t] = struct{}{}
	t.stop = s.clock.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if t.stopped {
			return
		}
		s.cancel(t)
		f()
	})
	return t
}

// every runs f each d until the timer is stopped, like after.
func (s *Server) every(d time.Duration, f func()) *timer {
	t := &timer{}
	s.timers[t] = struct{}{}
	var run func()
	run = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if t.stopped {
			return
		}
		t.stop = s.clock.AfterFunc(d, run)
		f()
	}
	t.stop = s.clock.AfterFunc(d, run)
	return t
}

// cancel stops a timer; nil and stopped ones are fine. The caller holds s.mu.
func (s *Server) cancel(t *timer) {
	if t == nil || t.stopped {
		return
	}
	t.stopped = true
	t.stop()
	delete(s.timers, t)
}
