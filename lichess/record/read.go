package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

const (
	// longestEntry bounds a line of a file, in bytes. The recorder cuts texts at a megabyte, which escapes can make six times as long.
	longestEntry = 8 << 20
	// largestRun bounds what is read of one run, in bytes.
	largestRun = 1 << 30
)

// Run is what one run of the program has recorded.
type Run struct {
	Name  string
	Files []string // its parts, oldest first
}

// fileForm is the name of a file: run and part.
var fileForm = regexp.MustCompile(`^(castellan-[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9]{1,10})-([0-9]{4,9})\.ndjson$`)

// Runs lists the runs recorded in a folder, oldest first. It fails when there are none.
func Runs(dir string) ([]Run, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	var runs []Run
	for _, f := range files { // sorted by name
		name := fileForm.FindStringSubmatch(f.Name())
		if name == nil || !f.Type().IsRegular() {
			continue
		}
		if n := len(runs); n == 0 || runs[n-1].Name != name[1] {
			runs = append(runs, Run{Name: name[1]})
		}
		run := &runs[len(runs)-1]
		run.Files = append(run.Files, filepath.Join(dir, f.Name()))
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("record: %s holds no recording: its files are named castellan-TIME-PROCESS-PART.ndjson", dir)
	}
	return runs, nil
}

// A CutError is a last line without an end, as a program leaves it that was killed or had no room on the disk.
type CutError struct{ Where string }

func (e *CutError) Error() string {
	return "record: " + e.Where + ": the line is cut off; what came after it is missing"
}

// Read returns the entries of the run. A file that is not as the recorder writes it gives an error with file and line. With a
// *CutError, of which there may be one for each file, all entries that are whole are returned.
func (r Run) Read() ([]Entry, error) {
	var all []Entry
	var cuts []error
	size := int64(0)
	for _, name := range r.Files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("record: %w", err)
		}
		if size += info.Size(); size > largestRun {
			return nil, fmt.Errorf("record: %s: the run is larger than %d bytes", name, largestRun)
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("record: %w", err)
		}
		err = read(name, io.LimitReader(file, largestRun), func(e Entry) { all = append(all, e) })
		file.Close()
		if cut := (*CutError)(nil); errors.As(err, &cut) {
			cuts = append(cuts, err)
		} else if err != nil {
			return nil, err
		}
	}
	return all, errors.Join(cuts...)
}

// read calls take with each entry of a file.
func read(name string, r io.Reader, take func(Entry)) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, longestEntry)
	whole := true
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			return i + 1, data[:i], nil
		}
		if atEOF && len(data) > 0 {
			whole = false
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	line := 1
	for ; scanner.Scan(); line++ {
		where := fmt.Sprintf("%s:%d", name, line)
		if !whole {
			return &CutError{where}
		}
		e, err := parseEntry(scanner.Bytes())
		switch {
		case err != nil:
			return fmt.Errorf("record: %s: %w", where, err)
		case (line == 1) != (e.Kind == Start):
			return fmt.Errorf("record: %s: a file begins with a start and has no other", where)
		}
		e.Where = where
		take(e)
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("record: %s:%d: the line is longer than %d bytes", name, line, longestEntry)
	case err != nil:
		return fmt.Errorf("record: %s:%d: %w", name, line, err)
	case line == 1:
		return fmt.Errorf("record: %s:1: the file is empty", name)
	}
	return nil
}

// sizes returns the recorder's files in a folder, oldest first, with their sizes in bytes.
func sizes(dir string) (names []string, size map[string]int64, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	size = map[string]int64{}
	for _, f := range files {
		if info, err := f.Info(); err == nil && fileForm.MatchString(f.Name()) && f.Type().IsRegular() {
			name := filepath.Join(dir, f.Name())
			names, size[name] = append(names, name), info.Size()
		}
	}
	slices.Sort(names)
	return names, size, nil
}
