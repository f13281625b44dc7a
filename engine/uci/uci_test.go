package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/chess"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gui talks to a session as a GUI would.
type gui struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	ended chan error
}

func start(t *testing.T) *gui {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	g := &gui{t: t, in: inWrite, lines: make(chan string, 10_000), ended: make(chan error, 1)}
	go func() {
		err := Run(context.Background(), inRead, outWrite, Options{
			Name: "Castellan test", Author: "the authors", Engine: engine.Options{HashMB: 4, Threads: 1},
		})
		outWrite.Close()
		g.ended <- err
	}()
	go func() {
		s := bufio.NewScanner(outRead)
		for s.Scan() {
			g.lines <- s.Text()
		}
		close(g.lines)
	}()
	t.Cleanup(func() {
		inWrite.Close()
		for range g.lines {
		}
		if err := <-g.ended; err != nil {
			t.Errorf("the session ended with %v", err)
		}
	})
	return g
}

func (g *gui) send(lines ...string) {
	g.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(g.in, line+"\n"); err != nil {
			g.t.Fatalf("sending %q: %v", line, err)
		}
	}
}

// expect reads until a line begins so, and returns it with those before it.
func (g *gui) expect(prefix string) (line string, before []string) {
	g.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		select {
		case line, ok := <-g.lines:
			if !ok {
				g.t.Fatalf("the session ended before %q; it said %q", prefix, before)
			}
			if strings.HasPrefix(line, prefix) {
				return line, before
			}
			before = append(before, line)
		case <-deadline:
			g.t.Fatalf("no %q; the session said %q", prefix, before)
		}
	}
}

func TestIntroduction(t *testing.T) {
	g := start(t)
	g.send("uci")
	_, said := g.expect("uciok")
	all := strings.Join(said, "\n")
	for _, want := range []string{
		"id name Castellan test", "id author the authors",
		"option name Hash type spin default 4 min 1 max 65536",
		"option name Threads type spin default 1 min 1 max 256",
		"option name Clear Hash type button",
		"option name Ponder type check default false",
		"option name MultiPV type spin default 1 min 1 max 218",
		"option name Move Overhead type spin default 10 min 0 max 10000",
		"option name UCI_LimitStrength type check default false",
		"option name UCI_Elo type spin default 1600 min 800 max 2800",
		"option name UCI_ShowWDL type check default false",
		"option name UCI_Chess960 type check default false",
		"option name SyzygyPath type string default <empty>",
		"option name SyzygyProbeDepth type spin default 1 min 1 max 100",
		"option name SyzygyProbeLimit type spin default 7 min 0 max 7",
		"option name Syzygy50MoveRule type check default true",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no line %q in\n%s", want, all)
		}
	}
}

var infoPattern = regexp.MustCompile(`^info depth \d+ seldepth \d+ multipv \d+ score (cp|mate) -?\d+( (lower|upper)bound)?( wdl \d+ \d+ \d+)? nodes \d+ nps \d+ hashfull \d+ tbhits 0 time \d+ pv( [a-h][1-8][a-h][1-8][nbrq]?)+$`)

func TestGoDepth(t *testing.T) {
	g := start(t)
	g.send("position startpos moves e2e4 e7e5", "go depth 5")
	best, said := g.expect("bestmove ")
	if !regexp.MustCompile(`^bestmove [a-h][1-8][a-h][1-8] ponder [a-h][1-8][a-h][1-8]$`).MatchString(best) {
		t.Errorf("%q", best)
	}
	if len(said) != 5 {
		t.Errorf("%d lines for five iterations: %q", len(said), said)
	}
	for _, line := range said {
		if !infoPattern.MatchString(line) {
			t.Errorf("%q is no info line", line)
		}
	}
}

