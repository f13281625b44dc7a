package watch

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
)

func TestNotReady(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, test := range map[string]struct {
		s     Snapshot
		heard time.Time
		want  string // a part of each reason, separated by ;
	}{
		"fresh":                  {Snapshot{Since: now}, time.Time{}, "not confirmed;not open"},
		"signed in":              {Snapshot{Account: "x", Since: now}, time.Time{}, "not open"},
		"well":                   {Snapshot{Account: "x", Connected: true, Since: ago(time.Hour)}, ago(7 * time.Second), ""},
		"just opened":            {Snapshot{Account: "x", Connected: true, Since: ago(time.Second)}, ago(time.Hour), ""},
		"silent":                 {Snapshot{Account: "x", Connected: true, Since: ago(time.Hour)}, ago(21 * time.Second), "came 21s ago"},
		"silent from its start":  {Snapshot{Account: "x", Connected: true, Since: ago(time.Minute)}, time.Time{}, "came 1m0s ago"},
		"lost":                   {Snapshot{Account: "x", Since: now, LostBy: "no route"}, now, "not open: no route"},
		"open and not signed in": {Snapshot{Connected: true, Since: now}, now, "not confirmed"},
	} {
		got := test.s.NotReady(test.heard, now)
		want := strings.Split(test.want, ";")
		if test.want == "" {
			want = nil
		}
		if len(got) != len(want) {
			t.Errorf("%s: %q, want %q", name, got, want)
			continue
		}
		for i := range want {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("%s: %q, want %q", name, got[i], want[i])
			}
		}
	}
}

// ended is a game that has ended.
func ended(id string) *Game {
	return &Game{
		ID: id, Ended: true, Board: chess.NewGame(chess.StartPosition(), chess.LichessBot), Notes: make([]Note, 1),
		Full: &lichess.GameFull{Clock: &lichess.GameClock{Initial: 180_000, Increment: 2000}}, State: &lichess.GameState{Status: lichess.StatusMate, Winner: "white"},
	}
}

// TestStateIsBounded publishes for a long time.
func TestStateIsBounded(t *testing.T) {
	s := NewState()
	log := slog.New(s.Problems(slog.DiscardHandler, nil))
	for i := range 1000 {
		s.Note(ended(fmt.Sprint("game", i)))
		s.Note(ended(fmt.Sprint("game", i))) // told again
		log.Error(strings.Repeat("x", 10_000), "n", i)
	}
	now := s.Snapshot()
	if len(now.Results) != resultsKept || now.Results[0].ID != "game999" || now.Results[1].ID != "game998" {
		t.Errorf("%d results, the newest is %s", len(now.Results), now.Results[0].ID)
	}
	if len(now.Problems) != problemsKept || len(now.Problems[0].Text) > 4*problemText {
		t.Errorf("%d problems, of %d bytes", len(now.Problems), len(now.Problems[0].Text))
	}
	s.Note(&Rated{Game: "game998", Ours: -3})
	if diff := s.Snapshot().Results[1].Diff; diff == nil || *diff != -3 || now.Results[1].Diff != nil {
		t.Errorf("the rating went by %v; in the snapshot of before by %v", diff, now.Results[1].Diff)
	}
}

// TestProblems gives lines of all levels to a log.
func TestProblems(t *testing.T) {
	s := NewState()
	var next strings.Builder
	var levels []slog.Level
	log := slog.New(s.Problems(slog.NewTextHandler(&next, &slog.HandlerOptions{Level: slog.LevelError}), func(l slog.Level) { levels = append(levels, l) }))
	log.Debug("quiet")
	log.Info("not so quiet")
	log.With("game", "x").WithGroup("at").With("ply", 3).Warn("careful", "err", errors.New("two\nlines"), slog.Attr{})
	log.Error("bad")
	got := s.Snapshot().Problems
	if len(got) != 2 || got[1].Text != "careful game=x at.ply=3 at.err=two lines" || got[1].Error || got[0].Text != "bad" || !got[0].Error || got[0].At.IsZero() {
		t.Errorf("%+v", got)
	}
	if text := next.String(); !strings.Contains(text, "bad") || strings.Contains(text, "careful") {
		t.Errorf("the next handler, of level error, wrote %q", text)
	}
	if len(levels) != 2 || levels[0] != slog.LevelWarn || levels[1] != slog.LevelError {
		t.Errorf("counted %v", levels)
	}
}

// TestSpentBeyondThinking computes what a move cost from the clocks around it.
func TestSpentBeyondThinking(t *testing.T) {
	g := ended("x")
	for _, m := range []string{"e2e4", "e7e5", "g1f3"} {
		if err := g.Board.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	clock := func(d time.Duration) *time.Duration { return &d }
	thought := func(took time.Duration) *Thought { return &Thought{Ply: 2, Decision: engine.Decision{Time: took}} }
	g.Notes = []Note{{}, {Clock: clock(3 * time.Minute)}, {}, {Clock: clock(3*time.Minute + 500*time.Millisecond), Thought: thought(time.Second)}}
	if spent, ok := g.SpentBeyondThinking(); !ok || spent != 500*time.Millisecond { // 2 s more for the move, 1.5 s used, 1 s of it for the search
		t.Errorf("%v %v", spent, ok)
	}
	g.Notes[3].Thought = thought(5 * time.Second)
	if spent, ok := g.SpentBeyondThinking(); ok {
		t.Errorf("of a search that began in the opponent's time: %v", spent)
	}
	g.Notes[1].Clock = nil
	if _, ok := g.SpentBeyondThinking(); ok {
		t.Error("without the clock before")
	}
	g.Us = chess.Black
	if _, ok := g.SpentBeyondThinking(); ok {
		t.Error("the opponent's move")
	}
}
