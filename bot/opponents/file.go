package opponents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"castellan/lichess"
)

const (
	// fileName is the book's file in the state directory.
	fileName = "opponents.json"
	// maxFile is the largest file that is read, in bytes.
	maxFile = 64 << 20
	version = 1
	// furthest is how far in the future anything in the book may lie; what lies further was written by a clock that was wrong.
	furthest = 31 * Day
)

// onFile is the book as it is kept. Entries are decoded one by one, so that one that is damaged costs no other.
type onFile struct {
	Version    int                        `json:"version"`
	Challenges []time.Time                `json:"challenges"`
	Points     []int                      `json:"points"` // what each of them cost; older files have none of these, and challenges to bots alone
	Accounts   map[string]json.RawMessage `json:"accounts"`
}

var idForm = regexp.MustCompile(`^[a-z0-9_-]{1,60}$`)

// Load reads the book in a directory; there is none at first. With an error the book is usable all the same and holds what could
// be read. A file that cannot be used as a whole is put aside under another name, which the error tells.
func Load(dir string, now time.Time) (*Book, error) {
	path := filepath.Join(dir, fileName)
	content, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return New(), nil
	case err != nil:
		return New(), fmt.Errorf("what is known of opponents could not be read, starting anew: %w", err)
	}
	book, lost, err := parse(content, now)
	if err == nil && lost == 0 {
		return book, nil
	}
	aside := path + ".damaged"
	if renamed := os.Rename(path, aside); renamed != nil {
		aside = "nowhere: " + renamed.Error()
	}
	book.changed = true
	if err != nil {
		return book, fmt.Errorf("%s is damaged, starting anew; it is kept as %s: %w", path, aside, err)
	}
	return book, fmt.Errorf("%s is damaged: %d of its accounts are lost, the others are kept; the file is kept as %s", path, lost, aside)
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", path, maxFile)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile))
}

// parse reads a file's content. It counts the accounts that could not be read; the error is about the file as a whole.
func parse(content []byte, now time.Time) (book *Book, lost int, err error) {
	book = New()
	var file onFile
	if err := json.Unmarshal(content, &file); err != nil {
		return book, 0, err
	}
	if file.Version != version {
		return book, 0, fmt.Errorf("it is of version %d, and this program writes version %d", file.Version, version)
	}
	if n := len(file.Points); n != 0 && n != len(file.Challenges) {
		return book, 0, fmt.Errorf("it has the cost of %d challenges, and %d challenges", n, len(file.Challenges))
	}
	bot, person := lichess.ChallengePoints(true), lichess.ChallengePoints(false)
	for i, at := range file.Challenges {
		use := lichess.ChallengeUse{At: at, Points: bot}
		if len(file.Points) > 0 {
			use.Points = min(max(file.Points[i], bot), person)
		}
		if !at.After(now) {
			book.challenges = append(book.challenges, use)
		}
	}
	slices.SortStableFunc(book.challenges, func(x, y lichess.ChallengeUse) int { return x.At.Compare(y.At) })
	for _, id := range slices.Sorted(maps.Keys(file.Accounts)) {
		var a account
		if err := json.Unmarshal(file.Accounts[id], &a); err != nil || !idForm.MatchString(id) {
			lost++
			continue
		}
		a.settle(now)
		book.accounts[id] = &a
	}
	book.forget(now)
	return book, lost, nil
}

// settle brings what was read into what could have been written.
func (a *account) settle(now time.Time) {
	latest := now.Add(furthest)
	a.Games = slices.DeleteFunc(a.Games, func(g game) bool { return g.At.After(now) })
	slices.SortStableFunc(a.Games, func(x, y game) int { return x.At.Compare(y.At) })
	a.Games = a.Games[max(len(a.Games)-mostGames, 0):]
	for i := range a.Games {
		d := &a.Games[i].Doings
		d.Takebacks, d.OfferedAt = max(d.Takebacks, 0), max(d.OfferedAt, 0)
	}
	if a.Ended.After(now) {
		a.Ended = time.Time{}
	}
	if a.Away.After(latest) {
		a.Away = time.Time{}
	}
	a.Misses = min(max(a.Misses, 0), 64)
	maps.DeleteFunc(a.Refused, func(_ string, until time.Time) bool { return until.After(latest) })
}

// encode is the book as it is kept.
func (b *Book) encode() ([]byte, error) {
	file := struct {
		Version    int                 `json:"version"`
		Challenges []time.Time         `json:"challenges"`
		Points     []int               `json:"points"`
		Accounts   map[string]*account `json:"accounts"`
	}{Version: version, Challenges: []time.Time{}, Points: []int{}, Accounts: b.accounts}
	for _, c := range b.challenges {
		file.Challenges, file.Points = append(file.Challenges, c.At), append(file.Points, c.Points)
	}
	return json.Marshal(file)
}

// Changed returns the book's file when it has changed since this was asked last, nil otherwise.
func (b *Book) Changed(now time.Time) []byte {
	if !b.changed {
		return nil
	}
	b.forget(now)
	content, err := b.encode()
	if err != nil {
		panic("opponents: " + err.Error()) // there is nothing in it that has no form in JSON
	}
	b.changed = false
	return content
}

// CheckDir tells whether a directory can hold the file. The error names the directory.
func CheckDir(dir string) error {
	file, err := os.CreateTemp(dir, fileName+".*")
	if err != nil {
		cause := err
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			cause = at.Err // the name of the trial file says nothing
		}
		return fmt.Errorf("no file can be written into %s: %w", dir, cause)
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// Unsaved makes Changed return the file again: what it returned last could not be kept.
func (b *Book) Unsaved() { b.changed = true }

// Save writes what Changed has returned into a directory, which must exist: all of it or nothing.
func Save(dir string, content []byte) error {
	file, err := os.CreateTemp(dir, fileName+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, fileName))
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}
