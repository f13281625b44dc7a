package sandbox_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestMoveRefusals(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{})
	move := func(m string) string { return gamePath("deep", id, "move/"+m) }
	w.refused("deep", move("nonsense"), "", 400, "Invalid UCI: nonsense")
	w.refused("deep", move("e2e9"), "", 400, "Invalid UCI: e2e9")
	w.refused("fritz", move("e7e5"), "", 400, "Not your turn, or game already over")
	w.refused("deep", move("e4e5"), "", 400, "No piece on e4")
	w.refused("deep", move("e7e5"), "", 400, "Not my piece on e7")
	w.refused("deep", move("e2e5"), "", 400, "Piece on e2 cannot move to e5")
	w.refused("deep", move("Q@e4"), "", 400, "drops")
	w.refused("deep", move("e2e4k"), "", 400, "Cannot promote to k")
	w.refused("deep", move("e2e4")+"?offeringDraw=maybe", "", 400, "offeringDraw")
	w.refused("deep", "/api/bot/game/abcdefgh/move/e2e4", "", 404, "No such game")
	w.refused("deep", "/api/bot/game/"+id+"/berserk", "", 400, "Cannot berserk")
	if g := w.game(id); len(g.Moves) != 0 {
		t.Errorf("a refused move was played: %q", g.Moves)
	}
	w.ok("deep", gamePath("deep", id, "abort"), "")
	w.refused("deep", move("e2e4"), "", 400, "Not your turn, or game already over")
}

func TestMoveSpellings(t *testing.T) {
	const (
		castles  = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
		promotes = "1k6/4P3/8/8/8/8/8/K7 w - - 0 1"
	)
	// King on e1, rooks on a1 and g1: between them e1g1 is castling as king-takes-rook only.
	const inner = "4k3/8/8/8/8/8/P7/1R2K1R1 w GB - 0 1"
	for _, test := range []struct {
		variant lichess.VariantKey
		fen     string
		sent    string
		played  string // "" when it is refused
	}{
		{"fromPosition", castles, "e1g1", "e1h1"},
		{"fromPosition", castles, "e1h1", "e1h1"},
		{"fromPosition", castles, "e1c1", "e1a1"},
		{"fromPosition", castles, "e1a1", "e1a1"},
		{"fromPosition", castles, "e1f1", "e1f1"},
		{"fromPosition", inner, "e1g1", "e1g1"},
		{"fromPosition", inner, "e1b1", "e1b1"},
		{"fromPosition", inner, "e1c1", ""},
		{"fromPosition", promotes, "e7e8", "e7e8q"},
		{"fromPosition", promotes, "e7e8q", "e7e8q"},
		{"fromPosition", promotes, "e7e8n", "e7e8n"},
		{"fromPosition", promotes, "e7e8k", ""},
		{"fromPosition", promotes, "a1a2q", "a1a2"},
	} {
		w := newWorld(t, sandbox.Options{})
		id := w.start("Deep", "Fritz", sandbox.GameSetup{Variant: test.variant, FEN: test.fen})
		r := w.post("deep", gamePath("deep", id, "move/"+test.sent), "")
		if got := strings.Join(w.game(id).Moves, " "); got != test.played || (r.code == 200) != (test.played != "") {
			t.Errorf("%s in %s: played %q (%s), want %q", test.sent, test.fen, got, r.body, test.played)
		}
	}
}

func TestCastlingInStandardAndChess960(t *testing.T) {
	const opening = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 "
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{})
	w.play(id, "deep", "fritz", opening+"e1g1 e8h8")
	if got := strings.Join(w.game(id).Moves, " "); got != opening+"e1h1 e8h8" {
		t.Error(got)
	}
	var last lichess.NowPlaying
	w.get("deep", "/api/account/playing").decode(t, &last)
	if m := last.NowPlaying[0].LastMove; m != "e8g8" {
		t.Errorf("lastMove %s", m)
	}

	id = w.start("Deep", "Fritz", sandbox.GameSetup{
		Variant: lichess.VariantChess960, FEN: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	})
	w.play(id, "deep", "fritz", opening)
	w.refused("deep", gamePath("deep", id, "move/e1g1"), "", 400, "Piece on e1 cannot move to g1")
	w.ok("deep", gamePath("deep", id, "move/e1h1"), "")
}

