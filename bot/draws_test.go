package bot_test

import (
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/tablebase"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// fortress is a position in which neither king can get at a pawn, and in which each side could still mate by the rule of material.
const fortress = "4k3/8/p1p1p1p1/P1P1P1P1/8/8/8/4K3 w - - 0 1"

// board returns a game of the sandbox as the rules see it.
func (a arena) board(id, fen string) *chess.Game {
	a.t.Helper()
	start, err := chess.ParseFEN(fen)
	if err != nil {
		a.t.Fatal(err)
	}
	b := chess.NewGame(start, chess.LichessBot)
	for _, move := range a.game(id).Moves {
		if err := b.PlayUCI(move); err != nil {
			a.t.Fatal(err)
		}
	}
	return b
}

// wanders plays a move for the person that brings no position about again.
func (a arena) wanders(id, fen string) {
	a.t.Helper()
	b := a.board(id, fen)
	var legal chess.MoveList
	b.Position().LegalMoves(&legal)
	for _, m := range legal.Slice() {
		next := b.Clone()
		if err := next.Play(m); err != nil {
			a.t.Fatal(err)
		}
		if next.Repetitions() == 1 && !next.Outcome().Over() {
			a.move(id, m.String())
			return
		}
	}
	a.t.Fatalf("no move is new in %s", b.Position().FEN())
}

// withTables opens the small endgame tables of the repository.
func withTables(t *testing.T, o engine.Options) engine.Options {
	t.Helper()
	tables, err := tablebase.Open([]string{filepath.Join("..", "engine", "tablebase", "testdata", "tables")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() }) // after the engine, which is made later
	o.Tables = tables
	return o
}

// flat offers draws in all that looks like a fortress.
func flat() bot.DrawPolicy {
	return bot.DrawPolicy{Offer: true, OfferHumans: true, OfferBots: true, OfferScore: 300, OfferMoves: 1, OfferMen: 12}
}

// TestDrawOffersComeWithTheMoveAndKeepTheirDistance wants an offer as soon as there can be one, and the next after 20 plies.
func TestDrawOffersComeWithTheMoveAndKeepTheirDistance(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Draw = flat()
	a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour, FEN: fortress})
	for i := range 13 {
		a.plies(id, 2*i+1)
		if i < 12 {
			a.wanders(id, fortress)
		}
	}
	var offers []int // indices among the bot's moves
	for i, r := range n.requests("/move/") {
		if strings.HasSuffix(r, "offeringDraw=true") {
			offers = append(offers, i)
		}
	}
	// The first can be made at ply 2, the second at ply 24.
	if !slices.Equal(offers, []int{1, 12}) || n.count("/draw/") > 0 {
		t.Errorf("offers with the moves %v of %q", offers, n.requests("/move/"))
	}
	a.post("/api/board/game/"+id+"/draw/yes", nil)
	if g := a.finished(id); g.Status != lichess.StatusDraw {
		t.Errorf("the offer was accepted and the game ended by %s", g.Status)
	}
}

// TestDrawsAreNotOffered plays on in situations in which a flat game is no reason for an offer.
func TestDrawsAreNotOffered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*bot.DrawPolicy)
	}{
		{"to people", func(d *bot.DrawPolicy) { d.OfferHumans = false }},
		{"to the weak", func(d *bot.DrawPolicy) { d.OfferMinRating = 1501 }},
		{"with contempt", func(d *bot.DrawPolicy) { d.Contempt = 700 }},
		{"before it was looked at for long", func(d *bot.DrawPolicy) { d.OfferMoves = 9 }},
		{"with a look that is not deep enough", func(d *bot.DrawPolicy) { d.OfferDepth = 100 }},
		{"while something goes on", func(d *bot.DrawPolicy) { d.OfferMen, d.OfferQuiet = 8, 9 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{})
			opts := quick()
			opts.Draw = flat()
			tt.change(&opts.Draw)
			a.startAt(n.URL, "castellan", opts)
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour, FEN: fortress})
			for i := range 5 {
				a.plies(id, 2*i+1)
				a.wanders(id, fortress)
			}
			a.plies(id, 11)
			if n.count("offeringDraw=true") > 0 || n.count("/draw/") > 0 {
				t.Errorf("a draw was offered: %q", n.requests("/game/"))
			}
		})
	}
}

