package uciclient

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// beParent starts an engine that never looks at its input, tells its process number and waits to be killed.
func beParent() {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	e, err := Start(context.Background(), Command{Path: path, Args: []string{"fake-engine", "deaf"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(e.cmd.Process.Pid)
	time.Sleep(time.Hour)
}

// TestEngineDiesWithItsParent kills the process that has started an engine, which leaves it no time to end the engine itself.
func TestEngineDiesWithItsParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can end a process that does not look at its input")
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(path, "fake-engine", "a parent")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(bufio.NewReader(out), &pid); err != nil {
		t.Fatal(err)
	}
	stat := func() string {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return string(text)
	}
	if stat() == "" {
		t.Fatal("the engine does not run")
	}
	parent.Process.Kill()
	parent.Wait()
	for deadline := time.Now().Add(10 * time.Second); stat() != "" && !strings.Contains(stat(), ") Z "); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the engine has outlived its parent: %s", stat())
		}
	}
}
