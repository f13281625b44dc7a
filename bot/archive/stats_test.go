package archive

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// game is a PGN with what the figures are made of.
func game(white, black, result string, more ...string) string {
	tags := []string{"Event", "x", "White", white, "Black", black, "Result", result, "Site", "https://lichess.org/AbCd1234"}
	var b strings.Builder
	for i, t := range append(tags, more...) {
		if i%2 == 0 {
			fmt.Fprintf(&b, "[%s ", t)
		} else {
			fmt.Fprintf(&b, "%q]\n", t)
		}
	}
	return b.String() + "\n1. e4 e5 " + result + "\n\n"
}

func TestStats(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"a.pgn": game("Castellan", "Alice", "1-0", "TimeControl", "180+2", "BlackElo", "1500", "UTCDate", "2026.10.02") +
			game("alice", "castellan", "1-0", "TimeControl", "60+0", "WhiteElo", "1500", "UTCDate", "2026.11.30") +
			game("Rival", "Castellan", "1/2-1/2", "TimeControl", "900+10", "WhiteElo", "1700", "WhiteTitle", "BOT", "Date", "2026.09.01"),
		"b.PGN": game("lichess AI level 3", "Castellan", "0-1", "TimeControl", "-", "WhiteElo", "?") +
			game("Castellan", "Bob", "1-0", "TimeControl", "3 days per move", "BlackElo", "99999999", "UTCDate", "????.??.??") +
			game("Castellan", "Bob", "*", "TimeControl", "180+2") +
			game("Castellan", "Bob", "0-1", "TimeControl", "nonsense"),
		"c.pgn":                              "[Event \"broken\"]\n\n1. e4 e9 1-0\n\n" + game("Alice", "Bob", "1-0"),
		"d.txt":                              game("Castellan", "Alice", "1-0"),
		filepath.Join("unfinished", "e.pgn"): game("Castellan", "Alice", "1-0"),
		tempMark + "1.pgn":                   game("Castellan", "Alice", "1-0"),
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := Paths([]string{dir})
	if err != nil || len(paths) != 3 {
		t.Fatalf("files %v (%v)", paths, err)
	}
	for _, account := range []string{"", "CASTELLAN"} {
		got, err := Read(paths, account, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := &Stats{
			Account: account, From: "2026-09-01", To: "2026-11-30",
			All:        Count{Won: 3, Drawn: 1, Lost: 2},
			ByColor:    map[string]Count{"white": {Won: 2, Lost: 1}, "black": {Won: 1, Drawn: 1, Lost: 1}},
			BySpeed:    map[string]Count{"blitz": {Won: 1}, "bullet": {Lost: 1}, "rapid": {Drawn: 1}, "correspondence": {Won: 2}, "unknown": {Lost: 1}},
			ByOpponent: map[string]Count{Person: {Won: 2, Lost: 2}, Bot: {Drawn: 1}, AI: {Won: 1}},
			Open:       2, Faulty: 1,
			Performance: got.Performance,
		}
		if want.Account = "Castellan"; strings.EqualFold(got.Account, want.Account) && got.Account != "CASTELLAN" {
			want.Account = got.Account // as some file spells it
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		if p := got.Performance; p == nil || p.Games != 3 || p.Score != 0.5 || math.Abs(p.Average-1566.67) > 0.01 || p.Rating < 1550 || p.Rating > 1580 {
			t.Errorf("performance %+v", p)
		}
	}
	if got, err := Read(paths, "nobody", nil); err == nil || !strings.Contains(err.Error(), "those who have are Castellan, ") || strings.Contains(err.Error(), "Alice, alice") {
		t.Errorf("of nobody: %+v (%v)", got, err)
	}
	if _, err := Read(nil, "", nil); err == nil {
		t.Error("no games have an account")
	}
	even := filepath.Join(dir, "even.pgn")
	if err := os.WriteFile(even, []byte(game("Alice", "Bob", "1-0")), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read([]string{even}, "", nil); err == nil || !strings.Contains(err.Error(), "whose figures") {
		t.Errorf("two accounts with as many games: %v", err)
	}
	// All games against one opponent: the bot is the one whose files these are.
	bot := strings.Replace(game("Alice", "Bob", "1-0"), "[White ", "[BlackTitle \"BOT\"]\n[White ", 1)
	if err := os.WriteFile(even, []byte(bot), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := Read([]string{even}, "", nil); err != nil || got.Account != "Bob" || got.All.Lost != 1 {
		t.Errorf("a person and a bot with as many games: %+v, %v", got, err)
	}
}

// TestPerformance holds the rating against what the formula gives by hand.
func TestPerformance(t *testing.T) {
	repeat := func(n, rating int, score float64) (games []Opponent) {
		for range n {
			games = append(games, Opponent{rating, score})
		}
		return games
	}
	for name, test := range map[string]struct {
		games  []Opponent
		rating int
		bound  string
	}{
		"even":                      {append(repeat(5, 2000, 1), repeat(5, 2000, 0)...), 2000, ""},
		"three of four: 400 lg 3":   {append(repeat(3, 2000, 1), repeat(1, 2000, 0)...), 2191, ""},
		"one of ten: -400 lg 9":     {append(repeat(1, 1500, 1), repeat(9, 1500, 0)...), 1118, ""},
		"draws with both ends":      {append(repeat(1, 1000, 0.5), repeat(1, 2000, 0.5)...), 1500, ""},
		"wins over the weak":        {append(repeat(100, 400, 1), repeat(2, 2000, 0.5)...), 2002, ""},
		"all":                       {repeat(7, 1800, 1), 2600, "at least"},
		"nothing":                   {repeat(7, 1800, 0), 1000, "at most"},
		"one draw in ten thousand":  {append(repeat(9999, 1500, 0), repeat(1, 1500, 0.5)...), -220, ""},
		"one half point short of 1": {append(repeat(9999, 1500, 1), repeat(1, 1500, 0.5)...), 3220, ""},
	} {
		got := Perform(test.games)
		if got.Rating < test.rating-2 || got.Rating > test.rating+2 || got.Bound != test.bound || got.Games != len(test.games) {
			t.Errorf("%s: %+v, want %d %s", name, got, test.rating, test.bound)
		}
		if test.bound != "" {
			continue
		}
		points, expected := 0.0, 0.0
		for _, g := range test.games {
			points += g.Score
			expected += 1 / (1 + math.Pow(10, float64(g.Rating-got.Rating)/400))
		}
		if math.Abs(points-expected) > 0.003*float64(len(test.games)) {
			t.Errorf("%s: at %d %.3f points are expected, %.1f were made", name, got.Rating, expected, points)
		}
	}
	if Perform(nil) != nil {
		t.Error("no games have a performance")
	}
}

func FuzzStats(f *testing.F) {
	f.Add(game("Castellan", "Alice", "1-0", "TimeControl", "180+2", "BlackElo", "1500", "UTCDate", "2026.10.02"))
	f.Add(game("Castellan", "Alice", "1/2-1/2", "TimeControl", "1e300+-1", "WhiteElo", "-7", "Date", "....-...."))
	f.Add("[Event \"half")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "x.pgn")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Read([]string{path}, "Castellan", nil)
		if err != nil {
			return // none of its games are in it
		}
		sum := 0
		for _, c := range s.BySpeed {
			sum += c.Games()
		}
		if sum != s.All.Games() {
			t.Errorf("%d games by speed, %d in all", sum, s.All.Games())
		}
	})
}