// TestBookMovesNeitherCountNorBreakTheRow has the bot play by a book before and between the moves that it thinks about.
func TestBookMovesNeitherCountNorBreakTheRow(t *testing.T) {
	t.Parallel()
	start, err := chess.ParseFEN(fortress)
	if err != nil {
		t.Fatal(err)
	}
	// The first move and the third are out of the book, whatever the second is.
	const first, reply, secondReply = "e1e2", "e8e7", "e7e8"
	entries := []bookEntry{{fen: fortress, move: first, weight: 1}}
	after := chess.NewGame(start, chess.LichessBot)
	for _, m := range []string{first, reply} {
		if err := after.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	var legal chess.MoveList
	after.Position().LegalMoves(&legal)
	for _, m := range legal.Slice() {
		then := after.Clone()
		if err := then.PlayUCI(m.String()); err != nil {
			t.Fatal(err)
		}
		if err := then.PlayUCI(secondReply); err != nil {
			t.Fatal(err)
		}
		var third chess.MoveList
		then.Position().LegalMoves(&third)
		entries = append(entries, bookEntry{
			fen: fortress, after: strings.Join([]string{first, reply, m.String(), secondReply}, " "), move: third.At(0).String(), weight: 1,
		})
	}
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Draw = flat()
	opts.Draw.OfferMoves = 2
	d := a.startWithBookAnd(n.URL, writeBook(t, entries...), opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour, FEN: fortress})
	a.plies(id, 1)
	a.move(id, reply)
	a.plies(id, 3)
	a.move(id, secondReply)
	a.plies(id, 5)
	a.wanders(id, fortress)
	a.plies(id, 7)
	moves := n.requests("/move/")
	if got := strings.Count(d.log.String(), "source=book"); got != 2 {
		t.Fatalf("%d moves were out of the book", got)
	}
	for i, want := range []bool{false, false, false, true} {
		if got := strings.HasSuffix(moves[i], "offeringDraw=true"); got != want {
			t.Errorf("move %d, %s: want an offer: %v", i+1, moves[i], want)
		}
	}
}

// TestDrawOfferWithAMove offers a draw with a move, to a bot that is worse and to one that is better. The server tells of the offer
// first and of the move in the next line: a bot that is quick has answered by then, one that is not answers with the next thought.
func TestDrawOfferWithAMove(t *testing.T) {
	t.Parallel()
	const fen = "3rk3/5ppp/8/8/8/8/5PPP/4K3 w - - 0 1" // a rook more for Black
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	opts := quick()
	opts.Draw = bot.DrawPolicy{Accept: true}
	a.startAt(n.URL, "castellan", opts)
	lost := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute, FEN: fen})
	a.plies(lost, 1)
	a.move(lost, "d8d7")
	a.plies(lost, 3)
	a.move(lost, "d7d8?offeringDraw=true")
	if g := a.finished(lost); g.Status != lichess.StatusDraw || n.count(lost+"/draw/yes") != 1 {
		t.Errorf("a draw in a lost position: the game ended by %s, the bot asked for %q", g.Status, n.requests("/draw/"))
	}
	won := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute, FEN: fen})
	a.move(won, "g2g3")
	a.plies(won, 2)
	a.move(won, "g3g4?offeringDraw=true")
	a.plies(won, 4)
	if g := a.game(won); g.Status.Over() {
		t.Errorf("a draw in a won position: the game ended by %s", g.Status)
	}
	if n.count(won+"/draw/") > n.count(won+"/draw/no") || n.count(won+"/draw/no") > 1 {
		t.Errorf("a draw in a won position: the bot asked for %q", n.requests("/draw/"))
	}
}