func TestChess960StartIsRandomAndTold(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	ch := w.challenge("mary", "deep", blitz+"&variant=chess960")
	w.ok("deep", "/api/challenge/"+ch.ID+"/accept", "")
	var full lichess.GameFull
	w.watch("deep", ch.ID).next("gameFull", &full)
	if full.InitialFEN == "startpos" || !strings.HasSuffix(full.InitialFEN, " w KQkq - 0 1") || full.State.Moves != "" {
		t.Errorf("%+v", full)
	}
	// The position that was drawn is one that can be asked for.
	if r := w.post("mary", "/api/challenge/bob", "variant=chess960&fen="+strings.ReplaceAll(full.InitialFEN, " ", "+")); r.code != 200 {
		t.Errorf("%s: %s", full.InitialFEN, r.body)
	}
}

func TestBlackBegins(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{FEN: "4k3/4p3/8/8/8/8/4P3/4K3 b - - 3 40"})
	w.refused("deep", gamePath("deep", id, "move/e2e4"), "", 400, "Not your turn")
	w.play(id, "fritz", "deep", "e7e5 e2e4")
	w.clock.Advance(10 * time.Second)
	w.play(id, "fritz", "deep", "e8e7")
	var full lichess.GameFull
	w.watch("deep", id).next("gameFull", &full)
	if s := full.State; s.BTime != 172000 || s.WTime != 180000 || full.InitialFEN != "4k3/4p3/8/8/8/8/4P3/4K3 b - - 3 40" {
		t.Errorf("%+v", full)
	}
}

func TestAutomaticEnds(t *testing.T) {
	for _, test := range []struct {
		name, fen, moves string
		status           lichess.Status
		winner           lichess.Color
	}{
		{"mate", "", "f2f3 e7e5 g2g4 d8h4", lichess.StatusMate, "black"},
		{"stalemate", "7k/8/8/6Q1/8/8/8/K7 w - - 0 1", "g5g6", lichess.StatusStalemate, ""},
		{"dead material", "8/8/8/8/4k3/8/3p4/3K4 w - - 0 1", "d1d2", lichess.StatusDraw, ""},
		{"50 moves", "4k3/4r3/8/8/8/8/4R3/4K3 w - - 99 80", "e1d1", lichess.StatusDraw, ""},
		{"mate on the 100th half-move", "7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1a8", lichess.StatusMate, "white"},
		{"threefold with a bot", "", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", lichess.StatusDraw, ""},
		{"twice only", "", "g1f3 g8f6 f3g1 f6g8", lichess.StatusStarted, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sandbox.Options{})
			id := w.start("Deep", "Fritz", sandbox.GameSetup{FEN: test.fen})
			w.play(id, "deep", "fritz", test.moves)
			w.ended(id, test.status, test.winner)
		})
	}
}

// The draw by threefold repetition is a second line with the same moves.
func TestThreefoldIsToldTwice(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	moves := "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"
	w.play(id, "deep", "mary", moves)
	l := w.watch("deep", id)
	l.next("gameFull", nil)
	w.ok("mary", gamePath("mary", id, "move/f6g8"), "")
	for _, status := range []lichess.Status{lichess.StatusStarted, lichess.StatusDraw} {
		if s := l.state(); s.Moves != moves+" f6g8" || s.Status != status {
			t.Errorf("%+v, want %s", s, status)
		}
	}
	l.end()
}

// Between people a threefold repetition has to be claimed, by a draw offer.
func TestThreefoldBetweenPeople(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Mary", "Bob", sandbox.GameSetup{})
	w.play(id, "mary", "bob", shuffle+shuffle)
	w.ended(id, lichess.StatusStarted, "")
	w.ok("bob", gamePath("bob", id, "draw/yes"), "")
	w.ended(id, lichess.StatusDraw, "")
}

// An offer within 20 plies, of either side, lets the server claim by itself.
func TestThreefoldBetweenPeopleAfterAnOffer(t *testing.T) {
	pawns := strings.Fields("a2a3 a7a6 b2b3 b7b6 d2d3 d7d6 e2e3 e7e6 h2h3 h7h6 a3a4 a6a5 b3b4 b6b5 d3d4 d6d5")
	for _, test := range []struct {
		offers string
		after  int // plies of pawns; the repetition takes eight more
		status lichess.Status
	}{
		{"mary", 2, lichess.StatusDraw},
		{"bob", 2, lichess.StatusDraw},
		{"mary", 14, lichess.StatusDraw},
		{"bob", 14, lichess.StatusDraw},
		{"mary", 16, lichess.StatusStarted},
		{"bob", 16, lichess.StatusStarted},
	} {
		w := newWorld(t, sandbox.Options{})
		id := w.start("Mary", "Bob", sandbox.GameSetup{})
		w.play(id, "mary", "bob", strings.Join(pawns[:2], " "))
		w.ok(test.offers, gamePath(test.offers, id, "draw/yes"), "")
		w.play(id, "mary", "bob", strings.Join(pawns[2:test.after], " ")+" "+shuffle+shuffle)
		w.ended(id, test.status, "")
	}
}