func TestCastlingIsWrittenAsTheModeWants(t *testing.T) {
	// Only castling is allowed to be searched.
	g := start(t)
	const fen = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1"
	for _, tt := range []struct{ option, move, want string }{
		{"false", "e1g1", "bestmove e1g1"},
		{"true", "e1h1", "bestmove e1h1"},
		{"false", "e1h1", "bestmove e1g1"},
	} {
		g.send("setoption name UCI_Chess960 value "+tt.option, fen, "go depth 2 searchmoves "+tt.move)
		best, said := g.expect("bestmove")
		if !strings.HasPrefix(best, tt.want) {
			t.Errorf("UCI_Chess960 %s: %q, want %q", tt.option, best, tt.want)
		}
		if pv := " pv " + strings.Fields(tt.want)[1]; !strings.Contains(strings.Join(said, "\n"), pv) {
			t.Errorf("UCI_Chess960 %s: no %q in %q", tt.option, pv, said)
		}
	}
	g.send("setoption name uci_chess960 value true",
		"position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9 moves a2c3", "go depth 3")
	if best, said := g.expect("bestmove"); strings.Contains(best, "none") || strings.Contains(strings.Join(said, ""), "string") {
		t.Errorf("%q after %q", best, said)
	}
}

func TestReadyDuringASearch(t *testing.T) {
	g := start(t)
	g.send("go infinite")
	g.expect("info depth 3")
	g.send("isready")
	g.expect("readyok")
	g.send("stop")
	g.expect("bestmove")
}

func TestInfiniteWaitsForStop(t *testing.T) {
	g := start(t)
	// A single reply and a quick end of the search: still no move before stop.
	g.send("position fen 7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", "go infinite depth 2")
	g.expect("info depth 2")
	g.send("isready")
	if _, said := g.expect("readyok"); strings.Contains(strings.Join(said, "\n"), "bestmove") {
		t.Errorf("a move before stop: %q", said)
	}
	g.send("stop")
	g.expect("bestmove")
}

func TestPonder(t *testing.T) {
	g := start(t)
	g.send("position startpos moves e2e4", "go ponder depth 2 wtime 1000 btime 1000")
	g.expect("info depth 2")
	g.send("isready")
	if _, said := g.expect("readyok"); strings.Contains(strings.Join(said, "\n"), "bestmove") {
		t.Errorf("a move before the ponder hit: %q", said)
	}
	g.send("ponderhit", "ponderhit")
	g.expect("bestmove")
	// A ponder miss.
	g.send("go ponder wtime 1000 btime 1000")
	g.expect("info depth 2")
	g.send("stop")
	g.expect("bestmove")
}

func TestFinishedPositions(t *testing.T) {
	g := start(t)
	for _, fen := range []string{"R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"} {
		g.send("position fen "+fen, "go depth 4")
		if best, _ := g.expect("bestmove"); best != "bestmove (none)" {
			t.Errorf("%s: %q", fen, best)
		}
	}
}

func TestSixHundredMoves(t *testing.T) {
	g := start(t)
	tour := strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 150)
	g.send("position startpos moves"+tour, "go nodes 2000")
	if best, said := g.expect("bestmove"); strings.Contains(best, "none") || strings.Contains(strings.Join(said, "\n"), "info string") {
		t.Errorf("%q after %q", best, said)
	}
}

func TestNonsense(t *testing.T) {
	g := start(t)
	for _, line := range []string{
		"xyzzy", "position", "position fen", "position fen 8/8 w", "position startpos moves e2e5", "position elsewhere",
		"setoption", "setoption name", "setoption name Hash value many", "setoption name Hash value 0",
		"setoption name Nothing value 1", "setoption name Ponder value perhaps", "go depth x searchmoves e2e5",
		"\x00\xff\xfe", strings.Repeat("a", maxLine+5),
	} {
		g.send(line)
		if strings.HasPrefix(line, "go") {
			g.expect("bestmove")
			continue
		}
		g.expect("info string")
	}
	// Lines that say nothing and commands without effect are passed over.
	g.send("", "   ", "stop", "ponderhit", "debug on", "register later", "joho isready")
	g.expect("readyok")
	// The position before the bad ones is still there.
	g.send("go depth 2")
	g.expect("bestmove")
}

