package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// behind starts a server that hands requests on to another, and changes its replies.
func behind(t *testing.T, target string, change func(*http.Response)) string {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: func(reply *http.Response) error { change(reply); return nil },
	})
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// answer puts another body into a reply.
func answer(reply *http.Response, status int, body string) {
	reply.StatusCode, reply.ContentLength = status, int64(len(body))
	reply.Header.Del("Content-Length")
	reply.Body = io.NopCloser(strings.NewReader(body))
}

// TestDoctor puts one fault after the other into a world in which all is well.
func TestDoctor(t *testing.T) {
	server := sandbox.New(sandbox.Options{})
	for _, a := range []sandbox.Account{
		{Name: "Castellan", Token: "lip_xcastellan", Title: lichess.TitleBot},
		{Name: "Person", Token: "lip_xperson", Scopes: []string{"bot:play"}},
		{Name: "Weak", Token: "lip_xweak", Title: lichess.TitleBot, Scopes: []string{"challenge:read"}},
		{Name: "Marked", Token: "lip_xmarked", Title: lichess.TitleBot, TosViolation: true},
	} {
		if err := server.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	if _, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Marked"}); err != nil {
		t.Fatal(err)
	}
	selfSigned := httptest.NewTLSServer(nil)
	t.Cleanup(selfSigned.Close)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	at := func(path string, status int, body string) string {
		return behind(t, server.URL, func(reply *http.Response) {
			if reply.Request.URL.Path == path {
				answer(reply, status, body)
			}
		})
	}
	dated := func(off time.Duration) string {
		return behind(t, server.URL, func(reply *http.Response) {
			reply.Header.Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
		})
	}
	slow := behind(t, server.URL, func(reply *http.Response) {
		if strings.HasSuffix(reply.Request.URL.Path, "/playing") {
			time.Sleep(slowAnswer + slowAnswer/10)
		}
	})
	soon, err := json.Marshal(map[string]any{"lip_xcastellan": map[string]any{
		"userId": "castellan", "scopes": "bot:play", "expires": time.Now().Add(24 * time.Hour).UnixMilli(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Abs("../../engine/tablebase/testdata/tables")
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, test := range []struct {
		name   string
		env    string // separated by white space; %20 is a space
		check  string
		state  string
		says   string
		advice string
	}{
		{"all is well", "", "account", stateOK, "Castellan is a BOT account", ""},
		{"a game runs", "", "games", stateOK, "1 running", ""},
		{"no token", "CASTELLAN_TOKEN=", "settings", stateFault, "CASTELLAN_TOKEN: is not set", "/account/oauth/token/create"},
		{"malformed token", "CASTELLAN_TOKEN=lip-x!", "settings", stateFault, "is no token", "letters, digits and _"},
		{"unknown token", "CASTELLAN_TOKEN=lip_xunknown", "token", stateFault, "does not know the token", "make a new one at " + server.URL},
		{"token without the permission", "CASTELLAN_TOKEN=lip_xweak", "token", stateFault, "lacks the permission bot:play; it has: challenge:read", "bot:play"},
		{"token without the arenas' permission", "CASTELLAN_ARENAS=12345678", "token", stateFault, "tournament:write", "tournament:write"},
		{"token that ends soon", "CASTELLAN_URL=" + at("/api/token/test", 200, string(soon)), "token", stateWarning, "it ends at", "make a new one in time"},
		{"no BOT account", "CASTELLAN_TOKEN=lip_xperson", "account", stateFault, "Person is no BOT account", "castellan upgrade"},
		{"account that has played", "CASTELLAN_URL=" + at("/api/account", 200, `{"id":"castellan","username":"Castellan","count":{"all":3}}`),
			"account", stateFault, "has played 3 games, so it cannot become one", "make a new account"},
		{"closed account", "CASTELLAN_URL=" + at("/api/account", 200, `{"id":"castellan","username":"Castellan","disabled":true}`),
			"account", stateFault, "is closed", "open it again"},
		{"marked account", "CASTELLAN_TOKEN=lip_xmarked", "account", stateWarning, "is marked", "write to Lichess"},
		{"no such name", "CASTELLAN_URL=https://castellan.invalid", "name", stateFault, "castellan.invalid", "DNS"},
		{"nobody listens", "CASTELLAN_URL=http://" + closed.Addr().String(), "connection", stateFault, "refused", "firewall"},
		{"foreign certificate", "CASTELLAN_URL=" + selfSigned.URL, "encryption", stateFault, "unknown authority", "ca-certificates"},
		{"no encryption", "CASTELLAN_URL=" + strings.Replace(server.URL, "http:", "https:", 1), "encryption", stateFault, "", "wrong port"},
		{"server in trouble", "CASTELLAN_URL=" + at("/api/account", 400, `{"error":"no"}`), "account", stateFault, "400", "check CASTELLAN_URL"},
		{"server with a limit", "CASTELLAN_URL=" + at("/api/account", 429, `{"error":"Too many requests","ratelimit":{"key":"x","seconds":900}}`),
			"account", stateFault, "limited", "wait until then"},
		{"fast clock", "CASTELLAN_URL=" + dated(-time.Hour), "clock", stateFault, "ahead of the server", "NTP"},
		{"slow clock", "CASTELLAN_URL=" + dated(time.Minute), "clock", stateWarning, "behind the server", "NTP"},
		{"slow server", "CASTELLAN_URL=" + slow, "latency", stateWarning, "half of 7 calls took more than", "nearer"},
		{"misspelt setting", "CASTELLAN_TREADS=2", "settings", stateFault, "did you mean CASTELLAN_THREADS", "castellan config"},
		{"no memory", "CASTELLAN_MEMORY_MB=32", "memory", stateFault, "CASTELLAN_MEMORY_MB", "set CASTELLAN_MAX_GAMES"},
		{"no book", "CASTELLAN_BOOK=" + file + "," + dir + "/missing", "books", stateFault, "missing", "castellan book"},
		{"no tables", "CASTELLAN_SYZYGY_PATH=" + dir, "tables", stateFault, "", "Syzygy"},
		{"tables", "CASTELLAN_SYZYGY_PATH=" + tables, "tables", stateOK, "", ""},
		{"no engine", "CASTELLAN_ENGINE=/nonexistent/engine", "engine", stateFault, "/nonexistent/engine", "UCI engine"},
		{"another engine", "CASTELLAN_ENGINE=castellan%20uci", "engine", stateOK, "Castellan", ""},
		{"state nowhere", "CASTELLAN_STATE_DIR=" + dir + "/missing", "state", stateFault, "CASTELLAN_STATE_DIR", "make the folder"},
		{"games in a file", "CASTELLAN_PGN_DIR=" + file, "games", stateFault, "CASTELLAN_PGN_DIR", "write there"},
		{"games where no folder can be made", "CASTELLAN_PGN_DIR=/proc/x", "games", stateFault, "/proc/x is not there and cannot be made: no file can be written into /proc: ", "make the folder"},
		{"address that is taken", "CASTELLAN_STATUS_ADDR=" + taken.Addr().String(), "status page", stateWarning, "address already in use", "choose another port"},
		{"address that is free", "CASTELLAN_METRICS_ADDR=127.0.0.1:0", "metrics", stateOK, "is free", ""},
		{"records to come", "CASTELLAN_RECORD_DIR=" + dir + "/a/b", "record", stateOK, "is not there yet", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("CASTELLAN_URL", server.URL)
			t.Setenv("CASTELLAN_TOKEN", "lip_xcastellan")
			for _, pair := range strings.Fields(test.env) {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, strings.ReplaceAll(value, "%20", " "))
			}
			for _, asJSON := range []bool{true, false} {
				args := []string{"doctor"}
				if asJSON {
					args = append(args, "--json")
				}
				var out, errs bytes.Buffer
				code := execute(t.Context(), args, streams{strings.NewReader(""), &out, &errs})
				want := exitOK
				if test.state == stateFault {
					want = exitFailure
				}
				if code != want {
					t.Errorf("%v: exit code %d, want %d: %s%s", args, code, want, &out, &errs)
				}
				if token := os.Getenv("CASTELLAN_TOKEN"); token != "" && strings.Contains(out.String()+errs.String(), token) {
					t.Errorf("the token is shown: %s%s", &out, &errs)
				}
				if !asJSON {
					if !strings.Contains(out.String(), test.says) {
						t.Errorf("%q is not in %s", test.says, &out)
					}
					continue
				}
				var report struct {
					OK     bool
					Faults int
					Checks []finding
				}
				if err := json.Unmarshal(out.Bytes(), &report); err != nil {
					t.Fatalf("%v: %s", err, &out)
				}
				found := false
				for _, f := range report.Checks {
					found = found || f.Check == test.check && f.State == test.state && strings.Contains(f.Says, test.says) && strings.Contains(f.Advice, test.advice)
					if (f.State == stateFault || f.State == stateWarning) != (f.Advice != "") {
						t.Errorf("a fault without advice, or advice without a fault: %+v", f)
					}
				}
				if !found || report.OK != (report.Faults == 0) || report.OK != (want == exitOK) {
					t.Errorf("no %s of %s with %q and %q: %s", test.state, test.check, test.says, test.advice, &out)
				}
			}
		})
	}
}

// TestDoctorBehindAProxy has no other way to the server than the proxy of the environment.
func TestDoctorBehindAProxy(t *testing.T) {
	server := startSandbox(t)
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }})
	t.Cleanup(proxy.Close)
	// Settings want https for all servers but those of this machine, which no proxy is asked for; so the proxy itself is what is looked at.
	cmd := exec.Command("castellan", "doctor")
	cmd.Env = append(cmd.Environ(), "CASTELLAN_URL=https://castellan.invalid", "CASTELLAN_TOKEN=lip_castellan", "HTTPS_PROXY="+proxy.URL)
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"ok       proxy         " + proxy.URL, "ok       connection", "FAULT    token"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	if err == nil || strings.Contains(string(out), "FAULT    name") {
		t.Errorf("%v: %s", err, out)
	}
}
