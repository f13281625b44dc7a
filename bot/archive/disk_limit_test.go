//go:build linux || darwin

package archive

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"castellan/engine/chess"
)

// limitedDir names the folder that the test's child writes to on its nearly full disk.
const limitedDir = "LIMITED_DIR"

// TestWriteThatBreaksOff lets the disk take half a game: the file is what it was before.
func TestWriteThatBreaksOff(t *testing.T) {
	if dir := os.Getenv(limitedDir); dir != "" {
		writeLimited(t, dir)
		return
	}
	dir := t.TempDir()
	if err := place(dir, Together, pgnOf(t, "AAAAAAAA"), chess.Black); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "games.pgn")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The limit holds for a process and all that it writes, the notes of the test itself too: it is for a child.
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestWriteThatBreaksOff$", "-test.v")
	child.Env = append(os.Environ(), limitedDir+"="+dir)
	said, err := child.CombinedOutput()
	switch {
	case strings.Contains(string(said), "--- SKIP"):
		t.Skipf("files cannot be limited here:\n%s", said)
	case err != nil || !strings.Contains(string(said), "--- PASS"):
		t.Fatalf("%v:\n%s", err, said)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file has become (%v)\n%s", err, after)
	}
	nothingUnfinished(t, dir)
	if games := read(t, dir); len(games) != 1 {
		t.Errorf("%d games", len(games))
	}
	if err := place(dir, Together, pgnOf(t, "BBBBBBBB"), chess.Black); err != nil {
		t.Fatal(err)
	}
	if games := read(t, dir); len(games) != 2 {
		t.Errorf("%d games", len(games))
	}
}

// writeLimited wants half a game to be a fault. A limit on the size of files stands for a disk that is nearly full: it takes what fits.
func writeLimited(t *testing.T, dir string) {
	info, err := os.Stat(filepath.Join(dir, "games.pgn"))
	if err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) // a figure of coverage is written at the end
	signal.Ignore(syscall.SIGXFSZ)
	for _, tt := range []struct {
		files Grouping
		id    string
		room  int64 // bytes
	}{{Together, "BBBBBBBB", info.Size() + 100}, {ByGame, "CCCCCCCC", 100}} {
		low := limit
		low.Cur = uint64(tt.room)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
			t.Skip(err)
		}
		if err := place(dir, tt.files, pgnOf(t, tt.id), chess.Black); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("%s: half a game was taken for a whole one: %v", tt.id, err)
		}
	}
}
