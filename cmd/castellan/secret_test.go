package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// output collects what a process writes.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// TestTokenIsNowhere plays a whole game with real processes at log level debug,
// in each format of the log, makes them dump all goroutines, and lets others
// fail at the start. Neither output nor command line holds a token.
func TestTokenIsNowhere(t *testing.T) {
	const token, other, wrong = "lip_xVerySecretOfTheOne", "lip_xVerySecretOfTheOther", "lip_xVerySecretAndWrong"
	server := sandbox.New(sandbox.Options{})
	for _, a := range []sandbox.Account{
		{Name: "Castellan", Token: token, Title: lichess.TitleBot}, {Name: "Rival", Token: other, Title: lichess.TitleBot},
	} {
		if err := server.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(other+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all output
	start := func(env ...string) *exec.Cmd {
		cmd := exec.Command("castellan")
		cmd.Env = append(cmd.Environ(), "CASTELLAN_URL="+server.URL, "CASTELLAN_THREADS=1", "CASTELLAN_HASH_MB=1", "CASTELLAN_LOG_LEVEL=debug", "GOTRACEBACK=all")
		cmd.Env = append(cmd.Env, env...)
		cmd.Stdout, cmd.Stderr = &all, &all
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		if line, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/cmdline"); err == nil {
			all.Write(line)
		}
		return cmd
	}
	one := start("CASTELLAN_TOKEN="+token, "CASTELLAN_LOG_FORMAT=text")
	two := start("CASTELLAN_TOKEN_FILE="+file, "CASTELLAN_LOG_FORMAT=json")
	id, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 5 * time.Second, FEN: "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if g, err := server.WaitGame(ctx, id); err != nil || len(g.Moves) < 2 {
		t.Fatalf("%v, moves %v", err, g.Moves)
	}
	for deadline := time.Now().Add(time.Minute); strings.Count(all.String(), "game over") < 2 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	for _, cmd := range []*exec.Cmd{one, two} {
		cmd.Process.Signal(syscall.SIGQUIT) // dumps all goroutines
		cmd.Wait()
	}
	start("CASTELLAN_TOKEN=" + wrong).Wait()
	start("CASTELLAN_TOKEN="+wrong+" ", "CASTELLAN_URL=https://me:"+wrong+"@127.0.0.1").Wait()
	start("CASTELLAN_TOKEN="+token, "CASTELLAN_TOKEN_FILE="+file).Wait()

	text := all.String()
	for _, secret := range []string{token, other, wrong} {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("a token is shown: …%s…", text[max(0, i-200):min(len(text), i+200)])
		}
	}
	for _, part := range []string{"game over", "POST /api/bot/game/{id}/move/{move}", "goroutine ", "castellan", http.MethodGet, "does not accept the token"} {
		if !strings.Contains(text, part) {
			t.Errorf("the test looks at nothing: %q is not in\n%.3000s", part, text)
		}
	}
}
