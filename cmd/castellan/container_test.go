package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"castellan/lichess/sandbox"
)

// deployed is what compose.yaml and docs/kubernetes.yaml say about the process: its environment, and its memory in MiB.
func deployed(t *testing.T) map[string]struct {
	env    map[string]string
	memory string
} {
	t.Helper()
	read := func(path string, into any) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n---\n")
		if err := yaml.Load([]byte(first), into); err != nil {
			t.Fatal(err)
		}
	}
	var compose struct {
		Services map[string]struct {
			Environment map[string]string
			Deploy      struct {
				Resources struct{ Limits struct{ Memory string } }
			}
		}
	}
	read("compose.yaml", &compose)
	var pod struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct {
						Env       []struct{ Name, Value string }
						Resources struct{ Limits struct{ Memory string } }
					}
				}
			}
		}
	}
	read("docs/kubernetes.yaml", &pod)
	service, box := compose.Services["castellan"], pod.Spec.Template.Spec.Containers[0]
	env := map[string]string{}
	for _, e := range box.Env {
		env[e.Name] = e.Value
	}
	return map[string]struct {
		env    map[string]string
		memory string
	}{
		"compose":    {service.Environment, strings.TrimSuffix(service.Deploy.Resources.Limits.Memory, "M")},
		"kubernetes": {env, strings.TrimSuffix(box.Resources.Limits.Memory, "Mi")},
	}
}

// TestDeployedAsWritten starts the daemon with the environment and the memory that compose.yaml and the Kubernetes manifest give
// it, lets it play, asks it as the health checks do, and stops it as they do.
func TestDeployedAsWritten(t *testing.T) {
	for name, d := range deployed(t) {
		t.Run(name, func(t *testing.T) {
			server, dir := startSandbox(t), t.TempDir()
			token := filepath.Join(dir, "token")
			if err := os.WriteFile(token, []byte("lip_castellan\n"), 0o400); err != nil {
				t.Fatal(err)
			}
			d.env["CASTELLAN_TOKEN_FILE"] = token
			state := filepath.Join(dir, "state")
			if err := os.Mkdir(state, 0o700); err != nil { // the volume
				t.Fatal(err)
			}
			d.env["CASTELLAN_STATE_DIR"] = state
			d.env["CASTELLAN_PGN_DIR"] = filepath.Join(dir, "games")
			if d.env["CASTELLAN_METRICS_ADDR"] == "" {
				d.env["CASTELLAN_METRICS_ADDR"] = "127.0.0.1:0" // as the Dockerfile has it, but for the port
			}
			env := []string{"CASTELLAN_URL=" + server.URL, "CASTELLAN_MEMORY_MB=" + d.memory, "CASTELLAN_LOG_LEVEL=debug"}
			for name, value := range d.env {
				if strings.HasSuffix(name, "_ADDR") {
					value = value[:strings.LastIndexByte(value, ':')] + ":0" // the ports may be taken here
				}
				env = append(env, name+"="+value)
			}
			cmd := exec.Command("castellan", "run")
			cmd.Env = append(cmd.Environ(), env...)
			daemon := startCommand(t, cmd)
			if memory := daemon.logged(`"memory"`); !strings.Contains(memory, `"have":`+d.memory) || !strings.Contains(memory, `"table":256`) {
				t.Errorf("the memory is told as %s", memory)
			}
			url := ""
			for url == "" {
				if line := daemon.logged("to be seen"); strings.Contains(line, `"health and metrics"`) {
					url = strings.TrimPrefix(line[strings.Index(line, "http://"):][:strings.IndexByte(line[strings.Index(line, "http://"):], '"')], "http://")
				}
			}
			daemon.logged(`"online"`)
			startProcess(t, server.URL, "lip_rival").logged("online")
			id, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"})
			if err != nil {
				t.Fatal(err)
			}
			daemon.logged("game over")
			for _, args := range [][]string{{"healthcheck"}, {"healthcheck", "--ready"}} {
				check := exec.Command("castellan", args...)
				check.Env = append(check.Environ(), append(env, "CASTELLAN_METRICS_ADDR="+url)...)
				if out, err := check.CombinedOutput(); err != nil {
					t.Errorf("castellan %v: %v\n%s", args, err, out)
				}
			}
			start := time.Now()
			cmd.Process.Signal(syscall.SIGTERM)
			if code, rest := daemon.ended(); code != 0 {
				t.Errorf("after SIGTERM: exit code %d\n%s", code, rest)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %s to stop without a game", took)
			}
			if kept, err := filepath.Glob(filepath.Join(dir, "games", "*"+id+".pgn")); err != nil || len(kept) != 1 {
				t.Errorf("the game is not kept: %v (%v)", kept, err)
			}
		})
	}
}

// TestNothingIsWritten plays a game in a process that may not write a byte into any file, as on a read-only root file system.
func TestNothingIsWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no ulimit")
	}
	server := startSandbox(t)
	cmd := exec.Command("sh", "-c", "ulimit -f 0 && exec castellan")
	cmd.Dir = "/"
	cmd.Env = append(cmd.Environ(), "CASTELLAN_URL="+server.URL, "CASTELLAN_TOKEN=lip_castellan", "CASTELLAN_HASH_MB=16", "CASTELLAN_METRICS_ADDR=127.0.0.1:0",
		"HOME=/nowhere", "TMPDIR=/nowhere")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	daemon := &process{cmd, t, stderr, bufio.NewScanner(stderr)}
	daemon.logged("online")
	rival := startProcess(t, server.URL, "lip_rival")
	rival.logged("online")
	go io.Copy(io.Discard, rival.stderr)
	if _, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"}); err != nil {
		t.Fatal(err)
	}
	if line := daemon.logged("game over"); !strings.Contains(line, `"win"`) {
		t.Errorf("it did not win: %s", line)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	if code, rest := daemon.ended(); code != 0 {
		t.Error(fmt.Sprintf("exit code %d", code), rest)
	}
}
