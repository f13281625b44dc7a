package bot_test

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/external"
	"castellan/engine/uciclient"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// startExternal runs a bot whose moves are another engine's.
func (a arena) startExternal(opts bot.Options, o external.Options) *daemon {
	a.t.Helper()
	return a.startExternalFor("castellan", opts, o)
}

func (a arena) startExternalFor(token string, opts bot.Options, o external.Options) *daemon {
	a.t.Helper()
	opts.CorrespondenceThink = max(opts.CorrespondenceThink, 100*time.Millisecond) // of the first move too: another process needs a moment
	d := a.startMind(a.URL, token, opts, engine.Options{MaxMoveTime: time.Millisecond}, func(own *engine.Engine, log *slog.Logger) (engine.Mind, func()) {
		o.Own, o.Log, o.Overhead = own, log, 10*time.Millisecond
		mind, err := external.New(a.t.Context(), o)
		if err != nil {
			a.t.Fatal(err)
		}
		return mind, mind.Close
	})
	a.t.Cleanup(func() {
		d.kill()
		if left := enginesLeft(a.t, o.Command); len(left) > 0 {
			a.t.Errorf("engines are left: %q", left)
		}
	})
	return d
}

// fake is the command of a fake engine. Its last argument tells it from those of other tests.
func fake(t *testing.T, kind string, args ...string) external.Options {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{fakeEngine, kind}, append(args, filepath.Join(t.TempDir(), "mark"))...)
	return external.Options{Command: uciclient.Command{Path: path, Args: args}, HashMB: 64, Threads: 2}
}

// enginesLeft lists the processes that were started by a command and still run.
func enginesLeft(t *testing.T, c uciclient.Command) (left []string) {
	t.Helper()
	mark := c.Path
	if len(c.Args) > 0 {
		mark = c.Args[len(c.Args)-1]
	}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), mark) {
			left = append(left, file)
		}
	}
	return left
}

// externalMoves counts the moves of the log that came from the other engine.
func (d *daemon) externalMoves() int {
	return strings.Count(d.log.String(), `source="external engine"`)
}

// anyMove returns a legal move in a game.
func (a arena) anyMove(id string) string {
	a.t.Helper()
	board := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	for _, m := range a.game(id).Moves {
		if err := board.PlayUCI(m); err != nil {
			a.t.Fatal(err)
		}
	}
	var legal chess.MoveList
	board.Position().LegalMoves(&legal)
	return legal.Slice()[0].String()
}

// hostileGame is a kind of game with hostile engines.
type hostileGame struct {
	limit, increment time.Duration
	plies            int // after which it is enough, when what is to happen has happened
}

var (
	// Where only what is said matters, no clock ends a game, however busy the machine is.
	onNoClock = hostileGame{10 * time.Minute, 5 * time.Second, 30}
	// Half of this clock is waited for an engine that does not answer. What is left is enough for our own on a busy machine too.
	onTheClock = hostileGame{12 * time.Second, 3 * time.Second, 14}
	// A tenth of this one, at most, is waited after the order to stop: less than the time in which a late answer comes.
	onAShortClock = hostileGame{2 * time.Second, 2 * time.Second, 14}
)

// playHostile plays a game, which the rival gives up when the worst is over, or after long enough: such games can go on for hundreds of
// moves.
func playHostile(a arena, d *daemon, kind hostileGame, misbehaved func() bool) sandbox.Game {
	a.t.Helper()
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: kind.limit, Increment: kind.increment})
	for ply := 1; ply <= kind.plies; ply++ { // patience is for each, so that a slow machine has the time that it needs
		a.until("another move", func() bool { g := a.game(id); return g.Status.Over() || len(g.Moves) >= ply })
	}
	a.until("what is to happen", func() bool { return a.game(id).Status.Over() || misbehaved() })
	if !a.game(id).Status.Over() {
		if err := a.client("rival").Resign(a.t.Context(), id); err != nil && !a.game(id).Status.Over() {
			a.t.Fatal(err)
		}
	}
	g := a.finished(id)
	if !slices.Contains([]lichess.Status{lichess.StatusMate, lichess.StatusDraw, lichess.StatusStalemate, lichess.StatusResign}, g.Status) {
		a.t.Errorf("the game ended by %s after %d moves", g.Status, len(g.Moves))
	}
	if g.Status != lichess.StatusResign {
		checkMoves(a.t, "", g)
	}
	return g
}