// A command whose limits are nonsense is answered with a move, nobody has to say stop.
func TestGoWithLimitsThatCannotBeRead(t *testing.T) {
	g := start(t)
	for _, commands := range [][]string{{"go movetime abc"}, {"go ponder wtime x btime y", "ponderhit"}} {
		began := time.Now()
		g.send(commands...)
		_, said := g.expect("bestmove")
		if took := time.Since(began); took < 500*time.Millisecond {
			t.Errorf("%q: a move after %v", commands, took)
		}
		if !strings.Contains(strings.Join(said, "\n"), "info string go: no limit is left: thinking for 1s") {
			t.Errorf("%q: %q", commands, said)
		}
	}
	g.send("go movetime abc infinite", "isready")
	g.expect("readyok")
	g.send("stop")
	if _, said := g.expect("bestmove"); strings.Contains(strings.Join(said, "\n"), "thinking for") {
		t.Errorf("%q", said)
	}
}

// After a position that was refused the one before is still there, and so is the game that led to it.
func TestRefusedPositionChangesNothing(t *testing.T) {
	g := start(t)
	g.send("position startpos moves f2f3 e7e5 g2g4", "position startpos moves e2e5", "go depth 2")
	if best, said := g.expect("bestmove"); !strings.HasPrefix(best, "bestmove d8h4") || !strings.Contains(said[0], "info string position: move 1") {
		t.Errorf("%q after %q", best, said)
	}
}

func TestOptionsTakeEffect(t *testing.T) {
	g := start(t)
	g.send("setoption name hash value 1", "setoption name THREADS value 2", "setoption name move overhead value 0",
		"setoption name Clear Hash", "setoption name MultiPV value 3", "isready")
	if _, said := g.expect("readyok"); len(said) > 0 {
		t.Errorf("%q", said)
	}
	g.send("go depth 4")
	_, said := g.expect("bestmove")
	if !strings.Contains(strings.Join(said, "\n"), "depth 4 seldepth") || !strings.Contains(strings.Join(said, "\n"), "multipv 3") {
		t.Errorf("%q", said)
	}
	g.send("uci")
	_, said = g.expect("uciok")
	if !strings.Contains(strings.Join(said, "\n"), "Threads type spin default 2") {
		t.Errorf("%q", said)
	}
}

// nodesOf returns the nodes that a search to depth 9 takes, after some commands.
func (g *gui) nodesOf(commands ...string) (nodes int) {
	g.t.Helper()
	g.send(append(commands, "isready", "go depth 9")...)
	_, said := g.expect("bestmove")
	_, after, _ := strings.Cut(said[len(said)-1], " nodes ")
	if _, err := fmt.Sscan(after, &nodes); err != nil {
		g.t.Fatalf("%q: %v", said, err)
	}
	return nodes
}

// A search that finds its own results in the table is soon done.
func TestOptionsThatKeepTheTable(t *testing.T) {
	g := start(t)
	first := g.nodesOf("position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5")
	for _, option := range []string{
		"Move Overhead value 30", "UCI_Elo value 1700", "UCI_LimitStrength value false", "SyzygyProbeDepth value 2", "SyzygyProbeLimit value 5",
		"Syzygy50MoveRule value false", "Syzygy50MoveRule value true", "SyzygyPath value <empty>", "UCI_ShowWDL value true", "MultiPV value 1",
		"Hash value 4000000", // refused
	} {
		if nodes := g.nodesOf("setoption name " + option); nodes > first/2 {
			t.Errorf("after %s a search of %d nodes takes %d again", option, first, nodes)
		}
	}
	for _, command := range []string{"setoption name Hash value 5", "setoption name Clear Hash", "ucinewgame"} {
		if nodes := g.nodesOf(command); nodes < first*9/10 {
			t.Errorf("after %s a search of %d nodes takes %d only", command, first, nodes)
		}
	}
	// While a search runs all has to wait for its end.
	g.send("go infinite")
	g.expect("info depth 5")
	g.send("setoption name Move Overhead value 40", "setoption name Clear Hash", "stop")
	g.expect("bestmove")
	if nodes := g.nodesOf(); nodes < first*9/10 {
		t.Errorf("after Clear Hash during a search one of %d nodes takes %d only", first, nodes)
	}
}

