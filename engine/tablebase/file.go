package tablebase

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// file is a table on disk, mapped when it is asked for the first time.
type file struct {
	path     string
	kind     *kind
	material material
	size     int

	table  atomic.Pointer[table] // nil until then
	broken atomic.Bool           // it cannot be used

	mu    sync.Mutex // guards what is below, and the opening
	data  []byte
	unmap func() error
	fault error // why it is broken, until it has been told
}

// minFile and sizeStep are what the size of every file obeys: a multiple of 64 and the checksum.
const (
	minFile  = blockAlign + checksum
	sizeStep = blockAlign
)

// checkSize tells what is wrong with the size of a file.
func checkSize(size int64) error {
	switch {
	case size < minFile || size%sizeStep != checksum:
		return fmt.Errorf("it is cut off or no table: no table has %d bytes", size)
	case int64(int(size)) != size:
		return fmt.Errorf("its %d bytes are too many for this system", size)
	}
	return nil
}

// get returns the table, or nil when the file cannot be used.
func (f *file) get() *table {
	if t := f.table.Load(); t != nil && !f.broken.Load() {
		return t
	}
	return f.open()
}

func (f *file) open() *table {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken.Load() {
		return nil
	}
	if t := f.table.Load(); t != nil {
		return t
	}
	t, err := f.load()
	if err != nil {
		f.breakWith(err)
		return nil
	}
	f.table.Store(t)
	return t
}

// load maps the file and reads its head. The mapping stays until close, since other goroutines may read in it.
func (f *file) load() (*table, error) {
	opened, err := os.Open(f.path)
	if err != nil {
		return nil, reason(err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return nil, reason(err)
	}
	if info.Size() != int64(f.size) {
		return nil, fmt.Errorf("it has %d bytes and had %d", info.Size(), f.size)
	}
	if f.data, f.unmap, err = mapFile(opened, f.size); err != nil {
		return nil, err
	}
	return readTable(f.data, f.kind, f.material)
}

// damaged notes that a value of the table does not make sense.
func (f *file) damaged(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.breakWith(fmt.Errorf("it is damaged: %s", what))
}

// breakWith is called with the lock held; the first fault counts.
func (f *file) breakWith(err error) {
	if !f.broken.Swap(true) {
		f.fault = fmt.Errorf("tablebase %q: %w", f.path, err)
	}
}

// takeFault returns the fault once.
func (f *file) takeFault() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.fault
	f.fault = nil
	return err
}

// holds tells whether an address lies in the mapping.
func (f *file) holds(address uintptr) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	start := uintptr(unsafe.Pointer(unsafe.SliceData(f.data)))
	return len(f.data) > 0 && address >= start && address-start < uintptr(len(f.data))
}

func (f *file) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken.Store(true)
	unmap := f.unmap
	f.data, f.unmap = nil, nil
	if unmap == nil {
		return nil
	}
	return unmap()
}

// splitName divides a file's name into the table's and the kind.
func splitName(name string) (string, *kind, bool) {
	for _, k := range []*kind{&kindWDL, &kindDTZ} {
		if table, found := strings.CutSuffix(name, k.ending); found {
			return table, k, true
		}
	}
	return "", nil, false
}
