package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// process is the daemon as a container runs it: a process of its own.
type process struct {
	*exec.Cmd
	t      *testing.T
	stderr io.Reader
	log    *bufio.Scanner // of stderr
}

func startProcess(t *testing.T, url, token string, env ...string) *process {
	t.Helper()
	// TestMain has put a program of this name, which is main, in front of the path.
	cmd := exec.Command("castellan")
	cmd.Env = append(cmd.Environ(), "CASTELLAN_URL="+url, "CASTELLAN_TOKEN="+token, "CASTELLAN_THREADS=1", "CASTELLAN_HASH_MB=16", "CASTELLAN_MOVE_OVERHEAD=20ms", "CASTELLAN_LOG_FORMAT=json")
	cmd.Env = append(cmd.Env, env...)
	return startCommand(t, cmd)
}

// startCommand starts a program whose standard error is read as a log. It is killed at the end of the test.
func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return &process{cmd, t, stderr, bufio.NewScanner(stderr)}
}

// logged reads the log until a line holds the text. A process that does not say it for minutes is killed.
func (p *process) logged(text string) string {
	p.t.Helper()
	defer time.AfterFunc(2*time.Minute, func() { p.Process.Kill() }).Stop()
	for p.log.Scan() {
		if strings.Contains(p.log.Text(), text) {
			return p.log.Text()
		}
	}
	p.t.Fatalf("the log ended without %q", text)
	return ""
}

// ended waits for the end of the process and returns its exit code and the rest of its log.
func (p *process) ended() (code int, rest string) {
	p.t.Helper()
	var b strings.Builder
	for p.log.Scan() {
		b.WriteString(p.log.Text() + "\n")
	}
	p.Wait()
	return p.ProcessState.ExitCode(), b.String()
}

func startSandbox(t *testing.T) *sandbox.Server {
	t.Helper()
	server := sandbox.New(sandbox.Options{})
	for _, a := range []sandbox.Account{
		{Name: "Castellan", Token: "lip_castellan", Title: lichess.TitleBot},
		{Name: "Rival", Token: "lip_rival", Title: lichess.TitleBot},
		{Name: "Person", Token: "lip_person", Scopes: []string{"bot:play"}},
	} {
		if err := server.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}

func TestDaemonSurvivesKillAndEndsOnSignals(t *testing.T) {
	server := startSandbox(t)
	rival := startProcess(t, server.URL, "lip_rival")
	first := startProcess(t, server.URL, "lip_castellan")
	id, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival",
		Limit: 5 * time.Second, Increment: 200 * time.Millisecond, FEN: "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"})
	if err != nil {
		t.Fatal(err)
	}
	first.logged(id)
	for g, _ := server.Game(id); len(g.Moves) < 4; g, _ = server.Game(id) {
		time.Sleep(time.Millisecond)
	}
	// SIGKILL in mid-game: the next process goes on with it.
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	second := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_SHUTDOWN=finish")
	second.logged(id)
	// SIGTERM plays the game out, by the setting, and ends with success.
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	second.logged("taking no more games")
	if code, rest := second.ended(); code != 0 || !strings.Contains(rest, "game over") {
		t.Errorf("after SIGTERM with finish: exit code %d, log:\n%s", code, rest)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	g, err := server.WaitGame(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if g.Status != lichess.StatusMate {
		t.Errorf("the game ended by %s, not by mate: %s", g.Status, g.PGN)
	}
	// SIGTERM with nothing to play, and the default setting.
	if err := rival.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, rest := rival.ended(); code != 0 {
		t.Errorf("after SIGTERM: exit code %d, log:\n%s", code, rest)
	}
}

// TestLocalCanBeChallenged does what local prints: it challenges the bot, moves, and sees the bot move.
func TestLocalCanBeChallenged(t *testing.T) {
	cmd := exec.Command("castellan", "local", "--listen", "127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	curl := regexp.MustCompile(`^  curl -H 'Authorization: Bearer (\w+)' -d '([^']+)' (http://\S+)/api/challenge/(\w+)$`)
	var line []string
	for s := bufio.NewScanner(stdout); line == nil && s.Scan(); {
		line = curl.FindStringSubmatch(s.Text())
	}
	if line == nil {
		t.Fatal("no line of curl was printed")
	}
	token, form, url, bot := line[1], line[2], line[3], line[4]
	post := func(path, form string) string {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, url+path, strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded") // as curl -d does
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		body, err := io.ReadAll(reply.Body)
		if err != nil || reply.StatusCode != http.StatusOK {
			t.Fatalf("POST %s: %s: %s (%v)", path, reply.Status, body, err)
		}
		return string(body)
	}
	var challenge lichess.Challenge
	if err := json.Unmarshal([]byte(post("/api/challenge/"+bot, form)), &challenge); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodGet, url+"/api/board/game/stream/"+challenge.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	var stream *http.Response
	for { // the bot has to accept first
		if stream, err = http.DefaultClient.Do(r); err != nil {
			t.Fatal(err)
		}
		if stream.StatusCode == http.StatusOK {
			break
		}
		stream.Body.Close()
		time.Sleep(time.Millisecond)
	}
	defer stream.Body.Close()
	post("/api/board/game/"+challenge.ID+"/move/e2e4", "")
	for s := bufio.NewScanner(stream.Body); s.Scan(); {
		if state, ok := lichess.DecodeGameEvent(s.Bytes()).(*lichess.GameState); ok && state.Ply() == 2 {
			return
		}
	}
	t.Error("the bot did not move")
}

func TestDaemonFailures(t *testing.T) {
	server := startSandbox(t)
	for token, want := range map[string]string{
		"lip_unknown": "does not accept the token",
		"lip_person":  "is not a BOT account",
	} {
		code, log := startProcess(t, server.URL, token).ended()
		if code != 1 || !strings.Contains(log, want) || strings.Contains(log, token) {
			t.Errorf("token %s: exit code %d, log:\n%s", token, code, log)
		}
	}
	for _, env := range []string{"CASTELLAN_MAX_GAMES=0", "CASTELLAN_URL=http://example.org"} {
		if code, log := startProcess(t, server.URL, "lip_castellan", env).ended(); code != 2 {
			t.Errorf("%s: exit code %d, log:\n%s", env, code, log)
		}
	}
}
