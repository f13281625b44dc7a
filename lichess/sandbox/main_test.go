package sandbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(wholeRun{m}) }

// world is a server with a clock that stands still, two bots (Deep, Fritz) and
// two people (Mary, Bob) whose tokens are their names in lower case.
type world struct {
	*sandbox.Server
	t     *testing.T
	clock *sandbox.ManualClock
	http  *http.Client
	agent string // User-Agent to send
}

func newWorld(t *testing.T, o sandbox.Options, more ...sandbox.Account) *world {
	t.Helper()
	clock := sandbox.NewManualClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	o.Clock, o.Seed = clock, 1
	w := &world{
		Server: sandbox.New(o), t: t, clock: clock,
		http: &http.Client{Transport: newCheckedTransport(t, &http.Transport{})}, agent: "test",
	}
	for _, a := range append(more,
		sandbox.Account{Name: "Deep", Title: "BOT", Token: "deep", Rating: 2000},
		sandbox.Account{Name: "Fritz", Title: "BOT", Token: "fritz", Rating: 1900},
		sandbox.Account{Name: "Mary", Token: "mary", Rating: 1600},
		sandbox.Account{Name: "Bob", Token: "bob"},
	) {
		if err := w.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.http.CloseIdleConnections()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		w.http.CloseIdleConnections()
	})
	return w
}

func (w *world) request(ctx context.Context, method, token, path, kind, body string) *http.Response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, w.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("User-Agent", w.agent)
	resp, err := w.http.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp
}

// reply is what came back from a call that is not a stream.
type reply struct {
	code   int
	body   string
	header http.Header
}

// decode reads the body into v.
func (r reply) decode(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
}

func (w *world) read(resp *http.Response) reply {
	w.t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return reply{resp.StatusCode, string(body), resp.Header}
}

// do makes a call that must be answered in 10 s.
func (w *world) do(method, token, path, kind, body string) reply {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	return w.read(w.request(ctx, method, token, path, kind, body))
}

func (w *world) get(token, path string) reply {
	w.t.Helper()
	return w.do("GET", token, path, "", "")
}

const formType = "application/x-www-form-urlencoded"

// post sends a form given as "a=b&c=d".
func (w *world) post(token, path, form string) reply {
	w.t.Helper()
	kind := ""
	if form != "" {
		kind = formType
	}
	return w.do("POST", token, path, kind, form)
}

// ok posts and demands success.
func (w *world) ok(token, path, form string) {
	w.t.Helper()
	if r := w.post(token, path, form); r.code != 200 || r.body != `{"ok":true}` {
		w.t.Fatalf("POST %s by %s: %d %s", path, token, r.code, r.body)
	}
}

// refused posts and demands a certain error.
func (w *world) refused(token, path, form string, code int, text string) {
	w.t.Helper()
	r := w.post(token, path, form)
	var body lichess.ErrorBody
	if r.code != code || json.Unmarshal([]byte(r.body), &body) != nil || !strings.Contains(body.Error, text) {
		w.t.Fatalf("POST %s by %s: %d %s, want %d %q", path, token, r.code, r.body, code, text)
	}
	if kind := r.header.Get("Content-Type"); kind != "application/json" {
		w.t.Errorf("an error of type %q", kind)
	}
}

// lines is an open stream.
type lines struct {
	t      *testing.T
	body   io.ReadCloser
	r      *bufio.Reader
	cancel func()
}

// open opens a stream; it is closed with the test at the latest. A line that
// does not come in 10 s fails the test.
func (w *world) open(token, path string) *lines {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	return w.stream(w.request(ctx, "GET", token, path, "", ""), cancel)
}

func (w *world) stream(resp *http.Response, cancel func()) *lines {
	w.t.Helper()
	l := &lines{w.t, resp.Body, bufio.NewReader(resp.Body), cancel}
	w.t.Cleanup(l.close)
	if resp.StatusCode != 200 {
		body, _ := io.ReadAll(resp.Body)
		w.t.Fatalf("%s: %d %s", resp.Request.URL, resp.StatusCode, body)
	}
	if kind := resp.Header.Get("Content-Type"); kind != "application/x-ndjson" {
		w.t.Errorf("a stream of type %q", kind)
	}
	return l
}

func (l *lines) close() {
	l.cancel()
	l.body.Close()
}

// raw returns the next line, "" for a blank one.
func (l *lines) raw() string {
	l.t.Helper()
	line, err := l.r.ReadString('\n')
	if err != nil {
		l.t.Fatalf("waiting for a line: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// next decodes the next line into v and checks its type.
func (l *lines) next(typ string, v any) {
	l.t.Helper()
	line := l.raw()
	var head struct{ Type string }
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		l.t.Fatalf("%v in line %q", err, line)
	}
	if head.Type != typ {
		l.t.Fatalf("line %s, want a %s", line, typ)
	}
	if v != nil {
		if err := json.Unmarshal([]byte(line), v); err != nil {
			l.t.Fatalf("%v in line %q", err, line)
		}
	}
}

// state demands a gameState.
func (l *lines) state() lichess.GameState {
	l.t.Helper()
	var s lichess.GameState
	l.next("gameState", &s)
	return s
}

// chat demands a chat line by the server itself.
func (l *lines) system(text string) {
	l.t.Helper()
	var c lichess.ChatLine
	l.next("chatLine", &c)
	if want := (lichess.ChatLine{Room: lichess.RoomPlayer, Username: "lichess", Text: text}); c != want {
		l.t.Fatalf("chat %+v, want %+v", c, want)
	}
}

// end demands that nothing more comes and the stream is closed in good order.
func (l *lines) end() {
	l.t.Helper()
	if rest, err := io.ReadAll(l.r); err != nil || len(rest) > 0 {
		l.t.Fatalf("at the end of a stream: %q, %v", rest, err)
	}
}

// start begins a game of 3+2, or of what the setup says, White against Black.
func (w *world) start(white, black string, setup sandbox.GameSetup) (id string) {
	w.t.Helper()
	setup.White, setup.Black = white, black
	if setup.Limit == 0 && setup.Increment == 0 && setup.Days == 0 {
		setup.Limit, setup.Increment = 3*time.Minute, 2*time.Second
	}
	id, err := w.StartGame(setup)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// api is "bot" or "board", by who asks.
func api(token string) string {
	if token == "deep" || token == "fritz" {
		return "bot"
	}
	return "board"
}

func gamePath(token, id, rest string) string {
	return "/api/" + api(token) + "/game/" + id + "/" + rest
}

func (w *world) watch(token, id string) *lines {
	w.t.Helper()
	return w.open(token, "/api/"+api(token)+"/game/stream/"+id)
}

// play plays moves in turn, the first by white. Both are tokens.
func (w *world) play(id, white, black, moves string) {
	w.t.Helper()
	for i, m := range strings.Fields(moves) {
		token := white
		if i%2 == 1 {
			token = black
		}
		w.ok(token, gamePath(token, id, "move/"+url.PathEscape(m)), "")
	}
}

func (w *world) game(id string) sandbox.Game {
	w.t.Helper()
	g, ok := w.Game(id)
	if !ok {
		w.t.Fatalf("no game %s", id)
	}
	return g
}

// ended demands that a game is over in a certain way.
func (w *world) ended(id string, status lichess.Status, winner lichess.Color) {
	w.t.Helper()
	if g := w.game(id); g.Status != status || g.Winner != winner {
		w.t.Errorf("the game stands at %s, winner %q; want %s, winner %q", g.Status, g.Winner, status, winner)
	}
}
