package lichess

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"time"
)

// eventsBackoff opens the stream at most 28 times in 10 minutes, even when
// each connection is answered and ends at once; the server allows 30.
var eventsBackoff = backoff{first: 500 * time.Millisecond, ceiling: 40 * time.Second, healthy: time.Minute}

const eventsAnswer = 15 * time.Second

var eventKind = kind[Event]{epEvents, DecodeEvent, addEvent, nil, []int{
	http.StatusUnauthorized, http.StatusForbidden,
}, eventsAnswer, eventsAnswer, false, slog.LevelWarn}

// Events opens the account's event stream once and yields its events. The last
// pair has a nil event and the error that says why the stream ended; it matches
// ErrStreamEnded, ErrIdle, ErrLineTooLong or ErrTooSlow, or is an *APIError,
// *LimitError, *NetworkError, or the cause of the context's end.
//
// The server closes an older event stream of the account when a new one is
// opened. It repeats all running games and pending incoming challenges on each
// opening.
func (c *Client) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		once(ctx, c, eventKind, nil, yield)
	}
}

// EventStream yields the account's events across connections, with *Connected
// and *Disconnected between them. It reconnects with back-off on every kind of
// end and within the server's limit on openings. It ends only when the context
// does or when the server does not accept the token.
//
// Two programs on one account close each other's stream: each connection lives
// as long as the other's pause. When it looks so, an error is logged, once.
func (c *Client) EventStream(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		reconnect(ctx, c, eventKind, eventsBackoff, &eventsPacer{client: c}, nil, yield)
	}
}

const (
	// rivalEnds is how many connections that the server ends, one soon after
	// the other, mean that another program opens the stream. A restart of the
	// server ends one like that.
	rivalEnds = 3
	// rivalForgotten is how long a connection must live until another program
	// is worth another line.
	rivalForgotten = 10 * time.Minute
)

// eventsPacer heeds the server's limits and finds out when another program uses
// the account.
type eventsPacer struct {
	client *Client
	ends   int  // soon after the opening, by the server, in a row
	told   bool // of the other program
}

func (p *eventsPacer) lost(err error, lived, pause time.Duration) time.Duration {
	if lived >= eventsBackoff.healthy {
		p.ends = 0
	}
	if lived >= rivalForgotten {
		p.told = false
	}
	if errors.Is(err, ErrStreamEnded) {
		p.ends++
	}
	if p.ends >= rivalEnds && !p.told {
		p.told = true
		p.client.logger.LogAttrs(context.Background(), slog.LevelError,
			"the server keeps closing the event stream: another program seems to use this account; stop one of the two",
			slog.String("account", p.client.Username()))
	}
	if limit := (*LimitError)(nil); errors.As(err, &limit) {
		pause = max(pause, limit.Wait())
	}
	return pause
}

// turn waits for nothing: an opening is counted when it is sent.
func (p *eventsPacer) turn(context.Context) error { return nil }

func (p *eventsPacer) patience(answer time.Duration) time.Duration { return answer }
