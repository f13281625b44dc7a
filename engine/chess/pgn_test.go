package chess

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// readAllPGN reads every game of a text, with the errors that came with them.
func readAllPGN(t testing.TB, text string) (games []*PGNGame, errs []error) {
	t.Helper()
	for g, err := range NewPGNReader(strings.NewReader(text)).All() {
		var fault *PGNError
		if err != nil && !errors.As(err, &fault) {
			t.Fatalf("reading failed for a reason that is not in the text: %v", err)
		}
		games, errs = append(games, g), append(errs, err)
	}
	return games, errs
}

func readOnePGN(t testing.TB, text string) *PGNGame {
	t.Helper()
	games, errs := readAllPGN(t, text)
	if len(games) != 1 {
		t.Fatalf("got %d games, want one", len(games))
	}
	if errs[0] != nil {
		t.Fatal(errs[0])
	}
	return games[0]
}

type pgnVector struct {
	File  string
	Games []struct {
		Tags         map[string]string
		N            int
		Moves        []string
		FinalFEN     string `json:"final_fen"`
		Variations   int
		NAGs         int
		OracleErrors []string `json:"oracle_errors"`
	}
}

func TestPGNVectors(t *testing.T) {
	forEachVector(t, "pgn/expected.jsonl", func(t *testing.T, v pgnVector) {
		text, err := os.ReadFile(filepath.Join(vectorDir, "pgn", v.File))
		if err != nil {
			t.Fatal(err)
		}
		games, errs := readAllPGN(t, string(text))
		if len(games) != len(v.Games) {
			t.Fatalf("got %d games, want %d", len(games), len(v.Games))
		}
		for i, want := range v.Games {
			g := games[i]
			if v.File == "null-move.pgn" {
				// Where the vectors' oracle goes on over a null move, a game of ours has none (see san-bad.jsonl, ds28).
				want.N, want.Moves, want.OracleErrors = 1, want.Moves[:1], []string{"null move"}
				want.FinalFEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
			}
			if got := errs[i] != nil; got != (len(want.OracleErrors) > 0) {
				t.Errorf("game %d: error %v, want %v", i, errs[i], want.OracleErrors)
			}
			for name, value := range want.Tags {
				// The oracle leaves the escapes of the file in place; the standard takes them out.
				value = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(value)
				if got := g.Tag(name); got != value {
					t.Errorf("game %d: tag %s is %q, want %q", i, name, got, value)
				}
			}
			if got := g.Game.Ply(); got != want.N {
				t.Errorf("game %d: %d plies, want %d", i, got, want.N)
			}
			for ply, uci := range want.Moves {
				if uci == "…" || ply >= g.Game.Ply() {
					break
				}
				p := g.Game.PositionAt(ply)
				if got := p.UCI(g.Game.Moves()[ply], p.IsChess960()); got != uci {
					t.Errorf("game %d: ply %d is %s, want %s", i, ply+1, got, uci)
				}
			}
			if got := g.Game.Position().FEN(); got != want.FinalFEN {
				t.Errorf("game %d: ends in %s, want %s", i, got, want.FinalFEN)
			}
			nags, variations := countNotes(g.Notes)
			if nags != want.NAGs || variations != want.Variations {
				t.Errorf("game %d: %d glyphs and %d variations, want %d and %d", i, nags, variations, want.NAGs, want.Variations)
			}
		}
	})
}

func countNotes(notes []Note) (nags, variations int) {
	for _, n := range notes {
		nags += len(n.NAGs)
		for _, v := range n.Variations {
			a, b := countNotes(v.Notes)
			nags, variations = nags+a, variations+b+1
		}
	}
	return nags, variations
}