// TestDrawByTheTablesIsAccepted offers a draw in a position that endgame tables call drawn, to a bot that wants to stand worse than that.
func TestDrawByTheTablesIsAccepted(t *testing.T) {
	t.Parallel()
	const fen = "8/4k3/8/8/4K3/8/r7/7R w - - 0 1"
	for name, tables := range map[string]bool{"with tables": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{})
			opts := quick()
			opts.Draw = bot.DrawPolicy{Accept: true, AcceptScore: -900}
			think := engine.Options{MaxMoveTime: time.Millisecond}
			if tables {
				think = withTables(t, think)
			}
			a.startWith(n.URL, "castellan", opts, think)
			id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour, FEN: fen})
			a.move(id, "h1h3")
			a.plies(id, 2)
			a.post("/api/board/game/"+id+"/draw/yes", nil)
			a.until("an answer", func() bool { return n.count("/draw/no") == 1 || a.game(id).Status.Over() })
			if over := a.game(id).Status.Over(); over != tables {
				t.Errorf("the game is over: %v, the bot asked for %q", over, n.requests("/draw/"))
			}
		})
	}
}

// TestNoThirdOccurrenceWhenBetter has the person move to and fro. The bot, a bishop ahead and unable to get through, must find ever new
// positions: the third occurrence of one would end the game.
func TestNoThirdOccurrenceWhenBetter(t *testing.T) {
	t.Parallel()
	const fen = "4k3/8/p1p1p1p1/P1P1P1P1/8/8/8/2B1K3 w - - 0 1"
	a := newArena(t, sandbox.Options{})
	d := a.start("castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour, FEN: fen})
	for i := range 24 {
		a.plies(id, 2*i+1)
		if g := a.game(id); g.Status.Over() {
			t.Fatalf("the game ended by %s after %v", g.Status, g.Moves)
		}
		if i%2 == 0 {
			a.move(id, "e8d8")
		} else {
			a.move(id, "d8e8")
		}
	}
	a.plies(id, 49)
	if better := regexp.MustCompile(`score="cp [1-9]\d\d"`).FindAllString(d.log.String(), -1); len(better) < 20 {
		t.Errorf("the bot thought that it was better with %d moves of 25 only", len(better))
	}
}

// TestDrawBeingAcceptedIsNotOvertakenByAMove lets the opponent offer a draw and move at once, while the acceptance is on its way. A
// move of the bot's would decline the offer, and make one of the bot's own out of the acceptance.
func TestDrawBeingAcceptedIsNotOvertakenByAMove(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	var mu sync.Mutex
	accepting, overtaken := false, make(chan struct{})
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool {
		switch {
		case strings.HasSuffix(r.URL.Path, "/draw/yes"):
			mu.Lock()
			accepting = true
			mu.Unlock()
			select {
			case <-overtaken:
			case <-time.After(300 * time.Millisecond):
			}
			pass.ServeHTTP(w, r)
			return true
		case strings.Contains(r.URL.Path, "/move/"):
			pass.ServeHTTP(w, r)
			mu.Lock()
			defer mu.Unlock()
			if accepting {
				accepting = false
				close(overtaken)
			}
			return true
		}
		return false
	}})
	opts := quick()
	opts.Draw = bot.DrawPolicy{Accept: true, AcceptScore: -50}
	a.startAt(n.URL, "castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour, FEN: "3qk3/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1"})
	a.plies(id, 1)
	a.move(id, "d8d7")
	a.plies(id, 3)
	a.post("/api/board/game/"+id+"/draw/yes", nil)
	a.until("an answer", func() bool { return n.count("/draw/") > 0 })
	a.move(id, "d7d8")
	if g := a.finished(id); g.Status != lichess.StatusDraw || len(g.Moves) != 4 {
		t.Errorf("status %s after %v; requests %q", g.Status, g.Moves, n.requests("/draw/"))
	}
}
