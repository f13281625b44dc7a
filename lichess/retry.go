package lichess

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	maxRepeats   = 5                      // after the first try
	firstBackoff = 200 * time.Millisecond // doubles with each try
	backoffLimit = 5 * time.Second
	maxErrorBody = 64 << 10
)

// attempts is the life of one call: it decides for the retrying HTTP client
// below whether and when to try again.
type attempts struct {
	endpoint  *endpoint
	about     slog.Attr // what the call is about, for the log
	logger    *slog.Logger
	spend     func() error // counts a try that arrives
	tries     int
	wait      time.Duration // before the next try, set by check
	connected atomic.Bool   // this try got a connection, so that it may have reached the server
	dialed    atomic.Bool   // some try had to wait for a new connection
	doubtful  bool          // some try may have been carried out
}

// client returns a retrying HTTP client for this one call.
func (a *attempts) client(base *http.Client) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: base,
		RetryMax:   maxRepeats,
		CheckRetry: a.check,
		Backoff: func(_, _ time.Duration, _ int, _ *http.Response) time.Duration {
			return a.wait
		},
		ErrorHandler:   retryablehttp.PassthroughErrorHandler,
		RequestLogHook: func(retryablehttp.Logger, *http.Request, int) { a.connected.Store(false) },
	}
}

// trace returns a context by which each try tells whether it got a connection.
func (a *attempts) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		// When a connection proves closed before anything was written to it, net/http itself takes another one. Reads
		// it may also repeat after they were written.
		GetConn: func(string) {
			if a.endpoint.method == http.MethodPost {
				a.connected.Store(false)
			}
		},
		GotConn: func(info httptrace.GotConnInfo) {
			a.connected.Store(true)
			if !info.Reused {
				a.dialed.Store(true)
			}
		},
	})
}

// unsent reports whether this try certainly did not reach the server.
func (a *attempts) unsent() bool { return !a.connected.Load() }

// neverSent reports whether no try can have been carried out.
func (a *attempts) neverSent() bool { return !a.doubtful && a.unsent() }

// check is the retryablehttp.CheckRetry of the call.
func (a *attempts) check(ctx context.Context, resp *http.Response, err error) (bool, error) {
	a.tries++
	if closedIdle(err) {
		a.connected.Store(false)
	}
	if err != nil && !a.unsent() || err == nil && resp.StatusCode >= 500 {
		a.doubtful = true
	}
	wait, again := a.decide(resp, err)
	if !again || ctx.Err() != nil {
		return false, nil
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		// Better to fail now, while the caller can still do something.
		return false, nil
	}
	if !a.unsent() && a.spend() != nil {
		return false, nil
	}
	a.wait = wait
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		a.logger.LogAttrs(ctx, slog.LevelWarn, "limited by the server, trying again", a.about, slog.String("endpoint", a.endpoint.String()),
			slog.String("in", wait.Round(time.Millisecond).String()))
	}
	return true, nil
}

// decide says whether the call may be sent again, and after what time.
func (a *attempts) decide(resp *http.Response, err error) (time.Duration, bool) {
	switch {
	case err != nil && permanent(err):
		return 0, false
	case closedIdle(err):
		return 0, true
	case err != nil:
		return jitter(a.tries - 1), a.unsent() || a.endpoint.repeat == repeatSafe
	case resp.StatusCode == http.StatusTooManyRequests:
		// Only a running game is worth the wait here; the others are told how
		// long the limit lasts, and are held back as long.
		if a.endpoint.feature != featureGame {
			return 0, false
		}
		wait := demandedWait(resp.Header, peekBody(resp).RateLimit)
		return max(wait, jitter(a.tries)), true
	case resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented:
		wait := demandedWait(resp.Header, nil)
		return max(wait, jitter(a.tries)), a.endpoint.repeat == repeatSafe
	}
	return 0, false
}

// jitter returns the pause after so many tries: doubled each time, bounded and
// spread.
func jitter(tries int) time.Duration {
	return spread(min(firstBackoff<<min(tries, 10), backoffLimit))
}

// spread shortens a pause by up to a quarter, by chance, lest many clients come
// back at the same moment.
func spread(d time.Duration) time.Duration { return d - rand.N(d/4+1) }

// permanent reports whether a network error will not go away by itself: the
// server is not who it claims to be.
func permanent(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate)
}

// closedIdle reports whether the server closed the connection at rest that the
// request was about to take. net/http says so only when it saw the end of the
// connection before the request was on it, so that it never arrived. It has no
// name for the error.
func closedIdle(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "http: server closed idle connection")
}

// peekBody reads the body of a refusal and leaves it there to be read again.
func peekBody(resp *http.Response) ErrorBody {
	body := readBounded(resp)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return errorBody(resp.StatusCode, body)
}

// readBounded reads the beginning of a body and closes it.
func readBounded(resp *http.Response) []byte {
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	return body
}
