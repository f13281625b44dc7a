package bot

import (
	"fmt"
	"testing"
	"time"

	"castellan/bot/watch"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/lichess"
)

func TestSpeechIsBounded(t *testing.T) {
	t.Parallel()
	start := time.Now()
	said := func(s *speech, person string, after time.Duration, times int) (n int) {
		for range times {
			if s.allowAt(person, start.Add(after)) {
				n++
			}
		}
		return n
	}
	s := &speech{}
	for _, step := range []struct {
		person string
		after  time.Duration
		want   int // of 30
	}{
		{"a", 0, 4}, {"a", 14 * time.Second, 0}, {"a", 15 * time.Second, 1}, {"b", 15 * time.Second, 4},
		{"a", time.Hour, 4}, {"a", time.Minute, 0}, // a clock that was set back
	} {
		if got := said(s, step.person, step.after, 30); got != step.want {
			t.Errorf("%s after %v: %d times, want %d", step.person, step.after, got, step.want)
		}
	}

	s = &speech{}
	all := 0
	for i := range 100 {
		all += said(s, fmt.Sprint("person", i), 0, 1)
	}
	if all != saidAtOnce {
		t.Errorf("%d times to a crowd", all)
	}
	s = &speech{}
	for i := range 3 * mostListeners {
		said(s, fmt.Sprint("person", i), time.Duration(i)*2*time.Second, 1)
	}
	if len(s.people) > mostListeners {
		t.Errorf("%d people are remembered", len(s.people))
	}
	for i := range 2 * mostListeners {
		said(s, fmt.Sprint("crowd", i), 3*time.Hour, 1)
	}
	if len(s.people) > mostListeners {
		t.Errorf("%d people of a crowd are remembered", len(s.people))
	}
}

func TestNamesAreCleaned(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]lichess.GamePlayer{
		"Person_1-a":                     {ID: "person_1-a", Name: "Person_1-a"},
		"examplecom":                     {ID: "x", Name: "example.com"},
		"httpsevil":                      {ID: "x", Name: "https://evil\u202e\n"},
		"stranger":                       {},
		"Lichess AI level 3":             {AILevel: 3},
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": {ID: "a", Name: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
	} {
		if got := chatName(&p); got != want {
			t.Errorf("%+v is called %q, want %q", p, got, want)
		}
	}
}

func TestCommandsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]command{
		"!help": askHelp, " !Eval ": askEval, "!CPU now": askCPU, "!ping\tplease": askPing, "!howto": askHowTo, "!name": askName,
		"": "", "!": "", "! help": "", "help": "", "!helpme": "", "!!help": "", "x !help": "", "!help\u00a0me": askHelp, "!hélp": "",
	} {
		if got, ok := parseCommand(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

func TestScoresAreToldAsWhiteSeesThem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		score engine.Score
		us    chess.Color
		want  string
	}{
		{35, chess.White, "+0.35"}, {35, chess.Black, "-0.35"}, {0, chess.Black, "+0.00"}, {-1250, chess.White, "-12.50"},
		{search.MateIn(3), chess.White, "#3"}, {search.MateIn(3), chess.Black, "#-3"}, {search.MateIn(-2), chess.Black, "#2"},
	} {
		if got := watch.ScoreForWhite(tt.score, tt.us); got != tt.want {
			t.Errorf("%v for %v: %q, want %q", tt.score, tt.us, got, tt.want)
		}
	}
}
