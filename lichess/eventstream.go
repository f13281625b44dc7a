package lichess

import (
	"context"
	"iter"
	"time"
)

// eventsBackoff opens the stream at most 28 times in 10 minutes, even when
// each connection is answered and ends at once; the server allows 30.
var eventsBackoff = backoff{first: 500 * time.Millisecond, ceiling: 40 * time.Second, healthy: time.Minute}

var eventKind = kind[Event]{epEvents, DecodeEvent, addEvent, nil}

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
// does or when the server refuses for good, as it does with a token that is
// not accepted.
func (c *Client) EventStream(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		reconnect(ctx, c, eventKind, eventsBackoff, nil, yield)
	}
}
