package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestProgramForOpenBench builds and uses the program as OpenBench's workers do: make EXE=…, bench, and games without arguments.
func TestProgramForOpenBench(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not here:", err)
	}
	program := filepath.Join(t.TempDir(), "Castellan-1a2b3c4d")
	build := exec.Command("make", "EXE="+program)
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, out)
	}
	bench, err := exec.Command(program, "bench", "4").Output()
	if lines := strings.Split(strings.TrimSpace(string(bench)), "\n"); err != nil || !regexp.MustCompile(`^\d+ nodes \d+ nps$`).MatchString(lines[len(lines)-1]) {
		t.Errorf("bench: %v %s", err, bench)
	}
	play := exec.Command(program)
	play.Stdin = strings.NewReader("uci\nisready\nposition startpos moves e2e4\ngo nodes 500\nquit\n")
	out, err := play.Output()
	for _, want := range []string{"uciok", "readyok", "bestmove "} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v; no %q in the answer to UCI: %s", err, want, out)
		}
	}
}
