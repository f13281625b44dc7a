package lichess

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// warmEvery is how long the connections for calls may be at rest while
	// games run, half of what servers allow them.
	warmEvery = 25 * time.Second
	// warmAnswer is how long a warming call may take before its connection
	// counts as dead.
	warmAnswer = 4 * time.Second
)

// warmer sees to it that, while games run, a move finds a connection that is
// open and alive. When no call was answered for a while it makes a small one,
// so that a connection that has died, or that the server has closed, is
// replaced before a move needs it.
type warmer struct {
	client   *Client
	answered atomic.Pointer[time.Time] // when the last call was, with the monotonic clock; nil before the first

	mu    sync.Mutex
	games int
	stop  func() // ends the goroutine and waits for it
}

// note tells that a call was answered.
func (w *warmer) note() {
	now := time.Now()
	w.answered.Store(&now)
}

// rest returns how long ago a call was answered, warmEvery at least when none ever was.
func (w *warmer) rest() time.Duration {
	if answered := w.answered.Load(); answered != nil {
		return time.Since(*answered)
	}
	return warmEvery
}

// hold keeps the connections warm until release is called.
func (w *warmer) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.games++; w.games > 1 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.run(ctx)
	}()
	w.stop = func() { cancel(); <-done }
}

// release ends what hold began.
func (w *warmer) release() {
	w.mu.Lock()
	w.games--
	stop := w.stop
	if w.games > 0 {
		stop = func() {}
	}
	w.mu.Unlock()
	stop()
}

func (w *warmer) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			if left := warmEvery - w.rest(); left > 0 {
				timer.Reset(left)
				continue
			}
		case <-w.client.network.renewed:
		case <-ctx.Done():
			return
		}
		if err := w.warm(ctx); errors.As(err, new(*NetworkError)) {
			timer.Reset(warmAnswer) // the network is down: be there when it comes back
			continue
		}
		timer.Reset(warmEvery)
	}
}

// warm makes a call that costs the server next to nothing and needs no token.
// Of the reply nothing matters but that it came.
func (w *warmer) warm(ctx context.Context) error {
	name := w.client.Username()
	if name == "" {
		name = "lichess"
	}
	ctx, cancel := context.WithTimeout(ctx, 2*warmAnswer)
	defer cancel()
	_, err := w.client.call(ctx, epUsersStatus, request{
		query: url.Values{"ids": {name}}, anonymous: true, handling: handling{urgent: true, answer: warmAnswer},
	})
	return err
}
