package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"castellan/bot/watch"
	"castellan/engine/chess"
	"castellan/lichess"
)

// pgnOf is a small game with an id.
func pgnOf(t *testing.T, id string, tags ...chess.Tag) *chess.PGNGame {
	t.Helper()
	g := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	for _, m := range []string{"f2f3", "e7e5", "g2g4", "d8h4"} {
		if err := g.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	all := append([]chess.Tag{{Name: "Event", Value: "casual blitz game"}, {Name: "Date", Value: "2026.11.30"},
		{Name: "White", Value: "Rival"}, {Name: "Black", Value: "Castellan"}, {Name: "GameId", Value: id}}, tags...)
	return &chess.PGNGame{Tags: all, Game: g, Result: "0-1"}
}

// TestAppendAfterACrash adds a game to files as a crash may leave them.
func TestAppendAfterACrash(t *testing.T) {
	text := func(id string) string {
		b, err := encode(pgnOf(t, id))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	whole, other := text("AAAAAAAA"), text("BBBBBBBB")
	for name, test := range map[string]struct {
		before string
		want   string // "" for: the torn piece, a gap, the game
	}{
		"nothing":                      {"", whole},
		"another game":                 {other, other + whole},
		"the game itself":              {whole, whole},
		"another and the game":         {other + whole, other + whole},
		"the game torn in its moves":   {other + whole[:len(whole)-10], other + whole},
		"another torn in its moves":    {other[:len(other)-10], ""},
		"torn before its id":           {other + whole[:60], other + whole},
		"torn at its beginning":        {other + whole[:1], other + whole},
		"nothing but a beginning":      {whole[:1], whole},
		"no newline at the end of all": {strings.TrimSpace(other), ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "games.pgn")
			if test.before != "" {
				if err := os.WriteFile(path, []byte(test.before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // once more is the same
				if err := place(filepath.Dir(path), Together, pgnOf(t, "AAAAAAAA"), chess.Black); err != nil {
					t.Fatal(err)
				}
			}
			want := test.want
			if want == "" {
				want = test.before + "\n\n" + whole
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != want {
				t.Errorf("the file is (%v)\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

// TestCrashAnywhere kills the writer of a game after each of its bytes. The file tells of the games before all the same, and the next run
// puts the game into it, with another that ended meanwhile and comes first, and leaves nothing of the torn one.
func TestCrashAnywhere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Together.file(pgnOf(t, ""), chess.Black))
	texts := map[string]string{}
	for _, id := range []string{"AAAAAAAA", "BBBBBBBB", "MMMMMMMM"} {
		b, err := encode(pgnOf(t, id))
		if err != nil {
			t.Fatal(err)
		}
		texts[id] = string(b)
	}
	first, torn := texts["MMMMMMMM"], texts["BBBBBBBB"]
	for n := range len(torn) + 1 {
		for _, others := range [][]string{nil, {"AAAAAAAA"}} { // in play or ended, beside the one that is torn
			if err := os.WriteFile(path, []byte(first+torn[:n]), 0o644); err != nil {
				t.Fatal(err)
			}
			if s, err := Read([]string{path}, "Castellan", nil); err != nil || s.All.Won < 1 {
				t.Fatalf("torn after %d bytes: %v, figures %+v", n, err, s)
			}
			for _, id := range append(others, "BBBBBBBB") {
				if err := os.MkdirAll(filepath.Join(dir, unfinished), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := writeDraft(dir, id, pgnOf(t, id), chess.Black); err != nil {
					t.Fatal(err)
				}
			}
			a, err := Open(Options{Dir: dir, Files: Together})
			if err != nil {
				t.Fatal(err)
			}
			a.Close()
			want := first
			for _, id := range append(others, "BBBBBBBB") {
				want += texts[id]
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Fatalf("torn after %d bytes, with %v before it, the file is (%v)\n%s", n, others, err, got)
			}
		}
	}
}

// TestFilesOfEarlierCrashes: what one left torn in the middle of a file takes no other game with it.
func TestFilesOfEarlierCrashes(t *testing.T) {
	b, err := encode(pgnOf(t, "AAAAAAAA"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "games.pgn")
	for n := range len(b) {
		if err := os.WriteFile(path, []byte(string(b)+string(b[:n])+"\n\n"+string(b)), 0o644); err != nil {
			t.Fatal(err)
		}
		if s, err := Read([]string{path}, "Castellan", nil); err != nil || s.All.Won < 2 {
			t.Errorf("torn after %d bytes: %v, %d games", n, err, s.All.Won)
		}
	}
}

// TestFileNames gives players names that are no good for files.
func TestFileNames(t *testing.T) {
	named := func(white string) *chess.PGNGame {
		g := pgnOf(t, "AAAAAAAA")
		g.Tags[2].Value = white
		return g
	}
	for _, test := range []struct {
		by    Grouping
		white string
		want  string
	}{
		{ByGame, "Rival", "2026-11-30_Rival-Castellan_AAAAAAAA.pgn"},
		{ByGame, "../../etc/passwd", "2026-11-30_etcpasswd-Castellan_AAAAAAAA.pgn"},
		{ByOpponent, "RiVal", "vs-rival.pgn"},
		{ByOpponent, "con", "vs-con.pgn"},
		{ByOpponent, "..", "vs-unknown.pgn"},
		{ByOpponent, "lichess AI level 3", "vs-lichess-ai-level-3.pgn"},
		{ByOpponent, strings.Repeat("x", 300), "vs-" + strings.Repeat("x", 60) + ".pgn"},
		{ByDay, "Rival", "2026-11-30.pgn"},
		{Together, "Rival", "games.pgn"},
	} {
		if got := test.by.file(named(test.white), chess.Black); got != test.want {
			t.Errorf("%s of %q: %s, want %s", test.by, test.white, got, test.want)
		}
	}
}

// TestOpenFinishesWhatAnEarlierRunBegan leaves files as a crash does.
func TestOpenFinishesWhatAnEarlierRunBegan(t *testing.T) {
	dir := t.TempDir()
	open(t, Options{Dir: dir, Files: ByOpponent}).Close()
	ended, running := pgnOf(t, "AAAAAAAA"), pgnOf(t, "BBBBBBBB")
	running.Result = "*"
	for id, g := range map[string]*chess.PGNGame{"AAAAAAAA": ended, "BBBBBBBB": running} {
		if err := writeDraft(dir, id, g, chess.Black); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(dir, tempMark+"1"), filepath.Join(dir, unfinished, tempMark+"2"), filepath.Join(dir, unfinished, "broken.pgn")} {
		if err := os.WriteFile(path, []byte("[Event \"half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open(t, Options{Dir: dir, Files: ByOpponent}).Close()
	games := read(t, dir)
	if len(games) != 1 || games[0].Tag("GameId") != "AAAAAAAA" || games[0].Tag(sideTag) != "" {
		t.Errorf("in their place are %v", games)
	}
	if _, err := os.Stat(draftPath(dir, "BBBBBBBB")); err != nil {
		t.Errorf("the game in play is gone: %v", err)
	}
	if half, _ := filepath.Glob(filepath.Join(dir, tempMark+"*")); len(half) > 0 {
		t.Errorf("left over: %v", half)
	}
	if _, err := Open(Options{Dir: filepath.Join(dir, "vs-rival.pgn", "no folder"), Files: ByGame}); err == nil {
		t.Error("a folder that cannot be made was taken")
	}
}

// TestRatingIsWaitedFor ends a rated game and tells what it did to the ratings a moment later.
func TestRatingIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	a := open(t, Options{Dir: dir, Files: ByGame})
	g := pgnOf(t, "AAAAAAAA").Game
	a.Note(&watch.Game{
		ID: "AAAAAAAA", URL: "https://lichess.org/AAAAAAAA", Us: chess.Black, Board: g, Ended: true, Notes: make([]watch.Note, g.Ply()+1),
		Full:  &lichess.GameFull{Rated: true, Speed: lichess.SpeedBlitz, White: lichess.GamePlayer{ID: "rival", Name: "Rival"}, Black: lichess.GamePlayer{ID: "castellan", Name: "Castellan"}},
		State: &lichess.GameState{Status: lichess.StatusMate, Winner: lichess.ColorBlack},
	})
	until(t, "the game to be kept, here or there", func() bool {
		_, err := os.Stat(draftPath(dir, "AAAAAAAA"))
		return err == nil || len(read(t, dir)) > 0
	})
	a.Note(&watch.Rated{Game: "AAAAAAAA", Ours: 6, Theirs: -5})
	a.Note(&watch.Left{Game: "AAAAAAAA"})
	until(t, "the game in its place", func() bool { return len(read(t, dir)) > 0 })
	kept := read(t, dir)[0]
	if kept.Tag("WhiteRatingDiff") != "-5" || kept.Tag("BlackRatingDiff") != "+6" || kept.Result != "0-1" {
		t.Errorf("tags %v", kept.Tags)
	}
	a.Close()
	nothingUnfinished(t, dir)
}
