//go:build linux || darwin

package archive

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"castellan/engine/chess"
)

// TestWriteThatBreaksOff lets the disk take half a game: the file is what it was before.
func TestWriteThatBreaksOff(t *testing.T) {
	dir := t.TempDir()
	if err := place(dir, Together, pgnOf(t, "AAAAAAAA"), chess.Black); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "games.pgn")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A limit on the size of files stands for a disk that is nearly full: it takes what fits.
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	low := limit
	low.Cur = uint64(len(before)) + 100
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		t.Skip("files cannot be limited here:", err)
	}
	shared := place(dir, Together, pgnOf(t, "BBBBBBBB"), chess.Black)
	low.Cur = 100
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		t.Fatal(err)
	}
	alone := place(dir, ByGame, pgnOf(t, "CCCCCCCC"), chess.Black)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if shared == nil || alone == nil {
		t.Fatalf("half a game was taken for a whole one: %v, %v", shared, alone)
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
