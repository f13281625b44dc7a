package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

func newPlay(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(NewPlay(PlayOptions{
		Name: "You", Token: "lip_x1", Levels: []Level{{"800", "800"}, {"full", "Full strength"}}, Level: "800",
		Limit: 3 * time.Minute, Increment: 2 * time.Second,
		Opponent: func(_ context.Context, level string) (string, error) {
			if level == "full" {
				return "", errors.New("no room for it")
			}
			return "Bot-" + level, nil
		},
		Exhibit: func(_ context.Context, g Exhibition) (Watched, error) {
			if g.Chess960 {
				return Watched{}, errors.New("no room for it")
			}
			return Watched{ID: "game0001", Token: g.White + g.Black + g.Limit.String()}, nil
		},
		Watch: func(id string) (Watched, bool) { return Watched{ID: id, Token: "lip_x2"}, id == "game0001" },
	}))
	t.Cleanup(server.Close)
	return server
}

// request asks and returns the reply with its body read.
func request(t *testing.T, method, url, body string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(read)
}

func TestPagesAndWhatTheyLoad(t *testing.T) {
	server := newPlay(t)
	for path, want := range map[string]string{
		"/": "text/html", "/game0001": "text/html", "/assets/play.js": "text/javascript", "/assets/board.css": "text/css",
		"/assets/icon.svg": "image/svg+xml", "/play/session": "application/json",
	} {
		response, body := request(t, http.MethodGet, server.URL+path, "", nil)
		if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), want) || body == "" {
			t.Errorf("GET %s: %s, %s, %d bytes", path, response.Status, response.Header.Get("Content-Type"), len(body))
		}
	}
	for _, path := range []string{"/other", "/game000", "/assets/", "/assets/none.js", "/assets/..%2fplay.go", "/play/exhibition/game0002"} {
		if response, _ := request(t, http.MethodGet, server.URL+path, "", nil); response.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s: %s, want 404", path, response.Status)
		}
	}
	first, _ := request(t, http.MethodGet, server.URL+"/assets/play.js", "", nil)
	again, body := request(t, http.MethodGet, server.URL+"/assets/play.js", "", func(r *http.Request) {
		r.Header.Set("If-None-Match", first.Header.Get("ETag"))
	})
	if again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("asked for again: %s", again.Status)
	}
}

// TestNothingFromElsewhere reads all files: no address of another host, nothing inline, nothing that makes HTML of text, and
// nothing that a browser lends to this very machine and https alone, since the page may be opened from a phone by an IP address.
func TestNothingFromElsewhere(t *testing.T) {
	forbidden := regexp.MustCompile(`https?://[^"'\s]+|\binnerHTML|\bouterHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|\son\w+=|\sstyle=|<style|javascript:|randomUUID|crypto\.subtle|navigator\.(clipboard|serviceWorker|wakeLock)`)
	inline := regexp.MustCompile(`<script[^>]*>[^<]`)
	for name, file := range assets {
		for _, found := range forbidden.FindAllString(string(file.body), -1) {
			if found != "http://www.w3.org/2000/svg" {
				t.Errorf("%s: %q", name, found)
			}
		}
		if inline.Match(file.body) {
			t.Errorf("%s: a script inside", name)
		}
		if file.contentType == "" {
			t.Errorf("%s: no content type", name)
		}
	}
	if len(assets) < 10 {
		t.Errorf("%d files only", len(assets))
	}
}

func TestPagesAreConfined(t *testing.T) {
	server := newPlay(t)
	for _, path := range []string{"/", "/assets/play.js", "/play/session", "/nothing"} {
		response, _ := request(t, http.MethodGet, server.URL+path, "", nil)
		csp := response.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: the policy %q lacks %s", path, csp, want)
			}
		}
		if strings.Contains(csp, "unsafe") || response.Header.Get("X-Content-Type-Options") != "nosniff" || len(response.Cookies()) > 0 {
			t.Errorf("%s: %v", path, response.Header)
		}
	}
	response, _ := request(t, http.MethodPost, server.URL+"/play/opponent", `{"level":"800"}`, func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	})
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("POST from another site: %s", response.Status)
	}
}

func TestRequestsOfThePage(t *testing.T) {
	server := newPlay(t)
	for _, test := range []struct {
		path, body string
		code       int
		want       string // part of the answer
	}{
		{"/play/opponent", `{"level":"800"}`, 200, `{"name":"Bot-800"}`},
		{"/play/opponent", `{"level":"full"}`, 503, "no room for it"},
		{"/play/opponent", `{"level":"900"}`, 400, `there is no strength \"900\"`},
		{"/play/opponent", `{"level":`, 400, "cannot be read"},
		{"/play/opponent", `{"strength":"800"}`, 400, "cannot be read"},
		{"/play/opponent", `{"level":"` + strings.Repeat("8", maxQuestion) + `"}`, 400, "too large"},
		{"/play/exhibition", `{"white":"800","black":"full","limit":60}`, 200, `{"id":"game0001","token":"800full1m0s"}`},
		{"/play/exhibition", `{"white":"800","black":"none","limit":60}`, 400, "no strength"},
		{"/play/exhibition", `{"white":"800","black":"800"}`, 400, "clock"},
		{"/play/exhibition", `{"white":"800","black":"800","limit":-1,"increment":2}`, 400, "clock"},
		{"/play/exhibition", `{"white":"800","black":"800","limit":60,"chess960":true}`, 400, "no room for it"},
		{"/play/exhibition", `{"white":"800","black":"800","limit":60,"fen":"8"}`, 400, `{"error":"FEN board \"8\": `},
		{"/play/exhibition", `{"white":"800","black":"800","limit":60,"fen":"7k/8/6Q1/8/8/8/8/K7 b - - 0 1"}`, 400, `{"error":"in this position the game is over: stalemate"}`},
		{"/rules", `{"moves":"e2e4"}`, 200, `"san":"e4"`},
		{"/rules", `{"moves":"e2e5"}`, 400, `{"error":"ply 1: move `},
	} {
		response, body := request(t, http.MethodPost, server.URL+test.path, test.body, nil)
		if response.StatusCode != test.code || !strings.Contains(body, test.want) {
			t.Errorf("POST %s %.60s: %s, %.200s, want %d and %q", test.path, test.body, response.Status, body, test.code, test.want)
		}
		if test.code >= 400 {
			var refusal struct {
				Error string `json:"error"`
			}
			if err := json.Unmarshal([]byte(body), &refusal); err != nil || refusal.Error == "" {
				t.Errorf("POST %s %.60s: the error has another form: %s", test.path, test.body, body)
			}
		}
	}
	if _, body := request(t, http.MethodGet, server.URL+"/play/session", "", nil); body !=
		`{"name":"You","token":"lip_x1","levels":[{"key":"800","name":"800"},{"key":"full","name":"Full strength"}],"level":"800","limit":180,"increment":2}` {
		t.Errorf("session: %s", body)
	}
}
