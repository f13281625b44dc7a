package bot_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot/sources"
	"castellan/engine/chess"
	"castellan/engine/tablebase"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// library is a tap before the look-ups of a sandbox, with the tokens that came along.
type library struct {
	*tap
	*lichess.Reference
	mu     sync.Mutex
	tokens map[string]bool // by Authorization header
}

// newLibrary lets answer, when it is not nil, answer look-ups in place of the sandbox.
func newLibrary(t *testing.T, a arena, answer func(w http.ResponseWriter, r *http.Request) bool) *library {
	t.Helper()
	l := &library{tokens: map[string]bool{}}
	l.tap = newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		l.mu.Lock()
		l.tokens[r.URL.Path+" "+r.Header.Get("Authorization")] = true
		l.mu.Unlock()
		return answer != nil && answer(w, r)
	}})
	var err error
	l.Reference, err = lichess.NewReference(lichess.ReferenceOptions{
		ExplorerURL: l.URL, CloudURL: l.URL, TablebaseURL: l.URL, ExplorerToken: "lip_xExplorer",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Reference.Close)
	return l
}

// asking are options that ask these sources at every clock.
func (l *library) asking(order ...sources.Kind) sources.Options {
	return sources.Options{
		Order: order, Reference: l.Reference, Timeout: time.Second, Misses: 3,
		Database: lichess.DatabaseMasters, Choice: sources.Popular, MinGames: 10, MinDepth: 20,
	}
}

func (l *library) sent(what string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tokens[what]
}

func newReadingArena(t *testing.T, o sandbox.Options) arena {
	t.Helper()
	a := newArena(t, o)
	if err := a.AddAccount(sandbox.Account{Name: "Reader", Token: "lip_xExplorer", Scopes: []string{}}); err != nil {
		t.Fatal(err)
	}
	return a
}

