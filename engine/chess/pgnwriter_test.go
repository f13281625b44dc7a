package chess

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func writePGNString(t testing.TB, g *PGNGame) string {
	t.Helper()
	var b bytes.Buffer
	if err := WritePGN(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// comparePGN compares games by what is in them.
func comparePGN(a, b *PGNGame) string {
	type content struct {
		Start  string
		Moves  []Move
		Notes  []Note
		Result string
	}
	of := func(g *PGNGame) content {
		start := g.Game.Start()
		notes := g.Notes
		for len(notes) > 0 && cmp.Equal(notes[len(notes)-1], Note{}) {
			notes = notes[:len(notes)-1]
		}
		return content{start.FEN(), g.Game.Moves(), notes, g.Result}
	}
	return cmp.Diff(of(a), of(b))
}

func TestWritePGN(t *testing.T) {
	g := NewGame(StartPosition(), FIDE)
	for _, san := range []string{"e4", "e5", "Nf3", "Nc6", "Bb5"} {
		if err := g.PlaySAN(san); err != nil {
			t.Fatal(err)
		}
	}
	variation := NewGame(StartPosition(), FIDE)
	for _, san := range []string{"e4", "c5", "Nf3"} {
		if err := variation.PlaySAN(san); err != nil {
			t.Fatal(err)
		}
	}
	got := writePGNString(t, &PGNGame{
		Tags: []Tag{{"Opening", `The "Spanish" \ Ruy Lopez`}, {"White", "Ђорђе"}, {"Result", "*"}},
		Game: g,
		Notes: []Note{
			{Comment: "from the start"},
			{Clock: new(3 * time.Minute), Eval: &Eval{Value: 17, Depth: 20}},
			{NAGs: []int{1}, Variations: []Variation{{Moves: variation.Moves()[1:], Notes: []Note{{}, {Comment: "Sicilian"}}}}},
			{Clock: new(1500 * time.Millisecond), Eval: &Eval{Mate: true, Value: -3}},
			{Comment: "a } in\na comment"},
		},
		Result: "1-0",
	})
	const want = `[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "Ђорђе"]
[Black "?"]
[Result "1-0"]
[Opening "The \"Spanish\" \\ Ruy Lopez"]

{ from the start } 1. e4 { [%eval 0.17,20] [%clk 0:03:00] } 1... e5 $1 (1... c5
{ Sicilian } 2. Nf3) 2. Nf3 { [%eval #-3] [%clk 0:00:01.5] } 2... Nc6 { a ) in
a comment } 3. Bb5 1-0

`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("PGN (-want +got):\n%s", diff)
	}
}

func TestWritePGNSetUp(t *testing.T) {
	for _, tt := range []struct {
		fen  string
		tags []Tag
		want []string
	}{
		{startFEN, nil, nil},
		{"4k3/8/8/8/8/8/4P3/4K3 b - - 0 30", []Tag{{"FEN", "of another game"}},
			[]string{`[SetUp "1"]`, `[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30"]`, "30... Ke7 *"}},
		{"bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w KQkq - 0 1", nil,
			[]string{`[Variant "Chess960"]`, `[SetUp "1"]`, `[FEN "bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w KQkq - 0 1"]`}},
		{"bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w KQkq - 0 1", []Tag{{"Variant", "From Position"}}, []string{`[Variant "From Position"]`}},
		{"bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w KQkq - 0 1", []Tag{{"Variant", "Standard"}}, []string{`[Variant "Chess960"]`}},
		{"bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w KQkq - 0 1", []Tag{{"Variant", ""}}, []string{`[Variant "Chess960"]`}},
		{"bnqbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BNQBNRKR w KQkq - 0 1", []Tag{{"Variant", "fischerandom"}}, []string{`[Variant "fischerandom"]`}},
		{startFEN, []Tag{{"Variant", "Chess960"}}, []string{`[Variant "Chess960"]`}},
		{startFEN, []Tag{{"Variant", "Standard"}}, []string{`[Variant "Standard"]`}},
	} {
		g := &PGNGame{Game: NewGame(parseFENOrFail(t, tt.fen), FIDE), Tags: tt.tags}
		if g.Game.Position().SideToMove() == Black {
			if err := g.Game.PlaySAN("Ke7"); err != nil {
				t.Fatal(err)
			}
		}
		text := writePGNString(t, g)
		for _, want := range tt.want {
			if strings.Count(text, want) != 1 {
				t.Errorf("%s: %q is not there once in\n%s", tt.fen, want, text)
			}
		}
		if strings.Contains(text, "SetUp") != (tt.fen != startFEN) || strings.Count(text, "Variant") > 1 {
			t.Errorf("%s: wrong tags in\n%s", tt.fen, text)
		}
		if diff := comparePGN(g, readOnePGN(t, text)); diff != "" && g.Result != "" {
			t.Errorf("%s: read back (-written +read):\n%s", tt.fen, diff)
		}
	}
}

func TestWritePGNResult(t *testing.T) {
	mate := NewGame(StartPosition(), FIDE)
	for _, san := range []string{"f3", "e5", "g4", "Qh4#"} {
		if err := mate.PlaySAN(san); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		g    PGNGame
		want string
	}{
		{PGNGame{Game: mate}, "0-1"},
		{PGNGame{Game: mate, Tags: []Tag{{"Result", "1/2-1/2"}}}, "1/2-1/2"},
		{PGNGame{Game: mate, Tags: []Tag{{"Result", "1/2-1/2"}}, Result: "*"}, "*"},
	} {
		text := writePGNString(t, &tt.g)
		if !strings.Contains(text, `[Result "`+tt.want+`"]`) || !strings.HasSuffix(text, " "+tt.want+"\n\n") {
			t.Errorf("want the result %s twice in\n%s", tt.want, text)
		}
	}
}

func TestWritePGNRefuses(t *testing.T) {
	game := NewGame(StartPosition(), FIDE)
	for _, g := range []PGNGame{
		{},
		{Game: game, Result: "2-0"},
		{Game: game, Tags: []Tag{{"Result", "won"}}},
		{Game: game, Tags: []Tag{{"White\" \"x", "y"}}},
		{Game: game, Tags: []Tag{{"", "y"}}},
		{Game: game, Tags: []Tag{{"Variant", "Crazyhouse"}}},
	} {
		if err := WritePGN(&bytes.Buffer{}, &g); err == nil {
			t.Errorf("%+v was written", g)
		}
	}
	if err := game.PlaySAN("e4"); err != nil {
		t.Fatal(err)
	}
	inCheck := parseFENOrFail(t, "4k3/8/8/8/8/8/8/4K2r w - - 0 1")
	checked := NewGame(inCheck, FIDE)
	if err := checked.PlaySAN("Kd2"); err != nil {
		t.Fatal(err)
	}
	variation := func(moves ...Move) []Note { return []Note{{}, {Variations: []Variation{{Moves: moves}}}} }
	var illegal *IllegalMoveError
	for _, g := range []PGNGame{
		{Game: game, Notes: variation(newMove(kindNormal, E2, E5))},
		{Game: game, Notes: variation(newMove(kindNormal, E7, E5))},
		{Game: game, Notes: variation(newMove(kindNormal, E5, E6))},
		{Game: game, Notes: variation(Move(0xffff))},
		{Game: game, Notes: variation(newMove(kindNormal, D2, D4), newMove(kindNormal, D2, D4))},
		{Game: checked, Notes: variation(NoMove)},
	} {
		if err := WritePGN(&bytes.Buffer{}, &g); !errors.As(err, &illegal) {
			t.Errorf("%+v: got error %v, want an *IllegalMoveError", g.Notes, err)
		}
	}
	for _, nag := range []int{-1, 256, 1 << 40} {
		for _, notes := range [][]Note{{{NAGs: []int{nag}}}, {{}, {NAGs: []int{1, nag}}}} {
			if err := WritePGN(&bytes.Buffer{}, &PGNGame{Game: game, Notes: notes}); err == nil || !strings.Contains(err.Error(), "annotation glyph") {
				t.Errorf("$%d: got error %v, want one about the glyph", nag, err)
			}
		}
	}
	broken := errors.New("pipe broken")
	if err := WritePGN(brokenWriter{broken}, &PGNGame{Game: game}); !errors.Is(err, broken) {
		t.Errorf("got error %v, want the writer's own", err)
	}
}

type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

// TestWritePGNVariationBeforeAnyMove checks that what cannot be read is not written.
func TestWritePGNVariationBeforeAnyMove(t *testing.T) {
	text := writePGNString(t, &PGNGame{
		Game:  NewGame(StartPosition(), FIDE),
		Notes: []Note{{Comment: "start", Variations: []Variation{{Moves: []Move{newMove(kindNormal, E2, E4)}}}}},
	})
	if !strings.HasSuffix(text, "\n{ start } *\n\n") {
		t.Errorf("written:\n%s", text)
	}
}

// TestWritePGNKeepsNumbersWithMoves moves the line break over a game word by word.
func TestWritePGNKeepsNumbersWithMoves(t *testing.T) {
	g := readOnePGN(t, string(readVectors(t, "pgn/long-line.pgn")))
	for i := range g.Game.Ply() {
		g.Notes = append(g.Notes, Note{Comment: strings.Repeat("x", i%60)})
	}
	for i, line := range strings.Split(writePGNString(t, g), "\n") {
		if strings.HasSuffix(line, ".") || strings.HasPrefix(line, "}") || strings.HasSuffix(line, "{") {
			t.Errorf("line %d ends or begins amid what belongs together: %q", i+1, line)
		}
	}
}

// TestWritePGNKeepsCommandsWhole moves the line break over commands that other programs read.
func TestWritePGNKeepsCommandsWhole(t *testing.T) {
	for n := range pgnLineWidth - 2 {
		comment := strings.Repeat("x", n) + " [%csl Ga1, Rb2] [%emt 0:00:05] and[%cal Ge2e4][%a b]more [%x] ] [%never closed"
		text := writePGNString(t, &PGNGame{Game: NewGame(StartPosition(), FIDE), Notes: []Note{{Comment: comment}}})
		for _, want := range []string{"[%csl Ga1, Rb2]", "[%emt 0:00:05]", "and[%cal Ge2e4][%a b]more"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not there whole in\n%s", want, text)
			}
		}
		if got := readOnePGN(t, text).NoteAt(0).Comment; got != strings.TrimSpace(comment) {
			t.Errorf("read back as %q, want %q", got, comment)
		}
		for line := range strings.Lines(text) {
			if len(line)-1 > pgnLineWidth {
				t.Errorf("a line of %d characters: %q", len(line)-1, line)
			}
		}
	}
}

