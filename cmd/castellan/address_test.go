package main

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// TestListen reads what --listen takes.
func TestListen(t *testing.T) {
	for _, test := range []struct {
		command localCommand
		want    string
	}{
		{localCommand{}, "127.0.0.1:8080"}, {localCommand{Games: 1}, "127.0.0.1:0"},
		{localCommand{Listen: "18091"}, "127.0.0.1:18091"}, {localCommand{Listen: ":18091"}, "127.0.0.1:18091"},
		{localCommand{Listen: "0.0.0.0:0"}, "0.0.0.0:0"}, {localCommand{Listen: "localhost:1"}, "localhost:1"},
	} {
		if got, err := test.command.address(); err != nil || got != test.want {
			t.Errorf("%+v listens on %q, want %q (%v)", test.command, got, test.want, err)
		}
	}
}

// TestFromElsewhere wants addresses that somebody else can open, for a server that listens on all, and none for others.
func TestFromElsewhere(t *testing.T) {
	for _, address := range []string{"http://127.0.0.1:80", "http://localhost:80", "http://192.168.1.2:80", ":"} {
		if got := fromElsewhere(address); len(got) > 0 {
			t.Errorf("%s: %v", address, got)
		}
	}
	if got := reachable("http://[::]:80"); got != "http://127.0.0.1:80" {
		t.Errorf("reached at %s", got)
	}
	all := fromElsewhere("http://[::]:80")
	if strings.Join(all, " ") != strings.Join(fromElsewhere("http://0.0.0.0:80"), " ") {
		t.Error("0.0.0.0 and :: are not the same")
	}
	for _, address := range all {
		u, err := url.Parse(address)
		if err != nil || u.Port() != "80" {
			t.Fatalf("%s: %v", address, err)
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err != nil || ip.IsUnspecified() || ip.IsLoopback() {
			t.Errorf("%s cannot be opened from elsewhere: %v", address, err)
		}
	}
	if len(all) == 0 {
		t.Skip("this machine is in no network")
	}
}

// TestTakenAddress starts a daemon where another program listens.
func TestTakenAddress(t *testing.T) {
	server := startSandbox(t)
	daemon := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_STATUS_ADDR="+strings.TrimPrefix(server.URL, "http://"))
	if code, rest := daemon.ended(); code != exitUsage || !strings.Contains(rest, "CASTELLAN_STATUS_ADDR: ") || !strings.Contains(rest, "choose another port") {
		t.Errorf("exit code %d: %s", code, rest)
	}
}

// TestTokenPage: the daemon that is refused names the page on which the right token is made.
func TestTokenPage(t *testing.T) {
	server := startSandbox(t)
	daemon := startProcess(t, server.URL, "lip_xunknown")
	if code, rest := daemon.ended(); code != exitFailure || !strings.Contains(rest, server.URL+"/account/oauth/token/create?scopes[]=bot:play") {
		t.Errorf("exit code %d: %s", code, rest)
	}
}
