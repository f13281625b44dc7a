package lichess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"
)

// connection is one open stream: a goroutine reads its lines into a mailbox.
type connection[E any] struct {
	box    *mailbox[E]
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the reader has ended
	heard  atomic.Bool   // a line has come
}

// kind is what tells one kind of stream from the other.
type kind[E any] struct {
	endpoint *endpoint
	decode   func(line []byte) E
	add      func(waiting []E, e E) ([]E, error)
	over     func(E) bool  // tells the last event by its content; nil when there is none
	final    []int         // statuses after which opening the stream again is of no use
	first    time.Duration // that the server has for its answer to the opening; twice as long for each further try in a row …
	most     time.Duration // … up to so long
	prompt   bool          // the first line comes with the answer and so has the same time
	lost     slog.Level    // of the line about a loss
}

// onlyTry stands for the number of failures where there is no second try.
const onlyTry = 20

// patience returns the time that the server has for its answer to the opening,
// after so many losses and failures in a row.
func (k kind[E]) patience(failures int) time.Duration {
	return min(k.first<<min(max(failures-1, 0), onlyTry), k.most)
}

// openStream opens a stream, whose opening the server has so long to answer,
// and begins to read it.
func openStream[E any](ctx context.Context, c *Client, k kind[E], patience time.Duration, args ...string) (*connection[E], error) {
	// The reader's context ends the body's Read, for the consumer and for the
	// alarm alike; its cause says which of the two it was.
	h := &handling{endpoint: k.endpoint, urgent: true, answer: patience}
	ctx, cancel := context.WithCancelCause(withHandling(ctx, h))
	r := request{args: args, accept: ndjsonType}
	if k.endpoint.feature == featureEvents {
		r.costs = []cost{{&c.limits.events, 1}}
	}
	resp, err := c.openResponse(ctx, k.endpoint, r)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	conn := &connection[E]{box: newMailbox(k.add), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(conn.done)
		defer resp.Body.Close()
		// Blank lines, which are the keep-alives, put the alarm off too, but not
		// the crumbs of a line that never gets done.
		silence := func(most time.Duration) *time.Timer {
			return time.AfterFunc(most, func() {
				c.network.renew(h.used)
				cancel(fmt.Errorf("%w for %s", ErrIdle, most))
			})
		}
		alarm := silence(c.idle)
		defer alarm.Stop()
		prompt := c.idle
		if k.prompt {
			prompt = min(h.answer, c.idle)
		}
		first := silence(prompt)
		defer first.Stop()
		err := readLines(resp.Body, func(line []byte) error {
			first.Stop()
			conn.heard.Store(true)
			alarm.Reset(c.idle)
			if k.endpoint == epEvents {
				c.heard.Store(time.Now().UnixNano())
			}
			if len(line) == 0 {
				return nil
			}
			return conn.box.put(k.decode(c.scrub(line)))
		})
		conn.box.close(c.streamEnd(ctx, k.endpoint, err))
	}()
	return conn, nil
}

// shut ends the reader and waits for it.
func (c *connection[E]) shut() {
	c.cancel(nil)
	<-c.done
}

// streamEnd says why a stream ended, given the error of its reader.
func (c *Client) streamEnd(ctx context.Context, ep *endpoint, err error) error {
	switch {
	case err == nil:
		err = ErrStreamEnded
	case errors.Is(err, ErrLineTooLong), errors.Is(err, ErrTooSlow):
	default:
		return c.networkError(ctx, ep, false, err)
	}
	return fmt.Errorf("lichess: %s: %w", ep, err)
}

// openResponse sends the request of a stream, once.
func (c *Client) openResponse(ctx context.Context, ep *endpoint, r request) (*http.Response, error) {
	if err := c.heldBack(ep); err != nil {
		return nil, err
	}
	if err := c.spend(ep, r.costs); err != nil {
		return nil, err
	}
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, ep.method, c.address(ep, &r), body)
	if err != nil {
		return nil, fmt.Errorf("lichess: %s: %w", ep, err)
	}
	req.Header = c.header(&r)
	var connected atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}))
	resp, err := c.streams.Do(req)
	if err != nil {
		return nil, c.networkError(ctx, ep, !connected.Load(), err)
	}
	c.logger.LogAttrs(ctx, slog.LevelDebug, "stream", ep.about(r.args), slog.String("endpoint", ep.String()), slog.Int("status", resp.StatusCode))
	if webPage(resp) {
		// A portal or an error page on the way, not Lichess.
		defer resp.Body.Close()
		io.CopyN(io.Discard, resp.Body, maxErrorBody)
		return nil, &APIError{Endpoint: ep.String(), Status: http.StatusBadGateway,
			Message: "a web page came in place of a stream: is something between here and the server?"}
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, c.refusal(ep, resp)
	}
	c.limits.accepted(ep.feature)
	return resp, nil
}

// webPage reports whether a page for people came in place of a stream or of
// the server's refusal, which is JSON. A limit is one whoever tells it, and
// redirects and 5xx are passing in any case.
func webPage(resp *http.Response) bool {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	refused := resp.StatusCode >= 400 && resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests
	return media == "text/html" && (resp.StatusCode == http.StatusOK || refused)
}

