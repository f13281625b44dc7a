package uciclient

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseInfo(t *testing.T) {
	for _, tt := range []struct {
		line string
		want Info
	}{
		{"depth 12 seldepth 17 multipv 1 score cp -35 nodes 1000 nps 5 hashfull 3 tbhits 0 time 250 pv e2e4 e7e8q",
			Info{Depth: 12, SelDepth: 17, MultiPV: 1, Score: &Score{Value: -35}, Nodes: 1000, Time: 250 * time.Millisecond, PV: []string{"e2e4", "e7e8q"}}},
		{"score mate -3 upperbound depth 4", Info{Depth: 4, Score: &Score{Mate: true, Value: -3, Bound: UpperBound}}},
		{"score lowerbound cp 9", Info{}}, // the bound stands after the number
		{"score cp 9 wdl 500 400 100 nodes 7", Info{Score: &Score{Value: 9}, Nodes: 7}},
		{"currmove e2e4 currmovenumber 1 depth 3", Info{Depth: 3}},
		{"pv e2e4 depth 3", Info{Depth: 3, PV: []string{"e2e4"}}},
		{"string depth 5 score cp 3", Info{}},
		{"depth", Info{}},
		{"depth -1 nodes 1e6 score cp x time", Info{}},
		{"nodes 99999999999999999999 time 9223372036854775807", Info{Time: math.MaxInt64 / time.Millisecond * time.Millisecond}},
	} {
		if diff := cmp.Diff(tt.want, parseInfo(strings.Fields(tt.line))); diff != "" {
			t.Errorf("%q: %s", tt.line, diff)
		}
	}
}

func TestParseOption(t *testing.T) {
	for _, tt := range []struct {
		line string
		want Option
	}{
		{"name Hash type spin default 16 min 1 max 1024", Option{Name: "Hash", Type: Spin, Default: "16", Min: 1, Max: 1024}},
		{"name min max default type check default false", Option{Name: "min max default", Type: Check, Default: "false"}},
		{"name Style type combo default Very Solid var Very Solid var Normal", Option{Name: "Style", Type: Combo, Default: "Very Solid", Choices: []string{"Very Solid", "Normal"}}},
		{"name Clear Hash type button", Option{Name: "Clear Hash", Type: Button}},
		{"name Path type string default c:\\min max", Option{Name: "Path", Type: String, Default: "c:\\min max"}},
	} {
		got, ok := parseOption(strings.Fields(tt.line))
		if diff := cmp.Diff(tt.want, got); diff != "" || !ok {
			t.Errorf("%q: ok %v, %s", tt.line, ok, diff)
		}
	}
	for _, line := range []string{"", "name", "name X", "type check", "name X type fancy", "name X type spin default 3", "name X type spin min 5 max 4", "name X type combo default a"} {
		if o, ok := parseOption(strings.Fields(line)); ok {
			t.Errorf("%q: got %+v", line, o)
		}
	}
}

func TestGoCommand(t *testing.T) {
	for _, tt := range []struct {
		limits Limits
		want   string
	}{
		{Limits{}, "go infinite"},
		{Limits{WTime: 1500 * time.Millisecond, BTime: time.Microsecond, BInc: 20 * time.Millisecond, MovesToGo: 3}, "go wtime 1500 btime 1 winc 0 binc 20 movestogo 3"},
		{Limits{MoveTime: time.Second, Depth: 3, Nodes: 7}, "go movetime 1000 depth 3 nodes 7"},
	} {
		if got := goCommand(tt.limits); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.limits, got, tt.want)
		}
	}
}

func TestScoresAreOrdered(t *testing.T) {
	scores := []Score{{Mate: true, Value: 0}, {Mate: true, Value: -1}, {Mate: true, Value: -5}, {Value: -1 << 31}, {Value: -3}, {Value: 900}, {Value: 1 << 30}, {Mate: true, Value: 1 << 20}, {Mate: true, Value: 1}}
	for i := 1; i < len(scores); i++ {
		if scores[i-1].Centipawns() >= scores[i].Centipawns() {
			t.Errorf("%v is not below %v", scores[i-1], scores[i])
		}
	}
}

// FuzzOutput feeds any output of an engine to a client that waits for its introduction, and to one that waits for a move.
func FuzzOutput(f *testing.F) {
	f.Add("id name X\noption name Hash type spin default 1 min 1 max 2\nuciok\n")
	f.Add("info depth 3 seldepth 4 multipv 1 score cp 3 lowerbound nodes 5 time 6 pv e2e4 e7e5\nbestmove e2e4 ponder e7e5\nbestmove\n")
	f.Add("info score mate -3 upperbound pv a7a8q string x\nbestmove (none)\nreadyok\nreadyok\n")
	f.Add("option name a type combo var b var c default\nid author \xff\xfe\ninfo string\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, searching := range []bool{false, true} {
			e := &Engine{ready: make(chan struct{}, 1), best: make(chan answer, 1), await: "uciok"}
			if searching {
				e.await = "readyok"
				e.search = &progress{report: func(i Info) {
					if i.Depth < 0 || i.SelDepth < 0 || i.Time < 0 || len(i.PV) > maxPV {
						t.Errorf("info %+v", i)
					}
				}}
			}
			// In two pieces, as a pipe may deliver them.
			w := &lineWriter{take: e.take}
			_, _ = w.Write([]byte(text[:len(text)/2]))
			_, _ = w.Write([]byte(text[len(text)/2:]))
			if len(w.line) > maxLine || len(e.name) > maxName+2 || len(e.options) > maxOptions {
				t.Errorf("line of %d bytes, name of %d, %d options", len(w.line), len(e.name), len(e.options))
			}
			for _, o := range e.options {
				if o.Name == "" || o.Type == Spin && o.Min > o.Max {
					t.Errorf("option %+v", o)
				}
				if send, reason := o.check(o.Default); reason == "" && strings.ContainsAny(send, "\r\n") {
					t.Errorf("option %+v would send %q", o, send)
				}
			}
			select {
			case a := <-e.best:
				if len(a.move) > 20 || a.ponder != "" && !isMove(a.ponder) {
					t.Errorf("answer %+v", a)
				}
			default:
			}
		}
	})
}
