package record

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"
	"unicode/utf8"
)

// format is the version of the form of the files.
const format = 1

// Kind is what an entry tells of.
type Kind string

// The kinds of entries.
const (
	Start   Kind = "start"   // the beginning of a file
	Request Kind = "request" // a request is sent
	Reply   Kind = "reply"   // its answer has arrived; that of a stream has no text
	Line    Kind = "line"    // a stream's line has arrived; a blank one is a keep-alive
	End     Kind = "end"     // a stream has ended, or a request without an answer
	Lost    Kind = "lost"    // entries are missing here, since they came faster than they could be written
)

// Entry is one line of a recording.
type Entry struct {
	At   time.Time `json:"at"`
	Kind Kind      `json:"kind"`
	// ID ties the entries of one request together. It is 1 or more, and unique within a run.
	ID     uint64 `json:"id,omitempty"`
	Method string `json:"method,omitempty"`
	// URL is the path and the query of the request. It stands in all entries that have an ID.
	URL    string            `json:"url,omitempty"`
	Status int               `json:"status,omitempty"` // of a reply, 100 to 599
	Header map[string]string `json:"header,omitempty"` // of a reply: those of keptHeaders
	// Text is the body of a request or reply, or a line without its line feed.
	Text Text `json:"text,omitempty"`
	Cut  bool `json:"cut,omitempty"` // the text went on
	// Error says why a stream or request ended; "" for a stream that the server ended properly.
	Error   string `json:"error,omitempty"`
	Count   uint64 `json:"count,omitempty"`   // of entries lost
	Version string `json:"version,omitempty"` // of the program, at the start of a file
	Format  int    `json:"format,omitempty"`  // of the file

	// Where the entry stands, as FILE:LINE. It is not written.
	Where string `json:"-"`
}

// keptHeaders are the headers of a reply that the program acts upon.
var keptHeaders = []string{"Content-Type", "Retry-After"}

// Text is bytes that are text nearly always: what is no UTF-8 is written in base64 behind "base64:".
type Text []byte

const base64Mark = "base64:"

// MarshalText writes the text.
func (t Text) MarshalText() ([]byte, error) {
	if utf8.Valid(t) && !hasMark(t) {
		return t, nil
	}
	return []byte(base64Mark + base64.StdEncoding.EncodeToString(t)), nil
}

// UnmarshalText reads the text.
func (t *Text) UnmarshalText(b []byte) error {
	if !hasMark(b) {
		*t = append(Text(nil), b...)
		return nil
	}
	decoded, err := base64.StdEncoding.DecodeString(string(b[len(base64Mark):]))
	if err != nil {
		return errors.New("a text is no base64")
	}
	*t = decoded
	return nil
}

func hasMark(b []byte) bool {
	return len(b) >= len(base64Mark) && string(b[:len(base64Mark)]) == base64Mark
}

var methodForm = regexp.MustCompile(`^[A-Z]{1,20}$`)

// Stream tells whether the entry is a reply that goes on as a stream of lines.
func (e *Entry) Stream() bool { return e.Kind == Reply && isStream(e.Header["Content-Type"]) }

// parseEntry reads a line of a recording. Members that it does not know are skipped.
func parseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("not an entry: %w", err)
	}
	return e, e.check()
}

func (e *Entry) check() error {
	if e.At.IsZero() {
		return errors.New("the time is missing")
	}
	switch e.Kind {
	case Start:
		if e.Format != format {
			return fmt.Errorf("the format is %d, and this program reads %d", e.Format, format)
		}
		return nil
	case Lost:
		return nil
	case Request:
		if !methodForm.MatchString(e.Method) {
			return errors.New("the method of a request is missing or wrong")
		}
	case Reply:
		if e.Status < 100 || e.Status > 599 {
			return fmt.Errorf("the status %d is not one of HTTP", e.Status)
		}
	case Line, End:
	default:
		return fmt.Errorf("the kind %.20q is not known", e.Kind)
	}
	if e.ID == 0 {
		return fmt.Errorf("a %s without the id of its request", e.Kind)
	}
	if u, err := url.ParseRequestURI(e.URL); err != nil || u.Host != "" || len(e.URL) == 0 || e.URL[0] != '/' {
		return fmt.Errorf("the URL of a %s is not a path", e.Kind)
	}
	return nil
}

func keep(h http.Header) map[string]string {
	kept := map[string]string{}
	for _, name := range keptHeaders {
		if v := h.Get(name); v != "" {
			kept[name] = v
		}
	}
	return kept
}
