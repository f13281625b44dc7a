package lichess

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// eachText calls see for every text within v.
func eachText(v reflect.Value, path string, see func(path, text string)) {
	switch v.Kind() {
	case reflect.String:
		see(path, v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachText(v.Elem(), path, see)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachText(v.Field(i), path+"."+v.Type().Field(i).Name, see)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			see(path, string(v.Bytes()))
			return
		}
		if v.Len() > maxList {
			see(path, strings.Repeat("x", 1000))
		}
		for i := range v.Len() {
			eachText(v.Index(i), path, see)
		}
	}
}

// poison puts dirty or endless texts in the place of all texts of a JSON value,
// but for those that an event cannot do without.
func poison(v any, key, dirt string) any {
	switch v := v.(type) {
	case string:
		if key == "type" || key == "moves" || key == "id" && len(v) == 8 || key == "gameId" {
			return v
		}
		return dirt
	case map[string]any:
		for k := range v {
			v[k] = poison(v[k], k, dirt)
		}
	case []any:
		for i := range v {
			v[i] = poison(v[i], key, dirt)
		}
	}
	return v
}

// TestTextsFromOutsideAreClean: every text of every kind of event, the moves
// excepted, fits into a line of the log, whatever the server sends.
func TestTextsFromOutsideAreClean(t *testing.T) {
	user := `{"id":"a","name":"a","title":"a","flair":"a"}`
	variant := `{"key":"a","name":"a","short":"a"}`
	challenge := `{"id":"Ab3dEf9h","url":"a","status":"a","challenger":` + user + `,"destUser":` + user + `,"variant":` + variant + `,"speed":"a",` +
		`"timeControl":{"type":"a","show":"a"},"color":"a","finalColor":"a","perf":{"icon":"a","name":"a"},"initialFen":"a","rematchOf":"a",` +
		`"direction":"a","rules":["a"` + strings.Repeat(`,"a"`, 100) + `],"open":{"a":"a"},"declineReason":"a","declineReasonKey":"a"}`
	game := `{"id":"Ab3dEf9h","gameId":"Ab3dEf9h","fullId":"a","fen":"a","color":"a","lastMove":"a","source":"a","status":{"name":"a"},"variant":` + variant +
		`,"speed":"a","perf":"a","opponent":{"id":"a","username":"a"},"tournamentId":"a","winner":"a"}`
	state := `{"type":"gameState","moves":"e2e4","status":"a","winner":"a","rematch":"a"}`
	for _, line := range []string{
		`{"type":"gameStart","game":` + game + `}`, `{"type":"gameFinish","game":` + game + `}`,
		`{"type":"challenge","challenge":` + challenge + `}`, `{"type":"challengeCanceled","challenge":` + challenge + `}`, `{"type":"challengeDeclined","challenge":` + challenge + `}`,
		state, `{"type":"chatLine","room":"a","username":"a","text":"a"}`,
		`{"type":"gameFull","id":"Ab3dEf9h","variant":` + variant + `,"speed":"a","perf":{"name":"a"},"white":` + user + `,"black":` + user +
			`,"initialFen":"a","tournamentId":"a","state":` + state + `}`,
	} {
		for _, dirt := range []string{"a\nlevel=ERROR msg=forged", "a\x1b[31m\u202eb\u0000c", strings.Repeat("long ", 10000)} {
			var v any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			dirty, err := json.Marshal(poison(v, "", dirt))
			if err != nil {
				t.Fatal(err)
			}
			var event any = DecodeEvent(dirty)
			if u, ok := event.(*Unknown); ok && u.Err == nil {
				event = DecodeGameEvent(dirty)
			}
			if u, ok := event.(*Unknown); ok {
				t.Fatalf("%s: %v", u.Type, u.Err)
			}
			texts := 0
			eachText(reflect.ValueOf(event), fmt.Sprintf("%T", event), func(path, text string) {
				if texts++; utf8.RuneCountInString(text) > maxText || strings.HasSuffix(path, ".Open") && len(text) > 0 && !json.Valid([]byte(text)) ||
					!strings.HasSuffix(path, ".Open") && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
					t.Errorf("%s: %d bytes: %.60q", path, len(text), text)
				}
			})
			if texts < 3 {
				t.Errorf("%T: %d texts", event, texts)
			}
		}
	}
}

// TestErrorsQuoteLittle: errors of the libraries quote what came from outside.
func TestErrorsQuoteLittle(t *testing.T) {
	digits := strings.Repeat("9", 100000)
	c := newTestClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, `{"username":"Rookery","createdAt":`+digits+`,"in":`+digits+`,"nowPlaying":`+digits+`}`)
	})
	_, accountErr := c.Account(t.Context())
	_, listErr := c.Challenges(t.Context())
	_, playingErr := c.Playing(t.Context(), 9)
	unknown := DecodeGameEvent([]byte(`{"type":"gameState","moves":` + digits + `,"status":"started"}`)).(*Unknown)
	for i, err := range []error{accountErr, listErr, playingErr, unknown.Err} {
		for _, verb := range []string{"%v", "%+v", "%#v"} {
			if err == nil || len(fmt.Sprintf(verb, err)) > 3*maxMessage {
				t.Errorf("%d: "+verb, i, err)
			}
		}
	}
	var mismatch *json.UnmarshalTypeError
	if !errors.As(playingErr, &mismatch) {
		t.Errorf("%v does not tell its kind", playingErr)
	}
}

// TestRepliesAreMasked: a server that tells the token in a reply that is sound.
func TestRepliesAreMasked(t *testing.T) {
	c := newTestClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, `[{"text":"`+testToken+`","user":"a"}]`)
	})
	if chat, err := c.ReadChat(t.Context(), "Ab3dEf9h"); err != nil || len(chat) != 1 || chat[0].Text != Masked {
		t.Errorf("%v %v", chat, err)
	}
	if pgn, err := c.ExportPGN(t.Context(), "Ab3dEf9h"); err != nil || strings.Contains(pgn, testToken) {
		t.Errorf("%v %v", pgn, err)
	}
}
