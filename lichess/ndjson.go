package lichess

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

// MaxLine is the greatest length of a line of a stream, in bytes. A game of
// 600 plies takes about 4 kB.
const MaxLine = 1 << 20

const ndjsonType = "application/x-ndjson"

// readLines calls take for each line that is not blank, until the reader ends.
// A last line without line feed counts too: it may be complete. The line is
// valid during the call only. It returns nil at the end of the input,
// ErrLineTooLong, or the reader's error.
func readLines(r io.Reader, take func(line []byte) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 4096), MaxLine)
	for scanner.Scan() {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := take(line); err != nil {
			return err
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return ErrLineTooLong
	}
	return scanner.Err()
}

// watchedReader puts the alarm off with each byte that arrives, be it only
// that of a blank keep-alive line.
type watchedReader struct {
	io.Reader
	alarm *time.Timer
	idle  time.Duration
}

func (w *watchedReader) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.alarm.Reset(w.idle)
	}
	return n, err
}
