package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProgressOnATerminal(t *testing.T) {
	terminal, read := openTerminal(t)
	p := newProgressLine(terminal)
	now := p.began
	p.now = func() time.Time { return now }
	for _, step := range []struct {
		after       time.Duration
		done, total int64
		want        string
	}{
		{2 * time.Second, 1, 4, "\r\x1b[?7l[######..................]  25%  6s left  one\x1b[K\x1b[?7h"},
		{drawEvery, 0, 0, "\r\x1b[?7lone\x1b[K\x1b[?7h"},
		{0, 4, 4, "\r\x1b[?7l[########################] 100%  one\x1b[K\x1b[?7h"}, // the last one is never left out
	} {
		now = now.Add(step.after)
		p.show(step.done, step.total, "one")
		if got := read(step.want); got != step.want {
			t.Errorf("%d of %d: %q, want %q", step.done, step.total, got, step.want)
		}
	}
	now = now.Add(drawEvery / 2)
	p.show(3, 4, "too soon")
	if _, err := p.Write([]byte("a line\n")); err != nil {
		t.Fatal(err)
	}
	want := "\r\x1b[Ka line\r\n"
	if got := read(want); got != want {
		t.Errorf("a line in between: %q, want %q", got, want)
	}
	p.clear() // nothing stands there any more
	p.to.Write([]byte("."))
	if got := read("."); got != "." {
		t.Errorf("cleared twice: %q", got)
	}
}

func TestProgressElsewhere(t *testing.T) {
	var out bytes.Buffer
	p := newProgressLine(&out)
	now := p.began
	p.now = func() time.Time { return now }
	for range 21 {
		p.show(1, 4, "plain")
		now = now.Add(plainEvery / 10)
	}
	p.clear()
	if got, want := out.String(), strings.Repeat("plain\n", 3); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSelfplayShowsProgress runs the command with its messages on a terminal and elsewhere.
func TestSelfplayShowsProgress(t *testing.T) {
	run := func(cmd *exec.Cmd) {
		t.Helper()
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "2 games") {
			t.Fatalf("%v: %s", err, out)
		}
	}
	selfplay := func() *exec.Cmd {
		return exec.Command("castellan", "selfplay", filepath.Join(t.TempDir(), "games"), "--games", "2", "--nodes", "100", "--threads", "1")
	}
	terminal, read := openTerminal(t)
	cmd := selfplay()
	cmd.Stderr = terminal
	run(cmd)
	terminal.Write([]byte("the end"))
	if got := read("the end"); !strings.Contains(got, "[########################] 100%  2 games") || !strings.HasSuffix(got, "\r\x1b[Kthe end") {
		t.Errorf("on a terminal: %q", got)
	}
	var plain bytes.Buffer
	cmd = selfplay()
	cmd.Stderr = &plain
	run(cmd)
	if got := plain.String(); strings.ContainsAny(got, "\r\x1b") || !strings.HasSuffix(got, "\n") {
		t.Errorf("elsewhere: %q", got)
	}
}
