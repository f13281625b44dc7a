package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/lichess/sandbox"
)

// look returns what stands at an address.
func look(t *testing.T, url string) (code int, body string) {
	t.Helper()
	reply, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	b, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(b)
}

// seenAt waits for the line of the log that tells an address to look in at.
func (p *process) seenAt() string {
	p.t.Helper()
	url := regexp.MustCompile(`http://[][0-9.:]+`).FindString(p.logged("to be seen"))
	if url == "" {
		p.t.Fatal("the log tells no address")
	}
	return url
}

// TestHealth asks a daemon how it is: online, with its server gone, and when it is gone itself.
func TestHealth(t *testing.T) {
	server := startSandbox(t)
	daemon := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_METRICS_ADDR=127.0.0.1:0")
	url := daemon.seenAt()
	go io.Copy(io.Discard, daemon.stderr)
	check := func(want int, args ...string) {
		t.Helper()
		cmd := exec.Command("castellan", append([]string{"healthcheck"}, args...)...)
		cmd.Env = append(cmd.Environ(), "CASTELLAN_METRICS_ADDR="+strings.TrimPrefix(url, "http://"), "http_proxy=http://127.0.0.1:1")
		out, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("castellan healthcheck %v: exit code %d (%v): %s", args, code, err, out)
		}
		if !slices.Contains(args, "--json") {
			return
		}
		var told struct {
			Well          bool
			Answer, Fault string
		}
		if err := json.Unmarshal(out, &told); err != nil || told.Well != (want == 0) || (told.Fault == "") != told.Well || (told.Answer == "") == told.Well {
			t.Errorf("castellan healthcheck %v: %v\n%s", args, err, out)
		}
	}
	ready := func(want int) (body string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			var code int
			if code, body = look(t, url+"/readyz"); code == want {
				return body
			}
		}
		t.Fatalf("/readyz never answered %d but %s", want, body)
		return ""
	}
	ready(http.StatusOK)
	check(0)
	check(0, "--ready")
	check(0, "--json")
	if code, body := look(t, url+"/metrics"); code != http.StatusOK || !strings.Contains(body, "castellan_event_stream_connected 1") ||
		strings.Contains(body, "lip_castellan") {
		t.Errorf("/metrics: %d\n%s", code, body)
	}
	if code, _ := look(t, url+"/"); code != http.StatusNotFound {
		t.Errorf("where only metrics are, / is answered with %d", code)
	}
	id, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for _, body := look(t, url+"/metrics"); !strings.Contains(body, `castellan_games_running{speed="classical"} 1`); _, body = look(t, url+"/metrics") {
		time.Sleep(10 * time.Millisecond)
		if g, _ := server.Game(id); g.Status.Over() {
			t.Fatal("the game is over")
		}
	}

	server.Close()
	if body := ready(http.StatusServiceUnavailable); !strings.Contains(body, "event stream is not open") {
		t.Errorf("without a server: %s", body)
	}
	check(0)
	check(1, "--ready", "--json")
	daemon.Process.Kill()
	daemon.Wait()
	check(1, "--json")
	check(1, "--ready")
}

// TestAddressInUse tells at the start that an address cannot be had.
func TestAddressInUse(t *testing.T) {
	server := startSandbox(t)
	taken := strings.TrimPrefix(server.URL, "http://")
	code, log := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_STATUS_ADDR="+taken, "CASTELLAN_PGN_DIR=/dev/null/games").ended()
	if code != 2 || !strings.Contains(log, "CASTELLAN_STATUS_ADDR: ") || !strings.Contains(log, "CASTELLAN_PGN_DIR: ") {
		t.Errorf("exit code %d, log:\n%s", code, log)
	}
}
