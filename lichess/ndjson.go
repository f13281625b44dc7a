package lichess

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the greatest length of a line of a stream, in bytes. A game of
// 600 plies takes about 4 kB.
const MaxLine = 1 << 20

const ndjsonType = "application/x-ndjson"

// readLines calls take for each line, blank ones included, without the white
// space around it, until the reader ends. A last line without line feed counts
// too: it may be complete. The line is valid during the call only. It returns
// nil at the end of the input, ErrLineTooLong, or the reader's error.
func readLines(r io.Reader, take func(line []byte) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 4096), MaxLine)
	for scanner.Scan() {
		if err := take(bytes.TrimSpace(scanner.Bytes())); err != nil {
			return err
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return ErrLineTooLong
	}
	return scanner.Err()
}