// Connected tells that a stream is open, the first time or again.
type Connected struct {
	Attempt int // failed or lost connections since the last good one; 0 at the start
}

// Disconnected tells that a stream was lost or could not be opened, and that
// it will be tried again after Wait, or later when many games have lost theirs.
type Disconnected struct {
	Err  error
	Wait time.Duration
}

func (*Connected) event()        {}
func (*Disconnected) event()     {}
func (*Connected) gameEvent()    {}
func (*Disconnected) gameEvent() {}

// backoff is the policy of reconnecting.
type backoff struct {
	first   time.Duration // before the second try in a row; the first has no pause when atOnce
	ceiling time.Duration
	atOnce  bool
	healthy time.Duration // a connection that lived so long starts the count anew
}

// pause returns the time before the next try after n failures in a row, n > 0.
// Chance shortens it by up to a quarter.
func (b backoff) pause(n int) time.Duration {
	if b.atOnce {
		n--
	}
	if n <= 0 {
		return 0
	}
	return spread(min(b.first<<min(n-1, 20), b.ceiling))
}

// A pacer has the last word on when a stream is opened again.
type pacer interface {
	// lost is told how a connection, or the try to open one, ended and how long
	// it lived. It returns how long to wait before the next try, given what the
	// back-off says.
	lost(err error, lived, pause time.Duration) time.Duration
	// turn waits after that until the opening fits beside those of other
	// streams. It returns the cause of the context's end.
	turn(ctx context.Context) error
	// patience returns how long the next try may wait for the answer, given how
	// long it should.
	patience(answer time.Duration) time.Duration
}

// follow yields the first events given and then those of the open stream to
// its end. It returns the error that says why it ended, or more = false when
// the consumer has had enough.
func (c *connection[E]) follow(ctx context.Context, yield func(E, error) bool, first ...E) (more bool, err error) {
	defer c.shut()
	for _, e := range first {
		if !yield(e, nil) {
			return false, nil
		}
	}
	for {
		e, err := c.box.take(ctx)
		if err != nil {
			return true, err
		}
		if !yield(e, nil) {
			return false, nil
		}
	}
}

// once calls yield with the events of one connection and the error that ends it.
func once[E any](ctx context.Context, c *Client, k kind[E], args []string, yield func(E, error) bool) {
	var none E
	yield, finished := k.noteEnd(yield)
	conn, err := openStream(ctx, c, k, k.patience(onlyTry), args...)
	if err == nil {
		var more bool
		if more, err = conn.follow(ctx, yield); !more {
			return
		}
	}
	yield(none, k.finalError(ctx, err, *finished))
}

// reconnect calls yield with the events of one connection after the other,
// with Connected and Disconnected between them, and the error that ends it for
// good.
func reconnect[E any](ctx context.Context, c *Client, k kind[E], b backoff, p pacer, args []string, yield func(E, error) bool) {
	var none E
	yield, finished := k.noteEnd(yield)
	for failures := 0; ; {
		if err := p.turn(ctx); err != nil {
			yield(none, err)
			return
		}
		conn, err := openStream(ctx, c, k, p.patience(k.patience(failures)), args...)
		lived := time.Duration(0)
		if err == nil {
			opened := time.Now()
			var more bool
			if more, err = conn.follow(ctx, yield, any(&Connected{Attempt: failures}).(E)); !more {
				return
			}
			if lived = time.Since(opened); lived >= b.healthy && conn.heard.Load() {
				failures = 0
			}
		}
		if ctx.Err() != nil || *finished || k.hopeless(err) {
			yield(none, k.finalError(ctx, err, *finished))
			return
		}
		failures++
		wait := p.lost(err, lived, b.pause(failures))
		c.logger.LogAttrs(ctx, k.lost, "stream lost", k.endpoint.about(args), slog.String("endpoint", k.endpoint.String()),
			slog.Any("error", err), slog.Int("failures", failures), slog.String("wait", wait.String()))
		if !yield(any(&Disconnected{Err: err, Wait: wait}).(E), nil) {
			return
		}
		if err := sleep(ctx, wait); err != nil {
			yield(none, err)
			return
		}
	}
}

// noteEnd returns yield, and a flag that is set once an event tells that the
// stream has done its work.
func (k kind[E]) noteEnd(yield func(E, error) bool) (func(E, error) bool, *bool) {
	finished := new(bool)
	return func(e E, err error) bool {
		if err == nil && k.over != nil && k.over(e) {
			*finished = true
		}
		return yield(e, err)
	}, finished
}

// finalError returns what the consumer is told last.
func (k kind[E]) finalError(ctx context.Context, err error, finished bool) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case finished:
		return fmt.Errorf("lichess: %s: %w", k.endpoint, ErrGameOver)
	}
	return err
}

// hopeless reports whether opening a stream again cannot help: the server
// refuses the request itself. A redirect and the like come from something on
// the way, and pass.
func (k kind[E]) hopeless(err error) bool {
	var api *APIError
	return errors.As(err, &api) && slices.Contains(k.final, api.Status)
}