// An own offer bars further offers for 20 plies, not the claim. It takes a takeback to come back to a repetition with one.
func TestThreefoldIsClaimedAfterAnOffer(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Mary", "Bob", sandbox.GameSetup{})
	w.play(id, "mary", "bob", shuffle+shuffle+"e2e4")
	w.ok("mary", gamePath("mary", id, "draw/yes"), "")
	w.ok("mary", gamePath("mary", id, "takeback/yes"), "")
	w.ok("bob", gamePath("bob", id, "takeback/yes"), "")
	w.ended(id, lichess.StatusStarted, "")
	w.ok("mary", gamePath("mary", id, "draw/yes"), "")
	w.ended(id, lichess.StatusDraw, "")
}

func TestPlyCap(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Mary", "Bob", sandbox.GameSetup{Days: 1})
	moves := strings.Fields(quietGame(t, 602))
	w.play(id, "mary", "bob", strings.Join(moves[:601], " "))
	w.ended(id, lichess.StatusStarted, "")
	w.ok("bob", gamePath("bob", id, "move/"+moves[601]), "")
	w.ended(id, lichess.StatusDraw, "")
	if n := len(w.game(id).Moves); n != 601 {
		t.Errorf("%d plies", n)
	}
}

// quietGame returns a game of so many plies that no rule ends: random moves
// without captures and checks, and a pawn move only when the 50-move rule comes near.
func quietGame(t *testing.T, plies int) string {
	r := rand.New(rand.NewPCG(1, 2))
	g := chess.NewGame(chess.StartPosition(), chess.Lichess)
	for g.Ply() < plies {
		var list chess.MoveList
		p := g.Position()
		p.LegalMoves(&list)
		moves := slices.Clone(list.Slice())
		r.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		wantPawn := p.HalfmoveClock() > 80
		played := slices.ContainsFunc(moves, func(m chess.Move) bool {
			if p.IsCapture(m) || (p.PieceOn(m.From()).Type() == chess.Pawn) != wantPawn {
				return false
			}
			if g.Play(m) != nil || g.Outcome().Over() || g.Position().InCheck() {
				g.Undo()
				return false
			}
			return true
		})
		if !played {
			t.Fatalf("no quiet move at ply %d in %s", g.Ply(), p.FEN())
		}
	}
	var moves []string
	for _, m := range g.Moves() {
		moves = append(moves, m.String())
	}
	return strings.Join(moves, " ")
}

func TestAbortAndResign(t *testing.T) {
	for _, test := range []struct {
		name, moves, act string
		refusal          string
		status           lichess.Status
		winner           lichess.Color
	}{
		{"abort at once", "", "abort", "", lichess.StatusAborted, ""},
		{"abort after one ply", "e2e4", "abort", "", lichess.StatusAborted, ""},
		{"abort after two plies", "e2e4 e7e5", "abort", "This game can no longer be aborted", lichess.StatusStarted, ""},
		{"resign while abortable", "e2e4", "resign", "", lichess.StatusAborted, ""},
		{"resign", "e2e4 e7e5", "resign", "", lichess.StatusResign, "black"},
		{"abort when over", "f2f3 e7e5 g2g4 d8h4", "abort", "This game can no longer be aborted", lichess.StatusMate, "black"},
		{"resign when over", "f2f3 e7e5 g2g4 d8h4", "resign", "This game cannot be resigned", lichess.StatusMate, "black"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sandbox.Options{})
			id := w.start("Deep", "Fritz", sandbox.GameSetup{})
			w.play(id, "deep", "fritz", test.moves)
			if path := gamePath("deep", id, test.act); test.refusal != "" {
				w.refused("deep", path, "", 400, test.refusal)
			} else {
				w.ok("deep", path, "")
			}
			w.ended(id, test.status, test.winner)
		})
	}
}

func TestNoAbortRule(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	ch := w.challenge("deep", "mary", blitz+"&rules=noAbort&color=white")
	w.ok("mary", "/api/challenge/"+ch.ID+"/accept", "")
	w.refused("deep", gamePath("deep", ch.ID, "abort"), "", 400, "no longer be aborted")
}
