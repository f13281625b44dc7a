package lichess

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Pauses after failures of a service; each doubles with every failure in a row.
const (
	leastStrikePause = 5 * time.Second
	mostStrikePause  = 10 * time.Minute
	leastLimitPause  = time.Minute // after a 429 that does not say how long to wait
	mostLimitPause   = time.Hour
)

// service is one of the services of a Reference, with what is known of how it does.
type service struct {
	name  string
	base  *url.URL
	token *Token // behind a pointer, see Token; nil for none
	none  error  // what a 404 means; nil when it means that there is no such service
	place chan struct{}

	mu      sync.Mutex
	strikes int       // failures in a row
	until   time.Time // not asked before
	off     error     // why it is not asked any more; nil when it is
}

func newService(name string, base *url.URL) *service {
	s := &service{name: name, base: base, place: make(chan struct{}, 1)}
	s.place <- struct{}{}
	return s
}

// HeldBackError says that a service is not asked now, since it has failed lately.
type HeldBackError struct {
	Service string
	Until   time.Time // the zero time for ever
	Err     error     // what it did last
}

func (e *HeldBackError) Error() string {
	return fmt.Sprintf("lichess: %s is not asked %s: %v", e.Service, e.wait(), e.Err)
}

// Unwrap returns what the service did last.
func (e *HeldBackError) Unwrap() error { return e.Err }

func (e *HeldBackError) wait() string {
	if e.Until.IsZero() {
		return "until the program is started again"
	}
	return time.Until(e.Until).Round(time.Second).String()
}

func (e *HeldBackError) level() slog.Level {
	if e.Until.IsZero() {
		return slog.LevelError
	}
	return slog.LevelWarn
}

// enter waits for the place of the one request at a time.
func (s *service) enter(ctx context.Context) error {
	if err := s.heldBack(); err != nil {
		return err
	}
	select {
	case <-s.place:
	case <-ctx.Done():
		return fmt.Errorf("lichess: %s: waiting for another question: %w", s.name, context.Cause(ctx))
	}
	if err := s.heldBack(); err != nil {
		s.leave()
		return err
	}
	return nil
}

func (s *service) leave() { s.place <- struct{}{} }

func (s *service) heldBack() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.off != nil:
		return &HeldBackError{Service: s.name, Err: s.off}
	case time.Now().Before(s.until):
		return &HeldBackError{Service: s.name, Until: s.until, Err: errors.New("it has failed")}
	}
	return nil
}

// refusal makes an error of an answer that is not 200. The body is not looked at but for a limit.
func (s *service) refusal(resp *http.Response) error {
	if resp.StatusCode == http.StatusTooManyRequests {
		limit := errorBody(resp.StatusCode, readBounded(resp)).RateLimit
		wait := demandedWait(resp.Header, limit)
		return &LimitError{Endpoint: s.name, Until: time.Now().Add(wait), Guessed: wait <= 0, Message: "too many questions"}
	}
	message := http.StatusText(resp.StatusCode)
	if resp.StatusCode == http.StatusNotFound && s.none != nil {
		return s.none
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		message = "redirected, and redirects are not followed: check the address"
	}
	return &APIError{Endpoint: s.name, Status: resp.StatusCode, Message: message}
}

// learn takes note of how a request went. When the service is not to be asked for a while because of it, that is returned.
func (s *service) learn(err error) *HeldBackError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil || s.none != nil && errors.Is(err, s.none) {
		s.strikes = 0
		return nil
	}
	var refused *APIError
	if errors.As(err, &refused) {
		switch status := refused.Status; {
		case status >= 300 && status < 400, status == http.StatusUnauthorized, status == http.StatusForbidden,
			status == http.StatusNotFound, status == http.StatusGone:
			s.off = err
			return &HeldBackError{Service: s.name, Err: err}
		}
	}
	pause := min(leastStrikePause<<min(s.strikes, 16), mostStrikePause)
	if limit := (*LimitError)(nil); errors.As(err, &limit) {
		if pause = limit.Wait(); limit.Guessed {
			pause = min(leastLimitPause<<min(s.strikes, 16), mostLimitPause)
		}
	}
	s.strikes++
	s.until = time.Now().Add(pause)
	return &HeldBackError{Service: s.name, Until: s.until, Err: err}
}

// clean makes an error of the network fit to be shown: no address, no control characters, and no token, should the server's words that
// it quotes hold it.
func (s *service) clean(ctx context.Context, err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	text := err.Error()
	if s.token != nil {
		text = string(Scrub([]byte(text), string(*s.token)))
	}
	return fmt.Errorf("lichess: %s: %w", s.name, &cleanedError{CleanText(text, maxMessage), err})
}
