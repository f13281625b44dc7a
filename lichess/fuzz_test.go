package lichess

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"
)

// addSamples gives all samples and some ugly lines as seeds.
func addSamples(f *testing.F) {
	for _, dir := range []string{samplesDir, officialDir()} {
		files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			var line bytes.Buffer
			if json.Compact(&line, data) == nil && line.Len() < 4096 {
				f.Add(line.Bytes())
			}
		}
	}
	for _, s := range []string{
		"", " ", "null", "[]", `{"type":`, `{"type":"gameFull"}`, `{"type":"gameState","moves":null,"status":"started"}`,
		`{"TYPE":"gameState","Moves":"","STATUS":"x"}`, "{\"type\":\"chatLine\",\"text\":\"\xff\"}", `{"type":"gameState","wtime":1e99,"moves":"","status":"started"}`,
		`{"type":"opponentGone","gone":1,"claimWinInSeconds":-1}`, `{"type":"gameStart","game":[]}`, "<html>\r\n", "{}\n\n\n{}", strings.Repeat("[", 20000),
	} {
		f.Add([]byte(s))
	}
}

// FuzzDecode: any line becomes an event, of which what the bot relies on is
// there, and which can be written and read again with the same meaning.
func FuzzDecode(f *testing.F) {
	addSamples(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		switch e := DecodeEvent(line).(type) {
		case *Unknown:
			checkUnknown(t, e)
		case *GameStart:
			checkID(t, e.Game.GameID)
			again[Event](t, e, DecodeEvent)
		case *GameFinish:
			checkID(t, e.Game.GameID)
			again[Event](t, e, DecodeEvent)
		case *ChallengeEvent:
			checkID(t, e.Challenge.ID)
			again[Event](t, e, DecodeEvent)
		case *ChallengeCanceledEvent:
			checkID(t, e.Challenge.ID)
		case *ChallengeDeclinedEvent:
			checkID(t, e.Challenge.ID)
		default:
			t.Fatalf("%T", e)
		}
		switch e := DecodeGameEvent(line).(type) {
		case *Unknown:
			checkUnknown(t, e)
		case *GameFull:
			checkID(t, e.ID)
			if e.State.Status == "" {
				t.Error("a state without status")
			}
			again[GameEvent](t, e, DecodeGameEvent)
		case *GameState:
			if e.Status == "" || e.Ply() != len(e.MoveList()) {
				t.Errorf("%+v", e)
			}
			again[GameEvent](t, e, DecodeGameEvent)
		case *ChatLine:
			again[GameEvent](t, e, DecodeGameEvent)
		case *OpponentGone:
			again[GameEvent](t, e, DecodeGameEvent)
		default:
			t.Fatalf("%T", e)
		}
	})
}

func checkUnknown(t *testing.T, u *Unknown) {
	if len(u.Raw) > maxRaw || len(u.Type) > maxRaw || u.Err == nil && u.Type == "" {
		t.Errorf("%+v", u)
	}
}

func checkID(t *testing.T, id string) {
	if !idForm.MatchString(id) {
		t.Errorf("id %q", id)
	}
}

func again[E any](t *testing.T, e E, decode func([]byte) E) {
	first, err := json.Marshal(e)
	if err != nil {
		t.Fatalf("%+v cannot be written: %v", e, err)
	}
	second, err := json.Marshal(decode(first))
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("%v\n%s became\n%s", err, first, second)
	}
}

// FuzzReadLines: however the bytes come in pieces, the same lines come out, and
// none is blank or too long.
func FuzzReadLines(f *testing.F) {
	addSamples(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(r io.Reader) (lines []string, err error) {
			err = readLines(r, func(line []byte) error {
				lines = append(lines, string(line))
				return nil
			})
			return lines, err
		}
		whole, err := read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		bytewise, err := read(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil || strings.Join(whole, "\n") != strings.Join(bytewise, "\n") {
			t.Errorf("%v: %q became %q", err, whole, bytewise)
		}
		broken, err := read(io.MultiReader(bytes.NewReader(data), iotest.ErrReader(io.ErrUnexpectedEOF)))
		if !errors.Is(err, io.ErrUnexpectedEOF) || len(broken) != len(whole) {
			t.Errorf("%v, %d lines of %d", err, len(broken), len(whole))
		}
		for _, line := range whole {
			if strings.TrimSpace(line) != line || strings.Contains(line, "\n") {
				t.Errorf("line %q", line)
			}
		}
	})
}

// FuzzErrorBody: the words of any error page fit into a line of the log.
func FuzzErrorBody(f *testing.F) {
	addSamples(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		got := errorBody(502, body)
		if got.Error == "" || utf8.RuneCountInString(got.Error) > maxMessage || !utf8.ValidString(got.Error) || strings.ContainsFunc(got.Error, unicode.IsControl) {
			t.Errorf("%q", got.Error)
		}
		if got.RateLimit != nil {
			if d := demandedWait(nil, got.RateLimit); d < 0 || d > maxLimitWait {
				t.Errorf("wait %v", d)
			}
		}
		chat := FitChat(string(body))
		if chatLength(chat) > MaxChatText || strings.ContainsFunc(chat, unicode.IsControl) || strings.TrimSpace(chat) != chat {
			t.Errorf("chat %q", chat)
		}
	})
}
