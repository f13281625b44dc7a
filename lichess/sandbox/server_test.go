package sandbox_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"castellan/lichess/sandbox"
)

func TestCloseEndsStreams(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{})
	events, game := w.open("deep", "/api/stream/event"), w.watch("deep", id)
	events.next("gameStart", nil)
	game.next("gameFull", nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	events.end()
	game.end()
	if err := w.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if err := w.Start(); err == nil {
		t.Error("Start after Close succeeds")
	}
	if _, err := w.WaitGame(t.Context(), id); err == nil {
		t.Error("WaitGame succeeds on a closed server")
	}
}

func TestCloseNamesWhatHangs(t *testing.T) {
	s := sandbox.New(sandbox.Options{CloseWait: 20 * time.Millisecond})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// The rest of the body never comes. The server asks for it, and so has begun.
	fmt.Fprintf(conn, "POST /api/token/test HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatalf("%q, %v", line, err)
	}
	err = s.Close()
	if err == nil || !strings.Contains(err.Error(), "POST /api/token/test") {
		t.Errorf("Close: %v", err)
	}
}

func TestUnusedConnectionDoesNotHoldClose(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	start := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("Close took %v", took)
	}
}

func TestStartFails(t *testing.T) {
	s := sandbox.New(sandbox.Options{Addr: "not an address"})
	if err := s.Start(); err == nil {
		t.Error("no error")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestUnknownRoutes(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	for _, r := range []reply{
		w.get("deep", "/nothing"), w.get("", "/"), w.post("deep", "/api/account", ""),
		w.get("deep", "/api/bot/game/abc/nothing"), w.post("deep", "/api/bot/game/abc/nothing", ""),
	} {
		if r.code != 404 || r.body != `{"error":"Not found"}` || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%d %q", r.code, r.body)
		}
	}
}

func TestBodyIsBounded(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	w.refused("mary", "/api/challenge/deep", "color=white&x="+strings.Repeat("x", 65<<10), 413, "larger than")
}

func TestOnRequest(t *testing.T) {
	var seen []string
	w := newWorld(t, sandbox.Options{OnRequest: func(method, path string) { seen = append(seen, method+" "+path) }})
	w.get("deep", "/api/account")
	if len(seen) != 1 || seen[0] != "GET /api/account" {
		t.Errorf("%q", seen)
	}
}

func TestManualClock(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := sandbox.NewManualClock(start)
	var ran []string
	note := func(name string) { ran = append(ran, name+c.Now().Sub(start).String()) }
	c.AfterFunc(2*time.Second, func() { note("b") })
	c.AfterFunc(time.Second, func() {
		note("a")
		c.AfterFunc(500*time.Millisecond, func() { note("nested") })
	})
	stop := c.AfterFunc(time.Second, func() { note("stopped") })
	if !stop() || stop() {
		t.Error("stop must tell once that it was in time")
	}
	c.Advance(1900 * time.Millisecond)
	c.Advance(100 * time.Millisecond)
	if got, want := strings.Join(ran, " "), "a1s nested1.5s b2s"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}
