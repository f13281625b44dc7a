package training

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A file is a header and then one block for each game:
//
//	header  8 bytes "CASTDATA", 4 bytes version, 4 bytes RecordSize
//	block   4 bytes number of records, 1..MaxGame; 4 bytes CRC-32C of the
//	        records; the records
//
// Numbers are little-endian.
const (
	magic       = "CASTDATA"
	version     = 1
	headerSize  = 16
	blockHeader = 8
)

// MaxGame is the largest number of records in a block.
const MaxGame = 4096

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrTruncated says that a file ends within a block, as when a writer was
// stopped. All games before it are good.
var ErrTruncated = errors.New("the file ends within a game; those before it are good")

// Writer writes games.
type Writer struct {
	to  io.Writer
	buf []byte
}

// NewWriter begins a file with its header.
func NewWriter(to io.Writer) (*Writer, error) {
	header := append(make([]byte, 0, headerSize), magic...)
	header = binary.LittleEndian.AppendUint32(header, version)
	header = binary.LittleEndian.AppendUint32(header, RecordSize)
	if _, err := to.Write(header); err != nil {
		return nil, fmt.Errorf("training: writing the header: %w", err)
	}
	return &Writer{to: to}, nil
}

// Game writes the records of a game, 1..MaxGame, in one Write.
func (w *Writer) Game(records []Record) error {
	if len(records) < 1 || len(records) > MaxGame {
		return fmt.Errorf("training: a game of %d records: it must have 1 to %d", len(records), MaxGame)
	}
	w.buf = binary.LittleEndian.AppendUint32(w.buf[:0], uint32(len(records)))
	w.buf = append(w.buf, 0, 0, 0, 0)
	for i := range records {
		w.buf = append(w.buf, records[i][:]...)
	}
	binary.LittleEndian.PutUint32(w.buf[4:], crc32.Checksum(w.buf[blockHeader:], castagnoli))
	if _, err := w.to.Write(w.buf); err != nil {
		return fmt.Errorf("training: writing a game: %w", err)
	}
	return nil
}

// Reader reads games.
type Reader struct {
	from   io.Reader
	offset int64
	games  int
	buf    []byte
}

// NewReader checks the header.
func NewReader(from io.Reader) (*Reader, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(from, header[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("training: no training data: too short for a header")
		}
		return nil, fmt.Errorf("training: reading the header: %w", err)
	}
	if string(header[:8]) != magic {
		return nil, fmt.Errorf("training: no training data: it begins with %q instead of %q", header[:8], magic)
	}
	if v := binary.LittleEndian.Uint32(header[8:]); v != version {
		return nil, fmt.Errorf("training: data of version %d: this program reads version %d", v, version)
	}
	if n := binary.LittleEndian.Uint32(header[12:]); n != RecordSize {
		return nil, fmt.Errorf("training: records of %d bytes: they must have %d", n, RecordSize)
	}
	return &Reader{from: from, offset: headerSize}, nil
}

// Game appends the records of the next game to records and returns the whole.
// The end of the file is io.EOF, an end within a game wraps ErrTruncated, and
// a damaged game is an error that says where. No game can be read after an
// error.
func (r *Reader) Game(records []Record) ([]Record, error) {
	var header [blockHeader]byte
	if _, err := io.ReadFull(r.from, header[:]); err == io.EOF {
		return records, io.EOF
	} else if err != nil {
		return records, r.fault(err)
	}
	count := binary.LittleEndian.Uint32(header[:])
	if count < 1 || count > MaxGame {
		return records, r.fault(fmt.Errorf("a game of %d records: it must have 1 to %d", count, MaxGame))
	}
	size := int(count) * RecordSize
	if cap(r.buf) < size {
		r.buf = make([]byte, MaxGame*RecordSize)
	}
	buf := r.buf[:size]
	if _, err := io.ReadFull(r.from, buf); err != nil {
		return records, r.fault(err)
	}
	if crc32.Checksum(buf, castagnoli) != binary.LittleEndian.Uint32(header[4:]) {
		return records, r.fault(errors.New("the checksum is wrong: the file is damaged"))
	}
	for ; len(buf) > 0; buf = buf[RecordSize:] {
		records = append(records, Record(buf))
	}
	r.games++
	r.offset += int64(blockHeader + size)
	return records, nil
}

// fault names the place of an error.
func (r *Reader) fault(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = ErrTruncated
	}
	return fmt.Errorf("training: game %d at byte %d: %w", r.games+1, r.offset, err)
}
