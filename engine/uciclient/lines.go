package uciclient

import (
	"bytes"
	"strings"
	"sync"
)

// maxLine bounds a line that an engine writes, in bytes; what is longer is cut. A principal variation of 256 moves needs
// 1,500.
const maxLine = 16 << 10

// lineWriter cuts what is written to it into lines.
type lineWriter struct {
	line []byte
	take func(line string)
}

func (w *lineWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		w.line = append(w.line, part[:min(len(part), maxLine-len(w.line))]...)
		rest = after
		if ended {
			w.take(string(w.line))
			w.line = w.line[:0]
		}
	}
	return len(p), nil
}

// maxStderr is how much of the end of standard error is kept, in bytes.
const maxStderr = 2 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-maxStderr):]...)
	if over := len(t.text) - maxStderr; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(t.text)), "?")
}
