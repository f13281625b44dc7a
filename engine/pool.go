package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// pool lets a bounded number of search threads run at a time, over all
// searches. Who waits for a place stands in a queue; the most urgent comes
// first, and a running thread that is less urgent gives way to it within about
// a millisecond. Among equals no turns are taken: a search that has begun runs
// until it has had its share, and then ends if others wait. Each gets as much
// as by turns, and on average waits half as long.
type pool struct {
	places  int
	crowded atomic.Int32 // length of the queue, to be read without the lock

	mu     sync.Mutex
	free   int
	wanted [urgencies]int // claims, whether they have a place or wait
	queue  []*waiter      // in order of arrival
}

// urgency is the kind of a search; a lesser one comes first.
type urgency uint8

const (
	pressed   urgency = iota // for a move, with so little time that it waits for nobody who has more
	onClock                  // for a move, on the engine's own clock
	pondering                // on the opponent's time
	idle                     // with days to go, or without any limit of time

	urgencies = 4
)

// pressedBelow bounds the hard limit of a pressed search. No search with a
// second on its clock may use more.
const pressedBelow = 650 * time.Millisecond

// idleTurn is how long an idle search without an end runs before the next one.
// One with an end is finished first, so that few are under way and take memory.
const idleTurn = 50 * time.Millisecond

// leastShare is the least time that a search has in company, about the time
// between two looks at the clock.
const leastShare = 2 * time.Millisecond

// lateShare is the part of its soft time that a search may still plan with when
// it had to wait until that was over.
const lateShare = 4

// claim is the place of one search in the pool, and the gate of its threads.
type claim struct {
	pool   *pool
	atMost time.Duration // the time that the main thread may have a place; 0 for no bound
	ready  bool          // the search has a place before it asks for one

	// Guarded by the pool's lock.
	terms
	over  bool          // given up
	since time.Time     // when the main thread got its place; zero before the first time
	held  time.Duration // the time that it had one before
	left  time.Duration // of its soft time, when it got its place for the first time
	met   int           // its company in the beginning
}

// terms is how urgent a search is.
type terms struct {
	urgency urgency
	from    time.Time     // when its clock began to run, or when it came
	soft    time.Duration // its soft time; 0 without a running clock
}

// waiter is a thread that waits.
type waiter struct {
	claim  *claim
	helper bool
	place  chan struct{} // closed when the waiter has got a place
}

func newPool(places int) *pool { return &pool{places: places, free: places} }

// claim registers a search. It must be given up.
func (p *pool) claim(t terms) *claim {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted[t.urgency]++
	c := &claim{pool: p, terms: t}
	c.met = c.company()
	return c
}

// promote changes how urgent a search is, unless it has ended. Its share counts
// from now.
func (c *claim) promote(t terms) {
	p := c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.over {
		return
	}
	p.wanted[c.urgency]--
	p.wanted[t.urgency]++
	now := time.Now()
	c.terms, c.left = t, t.soft-now.Sub(t.from)
	if c.atMost == 0 && !c.since.IsZero() {
		c.held, c.since = 0, now
	}
	p.admit()
}

// giveUp ends a claim, together with a place that was never used.
func (c *claim) giveUp() {
	p := c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	c.over = true
	p.wanted[c.urgency]--
	if c.ready {
		c.ready = false
		p.free++
		p.admit()
	}
}

// get waits for a place before the search begins. It returns false if ctx
// ended before there was one.
func (c *claim) get(ctx context.Context) bool {
	c.ready = c.Enter(ctx, false)
	return c.ready
}

// threads returns how many threads the search should begin with: those that
// no other move needs, and one in any case.
func (c *claim) threads() int {
	p := c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	others := p.wanted[pressed] + p.wanted[onClock]
	if c.urgency <= onClock {
		others--
	}
	return max(1, p.places-others)
}

// Enter waits for a place. It returns false if ctx ended before there was one.
func (c *claim) Enter(ctx context.Context, helper bool) bool {
	if !helper && c.ready {
		c.ready = false
		return true
	}
	if ctx.Err() != nil {
		return false
	}
	p := c.pool
	p.mu.Lock()
	w := p.enqueue(c, helper)
	p.admit()
	p.mu.Unlock()
	return p.wait(ctx, w) && c.begin(helper)
}

// begin notes that a place was got, and returns true.
func (c *claim) begin(helper bool) bool {
	if helper {
		return true
	}
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	now := time.Now()
	if c.since.IsZero() {
		c.left = c.soft - now.Sub(c.from)
	}
	c.since = now
	return true
}

