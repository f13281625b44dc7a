package book

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"

	"castellan/engine/chess"
)

// maxSameKey is how many entries a file may have for one key. No position has more than 218 legal moves; the rest is room for files
// that were put together from several.
const maxSameKey = 1024

// Book is an open book. It may be used by several goroutines at once.
type Book struct {
	name    string
	r       io.ReaderAt
	entries int
	close   func() error
}

// Move is a move of a book with its weight, 0 or more; 0 is never to be played. Weights mean something only beside those of the
// same position.
type Move struct {
	Move   chess.Move
	Weight int
}

// Open opens a book file and checks it from end to end. The file stays open until Close.
//
// The error names the file and says what is wrong with it: it cannot be read, is empty, ends within an entry, or is not
// sorted by key.
func Open(path string) (*Book, error) {
	file, err := os.Open(path)
	if err != nil {
		var fault *fs.PathError
		if errors.As(err, &fault) {
			err = fault.Err
		}
		return nil, fmt.Errorf("opening book %q cannot be opened: %w", path, err)
	}
	book, err := open(file, path)
	if err != nil {
		file.Close()
		return nil, err
	}
	return book, nil
}

func open(file *os.File, path string) (*Book, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("opening book %q: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening book %q is no file", path)
	}
	book, err := New(file, info.Size(), path)
	if err != nil {
		return nil, err
	}
	book.close = file.Close
	return book, nil
}

// New is Open for a book of size bytes that is read from r. The name is for error messages.
func New(r io.ReaderAt, size int64, name string) (*Book, error) {
	switch {
	case size == 0:
		return nil, fmt.Errorf("opening book %q is empty", name)
	case size%entrySize != 0:
		return nil, fmt.Errorf("opening book %q is cut off or no Polyglot book: %d bytes are no multiple of %d", name, size, entrySize)
	}
	b := &Book{name: name, r: r, entries: int(size / entrySize), close: func() error { return nil }}
	if err := b.check(size); err != nil {
		return nil, err
	}
	return b, nil
}

// check reads all entries once.
func (b *Book) check(size int64) error {
	in := bufio.NewReaderSize(io.NewSectionReader(b.r, 0, size), 64<<10)
	var raw [entrySize]byte
	var last uint64
	same := 0
	for i := range b.entries {
		if _, err := io.ReadFull(in, raw[:]); err != nil {
			return b.readFault(i, err)
		}
		e := readEntry(raw[:])
		switch {
		case e.key < last:
			return fmt.Errorf("opening book %q is no Polyglot book or damaged: entry %d of %d is out of order", b.name, i+1, b.entries)
		case e.key > last:
			same = 0
		}
		if same++; same > maxSameKey {
			return fmt.Errorf("opening book %q is damaged: more than %d entries up to number %d have the same key", b.name, maxSameKey, i+1)
		}
		last = e.key
	}
	return nil
}

func (b *Book) readFault(i int, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("opening book %q has become shorter since it was opened", b.name)
	}
	return fmt.Errorf("opening book %q, entry %d: %w", b.name, i+1, err)
}

// Name returns the path of the file.
func (b *Book) Name() string { return b.name }

// Len returns the number of entries.
func (b *Book) Len() int { return b.entries }

// Close closes the file.
func (b *Book) Close() error { return b.close() }

// Moves returns the book's legal moves for a position under its key (see Key and GameKey), the heaviest first. Entries for the
// same move are added up. An error says that the file could not be read.
func (b *Book) Moves(p *chess.Position, key uint64) ([]Move, error) {
	var moves []Move
	first, err := b.find(key)
	if err != nil {
		return nil, err
	}
	for i := first; i < min(b.entries, first+maxSameKey); i++ {
		e, err := b.at(i)
		if err != nil {
			return nil, err
		}
		if e.key != key {
			break
		}
		m, ok := unpackMove(p, e.move)
		if !ok {
			continue
		}
		if known := slices.IndexFunc(moves, func(k Move) bool { return k.Move == m }); known >= 0 {
			moves[known].Weight += int(e.weight)
		} else {
			moves = append(moves, Move{m, int(e.weight)})
		}
	}
	slices.SortStableFunc(moves, func(x, y Move) int { return cmp.Compare(y.Weight, x.Weight) })
	return moves, nil
}

// find returns the index of the first entry whose key is not less.
func (b *Book) find(key uint64) (first int, err error) {
	first = sort.Search(b.entries, func(i int) bool {
		if err != nil {
			return true
		}
		var e entry
		e, err = b.at(i)
		return e.key >= key
	})
	return first, err
}

func (b *Book) at(i int) (entry, error) {
	var raw [entrySize]byte
	if n, err := b.r.ReadAt(raw[:], int64(i)*entrySize); n < entrySize {
		return entry{}, b.readFault(i, err)
	}
	return readEntry(raw[:]), nil
}
