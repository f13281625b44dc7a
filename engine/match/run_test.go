package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/engine/chess"
	"castellan/engine/uciclient"
)

// openings returns the same few openings of the start position.
func openings(lines ...string) Openings {
	return func(_ context.Context, n int) (Opening, error) {
		g := chess.NewGame(chess.StartPosition(), chess.FIDE)
		for _, san := range strings.Fields(lines[n%len(lines)]) {
			if err := g.PlaySAN(san); err != nil {
				return Opening{}, err
			}
		}
		return Opening{g.Start(), g.Moves()}, nil
	}
}

func readBack(t *testing.T, text string) (games []*chess.PGNGame) {
	t.Helper()
	for g, err := range chess.NewPGNReader(strings.NewReader(text)).All() {
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, g)
	}
	return games
}

func TestMatchOfCastellanWithItself(t *testing.T) {
	var pgn bytes.Buffer
	lines := 0
	r, err := Run(t.Context(), Options{
		Players: [2]Player{fake(t, "castellan"), fake(t, "castellan")},
		Control: Control{Clock: Clock{Base: 20 * time.Second, Increment: time.Second}, Nodes: 300}, Margin: time.Second,
		Games: 4, Openings: openings("e4 e5", "d4 d5 c4"), Concurrency: 2, Adjudication: DefaultAdjudication, PGN: &pgn,
		Progress: func(*Report) { lines++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Games.N() != 4 || r.Pairs.N() != 2 || r.Finished != 4 || lines != 2 || r.Faults != [2]Faults{} || r.Names != [2]string{"Castellan A", "Castellan B"} {
		t.Errorf("got %+v after %d lines of progress", r, lines)
	}
	games := readBack(t, pgn.String())
	if len(games) != 4 {
		t.Fatalf("%d games in the PGN", len(games))
	}
	seen := map[string]string{}
	for _, g := range games {
		seen[g.Tag("Round")] = g.Tag("White")
		if termination := g.Tag("Termination"); termination != "normal" && termination != "adjudication" {
			t.Errorf("Termination %q", termination)
		}
		if g.Tag("TimeControl") != "20+1" || g.Result == "*" || g.Tag("PlyCount") != fmt.Sprint(g.Game.Ply()) {
			t.Errorf("tags %v", g.Tags)
		}
		n := g.NoteAt(4)
		if g.NoteAt(1).Comment != "book" || n.Clock == nil || !strings.Contains(n.Comment, "/") || !strings.HasSuffix(n.Comment, "s") {
			t.Errorf("notes %+v and %+v", g.NoteAt(1), n)
		}
	}
	want := map[string]string{"1.1": "Castellan A", "1.2": "Castellan B", "2.1": "Castellan A", "2.2": "Castellan B"}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("rounds and White: %v", seen)
	}
}

// TestNodesFarFromTheLimit has engines that tell as many nodes for each move as their name says.
func TestNodesFarFromTheLimit(t *testing.T) {
	for _, tt := range []struct {
		control Control
		warned  [2]bool
	}{
		{Control{Nodes: 8000}, [2]bool{true, false}},
		{Control{Nodes: 200}, [2]bool{false, true}},
		{Control{Nodes: 500}, [2]bool{false, false}},
		{Control{Nodes: 8000, Depth: 1}, [2]bool{false, false}},
		{Control{Depth: 1}, [2]bool{false, false}},
	} {
		r, err := Run(t.Context(), Options{
			Players: [2]Player{fake(t, "nodes-100"), fake(t, "nodes-900")}, Control: tt.control, MaxMoves: 6, Games: 2, Openings: openings("e4 e5"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"nodes-100", "nodes-900"} {
			text := r.Warning(i)
			if (text != "") != tt.warned[i] || text != "" && !strings.Contains(text, fmt.Sprintf("%s tells %s nodes a move, not some %d", name, name[6:], tt.control.Nodes)) {
				t.Errorf("%v: of %s %q is told", tt.control, name, text)
			}
		}
	}
}

func TestChess960(t *testing.T) {
	start, err := chess.ParseFEN("1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9")
	if err != nil {
		t.Fatal(err)
	}
	both := func(_ context.Context, n int) (Opening, error) {
		if n == 0 {
			return Opening{Start: start}, nil
		}
		return Opening{Start: chess.StartPosition()}, nil
	}
	var pgn bytes.Buffer
	r, err := Run(t.Context(), Options{
		Players: [2]Player{fake(t, "castellan"), fake(t, "castellan")}, Control: Control{Depth: 2}, MaxMoves: 30, Games: 4, Openings: both, PGN: &pgn,
	})
	if err != nil || r.Games.N() != 4 || r.Faults != [2]Faults{} {
		t.Fatalf("%v, %v\n%s", r, err, pgn.String())
	}
	if games := readBack(t, pgn.String()); games[0].Tag("Variant") != "Chess960" || games[2].Tag("Variant") != "" {
		t.Errorf("tags %v and %v", games[0].Tags, games[2].Tags)
	}
}

// TestFaultsLoseGames has engines that break down at their third move against one that never does.
func TestFaultsLoseGames(t *testing.T) {
	for _, tt := range []struct {
		kind        string
		control     Control
		faults      Faults
		termination string
		words       string
	}{
		{"crash", Control{Nodes: 1}, Faults{Crashes: 2}, "abandoned", `crashes: engine "crash": searching: the process has ended (exit status 1)`},
		{"illegal", Control{Nodes: 1}, Faults{IllegalMoves: 2}, "rules infraction", `plays an illegal move: move "e2e5"`},
		{"resigns", Control{Nodes: 1}, Faults{IllegalMoves: 2}, "rules infraction", "says that it has no move"},
		{"hang", Control{MoveTime: 500 * time.Millisecond}, Faults{TimeLosses: 2}, "time forfeit", "does not answer"},
		{"late", Control{Clock: Clock{Base: 500 * time.Millisecond}}, Faults{TimeLosses: 2}, "time forfeit", "exceeds its time"},
		{"crash-between", Control{Nodes: 1}, Faults{Crashes: 1}, "", ""},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			var pgn bytes.Buffer
			r, err := Run(t.Context(), Options{
				Players: [2]Player{fake(t, tt.kind), fake(t, "good")}, Control: tt.control, Games: 2, Openings: openings("e4"), PGN: &pgn,
				Margin: 10 * time.Millisecond, MaxMoves: 10,
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Faults != [2]Faults{tt.faults} {
				t.Errorf("faults %v\n%s", r.Faults, pgn.String())
			}
			if tt.termination == "" {
				return
			}
			if r.Games[0] != 2 || r.Pairs[0] != 1 {
				t.Errorf("games %v, pairs %v", r.Games, r.Pairs)
			}
			for _, g := range readBack(t, pgn.String()) {
				last := g.NoteAt(g.Game.Ply()).Comment
				if g.Tag("Termination") != tt.termination || !strings.Contains(last, tt.words) {
					t.Errorf("termination %q, last note %q", g.Tag("Termination"), last)
				}
			}
		})
	}
}

// TestNewProcessIsToldTheVariant: what an engine was told is lost with its process.
func TestNewProcessIsToldTheVariant(t *testing.T) {
	s := &seat{player: fake(t, "only-chess960")}
	defer s.dismiss()
	for range 2 {
		if _, err := s.prepare(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if _, err := s.engine.Search(t.Context(), uciclient.Position{}, uciclient.Limits{Depth: 1}, nil); err != nil {
			t.Error(err)
		}
		s.dismiss()
	}
}

// TestMateIsNoAdjudication has scores on which a game would be adjudicated, after the move that mates.
func TestMateIsNoAdjudication(t *testing.T) {
	start, err := chess.ParseFEN("7k/R7/6K1/8/8/8/8/8 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	var pgn bytes.Buffer
	_, err = Run(t.Context(), Options{
		Players: [2]Player{fake(t, "castellan"), fake(t, "castellan")}, Control: Control{Depth: 4}, Games: 1, Unpaired: true, PGN: &pgn,
		Openings:     func(context.Context, int) (Opening, error) { return Opening{Start: start}, nil },
		Adjudication: Adjudication{ResignMoves: 1, ResignScore: 500},
	})
	if err != nil {
		t.Fatal(err)
	}
	g := readBack(t, pgn.String())[0]
	if g.Game.Ply() != 2 || g.Tag("Termination") != "normal" || g.Result != "1-0" {
		t.Errorf("%s", pgn.String())
	}
}

func TestSPRTEndsTheMatch(t *testing.T) {
	r, err := Run(t.Context(), Options{
		Players: [2]Player{fake(t, "good"), fake(t, "illegal")}, Control: Control{Nodes: 1}, Games: 1000, Openings: openings("e4"), Concurrency: 2,
		SPRT: &SPRT{0, 100, 0.05, 0.05},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, upper := r.SPRT.Bounds()
	if r.Decision != AcceptH1 || r.LLR < upper || r.Games[2] != r.Games.N() || r.Games.N() > 40 {
		t.Errorf("got %v", r)
	}
	if s := r.String(); !strings.Contains(s, "H1 accepted: 100 Elo, not 0\n") || !strings.Contains(s, "faults   illegal: 0 crashes, 0 time losses, ") {
		t.Error(s)
	}
}

func TestUnpairedGamesChangeColours(t *testing.T) {
	var pgn bytes.Buffer
	r, err := Run(t.Context(), Options{
		Players: [2]Player{fake(t, "good"), fake(t, "illegal")}, Control: Control{Nodes: 1}, Games: 3, Openings: openings("e4", "d4", "c4"), Unpaired: true, PGN: &pgn,
		SPRT: &SPRT{0, 10, 0.05, 0.05},
	})
	if err != nil || r.Pairs != nil || r.Games[2] != 3 || r.LLR <= 0 {
		t.Fatalf("%v, %v", r, err)
	}
	games := readBack(t, pgn.String())
	if games[0].Tag("White") != "good" || games[1].Tag("White") != "illegal" || games[1].Tag("Round") != "2.1" || games[1].Game.Moves()[0].String() != "d2d4" {
		t.Errorf("tags %v", games[1].Tags)
	}
}

func TestInterruptionKeepsWhatIsThere(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := Run(ctx, Options{
		Players: [2]Player{fake(t, "good"), fake(t, "illegal")}, Control: Control{Nodes: 1}, Games: 1000, Openings: openings("e4"),
		Progress: func(r *Report) {
			if r.Games.N() == 4 {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) || r.Games.N() != 4 || r.Pairs[4] != 2 {
		t.Errorf("%v, %v", r, err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestMatchesThatCannotBe(t *testing.T) {
	good := func() Options {
		return Options{Players: [2]Player{fake(t, "good"), fake(t, "illegal")}, Control: Control{Nodes: 1}, Games: 2, Openings: openings("e4")}
	}
	for _, tt := range []struct {
		change  func(*Options)
		options bool // an *OptionsError
		want    string
	}{
		{func(o *Options) { o.Games = 3 }, true, "must be even"},
		{func(o *Options) { o.Games = 0 }, true, "choose 1 to"},
		{func(o *Options) { o.Control = Control{} }, true, "how long to think is missing"},
		{func(o *Options) { o.Control = Control{MoveTime: time.Second, Clock: Clock{Base: time.Second}} }, true, "exclude each other"},
		{func(o *Options) { o.SPRT = &SPRT{5, 0, 0.05, 0.05} }, true, "smaller one"},
		{func(o *Options) { o.Players[0].Name, o.Players[1].Name = "X", "X" }, true, `both engines are called "X"`},
		{func(o *Options) { o.Openings = nil }, true, "no openings"},
		{func(o *Options) { o.Players[1].Command.Path = "/no/such/engine" }, false, "no such file"},
		{func(o *Options) { o.Players[1].Options = []Setting{{"Hash", "16"}} }, false, `option "Hash" does not exist`},
		{func(o *Options) { o.Openings = openings("e5") }, false, "not legal"},
		{func(o *Options) { o.PGN = fullDisk{} }, false, "writing the PGN: disk full"},
	} {
		o := good()
		tt.change(&o)
		_, err := Run(t.Context(), o)
		var fault *OptionsError
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &fault) != tt.options {
			t.Errorf("got %v, want %q in it", err, tt.want)
		}
	}
	o := good()
	o.Players[0].Options = []Setting{{"UCI_Chess960", "maybe"}}
	var optionError *uciclient.OptionError
	if _, err := Run(t.Context(), o); !errors.As(err, &optionError) {
		t.Errorf("got %v", err)
	}
}
