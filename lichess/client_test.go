package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    Options
		want string // part of the error; "" for none
	}{
		{"Lichess", Options{Token: testToken}, ""},
		{"another https", Options{URL: "https://lichess.dev/", Token: testToken}, ""},
		{"this machine", Options{URL: "http://localhost:9663", Token: testToken}, ""},
		{"this machine by IPv6", Options{URL: "http://[::1]:9663", Token: testToken}, ""},
		{"in the clear", Options{URL: "http://lichess.org", Token: testToken}, "use https"},
		{"looks like this machine", Options{URL: "http://localhost.example.org", Token: testToken}, "use https"},
		{"scheme", Options{URL: "ftp://lichess.org", Token: testToken}, `scheme "ftp"`},
		{"no scheme", Options{URL: "lichess.org", Token: testToken}, "not a URL"},
		{"nonsense", Options{URL: "https://%zz" + testToken, Token: testToken}, "not a URL"},
		{"secret in the address", Options{URL: "https://me:" + testToken + "@lichess.org", Token: testToken}, "no user"},
		{"query", Options{URL: "https://lichess.org?token=" + testToken, Token: testToken}, "no user, query"},
		{"no token", Options{}, "no token"},
		{"token with a space", Options{Token: testToken + " "}, "the token is not one"},
		{"token with a line feed", Options{Token: testToken + "\nX-Header: 1"}, "the token is not one"},
		{"long token", Options{Token: Token(strings.Repeat("a", 513))}, "the token is not one"},
		{"negative", Options{Token: testToken, IdleTimeout: -1}, "negative"},
		{"two faults", Options{URL: "http://lichess.org"}, "no token"},
	} {
		c, err := New(tc.o)
		switch {
		case tc.want == "" && err != nil, tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		case err != nil && strings.Contains(err.Error(), testToken):
			t.Errorf("%s: the token is in the error", tc.name)
		case err == nil:
			c.Close()
		}
	}
}

