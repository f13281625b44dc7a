package tablebase

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"castellan/engine/chess"
)

// Tables is a set of tables on disk. It may be used by several goroutines at once; where its tables have been used before,
// there are no locks. A nil Tables has none.
type Tables struct {
	byMaterial map[material]pair
	files      []*file
	counts     Counts
}

// pair is what there is for some men; each may be nil.
type pair struct {
	wdl, dtz *file
	mirrored bool // the files are for the men with colours changed
}

// Counts is how many tables there are.
type Counts struct {
	WDL, DTZ       int
	WDLMen, DTZMen int // the most men, kings included, of one of them; 0 when there are none
}

// String tells the counts in words, for a log.
func (c Counts) String() string {
	if c.WDL+c.DTZ == 0 {
		return "no tables"
	}
	return fmt.Sprintf("%d WDL and %d DTZ tables with up to %d men", c.WDL, c.DTZ, max(c.WDLMen, c.DTZMen))
}

// Open lists the tables in directories. Of two with the same name the one in the directory named first is taken; files that
// are no tables by their names are let be. The tables themselves are opened when they are needed, and stay open until Close.
//
// All faults are told at once: a directory that cannot be read or has no tables, and tables of an impossible size, as those are
// that were not downloaded to the end.
func Open(directories []string) (*Tables, error) {
	t := &Tables{byMaterial: map[material]pair{}}
	var faults []error
	for _, directory := range directories {
		if err := t.list(directory); err != nil {
			faults = append(faults, err)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Tables) list(directory string) error {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return fmt.Errorf("tablebase directory %q cannot be read: %w", directory, reason(err))
	}
	var faults []error
	found := 0
	for _, entry := range entries {
		name, kind, ok := splitName(entry.Name())
		if !ok {
			continue
		}
		men, ok := parseMaterial(name)
		if !ok {
			continue
		}
		found++
		path := filepath.Join(directory, entry.Name())
		if err := t.add(path, kind, men); err != nil {
			faults = append(faults, fmt.Errorf("tablebase %q: %w", path, err))
		}
	}
	if found == 0 {
		return fmt.Errorf("tablebase directory %q has no tables, which are files such as KQvK.rtbw and KQvK.rtbz", directory)
	}
	return errors.Join(faults...)
}

// add takes a file in, unless there is one for its men already.
func (t *Tables) add(path string, k *kind, m material) error {
	info, err := os.Stat(path)
	if err != nil {
		return reason(err)
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no file")
	}
	if err := checkSize(info.Size()); err != nil {
		return err
	}
	p := t.byMaterial[m]
	place, count, men := &p.wdl, &t.counts.WDL, &t.counts.WDLMen
	if k == &kindDTZ {
		place, count, men = &p.dtz, &t.counts.DTZ, &t.counts.DTZMen
	}
	if *place != nil || p.mirrored {
		return nil
	}
	*place = &file{path: path, kind: k, material: m, size: int(info.Size())}
	t.files = append(t.files, *place)
	*count++
	*men = max(*men, m.men())
	t.byMaterial[m] = p
	if other := m.mirrored(); other != m {
		p.mirrored = true
		t.byMaterial[other] = p
	}
	return nil
}

// Counts tells how many tables there are.
func (t *Tables) Counts() Counts {
	if t == nil {
		return Counts{}
	}
	return t.counts
}

// MaxMen is the most men, kings included, with which ProbeWDL may know the result; 0 when there are no WDL tables.
func (t *Tables) MaxMen() int { return t.Counts().WDLMen }

// Faults returns what has been found to be wrong with tables since it was last asked: files that cannot be opened, are no
// tables or are damaged. Each is told once, with its name, and not used again.
func (t *Tables) Faults() error {
	if t == nil {
		return nil
	}
	var faults []error
	for _, f := range t.files {
		if f.broken.Load() {
			faults = append(faults, f.takeFault())
		}
	}
	return errors.Join(faults...)
}

// Close closes the tables. Nobody may be asking them any more.
func (t *Tables) Close() error {
	if t == nil {
		return nil
	}
	var faults []error
	for _, f := range t.files {
		faults = append(faults, f.close())
	}
	return errors.Join(faults...)
}

// find returns what there is for the men of a position.
func (t *Tables) find(p *chess.Position) pair { return t.byMaterial[materialOf(p)] }

// reason strips an error of the operation and path, which the message has already.
func reason(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}
