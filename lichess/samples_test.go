package lichess

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
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

// notOurs are official examples that the client has no use for.
var notOurs = map[string]string{
	"explorer-player-line":     "of the explorer's databases the one of single players is not asked",
	"users-status":             "asked to keep the connection open, the reply is not read",
	"game-export":              "the client has games exported as PGN",
	"challenge-keepalive-done": "the last line of AwaitChallenge, see the sandbox's TestAwaitChallenge",
	"decline-reasons":          "a table, see TestOfficialTables",
	"error-form":               "the error is an object of messages, see TestErrorBody",
}

// notRead are members of the samples that the client leaves aside on purpose,
// each by the name of the file, "*" for any, and its path there; after "kind-*"
// by its name alone, with all that is in it.
var notRead = map[string]string{
	"* patronColor":                    "an ornament of the website",
	"account profile.uscfRating":       "ratings elsewhere tell nothing of a bot",
	"account profile.ecfRating":        "ratings elsewhere tell nothing of a bot",
	"account profile.rcfRating":        "ratings elsewhere tell nothing of a bot",
	"account profile.cfcRating":        "ratings elsewhere tell nothing of a bot",
	"account profile.dsbRating":        "ratings elsewhere tell nothing of a bot",
	"explorer-* opening":               "a name of an opening does not help to choose a move",
	"explorer-* game":                  "single games do not help to choose a move",
	"explorer-* topGames":              "single games do not help to choose a move",
	"explorer-* recentGames":           "single games do not help to choose a move",
	"tablebase-* variant_win":          "of variants, whose tables are not asked",
	"tablebase-* variant_loss":         "of variants, whose tables are not asked",
	"tablebase-* dtw":                  "of variants, whose tables are not asked",
	"tablebase-* dtc":                  "is asked not to be told",
	"tablebase-* conversion":           "goes with dtc",
	"challenge-open-response urlWhite": "open challenges are for people, who follow a link",
	"challenge-open-response urlBlack": "open challenges are for people, who follow a link",
}

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
	case strings.HasPrefix(name, "explorer-"):
		return &Exploration{}
	case strings.HasPrefix(name, "cloud-eval"):
		return &CloudEval{}
	case strings.HasPrefix(name, "tablebase-"):
		return &Endgame{}
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
	official := officialDir()
	if official != "" {
		dirs = append(dirs, official)
	} else {
		t.Log("the official examples are not here: set LICHESS_API_DIR to the folder that holds examples/")
	}
	needed := map[string]bool{} // entries of notRead and notOurs
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no samples in %s: %v", dir, err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "synthetic-"), ".json")
			if notOurs[name] != "" {
				needed[name] = true
				continue
			}
			t.Run(filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				faults, err := sampleFaults(name, data, needed)
				if err != nil {
					t.Fatal(err)
				}
				for _, fault := range faults {
					t.Error(fault)
				}
			})
		}
	}
	if official == "" {
		return
	}
	for _, table := range []map[string]string{notRead, notOurs} {
		for entry := range table {
			if !needed[entry] {
				t.Errorf("no sample needs the entry %q", entry)
			}
		}
	}
}

// sampleFaults reads a sample and writes it again, then does so with every
// empty member in it filled in: what is false, zero, empty or null cannot be
// seen to be lost. It notes which entries of notRead it has used.
func sampleFaults(name string, data []byte, needed map[string]bool) (faults []string, err error) {
	var before any
	if err := json.Unmarshal(data, &before); err != nil {
		return nil, err
	}
	after, err := readAndWrite(name, before)
	if err != nil {
		return nil, err
	}
	expected := func(path string) bool {
		members := strings.Split(path, ".")
		kind, _, _ := strings.Cut(name, "-")
		entries := []string{name + " " + path, "* " + members[len(members)-1]}
		for _, member := range members {
			entries = append(entries, kind+"-* "+member)
		}
		for _, entry := range entries {
			if notRead[entry] != "" {
				needed[entry] = true
				return true
			}
		}
		return false
	}
	for path, what := range differences(before, after) {
		if !expected(path) {
			faults = append(faults, path+": "+what)
		}
	}
	for _, path := range emptyMembers(before, "") {
		// A member that is empty here may be of any kind, and only some kinds are read.
		read := slices.ContainsFunc(fillings, func(filling any) bool {
			filled := replaced(before, strings.Split(path, "."), filling)
			again, err := readAndWrite(name, filled)
			return err == nil && !anyBelow(differences(filled, again), path)
		})
		if !read && !expected(path) {
			faults = append(faults, path+" is not read")
		}
	}
	slices.Sort(faults)
	return faults, nil
}