// TestRequests pins method, path, query, body and headers of each call.
func TestRequests(t *testing.T) {
	var got []string
	var mu sync.Mutex
	c := newTestClient(t, Options{Version: "1.2\n3"}, func(w http.ResponseWriter, r *http.Request) {
		body := new(bytes.Buffer)
		body.ReadFrom(r.Body)
		mu.Lock()
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URL.RequestURI(), body)))
		mu.Unlock()
		if r.URL.Path != "/api/token/test" && r.Header.Get("Authorization") != "Bearer "+testToken {
			t.Errorf("%s: no token", r.URL)
		}
		if agent := r.Header.Get("User-Agent"); !strings.HasPrefix(agent, "castellan/1.2 3") || strings.Contains(agent, "user:") != (r.URL.Path != "/api/account") {
			t.Errorf("%s: User-Agent %q", r.URL, agent)
		}
		replies(w, r)
	})
	ctx := t.Context()
	want := func(err error, requests ...string) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if err != nil || strings.Join(got, "\n") != strings.Join(requests, "\n") {
			t.Errorf("%v: got %q, want %q", err, got, requests)
		}
		got = nil
	}
	_, err := c.Account(ctx)
	want(err, "GET /api/account")
	if c.Username() != "Rookery" {
		t.Error(c.Username())
	}
	_, err = c.TestToken(ctx)
	want(err, "POST /api/token/test "+testToken)
	_, err = c.Playing(ctx, 100)
	want(err, "GET /api/account/playing?nb=50")
	bots, err := c.OnlineBots(ctx, 0)
	want(err, "GET /api/bot/online?nb=1")
	if len(bots) != 2 || bots[1].ID != "b" {
		t.Error(bots)
	}
	want(c.UpgradeAccount(ctx), "POST /api/bot/account/upgrade")
	want(c.Move(ctx, "Ab3dEf9h", "e7e8q", true), "POST /api/bot/game/Ab3dEf9h/move/e7e8q?offeringDraw=true")
	want(c.Move(ctx, "Ab3dEf9h", "P@e4", false), "POST /api/bot/game/Ab3dEf9h/move/P@e4?offeringDraw=false")
	want(c.Abort(ctx, "Ab3dEf9h"), "POST /api/bot/game/Ab3dEf9h/abort")
	want(c.Resign(ctx, "Ab3dEf9h"), "POST /api/bot/game/Ab3dEf9h/resign")
	want(c.Draw(ctx, "Ab3dEf9h", true), "POST /api/bot/game/Ab3dEf9h/draw/yes")
	want(c.Draw(ctx, "Ab3dEf9h", false), "POST /api/bot/game/Ab3dEf9h/draw/no")
	want(c.Takeback(ctx, "Ab3dEf9h", true), "POST /api/bot/game/Ab3dEf9h/takeback/yes")
	want(c.ClaimVictory(ctx, "Ab3dEf9h"), "POST /api/bot/game/Ab3dEf9h/claim-victory")
	want(c.ClaimDraw(ctx, "Ab3dEf9h"), "POST /api/bot/game/Ab3dEf9h/claim-draw")
	want(c.Chat(ctx, "Ab3dEf9h", RoomSpectator, "gg & thx"), "POST /api/bot/game/Ab3dEf9h/chat room=spectator&text=gg+%26+thx")
	_, err = c.ReadChat(ctx, "Ab3dEf9h")
	want(err, "GET /api/bot/game/Ab3dEf9h/chat")
	_, err = c.ExportPGN(ctx, "Ab3dEf9h")
	want(err, "GET /game/export/Ab3dEf9h")
	_, err = c.CreateChallenge(ctx, "pawnstar", ChallengeRequest{Rated: true, TimeControl: ClockControl(180, 2), Color: ColorBlack})
	want(err, "POST /api/challenge/pawnstar clock.increment=2&clock.limit=180&color=black&rated=true&variant=standard")
	_, err = c.CreateChallenge(ctx, "pawnstar", ChallengeRequest{TimeControl: CorrespondenceControl(3), Variant: VariantChess960, FEN: "8/8 w"})
	want(err, "POST /api/challenge/pawnstar color=random&days=3&fen=8%2F8+w&rated=false&variant=chess960")
	_, err = c.ChallengeAI(ctx, 4, ChallengeRequest{TimeControl: UnlimitedControl()})
	want(err, "POST /api/challenge/ai color=random&level=4&variant=standard")
	want(c.AcceptChallenge(ctx, "Ab3dEf9h"), "POST /api/challenge/Ab3dEf9h/accept")
	want(c.DeclineChallenge(ctx, "Ab3dEf9h", DeclineTooFast), "POST /api/challenge/Ab3dEf9h/decline reason=tooFast")
	want(c.CancelChallenge(ctx, "Ab3dEf9h"), "POST /api/challenge/Ab3dEf9h/cancel")
	_, err = c.Challenges(ctx)
	want(err, "GET /api/challenge")
	_, err = c.ShowChallenge(ctx, "Ab3dEf9h")
	want(err, "GET /api/challenge/Ab3dEf9h/show")
}

