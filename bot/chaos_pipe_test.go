package bot_test

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// newChaosPipe returns the two ends of a connection in memory. Unlike those of net.Pipe they have buffers, as the kernel's
// have: who writes never waits, and so never holds a lock while synthetic time has to pass.
func newChaosPipe() (a, b *chaosEnd) {
	one, other := newChaosWay(), newChaosWay()
	return &chaosEnd{in: one, out: other}, &chaosEnd{in: other, out: one}
}

// chaosEnd is one end of a connection.
type chaosEnd struct{ in, out *chaosWay }

func (e *chaosEnd) Read(p []byte) (int, error)  { return e.in.read(p) }
func (e *chaosEnd) Write(p []byte) (int, error) { return e.out.write(p) }

func (e *chaosEnd) Close() error {
	e.in.shut(true)
	e.out.shut(false)
	return nil
}

func (e *chaosEnd) LocalAddr() net.Addr  { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (e *chaosEnd) RemoteAddr() net.Addr { return e.LocalAddr() }

func (e *chaosEnd) SetDeadline(t time.Time) error     { return e.SetReadDeadline(t) }
func (e *chaosEnd) SetWriteDeadline(time.Time) error  { return nil }
func (e *chaosEnd) SetReadDeadline(t time.Time) error { return e.in.setDeadline(t) }

// chaosWay is one direction of a connection.
type chaosWay struct {
	mu       sync.Mutex
	changed  *sync.Cond
	buf      []byte
	ended    bool // the writer has closed: what is in the buffer is still read
	gone     bool // the reader has closed
	deadline time.Time
	alarm    *time.Timer
}

func newChaosWay() *chaosWay {
	w := &chaosWay{}
	w.changed = sync.NewCond(&w.mu)
	return w
}

func (w *chaosWay) read(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		switch {
		case w.gone:
			return 0, net.ErrClosed
		case !w.deadline.IsZero() && !time.Now().Before(w.deadline):
			return 0, os.ErrDeadlineExceeded
		case len(w.buf) > 0:
			n := copy(p, w.buf)
			w.buf = w.buf[n:]
			return n, nil
		case w.ended:
			return 0, io.EOF
		}
		w.changed.Wait()
	}
}

func (w *chaosWay) write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.ended:
		return 0, net.ErrClosed
	case w.gone:
		return 0, syscall.EPIPE
	}
	w.buf = append(w.buf, p...)
	w.changed.Broadcast()
	return len(p), nil
}

func (w *chaosWay) shut(byReader bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if byReader {
		w.gone = true
	} else {
		w.ended = true
	}
	if w.alarm != nil {
		w.alarm.Stop()
	}
	w.changed.Broadcast()
}

func (w *chaosWay) setDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.alarm != nil {
		w.alarm.Stop()
	}
	if w.deadline = t; !t.IsZero() {
		w.alarm = time.AfterFunc(time.Until(t), w.changed.Broadcast)
	}
	w.changed.Broadcast()
	return nil
}
