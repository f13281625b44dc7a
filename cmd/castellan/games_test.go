package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"castellan/bot/archive"
	"castellan/lichess/sandbox"
)

// TestGamesAreKept kills the daemon in mid-game, starts it anew, and counts what is in the folder then.
func TestGamesAreKept(t *testing.T) {
	server := startSandbox(t)
	dir := filepath.Join(t.TempDir(), "games")
	keep := []string{"CASTELLAN_PGN_DIR=" + dir, "CASTELLAN_PGN_FILES=opponent"}
	first := startProcess(t, server.URL, "lip_castellan", keep...)
	id, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival",
		Limit: 5 * time.Second, Increment: 200 * time.Millisecond, FEN: "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"})
	if err != nil {
		t.Fatal(err)
	}
	draft := filepath.Join(dir, "unfinished", id+".pgn")
	for text := ""; !strings.Contains(text, "[%eval"); { // the first move with a score is kept
		b, _ := os.ReadFile(draft)
		text = string(b)
		time.Sleep(time.Millisecond)
	}
	first.Process.Kill()
	first.Wait()
	before, err := os.ReadFile(draft)
	if err != nil {
		t.Fatal(err)
	}
	second := startProcess(t, server.URL, "lip_castellan", append(keep, "CASTELLAN_SHUTDOWN=finish")...)
	second.logged(id)
	startProcess(t, server.URL, "lip_rival").logged(id) // with him there before, the game could be over by now
	second.Process.Signal(syscall.SIGTERM)
	if code, rest := second.ended(); code != 0 {
		t.Fatalf("exit code %d, log:\n%s", code, rest)
	}
	text, err := os.ReadFile(filepath.Join(dir, "vs-rival.pgn"))
	if err != nil {
		t.Fatal(err)
	}
	opening := func(pgn []byte) string {
		_, moves, _ := strings.Cut(string(pgn), "\n\n")
		return strings.Join(strings.Fields(moves)[:8], " ") // the first move with its score and its clock
	}
	if !strings.Contains(string(text), `[GameId "`+id+`"]`) || opening(text) != opening(before) {
		t.Errorf("kept before the kill:\n%s\nkept at the end:\n%s", before, text)
	}
	if _, err := os.Stat(draft); err == nil {
		t.Error("the game is still among the unfinished ones")
	}

	var s archive.Stats
	out, err := exec.Command("castellan", "stats", "--json", "--name", "castellan", dir).Output()
	if err != nil || json.Unmarshal(out, &s) != nil || s.All != (archive.Count{Won: 1}) || s.BySpeed["ultraBullet"] != s.All || s.ByOpponent[archive.Bot] != s.All {
		t.Errorf("castellan stats: %v\n%s", err, out)
	}
}