// TestHostileEngines lets programs play that do what an engine must not do. Each game goes on by the rules, with the
// built-in engine in place of the other when it has to be.
func TestHostileEngines(t *testing.T) {
	places := make(chan struct{}, 4) // a game is four programs at work
	for _, test := range []struct {
		kind   string
		game   hostileGame
		logged []string
		moves  int // of the other engine, at least
	}{
		{"good", onNoClock, nil, misbehaveFrom + 1},
		{"noisy", onNoClock, nil, misbehaveFrom + 1},
		{"slow to begin", onNoClock, []string{"is not ready in time", "source=search"}, 1},
		{"thinks on", onTheClock, nil, misbehaveFrom + 1},
		{"hang", onTheClock, []string{"no answer in time", "was started anew", "failures=3"}, misbehaveFrom - 1},
		{"late", onAShortClock, []string{"which is too late", "failures=3"}, misbehaveFrom - 1},
		{"crash", onNoClock, []string{"the process has ended (exit status 139)", "segmentation fault", "was started anew", "failed too often"}, misbehaveFrom - 1},
		{"crash once", onNoClock, []string{"failures=1", "was started anew"}, misbehaveFrom + 1},
		{"dies after a move", onNoClock, []string{"has ended between two moves", "failures=1"}, misbehaveFrom},
		{"illegal", onNoClock, []string{`its answer \"e2e5\" is no legal move`, "failures=3", "failed too often"}, misbehaveFrom - 1},
		{"no move", onNoClock, []string{`its answer \"\" is no legal move`, "failures=3"}, misbehaveFrom - 1},
		{"garbage", onNoClock, []string{"is no legal move", "failures=1"}, misbehaveFrom - 1},
		{"floods", onTheClock, []string{"no answer in time", "failures=1"}, misbehaveFrom - 1},
		{"stays", onNoClock, nil, misbehaveFrom + 1},
	} {
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()
			places <- struct{}{}
			defer func() { <-places }()
			a := newArena(t, sandbox.Options{})
			opts := quick()
			opts.CorrespondenceThink = time.Second // what the first move is given
			o := fake(t, test.kind)
			d := a.startExternal(opts, o)
			a.startExternalFor("rival", opts, fake(t, "good")) // moves at random do not mate soon
			misbehaved := func() bool {
				return !slices.ContainsFunc(test.logged, func(text string) bool { return !d.log.has(text) }) && d.externalMoves() >= test.moves
			}
			var g sandbox.Game
			for range 5 { // moves at random can be mated before all that is to happen has happened
				g = playHostile(a, d, test.game, misbehaved)
				if misbehaved() || g.Status == lichess.StatusResign {
					break
				}
			}
			for _, text := range test.logged {
				if !d.log.has(text) {
					t.Errorf("the log has no %q", text)
				}
			}
			if test.logged == nil && d.log.has("failures=2") { // once may be the machine's fault
				t.Error("the log tells of failures")
			}
			if n := d.externalMoves(); n < test.moves {
				t.Errorf("%d moves are the other engine's, want %d", n, test.moves)
			}
			refused := strings.Count(d.log.String(), "the move was not taken")
			if g.Status == lichess.StatusResign {
				refused -= strings.Count(d.log.end(3), "Not your turn, or game already over") // it crossed with the end
			}
			if refused > 0 {
				t.Error("the server refused a move")
			}
		})
	}
}

// TestHangNearTheFlag lets an engine hang that has hardly any time: the built-in one has to move with what is left.
func TestHangNearTheFlag(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{FlagGrace: -1})
	d := a.startExternal(quick(), fake(t, "hang"))
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 1500 * time.Millisecond, Increment: 0})
	for ply := 1; ply < 10; ply += 2 {
		a.plies(id, ply)
		a.move(id, a.anyMove(id))
	}
	a.plies(id, 11)
	if g := a.game(id); g.Status != lichess.StatusStarted {
		t.Errorf("status %s after %d moves", g.Status, len(g.Moves))
	}
	a.until("the failure is told", func() bool { return d.log.has("the engine failed") })
}

// TestEngineThatIsSharedOrPonders plays several games at once by each way to use the processes.
func TestEngineThatIsSharedOrPonders(t *testing.T) {
	for _, kind := range []string{"castellan", "good", "ponders not"} {
		for _, shared := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s shared %v", kind, shared), func(t *testing.T) {
				t.Parallel()
				a := newArena(t, sandbox.Options{})
				opts := quick()
				opts.Ponder = true
				o := fake(t, kind)
				o.Shared, o.Ponder, o.Nodes = shared, true, 200
				d := a.startExternal(opts, o)
				a.start("rival", opts)
				var ids []string
				for i := range 3 {
					g := sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 30 * time.Second, Increment: time.Second}
					if i == 1 {
						g.White, g.Black = g.Black, g.White
					}
					if i == 2 && kind != "castellan" {
						g.FEN, g.Variant = "bnrkqrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQRNB w KQkq - 0 1", lichess.VariantChess960
					}
					ids = append(ids, a.startGame(g))
				}
				if n, want := 0, 3; !shared {
					a.until("a process for each game", func() bool { n = len(enginesLeft(t, o.Command)); return n == want })
				}
				if shared && len(enginesLeft(t, o.Command)) != 1 {
					t.Errorf("%d processes for all games", len(enginesLeft(t, o.Command)))
				}
				for _, id := range ids {
					if g := a.finished(id); g.Status == lichess.StatusOutOfTime {
						t.Errorf("a game was lost on time after %d moves", len(g.Moves))
					}
				}
				// On a machine that is full, a move may come too late for the plan; nothing else goes wrong.
				if d.log.has("is no legal move") || d.log.has("has ended") || d.log.has("failed too often") || d.externalMoves() < 10 {
					t.Errorf("%d moves are the other engine's", d.externalMoves())
				}
			})
		}
	}
}