// TestPGNRoundTrip writes every game of the vectors and reads it back.
func TestPGNRoundTrip(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(vectorDir, "pgn", "*.pgn"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no PGN files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			games, errs := readAllPGN(t, string(text))
			for i, g := range games {
				if errs[i] != nil {
					continue
				}
				written := writePGNString(t, g)
				again := readOnePGN(t, written)
				if diff := comparePGN(g, again); diff != "" {
					t.Errorf("game %d (-first +again):\n%s\n%s", i, diff, written)
				}
				for line := range strings.Lines(written) {
					if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > pgnLineWidth && line[0] != '[' {
						t.Errorf("a line of %d characters: %q", n, line)
					}
				}
			}
		})
	}
}

func TestPGNClocksAndEvals(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0:03:00": 3 * time.Minute, "1:00:00": time.Hour, "0:00:09.5": 9500 * time.Millisecond, "2:05": 125 * time.Second,
		"7": 7 * time.Second, "120:00:00": 120 * time.Hour, "0:00:00.007": 7 * time.Millisecond,
	} {
		if got, ok := parseClockTime(text); !ok || got != want {
			t.Errorf("clock %q: got %v, %v, want %v", text, got, ok, want)
		}
		if again, ok := parseClockTime(formatClock(want)); !ok || again != want {
			t.Errorf("clock %v is written %q", want, formatClock(want))
		}
	}
	for _, text := range []string{"", "x", "1:2:3:4", "-1:00:00", "0:00:-1", "0:00:NaN", "0:00:Inf", "0:00:1e9", "99999999:00:00"} {
		if got, ok := parseClockTime(text); ok {
			t.Errorf("clock %q: got %v, want none", text, got)
		}
	}
	if got := formatClock(-time.Second); got != "0:00:00" {
		t.Errorf("a negative clock is written %q", got)
	}
	for text, want := range map[string]Eval{
		"0.17": {Value: 17}, "-1.5": {Value: -150}, "0.29": {Value: 29}, "#5": {Mate: true, Value: 5}, "#-3,12": {Mate: true, Value: -3, Depth: 12},
		"12.34,30": {Value: 1234, Depth: 30},
	} {
		got, ok := parseEval(text)
		if !ok || got != want {
			t.Errorf("eval %q: got %+v, %v, want %+v", text, got, ok, want)
		}
		if again, ok := parseEval(want.String()); !ok || again != want {
			t.Errorf("eval %+v is written %q", want, want.String())
		}
	}
	for _, text := range []string{"", "x", "#", "#x", "1,x", "NaN", "Inf", "1e300", "#99999999", "1,-1"} {
		if got, ok := parseEval(text); ok {
			t.Errorf("eval %q: got %+v, want none", text, got)
		}
	}
	var n Note
	if got := n.takeCommands("a [%csl Ge4] b [%clk soon] [%clk 0:00:01][%eval 1] c [%clk"); got != "a [%csl Ge4] b [%clk soon] c [%clk" {
		t.Errorf("rest of the comment: %q", got)
	}
	if n.Clock == nil || *n.Clock != time.Second || n.Eval == nil || n.Eval.Value != 100 {
		t.Errorf("note: %+v", n)
	}
}
