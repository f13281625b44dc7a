package engine

import (
	"context"
	"sync"
	"sync/atomic"
)

// pool lets a bounded number of search threads run at a time, over all
// searches. Threads that wait stand in a queue, and those that run give way
// after a few milliseconds, so every game gets its share. Helpers come after
// all main threads: a second thread for one game never delays the first of
// another.
type pool struct {
	crowded atomic.Int32 // length of the queue, to be read without the lock

	mu    sync.Mutex
	free  int
	queue []*waiter // main threads first, each kind in order of arrival
}

type waiter struct {
	helper bool
	place  chan struct{} // closed when the waiter has got a place
}

func newPool(places int) *pool { return &pool{free: places} }

// Enter waits for a place. It returns false if ctx ended before there was one.
func (p *pool) Enter(ctx context.Context, helper bool) bool {
	if ctx.Err() != nil {
		return false
	}
	p.mu.Lock()
	if p.free > 0 && len(p.queue) == 0 {
		p.free--
		p.mu.Unlock()
		return true
	}
	w := p.enqueue(helper)
	p.mu.Unlock()
	return p.wait(ctx, w)
}

// Yield passes the place on if a thread waits that may have it, and waits to
// get one back. It returns false, without a place taken, if ctx ends first;
// the place is then to be left all the same.
func (p *pool) Yield(ctx context.Context, helper bool) bool {
	if p.crowded.Load() == 0 {
		return true
	}
	p.mu.Lock()
	if len(p.queue) == 0 || !helper && p.queue[0].helper {
		p.mu.Unlock()
		return true
	}
	w := p.enqueue(helper)
	p.free++
	p.admit()
	p.mu.Unlock()
	if p.wait(ctx, w) {
		return true
	}
	p.mu.Lock()
	p.free-- // stands for the place that the caller will leave
	p.mu.Unlock()
	return false
}

// Leave gives the place to the next in the queue.
func (p *pool) Leave() {
	p.mu.Lock()
	p.free++
	p.admit()
	p.mu.Unlock()
}

// enqueue and admit are called with the lock held.
func (p *pool) enqueue(helper bool) *waiter {
	w := &waiter{helper: helper, place: make(chan struct{})}
	at := len(p.queue)
	for !helper && at > 0 && p.queue[at-1].helper {
		at--
	}
	p.queue = append(p.queue, nil)
	copy(p.queue[at+1:], p.queue[at:])
	p.queue[at] = w
	p.crowded.Store(int32(len(p.queue)))
	return w
}

func (p *pool) admit() {
	for p.free > 0 && len(p.queue) > 0 {
		close(p.queue[0].place)
		p.queue = append(p.queue[:0], p.queue[1:]...)
		p.free--
	}
	p.crowded.Store(int32(len(p.queue)))
}

func (p *pool) wait(ctx context.Context, w *waiter) bool {
	select {
	case <-w.place:
		return true
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.queue {
		if other == w {
			p.queue = append(p.queue[:i], p.queue[i+1:]...)
			p.crowded.Store(int32(len(p.queue)))
			return false
		}
	}
	// The place came at the same moment: pass it on.
	p.free++
	p.admit()
	return false
}