// TestEngineInGamesWithoutAClock wants a process for the time of a move only.
func TestEngineInGamesWithoutAClock(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	o := fake(t, "good")
	d := a.startExternal(quick(), o)
	var ids []string
	for range 3 {
		ids = append(ids, a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Days: 2}))
	}
	for _, id := range ids {
		a.plies(id, 1)
	}
	a.until("three moves of the other engine", func() bool { return d.externalMoves() == 3 })
	a.until("no process", func() bool { return len(enginesLeft(t, o.Command)) == 0 })
	a.move(ids[0], a.anyMove(ids[0]))
	a.plies(ids[0], 3)
	a.until("another move of it", func() bool { return d.externalMoves() == 4 })
	if d.log.has("the engine failed") {
		t.Error("a failure is told")
	}
}

func TestEngineWithoutChess960LeavesSuchGames(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	d := a.startExternal(quick(), fake(t, "no chess960"))
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute, Variant: lichess.VariantChess960,
		FEN: "bnrkqrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQRNB w KQkq - 0 1"})
	a.plies(id, 1)
	id = a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	a.until("one move of the other engine", func() bool { return d.externalMoves() == 1 })
	if strings.Count(d.log.String(), "source=") != 2 || d.log.has("the engine failed") {
		t.Error("the game of Chess960 was not left to the built-in engine")
	}
}

func TestFaultsOfAnEngineAtTheStart(t *testing.T) {
	t.Parallel()
	settings := func(s ...string) (all []external.Setting) {
		for i := 0; i < len(s); i += 2 {
			all = append(all, external.Setting{Name: s[i], Value: s[i+1]})
		}
		return all
	}
	for _, test := range []struct {
		kind string
		set  func(*external.Options)
		want []string
	}{
		{"good", func(o *external.Options) {
			o.Settings = settings("Hash", "9999", "Stile", "Wild", "style", "Bold", "uci_chess960", "true", "PONDER", "true")
			o.Elo = 1500
		}, []string{`"Hash" is a whole number from 1 to 4`, `"Stile" does not exist; there are: Hash`, `"style" is one of ["Calm" "Wild"]`,
			`"UCI_Chess960" is set by the bot`, `"Ponder" is set by the bot`, `"UCI_Elo" is not offered`}},
		{"no uciok", func(o *external.Options) { o.Command.StartTimeout = 200 * time.Millisecond }, []string{"no answer in time", "perhaps the program does not speak UCI"}},
		{"castellan", func(o *external.Options) { o.Elo = 100 }, []string{`"UCI_Elo" is from 800 to 2800, not 100`}},
		{"good", func(o *external.Options) { o.Command.Path = "/no/such/engine" }, []string{"no such file"}},
	} {
		o := fake(t, test.kind)
		test.set(&o)
		_, err := external.New(t.Context(), o)
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", test.kind, err, want)
			}
		}
		if left := enginesLeft(t, o.Command); len(left) > 0 {
			t.Errorf("%s: engines are left: %q", test.kind, left)
		}
	}
}

// TestStockfish plays with an engine that people use.
func TestStockfish(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("stockfish")
	if err != nil {
		path = "/usr/games/stockfish" // where Debian puts it
		if _, err := os.Stat(path); err != nil {
			t.Skip("stockfish is not installed")
		}
	}
	own := filepath.Join(t.TempDir(), "stockfish") // a name that tells it from those of other programs
	if err := os.Symlink(path, own); err != nil {
		t.Fatal(err)
	}
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.Ponder = true
	d := a.startExternal(opts, external.Options{
		Command: uciclient.Command{Path: own},
		HashMB:  4, Threads: 1, Elo: 1400, Nodes: 2000, Ponder: true,
		Settings: []external.Setting{{Name: "Clear Hash"}},
	})
	a.start("rival", quick())
	for _, variant := range []lichess.VariantKey{lichess.VariantStandard, lichess.VariantChess960} {
		setup := sandbox.GameSetup{White: "Rival", Black: "Castellan", Limit: 10 * time.Second, Increment: 200 * time.Millisecond, Variant: variant}
		if variant == lichess.VariantChess960 {
			setup.FEN = "bnrkqrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQRNB w KQkq - 0 1"
		}
		g := a.finished(a.startGame(setup))
		if g.Status == lichess.StatusOutOfTime {
			t.Errorf("the game of %s was lost on time", variant)
		}
		checkMoves(t, setup.FEN, g)
	}
	if d.log.has("the engine failed") || d.externalMoves() < 20 || !d.log.has("the reply was expected") {
		t.Errorf("%d moves are the other engine's", d.externalMoves())
	}
}
