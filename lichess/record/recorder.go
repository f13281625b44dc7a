package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"castellan/lichess"
)

const (
	// Masked stands in the place of the token.
	Masked = lichess.Masked
	// queueLength and queueBytes bound what waits to be written.
	queueLength = 8192
	queueBytes  = 32 << 20
	// parts is how many files share the room.
	parts = 8
	// writeSize is how many bytes are collected, when there are so many, before they are written.
	writeSize = 64 << 10
	// retryAfter is the pause after a fault of the disk.
	retryAfter = 10 * time.Second
	// closeWait bounds the wait for the disk at the end.
	closeWait = 5 * time.Second
	// LeastBytes is the least room for a recording.
	LeastBytes = 1 << 20
)

// Options say what is recorded and where.
type Options struct {
	Dir      string       // made when it does not exist, for its owner alone
	MaxBytes int64        // of all recordings in Dir; the oldest files make room. LeastBytes or more
	Token    string       // never to be written
	Version  string       // of the program
	Log      *slog.Logger // faults of the disk; nil for none
}

// Recorder writes a recording. Whoever tells it something never waits, and a fault of the disk costs entries and nothing else.
type Recorder struct {
	opts Options
	name string // of the files, without the part
	ids  atomic.Uint64

	queue   chan Entry
	waiting atomic.Int64  // bytes in the queue
	lost    atomic.Uint64 // entries since the last one that was written
	stop    chan struct{}
	done    chan struct{}
	closing sync.Once

	// Owned by the writer, once it runs.
	file     *os.File // nil after a fault
	part     int
	size     int64
	buffer   bytes.Buffer
	retryAt  time.Time
	faultOne error // the last fault told
}

// New opens the first file. Close the recorder when nothing is recorded any more.
func New(o Options) (*Recorder, error) {
	if o.Token == "" {
		return nil, errors.New("record: no token to keep out")
	}
	if o.MaxBytes < LeastBytes {
		return nil, fmt.Errorf("record: room for %d bytes: choose at least %d", o.MaxBytes, LeastBytes)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r := &Recorder{opts: o, queue: make(chan Entry, queueLength), stop: make(chan struct{}), done: make(chan struct{})}
	// Another recorder of this process may have begun in the same millisecond.
	err := fs.ErrExist
	for start := time.Now().UTC(); errors.Is(err, fs.ErrExist); start = start.Add(time.Millisecond) {
		r.name, r.part = fmt.Sprintf("castellan-%s-%d", start.Format("20060102T150405.000Z"), os.Getpid()), 0
		err = r.open()
	}
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	go r.write()
	return r, nil
}

// Close writes what waits and ends the recording. A disk that hangs is not waited for longer than a few seconds.
func (r *Recorder) Close() {
	r.closing.Do(func() { close(r.stop) })
	select {
	case <-r.done:
	case <-time.After(closeWait):
		r.opts.Log.Warn("recording: the disk hangs, the end is missing", "dir", r.opts.Dir)
	}
}

// put adds an entry without ever waiting.
func (r *Recorder) put(e Entry) {
	size := int64(len(e.Text) + len(e.URL) + len(e.Error) + 200)
	if r.waiting.Add(size) <= queueBytes {
		select {
		case r.queue <- e:
			return
		default:
		}
	}
	r.waiting.Add(-size)
	r.lost.Add(1)
}

// mask takes the token out of a text, in whatever form.
func (r *Recorder) mask(text []byte) []byte { return lichess.Scrub(text, r.opts.Token) }

// write is the writer.
func (r *Recorder) write() {
	defer close(r.done)
	for {
		select {
		case e := <-r.queue:
			r.take(e)
		case <-r.stop:
			for {
				select {
				case e := <-r.queue:
					r.take(e)
					continue
				default:
				}
				break
			}
			r.flush()
			if r.file != nil {
				r.file.Close()
			}
			return
		}
	}
}

// take writes an entry, at once when no other waits.
func (r *Recorder) take(e Entry) {
	r.waiting.Add(-int64(len(e.Text) + len(e.URL) + len(e.Error) + 200))
	if r.file == nil && time.Now().Before(r.retryAt) {
		r.lost.Add(1)
		return
	}
	if r.file == nil {
		if err := r.open(); err != nil {
			r.fault(err)
			return
		}
	}
	if n := r.lost.Swap(0); n > 0 {
		r.add(Entry{At: e.At, Kind: Lost, Count: n})
	}
	r.add(e)
	if len(r.queue) == 0 || r.buffer.Len() >= writeSize {
		r.flush()
	}
}

func (r *Recorder) add(e Entry) {
	line, err := json.Marshal(e)
	if err != nil {
		return // no value of an entry fails
	}
	r.buffer.Write(line)
	r.buffer.WriteByte('\n')
}

// flush writes whole lines, so that a file ends with one even when the program is killed, and goes on to the next part when this
// one is full.
func (r *Recorder) flush() {
	if r.file == nil || r.buffer.Len() == 0 {
		r.buffer.Reset()
		return
	}
	n, err := r.file.Write(r.buffer.Bytes())
	r.size += int64(n)
	r.buffer.Reset()
	if err == nil && r.size >= r.opts.MaxBytes/parts {
		if err = r.file.Close(); err == nil {
			r.file = nil
			err = r.open()
		}
	}
	if err != nil {
		r.fault(err)
	}
}

// open begins the next part and makes room for it.
func (r *Recorder) open() error {
	r.makeRoom()
	r.part++
	name := filepath.Join(r.opts.Dir, fmt.Sprintf("%s-%04d.ndjson", r.name, r.part))
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	r.file, r.size = file, 0
	r.add(Entry{At: time.Now().UTC(), Kind: Start, Format: format, Version: r.opts.Version})
	return nil
}

// makeRoom removes the oldest recordings, so that with a new part all have room.
func (r *Recorder) makeRoom() {
	names, size, err := sizes(r.opts.Dir)
	if err != nil {
		return // opening the file will tell
	}
	total := r.opts.MaxBytes / parts
	for _, n := range size {
		total += n
	}
	for _, name := range names {
		if total <= r.opts.MaxBytes {
			return
		}
		if err := os.Remove(name); err == nil {
			total -= size[name]
		}
	}
}

// fault leaves the file alone for a while. The same fault is told once.
func (r *Recorder) fault(err error) {
	r.lost.Add(1) // at least: what was in the buffer
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
	r.buffer.Reset()
	r.retryAt = time.Now().Add(retryAfter)
	if r.faultOne == nil || r.faultOne.Error() != err.Error() {
		r.opts.Log.Warn("recording fails; play goes on", "err", err, "next", retryAfter.String())
	}
	r.faultOne = err
}
