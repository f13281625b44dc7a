package sandbox_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// TestCheckSeesFaults gives the checks what is wrong, so that it is known that
// they can fail.
func TestCheckSeesFaults(t *testing.T) {
	doc := described(t)
	if doc == nil {
		t.Skip("the official description is not here: set LICHESS_API_DIR to the folder that holds openapi.yaml")
	}
	const state = `"moves":"","wtime":1,"btime":1,"winc":0,"binc":0,"status":`
	t.Run("requests", func(t *testing.T) {
		const create = "/api/challenge/mary"
		for _, test := range []struct{ method, path, form, want string }{
			{"POST", "/api/bot/game/abcdefgh/move/e2e4?offeringDraw=true", "", ""},
			{"POST", "/api/bot/game/abcdefgh/move/e2e4?offeringDraw=maybe", "", "query offeringDraw"},
			{"POST", "/api/bot/game/abcdefgh/move/e2e4?draw=true", "", "query draw is not described"},
			{"POST", "/api/bot/game/abcdefgh/draw/perhaps", "", "path accept"},
			{"POST", "/api/bot/game/abcdefgh/resign", "sure=1", "body is not described"},
			{"POST", "/api/bot/game/abcdefgh/chat", "room=player&text=hi", ""},
			{"POST", "/api/bot/game/abcdefgh/chat", "room=kitchen&text=hi", "form room"},
			{"POST", "/api/bot/game/abcdefgh/chat", "room=player", "form text is missing"},
			{"GET", "/api/account/playing?nb=51", "", "query nb"},
			{"POST", create, "rated=false&clock.limit=180&clock.increment=2", ""},
			{"POST", create, "rated=false&days=3", ""},
			{"POST", create, "rated=false", ""},
			{"POST", create, "clock.limit=180", "form clock.increment is missing"},
			{"POST", create, "clock.limit=180&clock.increment=2&days=3", "excludes"},
			{"POST", create, "clock.limit=180&clock.increment=61", "form clock.increment"},
			{"POST", create, "days=4", "form days"},
			{"POST", create, "variant=fairy", "form variant"},
			{"POST", create, "colour=white", "form colour is not described"},
			{"POST", "/api/challenge/ai", "level=9", "form level"},
			{"POST", "/api/challenge/abcdefgh/decline", "reason=dislike", "form reason"},
			{"GET", "/api/users/status", "", "query ids is missing"},
		} {
			r, err := http.NewRequest(test.method, "http://127.0.0.1"+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer lip_x")
			if test.form != "" {
				r.Header.Set("Content-Type", formType)
			}
			faults := strings.Join(findOperation(doc, test.method, r.URL.Path).checkRequest(r, []byte(test.form)), "; ")
			if (faults == "") != (test.want == "") || !strings.Contains(faults, test.want) {
				t.Errorf("%s %s %s: found %q, want %q", test.method, test.path, test.form, faults, test.want)
			}
		}
		r, _ := http.NewRequest("GET", "http://127.0.0.1/api/account", nil)
		r.Header.Set("Accept", "text/html")
		faults := strings.Join(findOperation(doc, "GET", "/api/account").checkRequest(r, nil), "; ")
		if !strings.Contains(faults, "Authorization") || !strings.Contains(faults, "Accept") {
			t.Errorf("headers: found %q", faults)
		}
	})
	t.Run("replies", func(t *testing.T) {
		for _, test := range []struct {
			path   string
			status int
			kind   string
			body   string
			want   string
		}{
			{"POST /api/bot/game/x/resign", 200, "application/json", `{"ok":true}`, ""},
			{"POST /api/bot/game/x/resign", 200, "application/json", `{"ok":"yes"}`, "$.ok"},
			{"POST /api/bot/game/x/resign", 200, "application/json", `{"okay":true}`, "okay is not described"},
			{"POST /api/bot/game/x/resign", 200, "text/html", `{"ok":true}`, `type "text/html"`},
			{"POST /api/bot/game/x/resign", 400, "application/json", `{"error":"no"}`, ""},
			{"POST /api/bot/game/x/resign", 400, "application/json", `{"message":"no"}`, "error"},
			{"POST /api/bot/game/x/resign", 418, "application/json", `{"error":"no"}`, "status 418"},
			{"POST /api/bot/game/x/resign", 418, "application/json", `{}`, "missing"},
			{"GET /api/account", 200, "application/json", `{"id":"a","username":"a"}`, "url"},
			{"GET /api/account", 200, "application/json", `{"id":"a","username":"a","url":"http://x/a","count":{"all":"1"}}`, "$.count"},
		} {
			method, path, _ := strings.Cut(test.path, " ")
			faults := strings.Join(findOperation(doc, method, path).checkReply(test.status, test.kind, []byte(test.body)), "; ")
			if (faults == "") != (test.want == "") || !strings.Contains(faults, test.want) {
				t.Errorf("%s: %d %s: found %q, want %q", test.path, test.status, test.body, faults, test.want)
			}
		}
	})
	t.Run("lines", func(t *testing.T) {
		for _, test := range []struct{ path, line, want string }{
			{"/api/bot/game/stream/x", ``, ""},
			{"/api/bot/game/stream/x", `{"type":"gameState",` + state + `"started"}`, ""},
			{"/api/bot/game/stream/x", `{"type":"gameState",` + state + `"begun"}`, "$.status"},
			{"/api/bot/game/stream/x", `{"type":"gameState",` + state + `"mate","victor":"white"}`, "$.victor is not described"},
			{"/api/bot/game/stream/x", `{"type":"gameState","status":"started"}`, "moves"},
			{"/api/bot/game/stream/x", `{"type":"gameOver"}`, "a line of type gameOver"},
			{"/api/bot/game/stream/x", `{"type":"opponentGone","gone":true,"claimWinInSeconds":"9"}`, "$.claimWinInSeconds"},
			{"/api/stream/event", `{"type":"gameStart","game":{"gameId":"x"}}`, "fullId"},
			{"/api/stream/event", `{"type":"challenge"`, "$: "},
		} {
			faults := strings.Join(findOperation(doc, "GET", test.path).checkLine([]byte(test.line)), "; ")
			if (faults == "") != (test.want == "") || !strings.Contains(faults, test.want) {
				t.Errorf("%s: found %q, want %q", test.line, faults, test.want)
			}
		}
	})
	t.Run("lines in pieces", func(t *testing.T) {
		var found []string
		c := &checkedTransport{doc: doc, seen: &record{seen: map[string]bool{}}, fault: func(s string) { found = append(found, s) }}
		body := &checkedLines{body: pieces{strings.NewReader(`{"type":"gameState",` + state + `"begun"}` + "\n\n")}, c: c, o: findOperation(doc, "GET", "/api/bot/game/stream/x")}
		var out bytes.Buffer
		if _, err := out.ReadFrom(body); err != nil || len(found) != 1 || !strings.Contains(found[0], "$.status") {
			t.Errorf("found %q, %v", found, err)
		}
	})
}

// pieces gives three bytes at a time.
type pieces struct{ r *strings.Reader }

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), 3)]) }
func (pieces) Close() error                 { return nil }
