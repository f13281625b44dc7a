package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"castellan/lichess/sandbox"
)

// askedAs asks a server by a name that may be none of its own.
func askedAs(t *testing.T, url, path, host string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	r.Header.Set("Authorization", "Bearer "+personToken)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	io.Copy(io.Discard, reply.Body)
	return reply.StatusCode
}

// TestLocalIsReachedByNoNameFromElsewhere asks page and API as a page would do whose owner has made its name point here.
func TestLocalIsReachedByNoNameFromElsewhere(t *testing.T) {
	url := startLocal(t, "127.0.0.1:0")
	port := url[strings.LastIndex(url, ":"):]
	for _, path := range []string{"/", "/play/session", "/api/account", "/api/account/playing"} {
		for host, want := range map[string]int{
			"127.0.0.1" + port: 200, "localhost" + port: 200, "[::1]" + port: 200, "evil.example" + port: 403, "localhost.evil.example": 403,
		} {
			if got := askedAs(t, url, path, host); got != want {
				t.Errorf("%s as %s: %d, want %d", path, host, got, want)
			}
		}
	}
	server, err := startServer(sandbox.Options{Guard: localCommand{}.guard("box.home:8080")}, sandbox.Account{Name: personName, Token: personToken})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for host, want := range map[string]int{"Box.home:8080": 200, "127.0.0.1": 200, "evil.example": 403} {
		if got := askedAs(t, server.URL, "/api/account", host); got != want {
			t.Errorf("with --listen box.home:8080, as %s: %d, want %d", host, got, want)
		}
	}
}

// TestStatusPageIsReachedByNamesThatAreNamed listens on all addresses, as a container does.
func TestStatusPageIsReachedByNamesThatAreNamed(t *testing.T) {
	server := startSandbox(t)
	daemon := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_STATUS_ADDR=0.0.0.0:0", "CASTELLAN_STATUS_HOSTS=bot.example.org", "CASTELLAN_HASH_MB=8")
	url := daemon.seenAt()
	daemon.logged("online")
	go io.Copy(io.Discard, daemon.stderr)
	for _, path := range []string{"/", "/status/now", "/status/settings"} {
		for host, want := range map[string]int{"127.0.0.1": 200, "localhost:8080": 200, "172.17.0.2:8080": 200, "bot.example.org": 200, "evil.example": 403, "x.bot.example.org": 403} {
			if got := askedAs(t, url, path, host); got != want {
				t.Errorf("%s as %s: %d, want %d", path, host, got, want)
			}
		}
	}
	for _, path := range []string{"/healthz", "/metrics"} { // by which a service in a cluster is asked
		if got := askedAs(t, url, path, "castellan.default.svc"); got != 200 {
			t.Errorf("%s by a service's name: %d", path, got)
		}
	}
}
