package archive

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// patience bounds every wait of these tests. It is reached only by a test that fails.
const patience = 60 * time.Second

func newServer(t *testing.T) *sandbox.Server {
	t.Helper()
	server := sandbox.New(sandbox.Options{BotGamesPerDay: -1})
	for _, name := range []string{"Castellan", "Rival"} {
		if err := server.AddAccount(sandbox.Account{Name: name, Token: "lip_x" + name, Title: lichess.TitleBot}); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}

// seat runs a bot for an account, whose games the archive keeps when there is one. The function that it returns ends it.
func seat(t *testing.T, server *sandbox.Server, name string, a *Archive) (leave func()) {
	t.Helper()
	client, err := lichess.New(lichess.Options{URL: server.URL, Token: lichess.Token("lip_x" + name)})
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engine.New(engine.Options{HashMB: 1, MaxMoveTime: 3 * time.Millisecond, MoveOverhead: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	options := bot.Options{MaxGames: 20, CorrespondenceThink: 3 * time.Millisecond}
	if a != nil {
		options.Watch = a.Note
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := bot.New(client, eng, options).Run(ctx); err != nil {
			t.Error(err)
		}
	})
	leave = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		eng.Close()
		client.Close()
	})
	t.Cleanup(leave)
	return leave
}

func open(t *testing.T, o Options) *Archive {
	t.Helper()
	a, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func start(t *testing.T, server *sandbox.Server, g sandbox.GameSetup) (id string) {
	t.Helper()
	id, err := server.StartGame(g)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func end(t *testing.T, server *sandbox.Server, id string) sandbox.Game {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	g, err := server.WaitGame(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("did not come: %s", what)
		}
	}
}

// read returns the games of all files in a folder.
func read(t *testing.T, dir string) (games []*chess.PGNGame) {
	t.Helper()
	files, err := Paths([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for g, err := range chess.NewPGNReader(strings.NewReader(string(text))).All() {
			if err != nil {
				t.Fatalf("%s: %v\n%s", path, err, text)
			}
			games = append(games, g)
		}
	}
	return games
}

func nothingUnfinished(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, unfinished, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("unfinished: %v (%v)", left, err)
	}
	half, err := filepath.Glob(filepath.Join(dir, tempMark+"*"))
	if err != nil || len(half) > 0 {
		t.Errorf("half written: %v (%v)", half, err)
	}
}

// TestGameAsTheServerHasIt plays games and holds the files against the server's own export of them.
func TestGameAsTheServerHasIt(t *testing.T) {
	server := newServer(t)
	dir := filepath.Join(t.TempDir(), "made", "on the way")
	a := open(t, Options{Dir: dir, Files: ByGame})
	leave := seat(t, server, "Castellan", a)
	seat(t, server, "Rival", nil)
	games := map[string]sandbox.Game{}
	for _, setup := range []sandbox.GameSetup{
		{White: "Castellan", Black: "Rival", Limit: time.Minute, Increment: time.Second, Rated: true},
		{White: "Rival", Black: "Castellan", Limit: 3 * time.Minute, Rated: true},
		{White: "Rival", Black: "Castellan", Limit: time.Minute, FEN: "8/8/8/4K3/8/8/8/3qk3 b - - 3 70"},
		{White: "Rival", Black: "Castellan", Limit: time.Minute, Variant: lichess.VariantChess960},
	} {
		id := start(t, server, setup)
		games[id] = sandbox.Game{}
	}
	for id := range games {
		games[id] = end(t, server, id)
	}
	until(t, "the games", func() bool { return len(read(t, dir)) == len(games) })
	leave()
	a.Close()
	nothingUnfinished(t, dir)
	for _, got := range read(t, dir) {
		game, known := games[got.Tag("GameId")]
		if !known {
			t.Fatalf("nobody played a game %s", got.Tag("GameId"))
		}
		want, err := chess.NewPGNReader(strings.NewReader(game.PGN)).Read()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Tags, want.Tags) {
			t.Errorf("tags %v, the server has %v", got.Tags, want.Tags)
		}
		if got.Result != want.Result || !slices.Equal(got.Game.Moves(), want.Game.Moves()) {
			t.Errorf("the game is not the server's:\n%s", game.PGN)
		}
		us := chess.White
		if got.Tag("Black") == "Castellan" {
			us = chess.Black
		}
		for ply := 1; ply <= got.Game.Ply(); ply++ {
			before := got.Game.PositionAt(ply - 1)
			note, theirs := got.NoteAt(ply), want.NoteAt(ply)
			if note.Clock == nil || (*note.Clock-*theirs.Clock).Abs() > time.Second/2+clockUnit {
				t.Errorf("%s, ply %d: clock %v, the server has %v", got.Tag("GameId"), ply, note.Clock, theirs.Clock)
			}
			if ours := before.SideToMove() == us; !ours && note.Eval != nil {
				t.Errorf("ply %d of the opponent has the score %v", ply, note.Eval)
			} else if ours && note.Eval == nil {
				t.Errorf("ply %d has no score", ply)
			}
		}
		if got.Tag("Variant") == "From Position" { // a queen ahead for Black
			if e := got.NoteAt(1).Eval; e == nil || e.Value >= 0 {
				t.Errorf("the score of the bot, who wins with Black, is %v", e)
			}
		}
	}
}

