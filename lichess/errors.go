package lichess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Kinds of refusal, to be asked with errors.Is.
var (
	// ErrUnauthorized is a 401: the token is missing, unknown or expired, or
	// belongs to another account than the one named in the User-Agent.
	ErrUnauthorized = errors.New("the token is not accepted")
	// ErrForbidden is a 403: the token lacks a scope.
	ErrForbidden = errors.New("the token lacks a permission")
	// ErrNotFound is a 404.
	ErrNotFound = errors.New("not found")
)

// Ends of a stream, to be asked with errors.Is.
var (
	// ErrGameOver is the proper end of a game stream: the last state had a
	// final status.
	ErrGameOver = errors.New("the game is over")
	// ErrStreamEnded is a clean end of an event stream, or of a game stream
	// whose game is not over: the server went away, or another client opened
	// the same stream and replaced this one. It matches io.EOF too.
	ErrStreamEnded = fmt.Errorf("the server ended the stream (restart, or replaced by another client of this account): %w", io.EOF)
	// ErrIdle means that not even a keep-alive came for the idle timeout.
	ErrIdle = errors.New("no sign of life from the server")
	// ErrLineTooLong means that a line of a stream was longer than MaxLine.
	ErrLineTooLong = fmt.Errorf("a line of the stream is longer than %d bytes", MaxLine)
	// ErrTooSlow means that the reader of an event stream fell so far behind
	// that events would have been lost. Opening the stream again repeats them.
	ErrTooSlow = errors.New("the events are not taken fast enough")
)

// APIError is a call refused by the server.
type APIError struct {
	Endpoint  string     // method and path pattern, such as "POST /api/bot/game/{id}/resign"
	Status    int        // HTTP status
	Message   string     // the server's words, cleaned and cut; never empty
	RateLimit *RateLimit // with 400: a limit of the opponent's, not of this account
}

// Error tells endpoint, status and the server's words.
func (e *APIError) Error() string {
	return fmt.Sprintf("lichess: %s: %d: %s", e.Endpoint, e.Status, e.Message)
}

// Is matches ErrUnauthorized, ErrForbidden and ErrNotFound by status.
func (e *APIError) Is(target error) bool {
	switch target {
	case ErrUnauthorized:
		return e.Status == http.StatusUnauthorized
	case ErrForbidden:
		return e.Status == http.StatusForbidden
	case ErrNotFound:
		return e.Status == http.StatusNotFound
	}
	return false
}

// OpponentLimit returns how long the opponent cannot be challenged, false when
// the refusal has nothing to do with a limit of his.
func (e *APIError) OpponentLimit() (time.Duration, bool) {
	if e.RateLimit == nil || e.Status == http.StatusTooManyRequests {
		return 0, false
	}
	return boundedSeconds(e.RateLimit.Seconds), true
}

// LimitError is a call refused because of a rate limit: by the server with
// 429, or by the client itself while it knows the limit to last.
type LimitError struct {
	Endpoint string    // method and path pattern
	Key      string    // the server's name of the limit, such as KeyBotVsBotDay; "" when it gave none
	Until    time.Time // when to try again
	Local    bool      // refused here, the server was not asked
	Guessed  bool      // the server did not say how long, Until is the client's own guess
	Message  string    // the server's words, cleaned and cut
}

// Error tells endpoint, limit and the time to wait.
func (e *LimitError) Error() string {
	who := "limited by the server"
	if e.Local {
		who = "held back, a limit is known"
	}
	if e.Key != "" {
		who += " (" + e.Key + ")"
	}
	msg := fmt.Sprintf("lichess: %s: %s until %s", e.Endpoint, who, e.Until.Format(time.RFC3339))
	if e.Message != "" {
		msg += ": " + e.Message
	}
	return msg
}

// Wait returns the time left until the call may be tried again, at least 0.
func (e *LimitError) Wait() time.Duration { return max(time.Until(e.Until), 0) }

// NetworkError is a call that got no answer.
type NetworkError struct {
	Endpoint string // method and path pattern
	Unsent   bool   // the request certainly never left: no connection was made
	Err      error
}

// Error tells endpoint and cause.
func (e *NetworkError) Error() string { return fmt.Sprintf("lichess: %s: %v", e.Endpoint, e.Err) }

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.Err }

// IsAuthError reports whether the server refused the token (401) or what it
// may do (403). Trying again is of no use.
func IsAuthError(err error) bool {
	return errors.Is(err, ErrUnauthorized) || errors.Is(err, ErrForbidden)
}

// Uncertain reports whether a call that ended with this error may have been
// carried out all the same: the answer was lost, or a server in front of
// Lichess gave up waiting for it. The state of the game tells; never repeat
// such a move before it has told.
func Uncertain(err error) bool {
	if network := (*NetworkError)(nil); errors.As(err, &network) {
		return !network.Unsent
	}
	if api := (*APIError)(nil); errors.As(err, &api) {
		return api.Status >= 500
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