// TestBadArguments: what comes from outside cannot lead a call elsewhere.
func TestBadArguments(t *testing.T) {
	c := newTestClient(t, Options{}, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was sent", r.URL) })
	ctx := t.Context()
	_, errCreate := c.CreateChallenge(ctx, "../ai", ChallengeRequest{TimeControl: ClockControl(60, 0)})
	_, errLevel := c.ChallengeAI(ctx, 9, ChallengeRequest{TimeControl: ClockControl(60, 0)})
	_, errNone := c.CreateChallenge(ctx, "pawnstar", ChallengeRequest{})
	_, errChat := c.ReadChat(ctx, "")
	_, errPGN := c.ExportPGN(ctx, "a b")
	_, errShow := c.ShowChallenge(ctx, "..")
	for i, err := range []error{
		errCreate, errLevel, errNone, errChat, errPGN, errShow,
		c.Move(ctx, "../x", "e2e4", false), c.Move(ctx, "Ab3dEf9h", "", false), c.Move(ctx, "Ab3dEf9h", "e2/e4", false), c.Move(ctx, "Ab3dEf9h", "(none)", false),
		c.Abort(ctx, "a/b"), c.Chat(ctx, "Ab3dEf9h", "kitchen", "hi"), c.Chat(ctx, "Ab3dEf9h", RoomPlayer, " "),
		c.Chat(ctx, "Ab3dEf9h", RoomPlayer, strings.Repeat("a", 141)), c.AcceptChallenge(ctx, "?"), c.DeclineChallenge(ctx, "", DeclineLater), c.CancelChallenge(ctx, "%2e"),
	} {
		if err == nil {
			t.Errorf("case %d was not refused", i)
		}
	}
	for _, err := range c.Game(ctx, "../../account") {
		if err == nil {
			t.Error("a stream with a bad id was opened")
		}
	}
}

// TestReadChatForms: as an array, and as the description of the API has it.
func TestReadChatForms(t *testing.T) {
	body := ""
	c := newTestClient(t, Options{}, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, body) })
	for _, body = range []string{`[{"text":"hi","user":"a"},{"text":"ho","user":"b"}]`, `{"text":"hi","user":"a"}` + "\n" + `{"text":"ho","user":"b"}` + "\n"} {
		if chat, err := c.ReadChat(t.Context(), "Ab3dEf9h"); err != nil || len(chat) != 2 || chat[1].User != "b" {
			t.Errorf("%s: %v %v", body, chat, err)
		}
	}
	for _, body = range []string{`<html>`, `{"text":7}`} {
		if chat, err := c.ReadChat(t.Context(), "Ab3dEf9h"); err == nil {
			t.Errorf("%s: %v", body, chat)
		}
	}
}

// TestReplyBounds: no reply is read without end, whatever its status.
func TestReplyBounds(t *testing.T) {
	c := newTestClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(400)
		}
		chunk := bytes.Repeat([]byte("x"), 64<<10)
		for range 2 * maxReply / len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	if _, err := c.ExportPGN(t.Context(), "Ab3dEf9h"); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Error(err)
	}
	var api *APIError
	if err := c.Abort(t.Context(), "Ab3dEf9h"); !errors.As(err, &api) || len(api.Message) > 2*maxMessage {
		t.Error(err)
	}
}

// TestRedirect: the token goes to no other host, and to no other place either.
func TestRedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed, with %q", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	c := newTestClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	_, err := c.Account(t.Context())
	errs := []error{err, c.Resign(t.Context(), "Ab3dEf9h")}
	for e := range c.EventStream(t.Context()) {
		// Something on the way, which passes, and no reason to give up.
		if lost, ok := e.(*Disconnected); ok {
			errs = append(errs, lost.Err)
		}
		break
	}
	if len(errs) != 3 {
		t.Errorf("%v", errs)
	}
	for _, err := range errs {
		var api *APIError
		if !errors.As(err, &api) || api.Status != 307 || !strings.Contains(api.Message, "redirect") {
			t.Error(err)
		}
	}
}