func TestStrength(t *testing.T) {
	g := start(t)
	g.send("setoption name UCI_Elo value 900", "setoption name UCI_LimitStrength value true", "go depth 40")
	best, said := g.expect("bestmove")
	if len(said) > 8 || strings.Contains(strings.Join(said, "\n"), "multipv 2") {
		t.Errorf("%q after %q, which is a long thought at 900 Elo", best, said)
	}
	g.send("setoption name UCI_LimitStrength value false", "go depth 7")
	if _, said := g.expect("bestmove"); len(said) != 7 {
		t.Errorf("%d iterations at full strength, want 7: %q", len(said), said)
	}
	g.send("setoption name UCI_Elo value 799")
	g.expect("info string option UCI_Elo")
}

func TestShowWDL(t *testing.T) {
	g := start(t)
	g.send("setoption name UCI_ShowWDL value true", "position fen 4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1", "go depth 3")
	_, said := g.expect("bestmove")
	for _, line := range said {
		if !infoPattern.MatchString(line) || !strings.Contains(line, " wdl ") {
			t.Errorf("%q", line)
		}
	}
	if !strings.Contains(said[len(said)-1], " wdl 1000 0 0 ") {
		t.Errorf("two queens up: %q", said)
	}
}

// However few nodes there are, a line tells the move and its score, and it is the last of its number.
func TestGoFewNodes(t *testing.T) {
	g := start(t)
	g.send("position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	for _, nodes := range []string{"1", "100", "1000"} {
		g.send("go nodes " + nodes)
		best, said := g.expect("bestmove ")
		if len(said) == 0 || !infoPattern.MatchString(said[len(said)-1]) || !strings.Contains(said[len(said)-1]+" ", " pv "+strings.Fields(best)[1]+" ") {
			t.Errorf("go nodes %s: %q after %q", nodes, best, said)
		}
	}
}

func TestGoMate(t *testing.T) {
	g := start(t)
	g.send("position fen 7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", "go mate 2")
	if _, said := g.expect("bestmove"); !strings.Contains(said[len(said)-1], "score mate ") {
		t.Errorf("%q", said)
	}
}

func TestMultiPVLinesDiffer(t *testing.T) {
	g := start(t)
	g.send("setoption name MultiPV value 3", "go depth 4")
	_, said := g.expect("bestmove")
	first := map[string]bool{}
	for _, line := range said[len(said)-3:] {
		_, pv, _ := strings.Cut(line, " pv ")
		first[strings.Fields(pv)[0]] = true
	}
	if len(said) != 12 || len(first) != 3 {
		t.Errorf("four iterations of three lines are %q", said)
	}
}

func TestNewGameAndNewSearchDuringASearch(t *testing.T) {
	g := start(t)
	g.send("go infinite")
	g.expect("info depth 2")
	g.send("setoption name Clear Hash", "setoption name Hash value 2", "go infinite")
	g.expect("bestmove")
	g.expect("info depth 2")
	g.send("ucinewgame")
	g.expect("bestmove")
	g.send("position startpos", "go movetime 20")
	g.expect("bestmove")
}

func TestEndOfInputStopsASearch(t *testing.T) {
	var out strings.Builder
	err := Run(t.Context(), strings.NewReader("position startpos\ngo infinite"), &out, Options{Engine: engine.Options{HashMB: 1}})
	if err != nil || !strings.Contains(out.String(), "bestmove ") {
		t.Errorf("%v, %q", err, out.String())
	}
	out.Reset()
	err = Run(t.Context(), strings.NewReader("quit\nuci\n"), &out, Options{Engine: engine.Options{HashMB: 1}})
	if err != nil || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
}

func TestContextEndsTheSession(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	done := make(chan error)
	go func() { done <- Run(ctx, in, io.Discard, Options{Engine: engine.Options{HashMB: 1}}) }()
	fmt.Fprintln(feed, "go infinite")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	feed.Close() // lets the reading goroutine go
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("the pipe burst") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("the pipe burst") }

func TestErrorsOfThePipes(t *testing.T) {
	o := Options{Engine: engine.Options{HashMB: 1}}
	if err := Run(t.Context(), broken{}, io.Discard, o); err == nil || !strings.Contains(err.Error(), "reading") {
		t.Errorf("reading: %v", err)
	}
	if err := Run(t.Context(), strings.NewReader("uci\nisready\n"), broken{}, o); err == nil || !strings.Contains(err.Error(), "writing") {
		t.Errorf("writing: %v", err)
	}
	if err := Run(t.Context(), strings.NewReader(""), io.Discard, Options{Engine: engine.Options{HashMB: -1}}); err == nil {
		t.Error("bad options are accepted")
	}
}

