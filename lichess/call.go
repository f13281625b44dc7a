package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// maxReply bounds the body of a reply. The longest, 512 online bots, is about
// 600 kB.
const maxReply = 4 << 20

// request is what a call sends.
type request struct {
	args        []string   // of the path
	query       url.Values // may be nil
	body        []byte     // may be nil
	contentType string     // of the body
	accept      string     // "" means JSON
	anonymous   bool       // without the Authorization header
	handling    handling
	costs       []cost // of the server's known limits, for each try
}

// form returns a request with a form in its body.
func form(values url.Values, args ...string) request {
	return request{args: args, body: []byte(values.Encode()), contentType: "application/x-www-form-urlencoded"}
}

// header returns the headers of a request.
func (c *Client) header(r *request) http.Header {
	h := http.Header{"User-Agent": {c.userAgent()}, "Accept": {"application/json"}}
	if r.accept != "" {
		h.Set("Accept", r.accept)
	}
	if r.contentType != "" {
		h.Set("Content-Type", r.contentType)
	}
	if !r.anonymous {
		h.Set("Authorization", "Bearer "+string(*c.token))
	}
	return h
}

// address returns the URL of a request.
func (c *Client) address(ep *endpoint, r *request) string {
	u := *c.base
	u.Path += ep.fill(r.args)
	u.RawQuery = r.query.Encode()
	return u.String()
}

// post makes a call whose reply tells nothing but success.
func (c *Client) post(ctx context.Context, ep *endpoint, r request) error {
	_, err := c.call(ctx, ep, r)
	return err
}

// get makes a call and decodes its JSON reply into the value at v.
func (c *Client) get(ctx context.Context, ep *endpoint, r request, v any) error {
	body, err := c.call(ctx, ep, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("lichess: %s: the reply is not what was expected: %w", ep, cleanError(err))
	}
	return nil
}

// call makes a call with its repetitions and returns the body of the reply.
func (c *Client) call(ctx context.Context, ep *endpoint, r request) ([]byte, error) {
	if err := c.heldBack(ep); err != nil {
		return nil, err
	}
	spend := func() error { return c.spend(ep, r.costs) }
	if err := spend(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, ep.timeout)
	defer cancel()
	a := &attempts{endpoint: ep, about: ep.about(r.args), logger: c.logger, spend: spend}
	r.handling.endpoint = ep
	r.handling.urgent = r.handling.urgent || ep.feature == featureGame
	ctx = withHandling(a.trace(ctx), &r.handling)
	var payload any // an empty body would be sent in chunks, none at all is not
	if r.body != nil {
		payload = r.body
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, ep.method, c.address(ep, &r), payload)
	if err != nil {
		return nil, fmt.Errorf("lichess: %s: %w", ep, err)
	}
	req.Header = c.header(&r)

	start := time.Now()
	resp, err := a.client(c.calls).Do(req)
	if err != nil {
		err = c.networkError(ctx, ep, a.neverSent(), err)
		c.logCall(ctx, ep, a, start, slog.Any("error", err))
		return nil, err
	}
	defer resp.Body.Close()
	c.warmer.note()
	c.logCall(ctx, ep, a, start, slog.Int("status", resp.StatusCode))
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		err := c.refusal(ep, resp)
		if ep == epAccept && a.doubtful && resp.StatusCode != http.StatusTooManyRequests {
			// Likely an earlier try went through, and there is nothing left to accept.
			err = &NetworkError{Endpoint: ep.String(), Err: err}
		}
		return nil, err
	}
	c.limits.accepted(ep.feature)
	return c.readReply(ctx, ep, resp)
}

// readReply reads a reply to its end. Where the status alone says it all, a
// body that breaks off is no failure.
func (c *Client) readReply(ctx context.Context, ep *endpoint, resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil && ep.method != http.MethodPost:
		return nil, c.networkError(ctx, ep, false, err)
	case len(body) > maxReply:
		return nil, fmt.Errorf("lichess: %s: the reply is longer than %d bytes", ep, maxReply)
	}
	if ep == epTokenTest {
		return body, nil // it names the token that it is about
	}
	return c.scrub(body), nil
}

// heldBack returns an error while the endpoint is known to be limited.
func (c *Client) heldBack(ep *endpoint) error {
	if limit, ok := c.limits.check(ep.feature); ok {
		return &LimitError{Endpoint: ep.String(), Key: limit.key, Until: limit.until, Local: true}
	}
	return nil
}

// spend counts a try against the server's known limits, or returns an error
// when it would go beyond one.
func (c *Client) spend(ep *endpoint, costs []cost) error {
	full, until := c.limits.spend(costs)
	if full == nil {
		return nil
	}
	return &LimitError{Endpoint: ep.String(), Until: until, Local: true,
		Message: fmt.Sprintf("the server allows %d %s in %s", full.most, full.what, full.space)}
}

// refusal makes an error of an answer that is not 2xx. It takes note of limits.
func (c *Client) refusal(ep *endpoint, resp *http.Response) error {
	body := errorBody(resp.StatusCode, c.scrub(readBounded(resp)))
	if resp.StatusCode == http.StatusTooManyRequests {
		key := ""
		if body.RateLimit != nil {
			key = CleanText(body.RateLimit.Key, 60)
		}
		wait := demandedWait(resp.Header, body.RateLimit)
		until := c.limits.refused(ep.feature, key, wait)
		return &LimitError{Endpoint: ep.String(), Key: key, Until: until, Guessed: wait <= 0, Message: body.Error}
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		body.Error = "redirected, and redirects are not followed: check the server's address"
	}
	refused := &APIError{Endpoint: ep.String(), Status: resp.StatusCode, Message: body.Error, RateLimit: body.RateLimit}
	if IsAuthError(refused) {
		c.doubt()
	}
	return refused
}

// networkError makes an error of a call without answer.
func (c *Client) networkError(ctx context.Context, ep *endpoint, unsent bool, err error) error {
	// The URL around the cause adds nothing to the endpoint.
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	// A server that does not speak HTTP is quoted by net/http.
	text := err.Error()
	if safe := string(c.scrub([]byte(text))); safe != text {
		err = &cleanedError{safe, err}
	}
	return &NetworkError{Endpoint: ep.String(), Unsent: unsent, Err: cleanError(err)}
}

// scrub removes the token from what the server sent, should it echo it.
func (c *Client) scrub(text []byte) []byte { return Scrub(text, string(*c.token)) }

func (c *Client) logCall(ctx context.Context, ep *endpoint, a *attempts, start time.Time, outcome slog.Attr) {
	c.logger.LogAttrs(ctx, slog.LevelDebug, "call", a.about, slog.String("endpoint", ep.String()), outcome,
		slog.Int("tries", a.tries), slog.Bool("warm", !a.dialed.Load()), slog.String("took", time.Since(start).String()))
}

var (
	idForm   = regexp.MustCompile(`^[A-Za-z0-9]{1,32}$`)
	nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,60}$`)
	moveForm = regexp.MustCompile(`^[A-Za-z0-9@]{4,6}$`)
)

// checkArg keeps what does not belong into a path out of it: ids and names
// come from outside too.
func checkArg(what string, form *regexp.Regexp, value string) error {
	if !form.MatchString(value) {
		return fmt.Errorf("lichess: %q is not a %s", CleanText(value, 60), what)
	}
	return nil
}