// TestTokenStaysSecret greps everything that could show the token, with a
// server that echoes it in every way.
func TestTokenStaysSecret(t *testing.T) {
	var seen bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&seen, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var requests atomic.Int32
	c := newTestClient(t, Options{Logger: logger}, func(w http.ResponseWriter, r *http.Request) {
		echo := r.Header.Get("Authorization")
		switch requests.Add(1) % 8 {
		case 0:
			answer(w, 400, `{"error":"`+echo+`"}`)
		case 1:
			answer(w, 429, `{"error":"`+echo+`","ratelimit":{"key":"`+echo+`","seconds":1}}`)
		case 2:
			answer(w, 403, `<html><title>`+echo+`</title>`)
		case 3:
			drop(w)
		case 4:
			http.Redirect(w, r, "https://example.org/?token="+testToken, http.StatusFound)
		case 6: // no HTTP, which net/http quotes
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				io.WriteString(conn, echo+"\r\n\r\n")
				conn.Close()
			}
		case 7: // a number where none belongs, and the token where a text does
			answer(w, 200, `{"id":1e999999,"username":"`+echo+`"}`)
		case 5:
			w.Header().Set("Content-Type", ndjsonType)
			answer(w, 200, `{"type":"`+testToken+`","x":"`+echo+`"}`+"\n"+`{"type":"gameStart","game":{"gameId":"/`+testToken+`"}}`+"\n")
		}
	})
	for range 2 {
		for _, calls := range []map[string]func(context.Context, *Client) error{safeCalls, onceCalls} {
			for _, call := range calls {
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				err := call(ctx, c)
				cancel()
				fmt.Fprintln(&seen, err)
				fmt.Fprintf(&seen, "%+v %#v\n", err, err)
			}
		}
		for range 8 {
			for e, err := range c.Game(t.Context(), "Ab3dEf9h") {
				fmt.Fprintf(&seen, "%v\n", err)
				if u, ok := e.(*Unknown); ok {
					fmt.Fprintf(&seen, "%s %s %v", u.Type, u.Raw, u.Err)
				}
			}
			for e, err := range c.Events(t.Context()) {
				fmt.Fprintf(&seen, "%v\n", err)
				if u, ok := e.(*Unknown); ok {
					fmt.Fprintf(&seen, "%s %s %v", u.Type, u.Raw, u.Err)
				}
			}
		}
	}
	o := Options{Token: testToken}
	for _, v := range []any{o, &o, c, *c.token, []Token{o.Token}, struct{ T Token }{o.Token}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&seen, verb+"\n", v)
		}
		logger.Info("options", "v", v)
		slog.New(slog.NewJSONHandler(&seen, nil)).Info("options", "v", v)
		text, _ := json.Marshal(v)
		seen.Write(text)
	}
	fmt.Fprintln(&seen, o.Token.String(), c.Limits())
	hex := fmt.Sprintf("%x", []byte(testToken))
	for line := range strings.Lines(seen.String()) {
		if strings.Contains(line, testToken) || strings.Contains(line, hex) {
			t.Errorf("the token is shown: %.300s", line)
		}
	}
	if !strings.Contains(seen.String(), "POST /api/bot/game/{id}/resign") || !strings.Contains(seen.String(), Masked) {
		t.Error("the test looks at nothing")
	}
}

// TestConnectionsStayWarm: many games that move at once need as many
// connections, and open each only once, even when other calls fail meanwhile.
func TestConnectionsStayWarm(t *testing.T) {
	const games = 40
	synctest.Test(t, func(t *testing.T) {
		c, s, stop := newPipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/chat") {
				drop(w)
				return
			}
			pause(r, time.Second)
			replies(w, r)
		})
		defer stop()
		for range 5 {
			var group sync.WaitGroup
			for range games {
				group.Go(func() {
					if err := onceCalls["move"](t.Context(), c); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if onceCalls["chat"](ctx, c) == nil {
				t.Error("the chat did not fail")
			}
			cancel()
		}
		// A failing chat uses up one warm connection each time.
		if s.dials > games+5 {
			t.Errorf("%d connections for %d games", s.dials, games)
		}
	})
}

// TestHTTP2 plays over TLS: HTTP/2 is spoken, by calls and streams alike, and a
// server with a certificate of its own making is refused at once.
func TestHTTP2(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.ProtoMajor != 2 {
			t.Errorf("%s came by %s", r.URL, r.Proto)
		}
		if r.URL.Path == "/api/stream/event" {
			line(w, `{"type":"gameStart","game":{"gameId":"Ab3dEf9h"}}`)
			return
		}
		replies(w, r)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()
	o := Options{URL: server.URL, Token: testToken}
	stranger, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	start := time.Now()
	if _, err := stranger.Account(t.Context()); err == nil || !strings.Contains(err.Error(), "certificate") || time.Since(start) > 5*time.Second || requests.Load() > 0 {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	c, err := newClient(o, func(transport *http.Transport) {
		transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Resign(t.Context(), "Ab3dEf9h"); err != nil {
		t.Error(err)
	}
	reused := false
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
	if err := c.Resign(ctx, "Ab3dEf9h"); err != nil || !reused {
		t.Errorf("%v, connection reused: %v", err, reused)
	}
	events := 0
	for e, err := range c.Events(t.Context()) {
		if _, ok := e.(*GameStart); ok {
			events++
		} else if !errors.Is(err, ErrStreamEnded) {
			t.Error(e, err)
		}
	}
	if events != 1 {
		t.Errorf("%d events", events)
	}
}
