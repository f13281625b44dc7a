package lichess

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const samplesDir = "../testdata/lichess"

// officialDir returns the folder with the official examples, "" when there is
// none.
func officialDir() string {
	dir := os.Getenv("LICHESS_API_DIR")
	if dir == "" {
		dir = "../../shared/lichess-api"
	}
	dir = filepath.Join(dir, "examples")
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// notOurs are official examples of calls that the client does not make.
var notOurs = []string{
	"cloud-eval", "tablebase-standard", "tablebase-antichess", "explorer-lichess", "explorer-player-line", "explorer-masters",
	"users-status", "game-export", "challenge-keepalive-done",
}

// noMatter are fields that nothing here needs, by their last name.
var noMatter = []string{"patronColor", "uscfRating", "ecfRating", "rcfRating", "cfcRating", "dsbRating", "urlWhite", "urlBlack"}

// newValue returns a pointer to the type that a file of that name holds.
func newValue(name string) any {
	switch {
	case name == "account", name == "account-closed", name == "online-bot-line":
		return &User{}
	case name == "account-playing":
		return &NowPlaying{}
	case name == "token-test":
		return &map[string]*TokenInfo{}
	case name == "chat", name == "player-chat-get":
		return &[]ChatMessage{}
	case name == "ok":
		return &OK{}
	case name == "challenge-list":
		return &ChallengeList{}
	case name == "challenge-ai", name == "challenge-ai-response":
		return &AIGame{}
	case name == "timeControl-variants":
		return &[]TimeControl{}
	case name == "game-statuses":
		return &[]StatusInfo{}
	case strings.HasPrefix(name, "challenge-"):
		return &Challenge{}
	case strings.HasPrefix(name, "error"), name == "not-found":
		return &ErrorBody{}
	}
	return nil
}

// TestSamples reads and writes again each sample, our own and the official
// ones, and compares the two: nothing that matters may be lost on the way in,
// and nothing may be written that the server would not send.
func TestSamples(t *testing.T) {
	dirs := []string{samplesDir}
	if official := officialDir(); official != "" {
		dirs = append(dirs, official)
	} else {
		t.Log("the official examples are not here: set LICHESS_API_DIR to the folder that holds examples/")
	}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no samples in %s: %v", dir, err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "synthetic-"), ".json")
			if slices.Contains(notOurs, name) || name == "decline-reasons" || name == "error-form" {
				continue
			}
			t.Run(filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				value, err := decodeSample(name, data)
				if err != nil {
					t.Fatal(err)
				}
				again, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				for _, difference := range compareJSON(t, data, again) {
					t.Errorf("%s\nread and written again: %s", difference, again)
				}
			})
		}
	}
}