// fillings are values for an empty member. The first is a proper id too.
var fillings = []any{"Ab3dEf9h", true, 7.0, []any{"x"}, map[string]any{"id": "x", "name": "x"}, map[string]any{"userId": "x"}}

// anyBelow reports whether there is a difference at the path or inside of what
// is there.
func anyBelow(differences map[string]string, path string) bool {
	for at := range differences {
		if at == path || strings.HasPrefix(at, path+".") {
			return true
		}
	}
	return false
}

func readAndWrite(name string, v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	value, err := decodeSample(name, data)
	if err != nil {
		return nil, err
	}
	if data, err = json.Marshal(value); err != nil {
		return nil, err
	}
	var again any
	return again, json.Unmarshal(data, &again)
}

// emptyMembers lists the paths of what is false, zero, empty or null.
func emptyMembers(v any, at string) (paths []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			paths = append(paths, emptyMembers(inner, join(at, name))...)
		}
	case []any:
		for i, inner := range v {
			paths = append(paths, emptyMembers(inner, join(at, strconv.Itoa(i)))...)
		}
	default:
		if isZero(v) {
			paths = append(paths, at)
		}
	}
	return paths
}

func join(at, name string) string { return strings.TrimPrefix(at+"."+name, ".") }

// replaced returns a copy of v with another value at a path.
func replaced(v any, path []string, by any) any {
	if len(path) == 0 {
		return by
	}
	switch v := v.(type) {
	case map[string]any:
		v = maps.Clone(v)
		v[path[0]] = replaced(v[path[0]], path[1:], by)
		return v
	case []any:
		v = slices.Clone(v)
		i, _ := strconv.Atoi(path[0])
		v[i] = replaced(v[i], path[1:], by)
		return v
	}
	return v
}

// TestLostMembersAreSeen gives the comparison samples with something new in them.
func TestLostMembersAreSeen(t *testing.T) {
	for _, value := range []string{`true`, `false`, `1`, `0`, `"x"`, `""`, `null`, `{"y":1}`, `[1]`} {
		for name, sample := range map[string]string{
			"game-gameState":    `{"type":"gameState","moves":"","wtime":0,"btime":0,"winc":0,"binc":0,"status":"started","new":` + value + `}`,
			"challenge-list":    `{"in":[],"out":[{"id":"Ab3dEf9h","url":"u","challenger":{"id":"a","name":"A","new":` + value + `}}]}`,
			"error-new":         `{"error":"x","new":` + value + `}`,
			"explorer-new":      `{"white":1,"draws":0,"black":0,"moves":[{"uci":"e2e4","new":` + value + `}]}`,
			"tablebase-new":     `{"category":"win","new":` + value + `,"moves":[]}`,
			"event-gameStart-x": `{"type":"gameStart","game":{"gameId":"Ab3dEf9h","fullId":"Ab3dEf9h0123","opponent":{"id":"a","username":"A","new":` + value + `}}}`,
		} {
			faults, err := sampleFaults(name, []byte(sample), map[string]bool{})
			if err != nil || !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, "new") }) {
				t.Errorf("%s with %s: found %q, %v", name, value, faults, err)
			}
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

// differences returns, by path, in what two JSON values differ. A missing
// member is the same as a false, zero, empty or null one.
func differences(before, after any) map[string]string {
	found := map[string]string{}
	var walk func(path string, a, b any)
	walk = func(path string, a, b any) {
		ma, isMapA := a.(map[string]any)
		mb, isMapB := b.(map[string]any)
		la, isListA := a.([]any)
		lb, isListB := b.([]any)
		switch {
		case isMapA && (isMapB || b == nil):
			for key, v := range ma {
				walk(join(path, key), v, mb[key])
			}
			for key, v := range mb {
				if _, ok := ma[key]; !ok {
					walk(join(path, key), nil, v)
				}
			}
		case isMapB && a == nil:
			for key, v := range mb {
				walk(join(path, key), nil, v)
			}
		case isListA && isListB && len(la) == len(lb):
			for i := range la {
				walk(join(path, strconv.Itoa(i)), la[i], lb[i])
			}
		case !reflect.DeepEqual(a, b) && !(isZero(a) && isZero(b)):
			found[path] = fmt.Sprintf("%v became %v", a, b)
		}
	}
	walk("", before, after)
	return found
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
