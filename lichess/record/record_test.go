package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

const token = "lip_xsecret"

func newRecorder(t *testing.T, o Options) *Recorder {
	t.Helper()
	o.Token, o.Version = token, "test"
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "record")
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 64 << 20
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// entries closes the recorder and returns what it has written.
func (r *Recorder) entries(t *testing.T) (all []Entry) {
	t.Helper()
	r.Close()
	runs, err := Runs(r.opts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		entries, err := run.Read()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, entries...)
	}
	return all
}

func TestRecordOfAGame(t *testing.T) {
	s := sandbox.New(sandbox.Options{KeepAlive: 20 * time.Millisecond})
	for _, a := range []sandbox.Account{
		{Name: "Castellan", Token: token, Title: lichess.TitleBot}, {Name: "Rival", Token: "lip_xrival", Title: lichess.TitleBot},
	} {
		if err := s.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := newRecorder(t, Options{})
	c, err := lichess.New(lichess.Options{URL: s.URL, Token: token, Wrap: r.Wrap})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	id, err := s.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := c.TestToken(ctx); err != nil {
		t.Fatal(err)
	}
	for event, err := range c.Game(ctx, id) {
		if err != nil {
			break
		}
		switch e := event.(type) {
		case *lichess.GameFull:
			err = c.Move(ctx, id, "e2e4", false)
		case *lichess.GameState:
			if e.Ply() == 1 && !e.Status.Over() {
				c.Chat(ctx, id, lichess.RoomPlayer, "my token is "+token)
				time.Sleep(100 * time.Millisecond) // a few keep-alives
				err = c.Abort(ctx, id)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Move(ctx, id, "e7e5", false); err == nil {
		t.Error("a move after the end was taken")
	}

	all := r.entries(t)
	count := func(kind Kind, url, text string) (n int) {
		for _, e := range all {
			if e.Kind == kind && strings.HasPrefix(e.URL, url) && bytes.Contains(e.Text, []byte(text)) {
				n++
			}
		}
		return n
	}
	game := "/api/bot/game/" + id
	stream := "/api/bot/game/stream/" + id
	for _, want := range []struct {
		kind      Kind
		url, text string
		least     int
	}{
		{Start, "", "", 1},
		{Request, "/api/token/test", "***", 1},
		{Reply, "/api/token/test", `"***"`, 1},
		{Request, game + "/move/e2e4?offeringDraw=false", "", 1},
		{Reply, game + "/move/e2e4?offeringDraw=false", `"ok":true`, 1},
		{Request, game + "/chat", "my+token+is+***", 1},
		{Reply, game + "/move/e7e5", "Not your turn", 1},
		{Reply, stream, "", 1},
		{Line, stream, `"type":"gameFull"`, 1},
		{Line, stream, `"moves":"e2e4"`, 2},
		{Line, stream, "", 5}, // blank ones too
		{End, stream, "", 1},
	} {
		if n := count(want.kind, want.url, want.text); n < want.least {
			t.Errorf("%d entries %s of %s with %q, want %d", n, want.kind, want.url, want.text, want.least)
		}
	}
	if n := count(Line, stream, token) + count(Request, "", token) + count(Reply, "", token); n > 0 {
		t.Errorf("the token is in %d entries", n)
	}
	for i := 1; i < len(all); i++ {
		if all[i].At.Before(all[i-1].At.Add(-time.Second)) {
			t.Errorf("%s is out of order", all[i].Where)
		}
	}
	runs, _ := Runs(r.opts.Dir)
	file := runs[0].Files[0]
	if text, _ := os.ReadFile(file); bytes.Contains(text, []byte(token)) {
		t.Error("the token is in the file")
	}
	for path, want := range map[string]os.FileMode{r.opts.Dir: 0o700, file: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, want)
		}
	}
}

// Whatever is cut off, no part of the token stays.
func TestCutLeavesNoTokenBehind(t *testing.T) {
	r := newRecorder(t, Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		io.Copy(io.Discard, req.Body)
		shift := len(req.URL.Path) // moves the token about the bound
		w.Header().Set("Content-Type", "application/x-ndjson")
		fmt.Fprint(w, token, strings.Repeat("x", longestText-len(token)-shift), token, "tail\n", token, "\n")
	}))
	defer server.Close()
	client := &http.Client{Transport: r.Wrap(http.DefaultTransport)}
	defer client.CloseIdleConnections()
	defer http.DefaultClient.CloseIdleConnections()
	for i := range len(token) + 4 {
		resp, err := client.Post(server.URL+"/"+strings.Repeat("p", i), "text/plain",
			strings.NewReader(strings.Repeat("y", longestText-i)+token+token+"tail"))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	cuts := 0
	for _, e := range r.entries(t) {
		if e.Cut {
			cuts++
		}
		if len(e.Text) > longestText || bytes.Contains(e.Text, []byte("lip")) {
			t.Errorf("%s: %d bytes that end with %q", e.Where, len(e.Text), e.Text[max(0, len(e.Text)-30):])
		}
	}
	if cuts < len(token) {
		t.Errorf("%d texts were cut", cuts)
	}
}

func TestRoomIsBounded(t *testing.T) {
	r := newRecorder(t, Options{MaxBytes: LeastBytes})
	for i := range 3000 {
		r.put(Entry{At: time.Now(), Kind: Line, ID: 1, URL: "/", Text: bytes.Repeat([]byte{'a' + byte(i%26)}, 1000)})
		for len(r.queue) > 100 {
			time.Sleep(time.Millisecond)
		}
	}
	all := r.entries(t)
	names, size, err := sizes(r.opts.Dir)
	if err != nil || len(names) < 3 {
		t.Fatalf("files %v, %v", names, err)
	}
	total := int64(0)
	for _, n := range size {
		total += n
	}
	if total > LeastBytes+2*writeSize {
		t.Errorf("%d bytes in %d files", total, len(names))
	}
	// When the newest entry filled its file, the start of the next one comes after it.
	last := len(all) - 1
	for last > 0 && all[last].Kind == Start {
		last--
	}
	if text := all[last].Text; len(text) == 0 || text[0] != 'a'+byte(2999%26) {
		t.Errorf("the newest entry is gone; the last is %.80q", text)
	}
}

// A disk that fails or a writer that does not keep up costs entries, and it is told how many.
func TestFaultsOfTheDiskHoldNobodyUp(t *testing.T) {
	var log bytes.Buffer
	r := newRecorder(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	line := Entry{At: time.Now(), Kind: Line, ID: 1, URL: "/", Text: Text("{}")}
	r.Close() // nobody takes from the queue any more
	started := time.Now()
	for range queueLength + 1000 {
		r.put(line)
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("putting took %v", took)
	}
	if n := r.lost.Load(); n != 1000 {
		t.Errorf("%d entries lost, want 1000", n)
	}
	// A writer in the place of the one that has ended; the file is closed, so that writing fails.
	r.take(<-r.queue)
	r.flush()
	for range 10 {
		r.take(<-r.queue)
	}
	if n := strings.Count(log.String(), "recording fails"); n != 1 {
		t.Errorf("the fault was told %d times: %s", n, log.String())
	}
	r.retryAt = time.Time{}
	r.take(<-r.queue)
	r.flush()
	r.file.Close()
	runs, err := Runs(r.opts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := runs[0].Read()
	if err != nil || len(runs[0].Files) != 2 {
		t.Fatalf("files %v, %v", runs[0].Files, err)
	}
	if n := len(all); n != 4 || all[2].Kind != Lost || all[2].Count < 10 || all[3].Kind != Line {
		t.Errorf("entries %+v", all)
	}
}

func TestNewFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{
		{Dir: file, MaxBytes: LeastBytes, Token: token},
		{Dir: t.TempDir(), MaxBytes: LeastBytes - 1, Token: token},
		{Dir: t.TempDir(), MaxBytes: LeastBytes},
	} {
		if r, err := New(o); err == nil {
			r.Close()
			t.Errorf("%+v is taken", o)
		}
	}
	dir := t.TempDir()
	first, second := newRecorder(t, Options{Dir: dir}), newRecorder(t, Options{Dir: dir})
	first.Close()
	second.Close()
	if runs, err := Runs(dir); err != nil || len(runs) != 2 {
		t.Errorf("two recorders wrote the runs %v, %v", runs, err)
	}
}

const (
	startLine = `{"at":"2026-11-30T11:22:30Z","kind":"start","version":"v1","format":1}` + "\n"
	lineLine  = `{"at":"2026-11-30T11:22:31Z","kind":"line","id":1,"url":"/api/stream/event","text":"{}"}` + "\n"
)

func TestReadFaults(t *testing.T) {
	for _, test := range []struct{ name, file, want string }{
		{"empty", "", "f:1: the file is empty"},
		{"no start", lineLine, "f:1: a file begins with a start"},
		{"a second start", startLine + startLine, "f:2: a file begins with a start"},
		{"no JSON", startLine + "hello\n", "f:2: not an entry"},
		{"blank line", startLine + "\n", "f:2: not an entry"},
		{"future format", strings.Replace(startLine, `"format":1`, `"format":2`, 1), "f:1: the format is 2"},
		{"unknown kind", startLine + strings.Replace(lineLine, `"line"`, `"lime"`, 1), `f:2: the kind "lime"`},
		{"no time", startLine + strings.Replace(lineLine, `"at":"2026-11-30T11:22:31Z",`, ``, 1), "f:2: the time is missing"},
		{"no id", startLine + strings.Replace(lineLine, `"id":1,`, ``, 1), "f:2: a line without the id"},
		{"no path", startLine + strings.Replace(lineLine, `/api/`, `http://host/api/`, 1), "f:2: the URL of a line is not a path"},
		{"bad base64", startLine + strings.Replace(lineLine, `"{}"`, `"base64:?"`, 1), "f:2: not an entry"},
		{"bad status", startLine + `{"at":"2026-11-30T11:22:31Z","kind":"reply","id":1,"url":"/","status":42}` + "\n", "f:2: the status 42"},
		{"bad method", startLine + `{"at":"2026-11-30T11:22:31Z","kind":"request","id":1,"url":"/","method":"get it"}` + "\n", "f:2: the method"},
		{"cut off", startLine + lineLine + lineLine[:40], "f:3: the line is cut off"},
		{"too long", startLine + strings.Repeat("x", longestEntry+1), "f:2: the line is longer than"},
	} {
		n := 0
		err := read("f", strings.NewReader(test.file), func(Entry) { n++ })
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
		if cut := (*CutError)(nil); errors.As(err, &cut) != (test.name == "cut off") {
			t.Errorf("%s: error %T", test.name, err)
		}
	}
	if err := read("f", strings.NewReader(startLine+lineLine), func(Entry) {}); err != nil {
		t.Error(err)
	}
}

// What is whole of a run that was killed is still returned.
func TestReadCutOff(t *testing.T) {
	dir := t.TempDir()
	for part, text := range []string{startLine + lineLine + lineLine[:30], startLine + lineLine} {
		name := fmt.Sprintf("castellan-20261130T112230.764Z-7-%04d.ndjson", part+1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600)
	runs, err := Runs(dir)
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	all, err := runs[0].Read()
	if cut := (*CutError)(nil); !errors.As(err, &cut) || !strings.HasSuffix(cut.Where, "0001.ndjson:3") || len(all) != 4 {
		t.Errorf("%d entries, %v", len(all), err)
	}
	if _, err := Runs(t.TempDir()); err == nil {
		t.Error("an empty folder is taken for a recording")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(startLine + lineLine))
	f.Add([]byte(startLine + `{"at":"2026-11-30T11:22:31Z","kind":"reply","id":1,"url":"/a?b","status":200,"header":{"A":"b"},"text":"base64:/w=="}` + "\n"))
	f.Add([]byte(startLine + `{"at":"2026-11-30T11:22:31Z","kind":"lost","count":3}` + "\n" + lineLine[:20]))
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []Entry
		err := read("f", bytes.NewReader(data), func(e Entry) { all = append(all, e) })
		if err != nil && !strings.Contains(err.Error(), "f:") {
			t.Errorf("an error without a place: %v", err)
		}
		// What was read is written and read again as it is.
		var again bytes.Buffer
		r := &Recorder{}
		for _, e := range all {
			r.add(e)
		}
		again.Write(r.buffer.Bytes())
		n := 0
		if len(all) > 0 {
			if err := read("f", &again, func(e Entry) {
				if n < len(all) && (e.Kind != all[n].Kind || !bytes.Equal(e.Text, all[n].Text) || e.URL != all[n].URL || !e.At.Equal(all[n].At)) {
					t.Errorf("%+v became %+v", all[n], e)
				}
				n++
			}); err != nil || n != len(all) {
				t.Errorf("%d of %d entries, %v", n, len(all), err)
			}
		}
	})
}

// A server that sends the token back in disguise does not get it into a file.
func TestHiddenTokenIsNotRecorded(t *testing.T) {
	r := newRecorder(t, Options{})
	disguised := fmt.Sprintf(`{"error":"\u%04x%s"}`, token[0], token[1:])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		fmt.Fprintln(w, disguised)
		if req.URL.Path == "/long" {
			fmt.Fprint(w, strings.Repeat("x", longestText-12), disguised, "\n")
		}
	}))
	defer server.Close()
	client := &http.Client{Transport: r.Wrap(http.DefaultTransport)}
	defer client.CloseIdleConnections()
	defer http.DefaultClient.CloseIdleConnections()
	for _, path := range []string{"/short", "/long"} {
		resp, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	lines := 0
	for _, e := range r.entries(t) {
		if len(e.Text) > 0 {
			lines++
		}
		if end := e.Text[max(0, len(e.Text)-80):]; strings.Contains(string(end), token[1:4]) {
			t.Errorf("%s: a text ends with %q", e.Where, end)
		}
	}
	if lines < 3 {
		t.Errorf("%d lines were recorded, want three", lines)
	}
}
