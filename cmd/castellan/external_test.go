package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"castellan/lichess/sandbox"
)

// childrenOf returns the process numbers of those that a process has started.
func childrenOf(t *testing.T, pid int) (children []string) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// After the name, which may hold anything, come the state and the parent.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 1 && fields[1] == fmt.Sprint(pid) && fields[0] != "Z" {
			children = append(children, filepath.Base(filepath.Dir(file)))
		}
	}
	return children
}

// TestDaemonWithAnotherEngine lets this program be the other engine of the daemon. Neither a signal nor a kill leaves it behind, and
// it never gets to know the token.
func TestDaemonWithAnotherEngine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	server := startSandbox(t)
	startProcess(t, server.URL, "lip_rival")
	for _, test := range []struct {
		process string
		signal  syscall.Signal
	}{{"game", syscall.SIGKILL}, {"shared", syscall.SIGTERM}} {
		daemon := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_ENGINE=castellan 'uci'", "CASTELLAN_ENGINE_PROCESS="+test.process,
			"CASTELLAN_ENGINE_OPTIONS=Hash=3,Move Overhead=20,Clear Hash=", "CASTELLAN_LOG_LEVEL=debug", "CASTELLAN_ACCEPT_BASE_MIN=0s")
		daemon.logged("another engine plays")
		id, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if line := daemon.logged("external engine"); !strings.Contains(line, `"msg":"move"`) {
			t.Errorf("got %s", line)
		}
		children := childrenOf(t, daemon.Process.Pid)
		if len(children) != 1 {
			t.Errorf("%s: children %q", test.process, children)
		}
		for _, child := range children {
			environment, err := os.ReadFile("/proc/" + child + "/environ")
			if err != nil || len(environment) == 0 || strings.Contains(string(environment), "lip_") || strings.Contains(string(environment), "CASTELLAN_") {
				t.Errorf("the environment of the engine is %q (%v)", environment, err)
			}
		}
		if err := daemon.Process.Signal(test.signal); err != nil {
			t.Fatal(err)
		}
		if code, _ := daemon.ended(); (code == 0) != (test.signal == syscall.SIGTERM) {
			t.Errorf("exit code %d", code)
		}
		for _, child := range children {
			for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
				stat, err := os.ReadFile("/proc/" + child + "/stat")
				if err != nil || strings.Contains(string(stat), ") Z ") {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("after %v the engine is still there: %s", test.signal, stat)
				}
			}
		}
		g, _ := server.Game(id)
		if g.Over() {
			t.Errorf("the game has ended by %s", g.Status)
		}
	}
}
