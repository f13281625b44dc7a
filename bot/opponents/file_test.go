package opponents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"castellan/lichess"
)

// lived is a book in which something of every kind stands.
func lived() *Book {
	b := New()
	b.Began("rob", "game0001", true, noon.Add(-time.Hour))
	b.Began("alice", "game0002", false, noon.Add(-2*time.Hour))
	b.Did("rob", "game0001", Doings{Takebacks: 2, OfferedAt: 40})
	b.Did("rob", "game0001", Doings{Takebacks: 1, Greeted: true}) // what was told first may come last
	b.Ended("rob", noon.Add(-30*time.Minute))
	b.Declined("rolf", blitz, lichess.DeclineTooFast, noon)
	b.Unanswered("ron", noon)
	b.Challenged(noon.Add(-2*time.Minute), 5)
	b.Challenged(noon.Add(-time.Minute), 1)
	return b
}

func TestBookIsKept(t *testing.T) {
	dir := t.TempDir()
	if err := CheckDir(dir); err != nil {
		t.Fatal(err)
	}
	b := lived()
	content := b.Changed(noon)
	if content == nil {
		t.Fatal("nothing to keep")
	}
	if b.Changed(noon) != nil {
		t.Error("kept again without a change")
	}
	if err := Save(dir, content); err != nil {
		t.Fatal(err)
	}
	files, _ := os.ReadDir(dir)
	if len(files) != 1 {
		t.Errorf("%d files", len(files))
	}
	again, err := Load(dir, noon.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	now := noon.Add(time.Minute)
	if again.Games("rob", now, Day) != 1 || again.BotGames(now) != 1 || again.Games("alice", now, Day) != 1 || again.Challenges(now) != 2 ||
		!again.IsBot("rob") || again.IsBot("alice") || !again.PausedUntil("rob", time.Hour).Equal(noon.Add(30*time.Minute)) ||
		!again.accounts["rolf"].refuses(bullet, now) || again.accounts["rolf"].refuses(rapid, now) || !again.LeftAlone("ron").Equal(noon.Add(time.Hour)) {
		t.Errorf("got %+v", again.accounts)
	}
	if again.Began("rob", "game0001", true, now) {
		t.Error("a game that goes on was counted again")
	}
	if d, known := again.Doings("rob", "game0001"); !known || d != (Doings{2, 40, true}) {
		t.Errorf("done in a game: %+v, %v", d, known)
	}
	if _, known := again.Doings("rob", "game0003"); known {
		t.Error("a game that never was is known")
	}
	games, challenges := again.Used(now)
	if len(games) != 1 || len(challenges) != 2 || challenges[0].Points != 5 || challenges[1].Points != 1 || challenges[0].At.After(challenges[1].At) {
		t.Errorf("used: %v, %v", games, challenges)
	}
	later := noon.Add(8 * Day)
	again.forget(later)
	if len(again.accounts) != 0 || again.Challenges(later) != 0 {
		t.Errorf("a week later there is %+v", again.accounts)
	}
}

func TestDamagedFile(t *testing.T) {
	good := string(lived().Changed(noon))
	for _, tt := range []struct {
		name, content string
		games         int    // with bots that are left
		says          string // "" for no error
	}{
		{"sound", good, 1, ""},
		{"cut off", good[:len(good)/2], 0, "is damaged, starting anew"},
		{"empty", "", 0, "is damaged, starting anew"},
		{"no JSON", "\x00\x00\x00", 0, "is damaged, starting anew"},
		{"of another program", `{"version":7}`, 0, "it is of version 7"},
		{"costs that do not fit", strings.Replace(good, `"points":[5,1]`, `"points":[5]`, 1), 0, "it has the cost of 1 challenges, and 2 challenges"},
		{"without costs, as they were first", strings.Replace(good, `,"points":[5,1]`, ``, 1), 1, ""},
		{"one account damaged", strings.Replace(good, `"alice":{`, `"alice":{"games":7,`, 1), 1, "1 of its accounts are lost, the others are kept"},
		{"a name that is none", strings.Replace(good, `"alice"`, `"al/ice"`, 1), 1, "1 of its accounts are lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, fileName)
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			b, err := Load(dir, noon)
			if b == nil || b.BotGames(noon) != tt.games {
				t.Fatalf("%d games are left, want %d", b.BotGames(noon), tt.games)
			}
			if tt.says == "" {
				if err != nil {
					t.Error(err)
				}
				if _, challenges := b.Used(noon); len(challenges) != 2 || challenges[1].Points != 1 {
					t.Errorf("challenges: %+v", challenges)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %v, want %s", err, tt.says)
			}
			if kept, err := os.ReadFile(path + ".damaged"); err != nil || string(kept) != tt.content {
				t.Errorf("the damaged file was not kept: %q, %v", kept, err)
			}
			if content := b.Changed(noon); content == nil || Save(dir, content) != nil {
				t.Error("it cannot be kept anew")
			}
			if _, err := Load(dir, noon); err != nil {
				t.Errorf("after it was kept anew: %v", err)
			}
		})
	}
}

func TestDirectoryThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/nowhere/state", file} {
		if CheckDir(dir) == nil || Save(dir, []byte("{}")) == nil {
			t.Errorf("%s can be used", dir)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, fileName), 0o700); err != nil {
		t.Fatal(err)
	}
	if b, err := Load(dir, noon); b == nil || err == nil {
		t.Error("a directory was read as the file")
	}
}

// TestBookIsBounded meets more accounts, and plays one more often, than are remembered.
func TestBookIsBounded(t *testing.T) {
	b := New()
	for i := range most + 50 {
		b.Began(fmt.Sprint("bot", i), fmt.Sprint("g", i), true, noon.Add(time.Duration(i)*time.Second))
	}
	if len(b.accounts) > most || b.accounts["bot0"] != nil || b.accounts[fmt.Sprint("bot", most+49)] == nil {
		t.Errorf("%d accounts; the first and the last: %v, %v", len(b.accounts), b.accounts["bot0"], b.accounts[fmt.Sprint("bot", most+49)])
	}
	now := noon.Add(2 * time.Hour)
	for i := range mostGames + 50 {
		b.Began("rob", fmt.Sprint("r", i), true, now)
	}
	if n := b.Games("rob", now, Day); n != mostGames {
		t.Errorf("%d games of one opponent", n)
	}
}

func FuzzBook(f *testing.F) {
	f.Add(lived().Changed(noon))
	f.Add([]byte(`{"version":1,"accounts":{"rob":{"games":[{"id":"g","at":"2099-01-01T00:00:00Z"}],"misses":-4,"refused":{"clocks up to 99999999999999999999":"2026-03-02T00:00:00Z"}}}}`))
	f.Add([]byte(`{"version":1,"challenges":["2026-03-01T11:00:00Z","0000-01-01T00:00:00Z"],"accounts":{"x":null}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		b, _, _ := parse(content, noon)
		if len(b.accounts) > most || b.BotGames(noon) < 0 {
			t.Fatalf("%d accounts", len(b.accounts))
		}
		b.Declined("rob", blitz, lichess.DeclineLater, noon)
		b.changed = true
		again, lost, err := parse(b.Changed(noon), noon)
		if err != nil || lost > 0 {
			t.Fatalf("what was read from %q and written is not readable: %v, %d lost", content, err, lost)
		}
		if again.BotGames(noon) != b.BotGames(noon) || again.Challenges(noon) != b.Challenges(noon) {
			t.Fatalf("written and read, %q has %d games and %d challenges, not %d and %d", content,
				again.BotGames(noon), again.Challenges(noon), b.BotGames(noon), b.Challenges(noon))
		}
	})
}
