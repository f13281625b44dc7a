package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"
)

// longestText bounds a body or a line, in bytes; the rest of it is not recorded.
const longestText = 1 << 20

func isStream(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	return media == "application/x-ndjson"
}

// Wrap returns a transport that records what goes through the one given: each try, and the lines of streams as they come.
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper { return &transport{next, r} }

type transport struct {
	next     http.RoundTripper
	recorder *Recorder
}

// RoundTrip sends the request.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	r := t.recorder
	e := Entry{ID: r.ids.Add(1), URL: string(r.mask([]byte(req.URL.RequestURI())))}
	sent := e
	sent.At, sent.Kind, sent.Method = time.Now().UTC(), Request, req.Method
	if req.Body != nil && req.Body != http.NoBody {
		// The client's bodies lie in memory and are short.
		beginning, err := io.ReadAll(io.LimitReader(req.Body, longestText+int64(len(r.opts.Token))))
		sent.Text, sent.Cut = r.cut(beginning)
		whole := *req
		whole.Body = &readAgain{io.MultiReader(bytes.NewReader(beginning), failing{err}, req.Body), req.Body}
		req = &whole
	}
	r.put(sent)
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		e.At, e.Kind, e.Error = time.Now().UTC(), End, string(r.mask([]byte(err.Error())))
		r.put(e)
		return nil, err
	}
	e.Status, e.Header = resp.StatusCode, keep(resp.Header)
	for name, value := range e.Header {
		e.Header[name] = string(r.mask([]byte(value)))
	}
	if isStream(resp.Header.Get("Content-Type")) {
		opened := e
		opened.At, opened.Kind = time.Now().UTC(), Reply
		r.put(opened)
		resp.Body = &streamBody{ReadCloser: resp.Body, recorder: r, of: Entry{ID: e.ID, URL: e.URL}}
	} else {
		resp.Body = &replyBody{ReadCloser: resp.Body, recorder: r, reply: e}
	}
	return resp, nil
}

// escape is the length of a letter that JSON has escaped: \u006c.
const escape = 6

// cut bounds a text and takes the token out of it. A text that was cut may end in the midst of the token, so as much as this
// takes, with each letter escaped, is dropped.
func (r *Recorder) cut(text []byte) (Text, bool) {
	cut := len(text) > longestText
	text = r.mask(text)
	if cut {
		text = text[:min(len(text)-min(len(text), escape*len(r.opts.Token)), longestText)]
	}
	return text, cut
}

type readAgain struct {
	io.Reader
	io.Closer
}

// failing is a reader that fails with an error, or is empty without one.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// replyBody collects the body of a reply and records it at its end.
type replyBody struct {
	io.ReadCloser
	recorder *Recorder

	mu    sync.Mutex
	text  []byte
	reply Entry
	ended bool
}

// Read reads the body.
func (b *replyBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	room := longestText + len(b.recorder.opts.Token) - len(b.text)
	b.text = append(b.text, p[:min(n, room)]...)
	if err != nil {
		reason := ""
		if err != io.EOF {
			reason = err.Error()
		}
		b.end(reason)
	}
	return n, err
}

// Close closes the body.
func (b *replyBody) Close() error {
	b.mu.Lock()
	b.end("")
	b.mu.Unlock()
	return b.ReadCloser.Close()
}

func (b *replyBody) end(reason string) {
	if b.ended {
		return
	}
	b.ended = true
	b.reply.At, b.reply.Kind = time.Now().UTC(), Reply
	b.reply.Text, b.reply.Cut = b.recorder.cut(b.text)
	b.reply.Error = string(b.recorder.mask([]byte(reason)))
	b.recorder.put(b.reply)
}

// streamBody records the lines of a stream as they are read.
type streamBody struct {
	io.ReadCloser
	recorder *Recorder
	of       Entry

	mu    sync.Mutex
	line  []byte // what has come of it, up to the bound
	ended bool
}

// Read reads from the stream.
func (b *streamBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	for data := p[:n]; len(data) > 0; {
		i := bytes.IndexByte(data, '\n')
		piece := data
		if i >= 0 {
			piece = data[:i]
		}
		room := longestText + len(b.recorder.opts.Token) - len(b.line)
		b.line = append(b.line, piece[:min(len(piece), room)]...)
		if i < 0 {
			break
		}
		b.put()
		data = data[i+1:]
	}
	if err != nil {
		switch {
		case err == io.EOF:
			b.end("")
		case errors.Is(err, context.Canceled):
			b.end(Closed)
		default:
			b.end(err.Error())
		}
	}
	return n, err
}

// Closed is the error of a stream that the program itself has closed.
const Closed = "closed"

// Close closes the stream.
func (b *streamBody) Close() error {
	b.mu.Lock()
	b.end(Closed)
	b.mu.Unlock()
	return b.ReadCloser.Close()
}

func (b *streamBody) put() {
	e := b.of
	e.At, e.Kind = time.Now().UTC(), Line
	e.Text, e.Cut = b.recorder.cut(b.line)
	b.line = b.line[:0]
	e.Text = bytes.Clone(e.Text)
	b.recorder.put(e)
}

func (b *streamBody) end(reason string) {
	if b.ended {
		return
	}
	b.ended = true
	if len(b.line) > 0 {
		b.put()
	}
	e := b.of
	e.At, e.Kind, e.Error = time.Now().UTC(), End, string(b.recorder.mask([]byte(reason)))
	b.recorder.put(e)
}