func TestPGNNotesAreRead(t *testing.T) {
	g := readOnePGN(t, string(readVectors(t, "pgn/comments.pgn")))
	want := []Note{
		{Comment: "before the first move"},
		{Comment: "best by test second"},
		{Comment: "to the end of line 2. d4 Nf6"},
		{Comment: "brackets and ( parens ) and 1. d4", Clock: new(3 * time.Minute)},
		{Eval: &Eval{Value: 17}, Clock: new(2*time.Minute + 58*time.Second)},
		{}, {}, {},
		{Comment: "end"},
	}
	if diff := cmp.Diff(want, g.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestPGNErrorsGiveLineAndColumn(t *testing.T) {
	for _, tt := range []struct {
		name, text   string
		line, column int
		reason       string
		plies        int
	}{
		{"illegal move", "[White \"A\"]\n\n1. e4 e5\n2. Ke3 d6 *", 4, 4, "not legal", 2},
		{"glued move number", "1.e4 e5 2.Ke3", 1, 11, "not legal", 2},
		{"ambiguous move", "1. Nf3 a6 2. d4 a5 3. Nd2 *", 1, 23, "ambiguous", 4},
		{"not a move", "1. e4 hello", 1, 7, "does not end in a square", 1},
		{"after characters of two bytes", "1. e4 {žluťoučký} xx *", 1, 19, "does not end in a square", 1},
		{"after characters of four bytes", "1. e4 {♞𝄞} xx *", 1, 12, "does not end in a square", 1},
		{"after a comment in ISO 8859-1", "1. e4 {\xbd\xbd\xbd} xx *", 1, 13, "does not end in a square", 1},
		{"after a lead byte in ISO 8859-1", "1. e4 {\xe9\xbd\xe9} xx *", 1, 13, "does not end in a square", 1},
		{"after a tag in ISO 8859-1", "[White \"\xe9\xbf\"] xx *", 1, 14, "does not end in a square", 0},
		{"after half a character at the end", "1. e4 xx\xe2\x82", 1, 7, "does not end in a square", 1},
		{"after a byte order mark", "\ufeff1. e4 xx *", 1, 7, "does not end in a square", 1},
		{"after a byte order mark before tags", "\ufeff[White]", 1, 7, "a tag's value", 0},
		{"after windows line ends", "1. e4\r\ne5\r\n\r\n2. e9", 4, 4, "does not end in a square", 2},
		{"after old mac line ends", "1. e4\re5\r\r2. e9", 4, 4, "does not end in a square", 2},
		{"null move", "1. e4 --", 1, 7, "null move", 1},
		{"null move of UCI", "1. e4 0000 *", 1, 7, "null move", 1},
		{"null move of UCI after its number", "1. e4 e5 2.0000 *", 1, 12, "null move", 2},
		{"null move of UCI amid a game", "[FEN \"3qk3/8/8/8/8/8/8/3QK3 w - - 0 1\"]\n\n1. Qd2 0000 2. Qd4 *", 3, 8, "null move", 1},
		{"null move of UCI in check", "1. e4 f6 2. Nc3 (2. Qh5+ 0000) 2... g5 *", 1, 26, "null move in check", 3},
		{"null move in check", "1. e4 f6 2. Nc3 (2. Qh5+ -- 3. a3) 2... g5 *", 1, 26, "null move in check", 3},
		{"comment without end", "1. e4\n {never closed", 2, 2, `"}" is missing`, 1},
		{"string without end", "[White \"A]\n\n1. e4 *", 1, 8, "is missing on its line", 0},
		{"tag without value", "[White]\n\n1. e4 *", 1, 7, `a tag's value in quotes was expected instead of "]"`, 0},
		{"tag without end", "[White \"A\"\n\n1. e4 *", 3, 1, `"]" after the tag was expected instead of "1."`, 0},
		{"tag name", "[Whi-te \"A\"]\n1. e4 *", 1, 2, "letters, digits and underscores", 0},
		{"bad FEN", "[White \"A\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *", 2, 6, "0 white kings", 0},
		{"unknown variant", "[Variant \"Crazyhouse\"]\n[White \"A\"]\n\n1. e4 *", 1, 10, "Crazyhouse", 0},
		{"stray bracket", "1. e4 ) e5 *", 1, 7, `no "("`, 1},
		{"variation without end", "1. e4 (1. d4 e5\n[Event \"x\"]", 2, 1, "a move was expected", 1},
		{"variation first", "(1. e4) 1. d4 *", 1, 1, "before there is a move", 0},
		{"annotation", "1. e4 $256 *", 1, 7, "no annotation", 1},
		{"e.p. without capture", "1. e4 e.p. *", 1, 7, "en passant", 1},
		{"annotation without number", "1. e4 $ *", 1, 7, "no annotation", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			games, errs := readAllPGN(t, tt.text)
			var fault *PGNError
			if len(errs) == 0 || !errors.As(errs[0], &fault) {
				t.Fatalf("got errors %v, want a *PGNError", errs)
			}
			if fault.Line != tt.line || fault.Column != tt.column || !strings.Contains(fault.Error(), tt.reason) {
				t.Errorf("got %q, want line %d, column %d and %q", fault, tt.line, tt.column, tt.reason)
			}
			if got := games[0].Game.Ply(); got != tt.plies {
				t.Errorf("%d plies before the fault, want %d", got, tt.plies)
			}
		})
	}
}

// TestPGNGoesOnAfterFaults puts a good game after each faulty one.
func TestPGNGoesOnAfterFaults(t *testing.T) {
	const good = "[Event \"good\"]\n[Result \"1-0\"]\n\n1. d4 1-0\n"
	for _, bad := range []string{
		"1. e5 *\n",
		"[Event \"bad\"]\n[Variant \"Atomic\"]\n[White \"W\"]\n\n1. e4 {*} e5 *\n\n",
		"[Event \"bad\"]\n[FEN \"nonsense\"]\n[White \"W\"]\n\n1. e4 e5 *\n\n",
		"[Event \"bad\"]\n[White \"no end]\n[Black \"B\"]\n\n1. e4 e5 *\n\n",
		"[Event \"bad\"]\n[White]\n[Black \"B\"]\n\n1. e4 e5 *\n\n",
		"[Event \"bad\"]\n[White]\n[Black \"B\"]\n\n",
		"[Event \"bad\"]\n\n1. e4 e5 2. Ke3 (2. \n\n",
		"[Event \"bad\"]\n\n1. e4 e5 2. $$ (2. \n\n",
		"[Event \"bad\"]\n\n1. e4 e5 (1... c5 2. Nf3\n\n",
		"[Event \"bad\"]\n\n1. e4 e5 2. Ke3 (2. Nf3 (2. d4 0-1) 1-0) d6 (2... a6 *) *\n\n",
		"[Event \"bad\"]\n\n1. e4 (1. d4 (1. c4 c4) 1-0) e5 *\n\n",
		"[Event \"bad\"]\n\n(1. e4 1-0) 1. d4 *\n\n",
		"[Event \"bad\"]\n\n1. e4 ) 1-0\n\n",
		"[Event \"bad\"]\n\n1. e4 e4 1-0 {no game}\n\n",
		"[Event \"bad\"]\n\n1. e4 {" + strings.Repeat("x", maxPGNGameBytes-23) + "}\n\n",
	} {
		games, errs := readAllPGN(t, bad+good)
		if len(games) != 2 || errs[0] == nil || errs[1] != nil {
			t.Errorf("%.80q and a good game: got %d games with errors %v, want two, the first with an error", bad, len(games), errs)
			continue
		}
		if g := games[1]; g.Tag("Event") != "good" || g.Game.Ply() != 1 || g.Result != "1-0" {
			t.Errorf("the game after %.80q is %v with %d plies", bad, g.Tags, g.Game.Ply())
		}
	}
}

func TestPGNCommentsAroundGames(t *testing.T) {
	games, errs := readAllPGN(t, "{a file} [Event \"A\"] 1. e4 (1. c4 {*}) 1-0 {after} ; and more\n; of B\n[Event \"B\"]\n\n"+
		"1. c4 1/2 {x} [Event \"C\"] 1. d4 ½-½ [Event \"D\"]\n* {the end}\n{of the file}\n")
	want := []struct {
		event, result string
		notes         []Note
	}{
		{"A", "1-0", []Note{{Comment: "a file"}, {Comment: "after and more", Variations: []Variation{{
			Moves: []Move{newMove(kindNormal, C2, C4)}, Notes: []Note{{}, {Comment: "*"}},
		}}}}},
		{"B", "1/2-1/2", []Note{{Comment: "of B"}, {Comment: "x"}}},
		{"C", "1/2-1/2", nil},
		{"D", "*", []Note{{Comment: "the end"}}},
	}
	if len(games) != len(want) {
		t.Fatalf("got %d games with errors %v, want %d", len(games), errs, len(want))
	}
	for i, g := range games {
		if errs[i] != nil || g.Tag("Event") != want[i].event || g.Result != want[i].result {
			t.Errorf("game %d: %v, %s, error %v", i, g.Tags, g.Result, errs[i])
		}
		if diff := cmp.Diff(want[i].notes, g.Notes); diff != "" {
			t.Errorf("game %d: notes (-want +got):\n%s", i, diff)
		}
	}
}

// TestPGNNullMoves reads the three ways to write a null move, which a variation may have.
func TestPGNNullMoves(t *testing.T) {
	for _, null := range []string{"--", "Z0", "0000"} {
		g := readOnePGN(t, "1. e4 ("+null+" 1... e5 2."+null+" Nc6) 1... e5 *")
		line := g.NoteAt(1).Variations[0].Moves
		if len(line) != 4 || line[0] != NoMove || line[2] != NoMove || g.Game.Ply() != 2 {
			t.Errorf("%s: the variation is read as %v, the game with %d plies", null, line, g.Game.Ply())
		}
	}
}

// TestPGNMoveNumbers reads numbers that are wrong, without a dot or missing: they say nothing that the moves do not.
func TestPGNMoveNumbers(t *testing.T) {
	for _, text := range []string{
		"1. e4 e5 2. Nf3 Nc6 *", "e4 e5 Nf3 Nc6 *", "1 e4 e5 2 Nf3 Nc6 *", "1.e4 e5 2.Nf3 2...Nc6 *",
		"1. e4 e5 5 5 5 2. Nf3 Nc6 *", "1. e4 e5 2... Nf3 17. Nc6 *", "0. e4 e5 00. Nf3 Nc6 *", "1 . e4 1 ... e5 2 . Nf3 Nc6 *",
	} {
		if g := readOnePGN(t, text); g.Game.Ply() != 4 || g.Game.Moves()[3].String() != "b8c6" {
			t.Errorf("%q is read as %v", text, g.Game.Moves())
		}
	}
}

func TestPGNResults(t *testing.T) {
	for text, want := range map[string]string{
		"1. e4 e5 1-0": "1-0", "1. e4 e5 2.1-0": "1-0", "1. e4 1...0-1": "0-1", "1. e4 e5 2.*": "*", "1. e4 2.1/2-1/2": "1/2-1/2", "1. e4 2.1/2": "1/2-1/2",
		"1. e4 1/2": "1/2-1/2", "1. e4 1/2 - 1/2": "1/2-1/2", "1. e4 1/2 -1/2": "1/2-1/2", "1. e4 1/2\t-\t1/2": "1/2-1/2",
		"1. e4 ½-½": "1/2-1/2", "1. e4 \xbd-\xbd": "1/2-1/2", "1. e4 (1. d4 1/2 - 1/2) 0-1": "0-1", "1. e4 (1. d4 1.1-0) 0-1": "0-1",
	} {
		if g := readOnePGN(t, text+" {end}\n"); g.Result != want || g.Game.Ply() == 0 || g.NoteAt(g.Game.Ply()).Comment != "end" {
			t.Errorf("%q is read with the result %q and the notes %v, want %q", text, g.Result, g.Notes, want)
		}
	}
	// What follows half a draw otherwise is left alone, and a game that is skipped ends like one that is read.
	for text, want := range map[string]int{
		"1. e4 1/2\n1. d4 *": 2, "1. e4 1/2 1. d4 *": 2, "1. e5 1/2 - 1/2\n": 1, "1. e5 2.1-0 1. d4 *": 2, "1. e4 1/2 - 1/2 - 1/2": 2, "1. e4 1/2 - 1/23": 2,
	} {
		if games, errs := readAllPGN(t, text); len(games) != want {
			t.Errorf("%q is read as %d games with errors %v, want %d", text, len(games), errs, want)
		}
	}
	if _, errs := readAllPGN(t, "1. e4 1/2 - 1/23"); errs[1] == nil {
		t.Error("a word that goes on is read as half a draw")
	}
}

// TestPGNGapBetweenGames checks that what stands before a game does not count as its text.
func TestPGNGapBetweenGames(t *testing.T) {
	for name, gap := range map[string]string{
		"blanks": strings.Repeat(" ", maxPGNGameBytes+1), "lines": strings.Repeat("\r\n", maxPGNGameBytes+1),
		"escapes": strings.Repeat("% an escape line\n", maxPGNGameBytes/16), "one escape": "%" + strings.Repeat("x", maxPGNGameBytes+1) + "\n",
	} {
		games, errs := readAllPGN(t, "[Event \"A\"]\n\n1. e4 1-0\n"+gap+"{b}\n[Event \"B\"]\n\n1. d4 d5 0-1\n"+gap)
		if len(games) != 2 || errs[0] != nil || errs[1] != nil {
			t.Errorf("%s: got %d games with errors %v, want two without", name, len(games), errs)
			continue
		}
		if g := games[1]; g.Tag("Event") != "B" || g.Game.Ply() != 2 || g.NoteAt(0).Comment != "b" {
			t.Errorf("%s: the second game is %v with %d plies and notes %v", name, g.Tags, g.Game.Ply(), g.Notes)
		}
	}
}

// deadlineReader fails when it is read from too late.
type deadlineReader struct {
	r        io.Reader
	deadline time.Time
}

func (d deadlineReader) Read(b []byte) (int, error) {
	if time.Now().After(d.deadline) {
		return 0, errors.New("read for too long")
	}
	return d.r.Read(b)
}

// TestPGNReadsManyCommentsInLinearTime reads what takes hours when a comment is gone over again at each addition.
func TestPGNReadsManyCommentsInLinearTime(t *testing.T) {
	for _, piece := range []string{"{a}", ";a\n", "{a}$1", "{[%clk 0:00:01]}", "{[%x", "{[%x]}"} {
		text := "1. e4 " + strings.Repeat(piece, (maxPGNGameBytes-100)/len(piece)) + "\n} 1-0\n"
		_, err := NewPGNReader(deadlineReader{strings.NewReader(text), time.Now().Add(30 * time.Second)}).Read()
		var fault *PGNError // a "}" of its own is one
		if err != nil && !errors.As(err, &fault) {
			t.Fatalf("%q repeated: %v", piece, err)
		}
	}
}

func TestPGNTagsWithoutMoves(t *testing.T) {
	games, errs := readAllPGN(t, "[Event \"a\"]\n[Result \"0-1\"]\n\n[Event \"b\"]\n\n1. e4 *\n")
	if len(games) != 2 || errs[0] != nil || errs[1] != nil {
		t.Fatalf("got %d games with errors %v, want two without", len(games), errs)
	}
	if games[0].Tag("Event") != "a" || games[0].Result != "0-1" || games[1].Tag("Event") != "b" || games[1].Game.Ply() != 1 {
		t.Errorf("got %v and %v", games[0], games[1])
	}
}

func TestPGNReaderPassesErrorsOn(t *testing.T) {
	broken := errors.New("disk on fire")
	r := NewPGNReader(io.MultiReader(strings.NewReader("1. e4 e5"), brokenReader{broken}))
	g, err := r.Read()
	if !errors.Is(err, broken) {
		t.Errorf("got error %v, want the reader's own", err)
	}
	if g.Game.Ply() != 2 {
		t.Errorf("%d plies before the error, want 2", g.Game.Ply())
	}
}

type brokenReader struct{ err error }

func (b brokenReader) Read([]byte) (int, error) { return 0, b.err }

func TestPGNBounds(t *testing.T) {
	shuffle := strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", maxPGNPlies/4)
	for _, tt := range []struct{ name, text, reason string }{
		{"plies", shuffle + "Nf3 *", "more than 20000 plies"},
		{"comment", "1. e4 {" + strings.Repeat("x", maxPGNGameBytes) + "} *", "longer than"},
		{"line comment", "1. e4 ;" + strings.Repeat("x", maxPGNGameBytes) + "\n *", "longer than"},
		{"word", "1. " + strings.Repeat("x", maxPGNGameBytes) + " *", "longer than"},
		{"long word", "1. " + strings.Repeat("x", 1000) + " *", "longer than any move"},
		{"tags", strings.Repeat("[A \"\"]\n", maxPGNGameBytes/7+1), "longer than"},
		{"depth", "1. e4 " + strings.Repeat("(1. d4 ", maxPGNDepth+1), "nested more than"},
		{"empty variations", "1. e4 " + strings.Repeat("()", maxPGNGameBytes/2-10), "more than 20000 variations"},
		{"variations", "1. e4 " + strings.Repeat("(d4)", maxPGNVariations+1) + " *", "more than 20000 variations"},
		{"plies of variations", "1. e4 " + strings.Repeat("("+shuffle[:len(shuffle)/4]+")", 41) + " *", "more than 200000 plies"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, errs := readAllPGN(t, tt.text)
			if len(errs) == 0 || errs[0] == nil || !strings.Contains(errs[0].Error(), tt.reason) {
				t.Errorf("got errors %.200v, want one with %q", errs, tt.reason)
			}
		})
	}
}

