package uciclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T, c Command) *Engine {
	t.Helper()
	e, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func TestCastellan(t *testing.T) {
	e := start(t, fake(t, "castellan"))
	if e.Name() != "Castellan" || e.Author() != "us" {
		t.Errorf("it is %q by %q", e.Name(), e.Author())
	}
	i := slices.IndexFunc(e.Options(), func(o Option) bool { return o.Name == "Move Overhead" })
	if i < 0 || e.Options()[i].Type != Spin || e.Options()[i].Max != 10000 {
		t.Errorf("options: %+v", e.Options())
	}
	for _, set := range [][2]string{{"hash", "1"}, {"Clear Hash", ""}, {"MultiPV", "2"}, {"UCI_Chess960", "true"}} {
		if err := e.SetOption(set[0], set[1]); err != nil {
			t.Error(err)
		}
	}
	if err := e.NewGame(t.Context()); err != nil {
		t.Fatal(err)
	}
	var reports []Info
	r, err := e.Search(t.Context(), Position{Moves: []string{"e2e4", "e7e5"}}, Limits{Depth: 6}, func(i Info) { reports = append(reports, i) })
	if err != nil {
		t.Fatal(err)
	}
	if !isMove(r.Move) || r.Info.Depth != 6 || r.Info.Score == nil || r.Info.Nodes == 0 || len(r.Info.PV) == 0 || r.Info.PV[0] != r.Move || r.Elapsed <= 0 {
		t.Errorf("got %+v", r)
	}
	if len(reports) < 6 || !slices.ContainsFunc(reports, func(i Info) bool { return i.MultiPV == 2 }) {
		t.Errorf("reports: %+v", reports)
	}
	// Castling in the way of Chess960, a mate, and a position without moves.
	r, err = e.Search(t.Context(), Position{FEN: "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"}, Limits{Nodes: 5000}, nil)
	if err != nil || r.Move != "a1a8" || *r.Info.Score != (Score{Mate: true, Value: 1}) {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = e.Search(t.Context(), Position{FEN: "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}, Limits{Depth: 1}, nil)
	if err != nil || r.Move != "" {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = e.Search(t.Context(), Position{}, Limits{WTime: time.Second, BTime: time.Second, MovesToGo: 40}, nil)
	if err != nil || !isMove(r.Move) || r.Elapsed > time.Second {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestContextEndsASearch(t *testing.T) {
	e := start(t, fake(t, "castellan"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := e.Search(ctx, Position{}, Limits{}, func(i Info) {
		if i.Depth == 4 {
			cancel()
		}
	})
	if err != nil || !isMove(r.Move) || r.Info.Depth < 4 {
		t.Fatalf("got %+v, %v", r, err)
	}
	// Also when it had ended before, and the engine is good for more.
	if r, err = e.Search(ctx, Position{}, Limits{}, nil); err != nil || !isMove(r.Move) {
		t.Fatalf("got %+v, %v", r, err)
	}
	if r, err = e.Search(t.Context(), Position{}, Limits{Depth: 2}, nil); err != nil || r.Info.Depth != 2 {
		t.Fatalf("got %+v, %v", r, err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	e := start(t, fake(t, "good"))
	for _, tt := range []struct{ name, value, want string }{
		{"level", "20", ""}, {"Level", "21", "from 0 to 20"}, {"Level", "-1", "from 0 to 20"}, {"Level", "high", "from 0 to 20"}, {"Level", "", "from 0 to 20"},
		{"Style", "very wild", ""}, {"Style", "Wild", "one of"},
		{"OWN BOOK", "False", ""}, {"Own Book", "1", "true or false"},
		{"Clear", "", ""}, {"Clear", "yes", "no value"},
		{"Net File", "/a path/to it", ""}, {"Net File", "", ""}, {"Net File", "a\nquit", "one line"},
		{"Hash", "16", "there are: Level, Style"},
	} {
		err := e.SetOption(tt.name, tt.value)
		var optionError *OptionError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s=%s: %v", tt.name, tt.value, err)
		case tt.want != "" && (!errors.As(err, &optionError) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s=%s: got %v, want %q in it", tt.name, tt.value, err, tt.want)
		}
	}
	if err := e.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Close()
	want := "setoption name Level value 20\nsetoption name Style value Very Wild\nsetoption name Own Book value false\n" +
		"setoption name Clear\nsetoption name Net File value /a path/to it\nsetoption name Net File value"
	if got := strings.TrimSpace(e.stderr.String()); got != want {
		t.Errorf("the engine was sent\n%s\nwant\n%s", got, want)
	}
}

func TestNoiseIsPassedOver(t *testing.T) {
	e := start(t, fake(t, "noisy"))
	if e.Name() != "Fake noisy" || len(e.Options()) != 5 {
		t.Errorf("it is %q with %+v", e.Name(), e.Options())
	}
	for range 3 {
		if err := e.NewGame(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := e.Search(t.Context(), Position{}, Limits{Depth: 9}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Move != "e2e4" || r.Ponder != "e7e5" || r.Info.Depth != 9 || r.Info.SelDepth != 12 || r.Info.Nodes != 1234 ||
			*r.Info.Score != (Score{Value: 31, Bound: LowerBound}) || r.Info.Time != 56*time.Millisecond || fmt.Sprint(r.Info.PV) != "[e2e4 e7e5]" {
			t.Errorf("got %+v, score %+v", r, r.Info.Score)
		}
	}
}

func TestFloodDoesNotBlock(t *testing.T) {
	e := start(t, fake(t, "flood"))
	if r, err := e.Search(t.Context(), Position{}, Limits{Depth: 9}, nil); err != nil || r.Move != "e2e4" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestFailuresToStart(t *testing.T) {
	for _, tt := range []struct {
		kind   string
		is     error
		within time.Duration
		want   string
	}{
		{"stillborn", ErrExited, 10 * time.Second, `exit status 3); its standard error ends with "no net file found"`},
		{"silent", ErrNoAnswer, 300 * time.Millisecond, `waiting for "uciok": no answer in time: killed after 300ms; perhaps the program does not speak UCI`},
		{"endless-line", ErrNoAnswer, 300 * time.Millisecond, "no answer in time"},
	} {
		c := fake(t, tt.kind)
		c.StartTimeout = tt.within
		e, err := Start(t.Context(), c)
		if e != nil || !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q in it", tt.kind, err, tt.want)
		}
	}
	if _, err := Start(t.Context(), Command{Path: "/no/such/engine"}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, fake(t, "silent")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestCrashInASearch(t *testing.T) {
	e := start(t, fake(t, "crash"))
	_, err := e.Search(t.Context(), Position{}, Limits{Depth: 1}, nil)
	if !errors.Is(err, ErrExited) || !strings.Contains(err.Error(), `engine "Fake crash": searching: the process has ended (exit status 139)`) ||
		!strings.Contains(err.Error(), "segmentation fault") {
		t.Errorf("got %v", err)
	}
	// The dead stay dead, and quickly so.
	if err := e.NewGame(t.Context()); !errors.Is(err, ErrExited) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Search(t.Context(), Position{}, Limits{Depth: 1}, nil); !errors.Is(err, ErrExited) {
		t.Errorf("got %v", err)
	}
}

func TestMoveBeforeTheEndCounts(t *testing.T) {
	e := start(t, fake(t, "last-word"))
	if r, err := e.Search(t.Context(), Position{}, Limits{Depth: 1}, nil); err != nil || r.Move != "e2e4" {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := e.Search(t.Context(), Position{}, Limits{Depth: 1}, nil); !errors.Is(err, ErrExited) {
		t.Errorf("got %v", err)
	}
}

func TestHangs(t *testing.T) {
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	short := func(kind string) Command {
		c := fake(t, kind)
		c.ReadyTimeout, c.StopTimeout = 200*time.Millisecond, 200*time.Millisecond
		return c
	}
	t.Run("in a search", func(t *testing.T) {
		e := start(t, short("hang"))
		if _, err := e.Search(soon, Position{}, Limits{}, nil); !errors.Is(err, ErrNoAnswer) || !strings.Contains(err.Error(), "told to stop") {
			t.Errorf("got %v", err)
		}
		if err := e.Ready(t.Context()); !errors.Is(err, ErrExited) {
			t.Errorf("it was not killed: %v", err)
		}
	})
	t.Run("not ready", func(t *testing.T) {
		e := start(t, short("busy"))
		if err := e.NewGame(t.Context()); !errors.Is(err, ErrNoAnswer) || !strings.Contains(err.Error(), `"readyok"`) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("does not read", func(t *testing.T) {
		e := start(t, short("deaf"))
		long := Position{Moves: strings.Fields(strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 10_000))}
		if _, err := e.Search(t.Context(), long, Limits{Depth: 1}, nil); !errors.Is(err, ErrNoAnswer) || !strings.Contains(err.Error(), "does not read") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("does not quit", func(t *testing.T) {
		e := start(t, short("stays"))
		e.Close()
		e.Close()
	})
	t.Run("stops when told", func(t *testing.T) {
		e := start(t, fake(t, "slow"))
		if r, err := e.Search(soon, Position{}, Limits{}, nil); err != nil || r.Move != "e7e5" || r.Info.Depth != 4 {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestCloseEndsAWait(t *testing.T) {
	e := start(t, fake(t, "hang"))
	done := make(chan error)
	searching := make(chan struct{})
	go func() {
		close(searching)
		_, err := e.Search(t.Context(), Position{}, Limits{}, nil)
		done <- err
	}()
	<-searching
	e.Close()
	if err := <-done; !errors.Is(err, ErrExited) {
		t.Errorf("got %v", err)
	}
}

// TestChildrenDieToo wants no process left of an engine that is a script around another.
func TestChildrenDieToo(t *testing.T) {
	c := fake(t, "parent")
	c.StopTimeout = 200 * time.Millisecond
	e := start(t, c)
	var pid int
	for deadline := time.Now().Add(10 * time.Second); pid == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		_, _ = fmt.Sscanf(e.stderr.String(), "child %d", &pid)
	}
	e.kill()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there: %s", pid, stat)
		}
	}
}
