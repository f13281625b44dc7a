package lichess

import (
	"context"
	"slices"
	"sync"
)

const (
	// maxWaitingTalk bounds the chat lines and unknown lines that wait to be
	// taken; the oldest go first.
	maxWaitingTalk = 64
	// maxWaitingEvents bounds the events that wait to be taken. More than all
	// games and challenges that an account can have at once.
	maxWaitingEvents = 1024
)

// mailbox lies between the reader of a stream and its consumer. Putting never
// waits, since the server drops lines for a reader that does.
type mailbox[E any] struct {
	mu      sync.Mutex
	waiting []E
	// add returns the waiting events with a new one among them. It keeps
	// their number bounded, or fails.
	add    func(waiting []E, e E) ([]E, error)
	closed error         // why nothing more will come
	signal chan struct{} // has a token after a change
}

func newMailbox[E any](add func([]E, E) ([]E, error)) *mailbox[E] {
	return &mailbox[E]{add: add, signal: make(chan struct{}, 1)}
}

// put adds an event. It never blocks.
func (m *mailbox[E]) put(e E) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	waiting, err := m.add(m.waiting, e)
	if err == nil {
		m.waiting = waiting
		m.wake()
	}
	return err
}

// close says that nothing more will come, and why.
func (m *mailbox[E]) close(why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = why
	m.wake()
}

func (m *mailbox[E]) wake() {
	select {
	case m.signal <- struct{}{}:
	default:
	}
}

// take waits for the next event. After the last one it returns the reason
// given to close; when the context ends, its cause.
func (m *mailbox[E]) take(ctx context.Context) (E, error) {
	var none E
	for {
		if ctx.Err() != nil {
			return none, context.Cause(ctx)
		}
		m.mu.Lock()
		if len(m.waiting) > 0 {
			e := m.waiting[0]
			m.waiting = slices.Delete(m.waiting, 0, 1)
			m.mu.Unlock()
			return e, nil
		}
		closed := m.closed
		m.mu.Unlock()
		if closed != nil {
			return none, closed
		}
		select {
		case <-m.signal:
		case <-ctx.Done():
		}
	}
}

// addEvent keeps all events in order, but unknown ones only as far as there is
// room.
func addEvent(waiting []Event, e Event) ([]Event, error) {
	if _, ok := e.(*Unknown); ok {
		return addTalk(waiting, e, func(e Event) bool { _, ok := e.(*Unknown); return ok }), nil
	}
	if len(waiting) >= maxWaitingEvents+maxWaitingTalk {
		return nil, ErrTooSlow
	}
	return append(waiting, e), nil
}

// addGameEvent keeps what still matters. A state carries all moves, so that a
// newer one replaces the one that waits; the same holds for gameFull, which
// carries a state as well, and for the opponent's absence. What replaces goes
// to the end of the queue: an absence must not be seen before the moves that
// came ahead of it. A final state is never replaced by one in play.
func addGameEvent(waiting []GameEvent, e GameEvent) ([]GameEvent, error) {
	switch e := e.(type) {
	case *GameFull:
		waiting = slices.DeleteFunc(waiting, func(old GameEvent) bool {
			switch old.(type) {
			case *GameFull, *GameState:
				return true
			}
			return false
		})
	case *GameState:
		final := false
		waiting = slices.DeleteFunc(waiting, func(old GameEvent) bool {
			state, ok := old.(*GameState)
			if ok && state.Status.Over() && !e.Status.Over() {
				final = true
				return false
			}
			return ok
		})
		if final {
			return waiting, nil
		}
	case *OpponentGone:
		waiting = slices.DeleteFunc(waiting, func(old GameEvent) bool { _, ok := old.(*OpponentGone); return ok })
	default:
		return addTalk(waiting, e, func(e GameEvent) bool {
			switch e.(type) {
			case *ChatLine, *Unknown:
				return true
			}
			return false
		}), nil
	}
	return append(waiting, e), nil
}

// addTalk appends an event of the kind that may be lost, and drops the oldest
// of its kind when there are too many.
func addTalk[E any](waiting []E, e E, isTalk func(E) bool) []E {
	oldest, n := -1, 0
	for i, w := range waiting {
		if isTalk(w) {
			if n++; oldest < 0 {
				oldest = i
			}
		}
	}
	if n >= maxWaitingTalk {
		waiting = slices.Delete(waiting, oldest, oldest+1)
	}
	return append(waiting, e)
}