// repeatReader gives the same text again and again, n bytes in all.
type repeatReader struct {
	text string
	at   int
	n    int
}

func (r *repeatReader) Read(b []byte) (int, error) {
	if r.n <= 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), r.n)], r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	r.n -= n
	return n, nil
}

// TestPGNStreamsInConstantMemory reads 100 MB of games and looks at the memory in use on the way.
func TestPGNStreamsInConstantMemory(t *testing.T) {
	size := 100 << 20
	if testing.Short() {
		size = 10 << 20
	}
	var game bytes.Buffer
	g := readOnePGN(t, string(readVectors(t, "pgn/long-line.pgn")))
	for ply := range g.Game.Ply() + 1 {
		g.Notes = append(g.Notes, Note{Comment: strings.Repeat("a long comment ", 20), Clock: new(time.Duration(ply) * time.Second)})
	}
	if err := WritePGN(&game, g); err != nil {
		t.Fatal(err)
	}
	want := size / game.Len()
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	for _, err := range NewPGNReader(&repeatReader{text: game.String(), n: want * game.Len()}).All() {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%32 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			if grown := int64(now.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
				t.Fatalf("%d bytes more in use after %d games than before", grown, n)
			}
		}
	}
	if n != want {
		t.Errorf("read %d games, want %d", n, want)
	}
}