// after returns the FEN after some moves from the usual start.
func after(t *testing.T, moves string) string {
	t.Helper()
	g := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	for m := range strings.FieldsSeq(moves) {
		if err := g.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	return g.Position().FEN()
}

// TestSourcesInOrder plays an opening of which the explorer knows the first moves and the cloud the next.
func TestSourcesInOrder(t *testing.T) {
	for _, ponder := range []bool{false, true} {
		t.Run(map[bool]string{false: "", true: "pondering"}[ponder], func(t *testing.T) {
			t.Parallel()
			a := newReadingArena(t, sandbox.Options{})
			l := newLibrary(t, a, nil)
			cp := -35
			for _, err := range []error{
				a.SetOpening(after(t, ""), lichess.ExplorerMove{UCI: "e2e5", White: 9999}, lichess.ExplorerMove{UCI: "h2h4", White: 9}, lichess.ExplorerMove{UCI: "b2b4", White: 50},
					lichess.ExplorerMove{UCI: "a2a4", White: 40}),
				a.SetOpening(after(t, "b2b4 e7e5"), lichess.ExplorerMove{UCI: "c1b2", White: 4, Draws: 4, Black: 4}),
				a.SetEvaluation(after(t, "b2b4 e7e5 c1b2 f8b4"), lichess.CloudEval{Depth: 40, PVs: []lichess.CloudPV{{Moves: "f2f4 d7d6 nonsense", CP: &cp}}}),
				a.SetEvaluation(after(t, "b2b4 e7e5 c1b2 f8b4 f2f4 d7d6"), lichess.CloudEval{Depth: 12, PVs: []lichess.CloudPV{{Moves: "h2h3", CP: &cp}}}),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			opts := quick()
			opts.Ponder = ponder
			d := a.startBehind(a.URL, opts, l.asking(sources.Explorer, sources.Cloud))
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
			for i, m := range []string{"e7e5", "f8b4", "d7d6"} {
				a.plies(id, 2*i+1)
				a.move(id, m)
			}
			a.plies(id, 7)
			if moves := strings.Join(a.game(id).Moves[:6], " "); moves != "b2b4 e7e5 c1b2 f8b4 f2f4 d7d6" {
				t.Errorf("the moves are %s", moves)
			}
			for _, line := range []string{"san=b4 score=\"cp 0\" depth=0", "source=explorer", "san=f4 score=\"cp -35\" depth=40", "source=cloud"} {
				if !d.log.has(line) {
					t.Errorf("the log has no %q", line)
				}
			}
			if !l.sent("/masters Bearer lip_xExplorer") || l.sent("/api/cloud-eval Bearer lip_xExplorer") || !l.sent("/api/cloud-eval ") {
				t.Errorf("tokens went wrong: %v", l.tokens)
			}
		})
	}
}

// TestSourceThatFails lets each look-up go wrong in some way. The moves come all the same, and it is soon asked no more.
func TestSourceThatFails(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		asked  int // in one game
	}{
		"moved": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
		}, 1},
		"unauthorized": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, 1},
		"limited":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, 1},
		"broken":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, 1},
		"garbage":      {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("{\x00")) }, 1},
		"hangs":        {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 1},
		"nothing":      {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"moves":[]}`)) }, 3},
		"illegal": {func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"moves":[{"uci":"e2e5","white":99},{"uci":"","white":99},{"uci":"a1a8q","white":99},{"uci":"♔","white":99}]}`))
		}, 3},
		"nonsense": {func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"moves":[{"uci":"e2e4","white":-9223372036854775808,"black":9223372036854775807,"draws":-1}],"category":"win"}`))
		}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newReadingArena(t, sandbox.Options{})
			l := newLibrary(t, a, func(w http.ResponseWriter, r *http.Request) bool {
				test.answer(w, r)
				return true
			})
			o := l.asking(sources.Explorer)
			// An answer that comes, however slow the machine is, is in time; only that which never comes is not waited for so long.
			if o.Timeout = time.Minute; name == "hangs" {
				o.Timeout = time.Second
			}
			d := a.startBehind(a.URL, quick(), o)
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour})
			for i := range 6 {
				a.plies(id, 2*i+1)
				a.move(id, a.anyMove(id))
			}
			a.plies(id, 13)
			if n := l.count("/masters"); test.asked >= 0 && n != test.asked {
				t.Errorf("it was asked %d times, want %d", n, test.asked)
			}
			if l.count("/elsewhere") > 0 {
				t.Error("a redirect was followed")
			}
			if d.log.has("lip_xExplorer") || d.log.has("the move was not taken") {
				t.Error("the log has a token, or the server refused a move")
			}
		})
	}
}

// TestSourceThatHangsCostsAPartOfTheClock measures what a question without an answer costs: a fortieth of the clock where it runs,
// and else the time set for it.
func TestSourceThatHangsCostsAPartOfTheClock(t *testing.T) {
	for _, test := range []struct {
		hangs   int32 // the question, by its number in the game
		timeout time.Duration
		want    time.Duration
	}{{1, time.Second, time.Second}, {2, 10 * time.Second, 500 * time.Millisecond}} {
		t.Run(test.want.String(), func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			took := make(chan time.Duration, 1)
			a := newReadingArena(t, sandbox.Options{})
			l := newLibrary(t, a, func(w http.ResponseWriter, r *http.Request) bool {
				if asked.Add(1) != test.hangs {
					w.Write([]byte(`{"moves":[]}`))
					return true
				}
				start := time.Now()
				<-r.Context().Done()
				took <- time.Since(start)
				return true
			})
			o := l.asking(sources.Explorer)
			o.Timeout = test.timeout
			a.startBehind(a.URL, quick(), o)
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 20 * time.Second})
			a.plies(id, 1)
			a.move(id, a.anyMove(id))
			a.plies(id, 3)
			if cost := <-took; cost < test.want/2 || cost > test.want+4*time.Second {
				t.Errorf("the question took %v, want %v", cost, test.want)
			}
		})
	}
}

// TestSourceIsAskedAnewInTheNextGame counts questions over two games, and with too little time.
func TestSourceIsAskedAnewInTheNextGame(t *testing.T) {
	t.Parallel()
	a := newReadingArena(t, sandbox.Options{})
	l := newLibrary(t, a, nil)
	o := l.asking(sources.Cloud)
	o.MinClock[sources.Cloud] = 30 * time.Second
	d := a.startBehind(a.URL, quick(), o)
	for _, test := range []struct {
		limit time.Duration
		asked int
	}{{time.Minute, 3}, {time.Minute, 6}, {20 * time.Second, 7}} { // with the first move no clock runs
		id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: test.limit})
		for i := range 5 {
			a.plies(id, 2*i+1)
			a.move(id, a.anyMove(id))
		}
		a.plies(id, 11)
		if n := l.count("/api/cloud-eval"); n != test.asked {
			t.Errorf("asked %d times after a game of %v, want %d", n, test.limit, test.asked)
		}
		a.resigns(id)
	}
	if d.log.has("is not asked for a while") {
		t.Error("not to know a position counts as a failure")
	}
}

// TestOnlineTablebase wins and holds endings that only the online tables know.
func TestOnlineTablebase(t *testing.T) {
	tables, err := tablebase.Open([]string{"../engine/tablebase/testdata/tables"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() })
	for name, test := range map[string]struct {
		fen   string
		white string // who has the white men
		ends  []lichess.Status
	}{
		"queen":                       {"8/8/8/4k3/8/8/8/3QK3 w - - 0 1", "Castellan", []lichess.Status{lichess.StatusMate}},
		"rook, with hardly any moves": {"8/8/8/4k3/8/8/8/R3K3 w - - 60 80", "Castellan", []lichess.Status{lichess.StatusMate}},
		"rook against rook":           {"8/8/3k4/8/8/3K4/r7/7R w - - 0 1", "Rival", []lichess.Status{lichess.StatusDraw, lichess.StatusStalemate}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newReadingArena(t, sandbox.Options{Tables: tables})
			l := newLibrary(t, a, nil)
			d := a.startBehind(a.URL, quick(), l.asking(sources.Tablebase))
			a.start("rival", quick())
			setup := sandbox.GameSetup{White: test.white, Black: "Rival", Limit: 30 * time.Second, Increment: time.Second, FEN: test.fen}
			if test.white == "Rival" {
				setup.Black = "Castellan"
			}
			id := a.startGame(setup)
			g := a.finished(id)
			if !slices.Contains(test.ends, g.Status) || test.white == "Castellan" && g.Winner != lichess.ColorWhite {
				t.Errorf("the game ended by %s, winner %q, after %d moves", g.Status, g.Winner, len(g.Moves))
			}
			if n := strings.Count(d.log.String(), `source="online tablebase"`); n < len(g.Moves)/2-1 || d.log.has("the move was not taken") {
				t.Errorf("%d of %d moves are the tables'", n, len(g.Moves)/2)
			}
			if l.sent("/standard Bearer lip_xExplorer") || !l.sent("/standard ") {
				t.Error("a token went to the tables")
			}
		})
	}
}

// TestSourcesInGamesWithoutAClock asks in correspondence too.
func TestSourcesInGamesWithoutAClock(t *testing.T) {
	t.Parallel()
	a := newReadingArena(t, sandbox.Options{})
	l := newLibrary(t, a, nil)
	if err := a.SetOpening(after(t, ""), lichess.ExplorerMove{UCI: "b2b4", White: 50}); err != nil {
		t.Fatal(err)
	}
	d := a.startBehind(a.URL, quick(), l.asking(sources.Explorer))
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Days: 2})
	a.plies(id, 1)
	if a.game(id).Moves[0] != "b2b4" || !d.log.has("source=explorer") {
		t.Errorf("played %v", a.game(id).Moves)
	}
	a.move(id, "e7e5")
	a.plies(id, 3)
}