// TestGamesThatEndAtOnce lets many games end together, in files that they share.
func TestGamesThatEndAtOnce(t *testing.T) {
	for _, test := range []struct {
		by   Grouping
		file string
	}{{ByOpponent, "vs-rival.pgn"}, {ByDay, time.Now().UTC().Format("2006-01-02") + ".pgn"}, {Together, "games.pgn"}} {
		t.Run(string(test.by), func(t *testing.T) {
			server, dir := newServer(t), t.TempDir()
			a := open(t, Options{Dir: dir, Files: test.by})
			leave := seat(t, server, "Castellan", a)
			seat(t, server, "Rival", nil)
			var ids []string
			for range 12 {
				ids = append(ids, start(t, server, sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"}))
			}
			for _, id := range ids {
				end(t, server, id)
			}
			until(t, "the games", func() bool {
				entries, _ := os.ReadDir(filepath.Join(dir, unfinished))
				return len(entries) == 0 && len(read(t, dir)) == len(ids)
			})
			leave()
			a.Close()
			nothingUnfinished(t, dir)
			if files, err := Paths([]string{dir}); err != nil || len(files) != 1 && test.by != ByDay || filepath.Base(files[0]) != test.file {
				t.Errorf("the games are in %v (%v)", files, err)
			}
			var kept []string
			for _, g := range read(t, dir) {
				kept = append(kept, g.Tag("GameId"))
			}
			slices.Sort(kept)
			slices.Sort(ids)
			if !slices.Equal(kept, ids) {
				t.Errorf("kept are %v, played were %v", kept, ids)
			}
		})
	}
}

// TestRestartInMidGame sees to it that what one run saw of a game is there when another run sees its end.
func TestRestartInMidGame(t *testing.T) {
	server, dir := newServer(t), t.TempDir()
	seat(t, server, "Rival", nil)
	first := open(t, Options{Dir: dir, Files: Together})
	leave := seat(t, server, "Castellan", first)
	id := start(t, server, sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, Increment: time.Second})
	played := func() int {
		g, _ := server.Game(id)
		return len(g.Moves)
	}
	until(t, "some moves", func() bool { return played() >= 10 })
	leave()
	first.Close()
	seenByFirst := played() - 1 // the last one may have come behind its back
	if len(read(t, dir)) != 0 {
		t.Fatal("a game in play was kept as one that has ended")
	}
	second := open(t, Options{Dir: dir, Files: Together})
	seat(t, server, "Castellan", second)
	game := end(t, server, id)
	until(t, "the game", func() bool { return len(read(t, dir)) == 1 })
	second.Close()
	nothingUnfinished(t, dir)
	g := read(t, dir)[0]
	if g.Game.Ply() != len(game.Moves) || g.Result == "*" || g.Tag(sideTag) != "" {
		t.Errorf("%d plies of %d, tags %v", g.Game.Ply(), len(game.Moves), g.Tags)
	}
	for ply := 1; ply < seenByFirst; ply++ {
		if n := g.NoteAt(ply); n.Clock == nil || ply%2 == 1 && n.Eval == nil {
			t.Errorf("ply %d, seen before the restart: clock %v, score %v", ply, n.Clock, n.Eval)
		}
	}
}

// TestFullDisk lets games end while the disk is full: they go on, it is told once, and they are written when there is room.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full, which is always full, on this system")
	}
	server, dir := newServer(t), t.TempDir()
	shared := filepath.Join(dir, "games.pgn")
	if err := os.Symlink("/dev/full", shared); err != nil {
		t.Fatal(err)
	}
	var log lines
	a := open(t, Options{Dir: dir, Files: Together, Log: slog.New(slog.NewTextHandler(&log, nil))})
	seat(t, server, "Castellan", a)
	seat(t, server, "Rival", nil)
	mate := sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"}
	first := start(t, server, mate)
	end(t, server, first)
	until(t, "word of the full disk", func() bool { return strings.Contains(log.String(), "no space left on device") })
	second := start(t, server, mate)
	if g := end(t, server, second); g.Status != lichess.StatusMate {
		t.Errorf("with a full disk the game ended by %s", g.Status)
	}
	if err := os.Remove(shared); err != nil {
		t.Fatal(err)
	}
	end(t, server, start(t, server, mate)) // whatever happens next makes it try again
	until(t, "all three games", func() bool {
		if _, err := os.Stat(shared); err != nil {
			return false
		}
		return len(read(t, dir)) == 3
	})
	a.Close()
	nothingUnfinished(t, dir)
	if n := strings.Count(log.String(), "games cannot be written"); n != 1 {
		t.Errorf("the full disk was told %d times:\n%s", n, log.String())
	}
	if !strings.Contains(log.String(), "games can be written again") {
		t.Errorf("that there is room again was not told:\n%s", log.String())
	}
}

// lines collects a log.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
