package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"castellan/bot/opponents"
	"castellan/lichess/sandbox"
)

// TestStateIsKeptAndDamageIsTold plays a game, ends, and starts anew with the state and with a damaged one.
func TestStateIsKeptAndDamageIsTold(t *testing.T) {
	server := startSandbox(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "opponents.json")
	rival := startProcess(t, server.URL, "lip_rival")
	rival.logged(`"msg":"online"`)
	env := []string{"CASTELLAN_STATE_DIR=" + dir, "CASTELLAN_ACCEPT_BOTS_OPPONENT_GAMES_PER_DAY=1", "CASTELLAN_ACCEPT_QUEUE=0"}
	challenge := func(p *process, want string) {
		t.Helper()
		id, err := server.Challenge("Rival", "Castellan", sandbox.ChallengeSetup{HasClock: true, Limit: 180})
		if err != nil {
			t.Fatal(err)
		}
		if line := p.logged(`"challenge":"` + id); !strings.Contains(line, want) {
			t.Errorf("want %q: %s", want, line)
		}
	}
	leave := func(p *process) {
		t.Helper()
		p.Process.Signal(syscall.SIGTERM)
		if code, rest := p.ended(); code != 0 {
			t.Fatalf("exit code %d: %s", code, rest)
		}
	}
	first := startProcess(t, server.URL, "lip_castellan", env...)
	first.logged(`"msg":"online"`)
	challenge(first, "challenge accepted")
	first.logged(`"msg":"game"`)
	leave(first)
	book, err := opponents.Load(dir, time.Now())
	if err != nil || book.BotGames(time.Now()) != 1 {
		t.Fatalf("%d games kept, error %v", book.BotGames(time.Now()), err)
	}

	second := startProcess(t, server.URL, "lip_castellan", env...)
	second.logged(`"msg":"online"`)
	challenge(second, "were played within 24 hours")
	leave(second)

	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	third := startProcess(t, server.URL, "lip_castellan", env...)
	if line := third.logged("some of the state is lost"); !strings.Contains(line, "opponents.json.damaged") || !strings.Contains(line, "WARN") {
		t.Errorf("the log does not say what became of the file: %s", line)
	}
	third.logged(`"msg":"online"`)
	leave(third)

	wrong := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_STATE_DIR=/nowhere/state")
	if code, rest := wrong.ended(); code != exitUsage || !strings.Contains(rest, "CASTELLAN_STATE_DIR") || !strings.Contains(rest, "make the folder") {
		t.Errorf("a start with a directory that is not there: exit code %d: %s", code, rest)
	}
	leave(rival)
}