func TestParseGo(t *testing.T) {
	c, err := parseGo(strings.Fields("wtime 60000 btime -5 winc 1000 binc 0 movestogo 40 depth 9 nodes 5000 mate 3 movetime 250 ponder searchmoves e2e4 d7d8q infinite"))
	if err != nil {
		t.Fatal(err)
	}
	want := goCommand{
		depth: 9, mate: 3, movesToGo: 40, nodes: 5000, moveTime: 250 * time.Millisecond,
		wtime: time.Minute, btime: time.Millisecond, winc: time.Second,
		ponder: true, infinite: true, searchMoves: []string{"e2e4", "d7d8q"},
	}
	if fmt.Sprint(c) != fmt.Sprint(want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
	for _, text := range []string{"depth", "depth x", "wtime 1.5", "nodes -", "fly"} {
		if _, err := parseGo(strings.Fields(text)); err == nil {
			t.Errorf("go %s: no error", text)
		}
	}
	for text, moveTime := range map[string]time.Duration{
		"depth": time.Second, "movetime abc": time.Second, "wtime x btime y winc 0 binc 0": time.Second, "nodes - movestogo 3": time.Second,
		"fly": time.Second, "ponder mate m": time.Second,
		"movetime abc depth 5": 0, "movetime abc nodes 5": 0, "depth d mate 1": 0, "wtime x btime 60000": 0, "movetime abc winc 100": 0,
		"infinite depth x": 0, "movestogo x movetime 300": 300 * time.Millisecond,
		"": 0, "ponder": 0, "searchmoves e2e4": 0,
	} {
		if c, _ := parseGo(strings.Fields(text)); c.moveTime != moveTime {
			t.Errorf("go %s: %v for the move, want %v", text, c.moveTime, moveTime)
		}
	}
	// Numbers beyond all measure are cut, in both directions.
	c, err = parseGo(strings.Fields("wtime 99999999999999999999 nodes 99999999999999999999 depth -99999999999999999999"))
	if err != nil || c.wtime <= 0 || c.nodes == 0 || c.depth != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// FuzzSession feeds any text to a session: it must end, without a panic, and
// without a search that outlives it.
func FuzzSession(f *testing.F) {
	for _, text := range []string{
		"uci\nisready\nucinewgame\nposition startpos moves e2e4\ngo depth 2\nstop\nquit\n",
		"position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\nsetoption name UCI_Chess960 value true\ngo nodes 100\n",
		"go wtime 1 btime 99999999999999999999 winc -3 movestogo 0\nponderhit\n",
		"go ponder searchmoves e2e4 e2e5\nponderhit\nsetoption name Clear Hash\n",
		"position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\ngo mate 1\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, word := range []string{"hash", "threads"} { // memory is not what is tested here
			if strings.Contains(strings.ToLower(text), word+" value") {
				t.Skip("resizes the engine")
			}
		}
		if err := Run(t.Context(), strings.NewReader(text), io.Discard, Options{Engine: engine.Options{HashMB: 1}}); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzParse looks at the parsers alone, which is faster.
func FuzzParse(f *testing.F) {
	f.Add("depth 3 wtime 5 searchmoves e2e4 infinite")
	f.Add("startpos moves e2e4 e7e5")
	f.Add("fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1")
	f.Add("name Move Overhead value 30")
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Fields(text)
		c, _ := parseGo(words)
		for _, d := range []time.Duration{c.moveTime, c.wtime, c.btime, c.winc, c.binc} {
			if d < 0 || d > maxMillis*time.Millisecond {
				t.Errorf("time %v", d)
			}
		}
		if c.depth < 0 || c.mate < 0 || c.movesToGo < 0 {
			t.Errorf("%+v", c)
		}
		g, err := parsePosition(words)
		if (g == nil) == (err == nil) {
			t.Errorf("game %v, error %v", g, err)
		}
		if g != nil && g.Position().King(chess.White) == chess.NoSquare {
			t.Error("a position without a king")
		}
		parseSetOption(words)
	})
}