// Yield passes the place on if a thread waits that is more urgent, and waits
// to get one back. It returns false if ctx ends first, without a place taken,
// or if the search has had a place for as long as it may; the place is then
// to be left all the same.
func (c *claim) Yield(ctx context.Context, helper bool) bool {
	p := c.pool
	if p.crowded.Load() == 0 && (c.atMost == 0 || helper) {
		return true
	}
	p.mu.Lock()
	now := time.Now()
	first := p.first(now)
	if !helper && c.spent(now, first) {
		p.mu.Unlock()
		return false
	}
	self := waiter{claim: c, helper: helper}
	if first == nil || !first.before(&self, now) {
		p.mu.Unlock()
		return true
	}
	if !helper {
		c.held += now.Sub(c.since)
	}
	w := p.enqueue(c, helper)
	p.free++
	p.admit()
	p.mu.Unlock()
	if p.wait(ctx, w) {
		return c.begin(helper)
	}
	p.mu.Lock()
	p.free-- // stands for the place that the caller will leave
	p.mu.Unlock()
	return false
}

// Leave gives the place to the next in the queue.
func (c *claim) Leave() {
	p := c.pool
	p.mu.Lock()
	p.free++
	p.admit()
	p.mu.Unlock()
}

// The methods from here to admit are called with the lock held.

// spent tells whether the main thread has had a place for as long as it may,
// given who waits in front of the queue. A search without an end that has had a
// turn goes behind the other idle ones.
func (c *claim) spent(now time.Time, first *waiter) bool {
	held := c.held + now.Sub(c.since)
	switch {
	case c.atMost > 0 && held >= c.atMost:
		return true
	case first == nil || first.helper:
		return false
	case c.urgency == idle:
		if c.atMost == 0 && now.Sub(c.since) >= idleTurn {
			c.from = now
		}
		return false
	case c.atMost > 0 || c.soft == 0:
		return false
	}
	return first.claim.urgency == c.urgency && held >= c.share()
}

// share is the part of the soft time that was left at the beginning: as much
// as there are places for each search that is as urgent. When some begin
// together on one place, the last ends when its soft time does, and all have
// had the same. Who comes late all the same, because too much is wanted, has
// at least a quarter of what it would have had in time.
func (c *claim) share() time.Duration {
	company := c.company()
	part := func(d time.Duration, company int) time.Duration {
		return d * time.Duration(c.pool.places) / time.Duration(max(company, c.pool.places))
	}
	return max(leastShare, part(c.left, company), part(c.soft/lateShare, max(company, c.met)))
}

// company returns how many searches, this one among them, are as urgent.
func (c *claim) company() (n int) {
	for u := pressed; u <= c.urgency; u++ {
		n += c.pool.wanted[u]
	}
	return n
}

// rank puts helpers after the main threads of all moves, but before what no
// clock waits for.
func (w *waiter) rank() urgency {
	if w.helper && w.claim.urgency < onClock {
		return onClock
	}
	return w.claim.urgency
}

// before tells whether w is more urgent than other: among searches of a kind the
// one that has waited for the largest part of its soft time. So the shortest
// clocks wait least, none waits for ever, and when too much is wanted all come
// late by the same part of what they have.
func (w *waiter) before(other *waiter, now time.Time) bool {
	if a, b := w.rank(), other.rank(); a != b {
		return a < b
	}
	if w.helper != other.helper {
		return other.helper
	}
	a, b := w.claim, other.claim
	if a.soft == 0 || b.soft == 0 {
		return a.from.Before(b.from)
	}
	return float64(now.Sub(a.from))*float64(b.soft) > float64(now.Sub(b.from))*float64(a.soft)
}

// first returns the most urgent waiter, nil when nobody waits.
func (p *pool) first(now time.Time) (first *waiter) {
	for _, w := range p.queue {
		if first == nil || w.before(first, now) {
			first = w
		}
	}
	return first
}

func (p *pool) enqueue(c *claim, helper bool) *waiter {
	w := &waiter{claim: c, helper: helper, place: make(chan struct{})}
	p.queue = append(p.queue, w)
	p.crowded.Store(int32(len(p.queue)))
	return w
}

func (p *pool) admit() {
	for p.free > 0 && len(p.queue) > 0 {
		w := p.first(time.Now())
		close(w.place)
		p.remove(w)
		p.free--
	}
}

// remove takes a waiter out of the queue and tells whether it was there.
func (p *pool) remove(w *waiter) bool {
	i := slices.Index(p.queue, w)
	if i < 0 {
		return false
	}
	p.queue = slices.Delete(p.queue, i, i+1)
	p.crowded.Store(int32(len(p.queue)))
	return true
}

func (p *pool) wait(ctx context.Context, w *waiter) bool {
	select {
	case <-w.place:
		return true
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.remove(w) {
		return false
	}
	// The place came at the same moment: pass it on.
	p.free++
	p.admit()
	return false
}