func decodeSample(name string, data []byte) (any, error) {
	if value := newValue(name); value != nil {
		return value, json.Unmarshal(data, value)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil {
		return nil, err
	}
	var value any
	switch {
	case strings.HasPrefix(name, "event-"):
		value = DecodeEvent(line.Bytes())
	case strings.HasPrefix(name, "game-"):
		value = DecodeGameEvent(line.Bytes())
	default:
		return nil, fmt.Errorf("no type is known for a file of this name")
	}
	u, isUnknown := value.(*Unknown)
	switch {
	case isUnknown && strings.Contains(name, "unknown-type"):
		return json.RawMessage(line.Bytes()), u.Err
	case isUnknown:
		return nil, fmt.Errorf("not recognised: %+v", u)
	}
	return value, nil
}

// compareJSON returns the differences between two JSON texts. A missing member
// is the same as a false, zero, empty or null one.
func compareJSON(t *testing.T, before, after []byte) []string {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(before, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(after, &b); err != nil {
		t.Fatal(err)
	}
	var differences []string
	var walk func(path string, a, b any)
	walk = func(path string, a, b any) {
		ma, isMapA := a.(map[string]any)
		mb, isMapB := b.(map[string]any)
		la, isListA := a.([]any)
		lb, isListB := b.([]any)
		switch {
		case isMapA && (isMapB || b == nil):
			for key, v := range ma {
				if !slices.Contains(noMatter, key) {
					walk(path+"."+key, v, mb[key])
				}
			}
			for key, v := range mb {
				if _, ok := ma[key]; !ok {
					walk(path+"."+key, nil, v)
				}
			}
		case isMapB && a == nil:
			for key, v := range mb {
				walk(path+"."+key, nil, v)
			}
		case isListA && isListB && len(la) == len(lb):
			for i := range la {
				walk(fmt.Sprintf("%s[%d]", path, i), la[i], lb[i])
			}
		case !reflect.DeepEqual(a, b) && !(isZero(a) && isZero(b)):
			differences = append(differences, fmt.Sprintf("%s: %v became %v", path, a, b))
		}
	}
	walk("", a, b)
	return differences
}

func isZero(v any) bool { return v == nil || v == false || v == "" || v == 0.0 }

// TestOptionalStaysOptional pins what the comparison above lets pass: which
// members are there or missing when they are empty.
func TestOptionalStaysOptional(t *testing.T) {
	for _, tc := range []struct {
		value any
		want  string
	}{
		{GameState{Status: StatusStarted}, `{"type":"gameState","moves":"","wtime":0,"btime":0,"winc":0,"binc":0,"status":"started"}`},
		{OpponentGone{}, `{"type":"opponentGone","gone":false}`},
		{OpponentGone{Gone: true, ClaimWinInSeconds: new(int)}, `{"type":"opponentGone","gone":true,"claimWinInSeconds":0}`},
		{GamePlayer{ID: "a", Name: "A", Rating: 1500}, `{"id":"a","name":"A","title":null,"rating":1500}`},
		{GamePlayer{ID: "a", Name: "A", Title: "BOT", Rating: 1, Provisional: true}, `{"id":"a","name":"A","title":"BOT","rating":1,"provisional":true}`},
		{GamePlayer{AILevel: 3}, `{"aiLevel":3}`},
		{GamePlayer{}, `{}`},
		{GameOpponent{Username: "Stockfish level 1", AI: 1}, `{"id":null,"username":"Stockfish level 1","ai":1}`},
		{GameOpponent{ID: "a", Username: "A", Rating: 9}, `{"id":"a","username":"A","rating":9}`},
		{ClockControl(0, 1), `{"type":"clock","limit":0,"increment":1,"show":"0+1"}`},
		{CorrespondenceControl(3), `{"type":"correspondence","daysPerTurn":3}`},
		{UnlimitedControl(), `{"type":"unlimited"}`},
		{ErrorBody{Error: "no"}, `{"error":"no"}`},
		{ErrorBody{Error: "no", RateLimit: &RateLimit{"k", 5}}, `{"error":"no","ratelimit":{"key":"k","seconds":5}}`},
		{map[string]*TokenInfo{"x": nil}, `{"x":null}`},
		{TokenInfo{UserID: "a", Scopes: "bot:play"}, `{"userId":"a","scopes":"bot:play","expires":null}`},
		{OK{true}, `{"ok":true}`},
	} {
		got, err := json.Marshal(tc.value)
		if err != nil || string(got) != tc.want {
			t.Errorf("%T\n got %s %v\nwant %s", tc.value, got, err, tc.want)
		}
	}
}

// TestOfficialTables compares our names with the official lists of them.
func TestOfficialTables(t *testing.T) {
	dir := officialDir()
	if dir == "" {
		t.Skip("the official examples are not here: set LICHESS_API_DIR to the folder that holds examples/")
	}
	var statuses []StatusInfo
	var reasons struct {
		Send     []DeclineReason
		Received []string `json:"received_declineReasonKey"`
	}
	for file, v := range map[string]any{"game-statuses.json": &statuses, "decline-reasons.json": &reasons} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, v); err != nil {
			t.Fatal(err)
		}
	}
	if len(statuses) != len(statusIDs) {
		t.Errorf("%d statuses are listed, we have %d", len(statuses), len(statusIDs))
	}
	for _, s := range statuses {
		if s.Name.ID() != s.ID {
			t.Errorf("status %s is %d, we have %d", s.Name, s.ID, s.Name.ID())
		}
	}
	if !slices.Equal(reasons.Send, DeclineReasons[:]) {
		t.Errorf("decline reasons are %v, we have %v", reasons.Send, DeclineReasons)
	}
	for i, key := range reasons.Received {
		if DeclineReasons[i].Key() != key || ParseDeclineReason(key) != DeclineReasons[i] {
			t.Errorf("decline reason key %q is not that of %q", key, DeclineReasons[i])
		}
	}
}
