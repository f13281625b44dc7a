package sandbox

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// queueLines is how many lines wait for a reader before the oldest are lost.
const queueLines = 32

// stream is an NDJSON reply that goes on: lines are pushed by whoever holds
// s.mu, and written by the request that opened it.
type stream struct {
	first [][]byte // written before the queue; not limited
	onEnd func()   // called with s.mu held when the request ends; may be nil
	beat  *timer   // pushes blank lines

	mu     sync.Mutex
	queue  [][]byte
	closed bool
	wake   chan struct{} // has room for one, so that no wake-up is lost
}

// newStream returns a stream that gets a blank line each period; with 0 it
// gets none. onBeat, when not nil, runs with each. The caller holds s.mu.
func (s *Server) newStream(period time.Duration, onBeat func()) *stream {
	st := &stream{wake: make(chan struct{}, 1)}
	if period > 0 {
		st.beat = s.every(period, func() {
			st.pushLine(nil)
			if onBeat != nil {
				onBeat()
			}
		})
	}
	s.streams[st] = struct{}{}
	return st
}

// push adds a value as a line. It never blocks: when the queue is full the
// oldest line is dropped.
func (st *stream) push(v any) { st.pushLine(encode(v)) }

func (st *stream) pushLine(line []byte) {
	st.mu.Lock()
	if !st.closed {
		if len(st.queue) == queueLines {
			st.queue = st.queue[1:]
		}
		st.queue = append(st.queue, line)
	}
	st.mu.Unlock()
	st.poke()
}

// close ends the stream once the lines that wait are written.
func (st *stream) close() {
	st.mu.Lock()
	st.closed = true
	st.mu.Unlock()
	st.poke()
}

func (st *stream) poke() {
	select {
	case st.wake <- struct{}{}:
	default:
	}
}

// take returns the lines that wait, and whether the stream ends after them.
func (st *stream) take() (lines [][]byte, last bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	lines, st.queue = st.queue, nil
	return lines, st.closed
}

// serve writes the stream until it is closed or the reader is gone.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, st *stream) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cancel(st.beat)
		delete(s.streams, st)
		if st.onEnd != nil {
			st.onEnd()
		}
	}()
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	lines, last := st.first, false
	for {
		for _, line := range lines {
			if _, err := w.Write(append(line[:len(line):len(line)], '\n')); err != nil {
				return
			}
		}
		if last || flush() != nil {
			return
		}
		if lines, last = st.take(); len(lines) > 0 || last {
			continue
		}
		select {
		case <-st.wake:
			lines, last = st.take()
		case <-r.Context().Done():
			return
		}
	}
}

// encode marshals one of the package's own replies, which cannot fail.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("sandbox: a reply does not marshal: " + err.Error())
	}
	return b
}
