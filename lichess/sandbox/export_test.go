package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestExportPGN(t *testing.T) {
	w := newWorld(t, sandbox.Options{}, sandbox.Account{Name: "GrandMa", Title: "GM", Token: "gm"})
	id := w.start("Deep", "GrandMa", sandbox.GameSetup{Rated: true})
	w.clock.Advance(time.Hour + 2*time.Minute + 3*time.Second)
	for i, m := range strings.Fields("f2f3 e7e5 g2g4 d8h4") {
		w.clock.Advance(5 * time.Second)
		token := []string{"deep", "gm"}[i%2]
		w.ok(token, gamePath(token, id, "move/"+m), "")
	}
	r := w.get("", "/game/export/"+id)
	want := `[Event "rated blitz game"]
[Site "` + w.URL + `/` + id + `"]
[Date "2026.11.30"]
[Round "-"]
[White "Deep"]
[Black "GrandMa"]
[Result "0-1"]
[GameId "` + id + `"]
[UTCDate "2026.11.30"]
[UTCTime "12:00:00"]
[WhiteElo "2000"]
[BlackElo "1500"]
[WhiteRatingDiff "-9"]
[BlackRatingDiff "+9"]
[WhiteTitle "BOT"]
[BlackTitle "GM"]
[Variant "Standard"]
[TimeControl "180+2"]
[Termination "Normal"]

1. f3 { [%clk 0:03:00] } 1... e5 { [%clk 0:03:00] } 2. g4 { [%clk 0:02:57] }
2... Qh4# { [%clk 0:02:57] } 0-1
`
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(r.body)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if kind := r.header.Get("Content-Type"); kind != "application/x-chess-pgn" {
		t.Errorf("type %q", kind)
	}
	if g := w.game(id); g.PGN != r.body || g.Result != "0-1" || !g.Over() {
		t.Errorf("%+v", g)
	}
	if r := w.get("", "/game/export/"+id+"?clocks=false"); !strings.HasSuffix(r.body, "\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n") {
		t.Errorf("%q", r.body)
	}
	if r := w.get("", "/game/export/"+id+"?moves=false"); !strings.HasSuffix(r.body, "\n\n0-1\n\n") {
		t.Errorf("%q", r.body)
	}
	if r := w.get("", "/game/export/"+id+"?clocks=x"); r.code != 400 {
		t.Errorf("clocks=x: %d", r.code)
	}
	if r := w.get("", "/game/export/abcdefgh"); r.code != 404 {
		t.Errorf("no such game: %d", r.code)
	}
}

// Every kind of game exports to a PGN that reads back as the same game.
func TestExportReadsBack(t *testing.T) {
	const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
	for _, test := range []struct {
		name    string
		setup   sandbox.GameSetup
		moves   string
		act     string // by Deep, at the end
		tags    map[string]string
		outcome string
	}{
		{"from position", sandbox.GameSetup{FEN: kiwipete}, "e1g1 e8c8", "resign",
			map[string]string{"Variant": "From Position", "FEN": kiwipete, "SetUp": "1", "TimeControl": "180+2", "Termination": "Normal", "Event": "casual blitz game"}, "0-1"},
		{"chess960", sandbox.GameSetup{Variant: lichess.VariantChess960, FEN: "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"}, "g2g3 g7g6", "resign",
			map[string]string{"Variant": "Chess960", "FEN": "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", "Event": "casual chess960 game"}, "0-1"},
		{"correspondence", sandbox.GameSetup{Days: 3}, "e2e4", "abort",
			map[string]string{"TimeControl": "3 days per move", "Termination": "Abandoned", "Event": "casual correspondence game"}, "*"},
		{"fractions", sandbox.GameSetup{Limit: 5 * time.Second, Increment: 50 * time.Millisecond}, "e2e4 e7e5", "resign",
			map[string]string{"TimeControl": "5+0.05"}, "0-1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sandbox.Options{})
			id := w.start("Deep", "Fritz", test.setup)
			w.play(id, "deep", "fritz", test.moves)
			w.ok("deep", gamePath("deep", id, test.act), "")
			r := w.get("", "/game/export/"+id)
			reader := chess.NewPGNReader(strings.NewReader(r.body))
			pgn, err := reader.Read()
			if err != nil {
				t.Fatalf("%v in\n%s", err, r.body)
			}
			for name, want := range test.tags {
				if got := pgn.Tag(name); got != want {
					t.Errorf("%s %q, want %q", name, got, want)
				}
			}
			if strings.Count(r.body, "[FEN ") > 1 {
				t.Errorf("two FEN tags in\n%s", r.body)
			}
			if pgn.Result != test.outcome || pgn.Tag("Result") != test.outcome {
				t.Errorf("result %s", pgn.Result)
			}
			if got := pgn.Game.Position().FEN(); got != w.game(id).FEN {
				t.Errorf("ends at %s, want %s", got, w.game(id).FEN)
			}
		})
	}
}

func TestExportOfARunningGameLags(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	moves := strings.Fields(quiet)
	for n, shown := range map[int]int{4: 4, 7: 5, 12: 9} {
		id := w.start("Deep", "Fritz", sandbox.GameSetup{Days: 1})
		w.play(id, "deep", "fritz", strings.Join(moves[:n], " "))
		var out struct{ Moves, Status string }
		w.exportJSON(id, &out)
		if got := len(strings.Fields(out.Moves)); got != shown || out.Status != "started" {
			t.Errorf("of %d plies %d are shown, want %d", n, got, shown)
		}
		if got := len(w.game(id).Moves); got != n {
			t.Errorf("%d plies inside", got)
		}
	}
}

func (w *world) exportJSON(id string, v any) {
	w.t.Helper()
	req := w.request(w.t.Context(), "GET", "", "/game/export/"+id, "", "")
	req.Body.Close()
	r := req.Request.Clone(w.t.Context())
	r.Header.Set("Accept", "application/json")
	resp, err := w.http.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	reply := w.read(resp)
	if kind := reply.header.Get("Content-Type"); kind != "application/json" {
		w.t.Fatalf("type %q", kind)
	}
	reply.decode(w.t, v)
}

func TestExportJSON(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	w.play(id, "deep", "mary", "f2f3 e7e5 g2g4 d8h4")
	var got json.RawMessage
	w.exportJSON(id, &got)
	want := `{"id":"` + id + `","rated":false,"variant":"standard","speed":"blitz","perf":"blitz",` +
		`"createdAt":1796040000000,"lastMoveAt":1796040000000,"status":"mate","source":"friend",` +
		`"players":{"black":{"user":{"name":"Mary","id":"mary"},"rating":1600},` +
		`"white":{"user":{"name":"Deep","title":"BOT","id":"deep"},"rating":2000}},` +
		`"winner":"black","moves":"f3 e5 g4 Qh4#","clock":{"initial":180,"increment":2,"totalTime":260}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
