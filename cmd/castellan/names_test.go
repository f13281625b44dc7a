package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"castellan/lichess/sandbox"
)

// TestNamesAreReadAgainOnSignal changes the file of blocked accounts under a running process, once for good and once for ill.
func TestNamesAreReadAgainOnSignal(t *testing.T) {
	server := startSandbox(t)
	path := filepath.Join(t.TempDir(), "block")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# nobody\n")
	p := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_ACCEPT_BLOCK_FILE="+path)
	p.logged(`"msg":"online"`)
	challenge := func(want string) {
		t.Helper()
		id, err := server.Challenge("Rival", "Castellan", sandbox.ChallengeSetup{HasClock: true, Limit: 180})
		if err != nil {
			t.Fatal(err)
		}
		if line := p.logged(`"challenge":"` + id); !strings.Contains(line, want) {
			t.Errorf("want %q: %s", want, line)
		}
	}
	challenge("challenge accepted")
	write("rival\n")
	p.Process.Signal(syscall.SIGHUP)
	p.logged("lists of names read again")
	challenge("on the block list")
	write("no such name!\n")
	p.Process.Signal(syscall.SIGHUP)
	if line := p.logged("the lists of names stay as they were"); !strings.Contains(line, "line 1") || !strings.Contains(line, "CASTELLAN_ACCEPT_BLOCK_FILE") {
		t.Errorf("the log does not say what is wrong: %s", line)
	}
	challenge("on the block list")
	p.Process.Signal(syscall.SIGTERM)
	if code, rest := p.ended(); code != 0 {
		t.Errorf("exit code %d: %s", code, rest)
	}

	wrong := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_ACCEPT_BLOCK_FILE="+path, "CASTELLAN_ACCEPT_ALLOW_FILE=/nowhere/allow")
	if code, rest := wrong.ended(); code != exitUsage || !strings.Contains(rest, "ALLOW_FILE") || !strings.Contains(rest, "BLOCK_FILE") {
		t.Errorf("a start with wrong files: exit code %d: %s", code, rest)
	}
}
