package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// checkedTransport holds what it carries against the official description of
// the API: each reply and each line of a stream, and with requests set what is
// asked as well. Where the description is not at hand it only carries.
type checkedTransport struct {
	next     http.RoundTripper
	doc      *openapi3.T
	requests bool
	fault    func(string)
	asked    func(operation string) // with each request; may be nil
	seen     *record
}

func newCheckedTransport(t testing.TB, next http.RoundTripper) *checkedTransport {
	return &checkedTransport{next: next, doc: described(t), seen: exchanges, fault: func(s string) { t.Error(s) }}
}

// CloseIdleConnections is for the sake of http.Client.
func (c *checkedTransport) CloseIdleConnections() {
	if next, ok := c.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// RoundTrip carries a request and checks what comes back.
func (c *checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.doc == nil {
		return c.next.RoundTrip(r)
	}
	o := findOperation(c.doc, r.Method, r.URL.Path)
	if c.requests {
		if err := c.checkRequest(o, r); err != nil {
			return nil, err
		}
	}
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	if o == nil {
		pattern := c.seen.noteRoute(r)
		if pattern != "" && resp.StatusCode != http.StatusNotFound && notDescribed[pattern] == "" {
			c.fault(pattern + " is not described")
		}
		return resp, nil
	}
	if resp.Header.Get("Content-Type") == "application/x-ndjson" {
		resp.Body = &checkedLines{body: resp.Body, c: c, o: o}
		c.seen.note(r, o, resp.StatusCode, nil)
		return resp, nil
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	c.seen.note(r, o, resp.StatusCode, body)
	c.report(o, fmt.Sprintf("%d %s", resp.StatusCode, body), o.checkReply(resp.StatusCode, resp.Header.Get("Content-Type"), body))
	return resp, nil
}

func (c *checkedTransport) checkRequest(o *operation, r *http.Request) error {
	if o == nil {
		c.fault(r.Method + " " + r.URL.Path + " is not described")
		return nil
	}
	if c.asked != nil {
		c.asked(o.name)
	}
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	c.report(o, "asked: "+r.URL.RequestURI()+" "+string(body), o.checkRequest(r, body))
	return nil
}

func (c *checkedTransport) report(o *operation, what string, faults []string) {
	for _, fault := range faults {
		if !excused(o.name, fault) {
			c.fault(o.name + ": " + fault + "\n" + what)
		}
	}
}

// checkedLines is the body of a stream whose lines are checked as they pass.
type checkedLines struct {
	body io.ReadCloser
	c    *checkedTransport
	o    *operation
	part []byte // of a line that is not complete
}

func (l *checkedLines) Read(p []byte) (int, error) {
	n, err := l.body.Read(p)
	l.part = append(l.part, p[:n]...)
	for {
		line, rest, complete := bytes.Cut(l.part, []byte("\n"))
		if !complete {
			return n, err
		}
		l.c.seen.noteLine(l.o, line)
		l.c.report(l.o, string(line), append(l.o.checkLine(line), clientFaults(l.o, line)...))
		l.part = append([]byte(nil), rest...)
	}
}

// clientFaults tells when the client can make nothing of a line.
func clientFaults(o *operation, line []byte) []string {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	var event any
	switch o.name {
	case "GET /api/stream/event":
		event = lichess.DecodeEvent(line)
	case "GET /api/bot/game/stream/{gameId}", "GET /api/board/game/stream/{gameId}":
		event = lichess.DecodeGameEvent(line)
	}
	if u, ok := event.(*lichess.Unknown); ok {
		return []string{fmt.Sprintf("the client does not understand the line: %v", u.Err)}
	}
	return nil
}

func (l *checkedLines) Close() error { return l.body.Close() }

// checkedProxy stands between real clients and a server, checks all that they
// say to each other, and returns its address.
func checkedProxy(t *testing.T, s *sandbox.Server, asked func(operation string)) string {
	t.Helper()
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	checked := newCheckedTransport(t, transport)
	checked.requests, checked.asked = true, asked
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     checked,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	})
	t.Cleanup(func() {
		proxy.CloseClientConnections()
		proxy.Close()
		transport.CloseIdleConnections()
	})
	return proxy.URL
}

// exchanges gathers what was seen in all tests of a run, for TestMain to tell
// what was not.
var exchanges = &record{seen: map[string]bool{}}

// routes finds the pattern of the server by which it answers a request.
var routes = func() *http.ServeMux {
	mux := http.NewServeMux()
	for _, pattern := range sandbox.Patterns() {
		mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	}
	return mux
}()

type record struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (r *record) add(what ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range what {
		r.seen[w] = true
	}
}

func (r *record) note(req *http.Request, o *operation, status int, body []byte) {
	r.add("operation " + o.name)
	r.noteRoute(req)
	if status >= 400 {
		var refusal struct{ Error string }
		if json.Unmarshal(body, &refusal) == nil {
			r.add("refusal " + refusal.Error)
		}
	}
	r.noteStates(body)
}

// noteRoute returns the pattern that answers a request, "" when none does.
func (r *record) noteRoute(req *http.Request) string {
	_, pattern := routes.Handler(req)
	if pattern != "" {
		r.add("route " + pattern)
	}
	return pattern
}

func (r *record) noteLine(o *operation, line []byte) {
	var head struct{ Type, Done string }
	if json.Unmarshal(line, &head) == nil {
		r.add("line " + head.Type)
		r.add("done " + head.Done)
	}
	if len(line) == 0 {
		r.add("keep-alive " + o.name)
	}
	r.noteStates(line)
}

// noteStates takes the states of games and challenges out of JSON of any kind.
func (r *record) noteStates(body []byte) {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case map[string]any:
			if status, ok := v["status"].(string); ok {
				kind := "challenge "
				if _, isGame := v["moves"]; isGame {
					kind = "game "
				}
				r.add(kind + status)
			}
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(v)
}

// all returns what was seen of a kind.
func (r *record) all(kind string) (list []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for what := range r.seen {
		if rest, ok := strings.CutPrefix(what, kind+" "); ok {
			list = append(list, rest)
		}
	}
	return list
}
