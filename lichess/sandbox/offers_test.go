package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// quiet are moves that change little, 24 plies without a threefold.
const quiet = "a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 e2e3 e7e6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6 " +
	"a3a4 a6a5 b3b4 b6b5 c3c4 c6c5 d3d4 d6d5"

// offers reads from the server whether White and Black have a draw offer standing.
func (w *world) offers(id string) (white, black bool) {
	w.t.Helper()
	l := w.open("deep", "/api/bot/game/stream/"+id)
	var full lichess.GameFull
	l.next("gameFull", &full)
	l.close()
	return full.State.WDraw, full.State.BDraw
}

func (w *world) wantOffers(id string, white, black bool) {
	w.t.Helper()
	if gotWhite, gotBlack := w.offers(id); gotWhite != white || gotBlack != black {
		w.t.Errorf("offers %v and %v, want %v and %v", gotWhite, gotBlack, white, black)
	}
}

func TestDrawOfferOnTheStream(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	w.play(id, "deep", "mary", "e2e4 e7e5")
	l := w.watch("mary", id)
	l.next("gameFull", nil)
	w.ok("deep", gamePath("deep", id, "draw/yes"), "")
	l.system("White offers draw")
	if s := l.state(); !s.WDraw || s.BDraw || s.Moves != "e2e4 e7e5" {
		t.Errorf("%+v", s)
	}
	w.ok("mary", gamePath("mary", id, "draw/no"), "")
	l.system("Black declines draw")
	if s := l.state(); s.WDraw {
		t.Errorf("%+v", s)
	}
}

func TestDrawOfferAccepted(t *testing.T) {
	for _, answer := range []string{"draw/yes", "draw/true", "draw/1", "move/g8f6?offeringDraw=true"} {
		w := newWorld(t, sandbox.Options{})
		id := w.start("Deep", "Mary", sandbox.GameSetup{})
		w.play(id, "deep", "mary", "e2e4 e7e5")
		w.ok("deep", gamePath("deep", id, "move/g1f3?offeringDraw=true"), "")
		l := w.watch("mary", id)
		l.next("gameFull", nil)
		w.ok("mary", gamePath("mary", id, answer), "")
		l.system("Draw offer accepted")
		if s := l.state(); s.Status != lichess.StatusDraw || s.Winner != "" || s.Moves != "e2e4 e7e5 g1f3" || s.WDraw {
			t.Errorf("%s: %+v", answer, s)
		}
		l.end()
	}
}

// The opponent's move is a refusal; the state that tells of the move still
// shows the offer.
func TestMoveDeclinesTheOffer(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Mary", sandbox.GameSetup{})
	w.play(id, "deep", "mary", "e2e4 e7e5")
	l := w.watch("deep", id)
	l.next("gameFull", nil)
	w.ok("deep", gamePath("deep", id, "move/g1f3?offeringDraw=true"), "")
	l.system("White offers draw")
	if s := l.state(); !s.WDraw || s.Moves != "e2e4 e7e5" {
		t.Errorf("the offer comes before the move: %+v", s)
	}
	if s := l.state(); !s.WDraw || s.Ply() != 3 {
		t.Errorf("the own move leaves it standing: %+v", s)
	}
	w.ok("mary", gamePath("mary", id, "move/b8c6"), "")
	if s := l.state(); !s.WDraw || s.Ply() != 4 {
		t.Errorf("%+v", s)
	}
	l.system("Black declines draw")
	if s := l.state(); s.WDraw || s.Ply() != 4 {
		t.Errorf("%+v", s)
	}
}

func TestDrawOffersIgnored(t *testing.T) {
	yes := func(w *world, token, id string) { w.ok(token, gamePath(token, id, "draw/yes"), "") }
	moves := strings.Fields(quiet)
	for _, test := range []struct {
		name         string
		act          func(w *world, id string)
		white, black bool
	}{
		{"before two plies", func(w *world, id string) {
			yes(w, "deep", id)
			w.play(id, "deep", "fritz", "e2e4")
			yes(w, "fritz", id)
		}, false, false},
		{"with the first move", func(w *world, id string) {
			w.ok("deep", gamePath("deep", id, "move/e2e4?offeringDraw=true"), "")
		}, false, false},
		{"in the opponent's turn it counts", func(w *world, id string) {
			w.play(id, "deep", "fritz", "e2e4 e7e5 g1f3")
			yes(w, "deep", id)
		}, true, false},
		{"twice is once", func(w *world, id string) {
			w.play(id, "deep", "fritz", "e2e4 e7e5")
			yes(w, "deep", id)
			yes(w, "deep", id)
		}, true, false},
		{"cannot be taken back by no", func(w *world, id string) {
			w.play(id, "deep", "fritz", "e2e4 e7e5")
			yes(w, "deep", id)
			w.ok("deep", gamePath("deep", id, "draw/no"), "")
		}, true, false},
		{"cannot be taken back by offeringDraw=false", func(w *world, id string) {
			w.play(id, "deep", "fritz", "e2e4 e7e5")
			yes(w, "deep", id)
			w.ok("deep", gamePath("deep", id, "move/g1f3?offeringDraw=false"), "")
		}, true, false},
		{"again within 20 plies", func(w *world, id string) {
			w.play(id, "deep", "fritz", strings.Join(moves[:2], " "))
			yes(w, "deep", id)
			w.play(id, "deep", "fritz", strings.Join(moves[2:22], " "))
			yes(w, "deep", id)
		}, false, false},
		{"again after 20 plies", func(w *world, id string) {
			w.play(id, "deep", "fritz", strings.Join(moves[:2], " "))
			yes(w, "deep", id)
			w.play(id, "deep", "fritz", strings.Join(moves[2:23], " "))
			yes(w, "deep", id)
		}, true, false},
		{"the other side has its own 20 plies", func(w *world, id string) {
			w.play(id, "deep", "fritz", strings.Join(moves[:2], " "))
			yes(w, "deep", id)
			w.play(id, "deep", "fritz", strings.Join(moves[2:4], " "))
			yes(w, "fritz", id)
		}, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sandbox.Options{})
			id := w.start("Deep", "Fritz", sandbox.GameSetup{})
			test.act(w, id)
			w.wantOffers(id, test.white, test.black)
			w.ended(id, lichess.StatusStarted, "")
		})
	}
}

// The pause of 20 plies never stops a player from accepting.
func TestAcceptIsNeverBlocked(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Deep", "Fritz", sandbox.GameSetup{})
	w.play(id, "deep", "fritz", "e2e4 e7e5")
	w.ok("deep", gamePath("deep", id, "draw/yes"), "")
	w.ok("fritz", gamePath("fritz", id, "draw/no"), "")
	w.ok("fritz", gamePath("fritz", id, "draw/yes"), "")
	w.ok("deep", gamePath("deep", id, "draw/yes"), "")
	w.ended(id, lichess.StatusDraw, "")
}

func TestNoEarlyDrawRule(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	ch := w.challenge("deep", "mary", blitz+"&rules=noEarlyDraw&color=white")
	w.ok("mary", "/api/challenge/"+ch.ID+"/accept", "")
	w.play(ch.ID, "deep", "mary", "e2e4 e7e5")
	w.ok("deep", gamePath("deep", ch.ID, "draw/yes"), "")
	w.wantOffers(ch.ID, false, false)
}

// shuffle is four plies after which the position is the one before.
const shuffle = "g1f3 g8f6 f3g1 f6g8 "

// The rule bars draws before 60 plies only: a threefold repetition after them ends a game with a bot as any other, while one
// before them neither ends it nor can be claimed.
func TestNoEarlyDrawRuleEnds(t *testing.T) {
	pawns := strings.Fields("a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 e2e3 e7e6 h2h3 h7h6 a3a4 a6a5")
	var moves []string
	for i := 0; i < len(pawns); i += 2 { // 42 plies, and no position more than twice
		moves = append(moves, strings.Fields(shuffle)...)
		moves = append(moves, pawns[i:i+2]...)
	}
	for _, test := range []struct {
		name    string
		moves   []string
		claim   bool // after all moves
		endsAt  int  // plies, with the rule
		without int  // plies, without
	}{
		{"late", append(moves, strings.Fields("b3b4 b6b5 c3c4 c6c5 d3d4 d6d5 e3e4 e6e5 h3h4 h6h5 f2f3 f7f6 g2g3 g7g6 f3f4 f6f5 g3g4 g6g5 "+
			strings.Repeat(shuffle, 4))...), false, 68, 68},
		{"early", strings.Fields(shuffle + shuffle + shuffle + "e2e4"), false, 0, 8},
		{"claimed early", strings.Fields(shuffle + shuffle), true, 0, 8},
		{"five times", strings.Fields(strings.Repeat(shuffle, 5)), false, 16, 8},
	} {
		for _, rules := range []string{"", "&rules=noEarlyDraw"} {
			t.Run(test.name+rules, func(t *testing.T) {
				w := newWorld(t, sandbox.Options{})
				ch := w.challenge("deep", "mary", blitz+"&color=white"+rules)
				w.ok("mary", "/api/challenge/"+ch.ID+"/accept", "")
				want := test.endsAt
				if rules == "" {
					want = test.without
				}
				for i, m := range test.moves {
					if w.game(ch.ID).Status.Over() {
						break
					}
					w.play(ch.ID, []string{"deep", "mary"}[i%2], "", m)
				}
				if test.claim {
					w.ok("mary", gamePath("mary", ch.ID, "draw/yes"), "")
				}
				status := lichess.StatusDraw
				if want == 0 {
					status, want = lichess.StatusStarted, len(test.moves)
				}
				w.ended(ch.ID, status, "")
				if n := len(w.game(ch.ID).Moves); n != want {
					t.Errorf("%d plies, want %d", n, want)
				}
			})
		}
	}
}

// Where a game cannot be aborted, the first two plies bar draw offers by
// themselves.
func TestNoDrawOfferAtTheStart(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	ch := w.challenge("deep", "mary", blitz+"&rules=noAbort&color=white")
	w.ok("mary", "/api/challenge/"+ch.ID+"/accept", "")
	w.ok("deep", gamePath("deep", ch.ID, "draw/yes"), "")
	w.wantOffers(ch.ID, false, false)
}

// Offering a draw to somebody who cannot mate ends the game at once.
func TestInsufficientMaterialClaim(t *testing.T) {
	for _, test := range []struct {
		fen, moves string
		status     lichess.Status
	}{
		{"7k/8/8/8/8/8/8/R3K3 w - - 0 1", "e1e2 h8h7", lichess.StatusInsufficientMaterialClaim},
		{"7k/7p/8/8/8/8/8/R3K3 w - - 0 1", "e1e2 h8g8", lichess.StatusStarted},
		{"7k/8/8/8/8/8/8/R3K3 w - - 0 1", "e1e2", lichess.StatusStarted},
	} {
		w := newWorld(t, sandbox.Options{})
		id := w.start("Deep", "Fritz", sandbox.GameSetup{FEN: test.fen})
		w.play(id, "deep", "fritz", test.moves)
		w.ok("deep", gamePath("deep", id, "draw/yes"), "")
		w.ended(id, test.status, "")
	}
}

func TestTakebacks(t *testing.T) {
	for _, test := range []struct {
		name          string
		moves         string
		proposer      string
		answer        string // "" for none
		left          string // moves afterwards
		white, black  bool   // proposals standing
		accepterIsBot bool
	}{
		{"of the last move", "e2e4 e7e5 g1f3", "mary", "takeback/yes", "e2e4 e7e5", false, false, false},
		{"of the move before", "e2e4 e7e5 g1f3 g8f6", "mary", "takeback/yes", "e2e4 e7e5", false, false, false},
		{"declined", "e2e4 e7e5 g1f3", "mary", "takeback/no", "e2e4 e7e5 g1f3", false, false, false},
		{"proposed", "e2e4 e7e5 g1f3", "mary", "", "e2e4 e7e5 g1f3", true, false, false},
		{"declined by moving", "e2e4 e7e5 g1f3", "mary", "move/g8f6", "e2e4 e7e5 g1f3 g8f6", false, false, false},
		{"too early", "e2e4", "mary", "takeback/yes", "e2e4", false, false, false},
		{"not with a bot that never does", "e2e4 e7e5 g1f3", "mary", "takeback/yes", "e2e4 e7e5 g1f3", false, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sandbox.Options{}, sandbox.Account{Name: "Kind", Title: "BOT", Token: "kind", Takebacks: sandbox.TakebacksAlways, Scopes: []string{"bot:play"}})
			other := "bob"
			if test.accepterIsBot {
				other = "deep"
			}
			id := w.start("Mary", other, sandbox.GameSetup{})
			w.play(id, "mary", other, test.moves)
			w.ok("mary", gamePath("mary", id, "takeback/yes"), "")
			if test.answer != "" {
				w.ok(other, gamePath(other, id, test.answer), "")
			}
			var full lichess.GameFull
			w.watch("mary", id).next("gameFull", &full)
			if s := full.State; s.Moves != test.left || s.WTakeback != test.white || s.BTakeback != test.black {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestTakebackOnTheStream(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Mary", "Bob", sandbox.GameSetup{})
	w.play(id, "mary", "bob", "e2e4 e7e5")
	w.clock.Advance(20 * time.Second)
	w.play(id, "mary", "bob", "g1f3")
	w.clock.Advance(30 * time.Second)
	l := w.watch("bob", id)
	l.next("gameFull", nil)
	w.ok("mary", gamePath("mary", id, "takeback/yes"), "")
	l.system("Takeback sent")
	if s := l.state(); !s.WTakeback || s.Ply() != 3 || s.WTime != 162000 || s.BTime != 150000 {
		t.Errorf("%+v", s)
	}
	w.ok("bob", gamePath("bob", id, "takeback/yes"), "")
	l.system("Takeback accepted")
	if s := l.state(); s.WTakeback || s.Moves != "e2e4 e7e5" || s.WTime != 180000 || s.BTime != 180000 {
		t.Errorf("%+v", s)
	}
	w.play(id, "mary", "bob", "f1c4")
	if s := l.state(); s.Moves != "e2e4 e7e5 f1c4" {
		t.Errorf("%+v", s)
	}
}

// A takeback gives the time back to the side whose move goes, and to no other.
func TestTakebackRestoresTheClock(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Mary", "Bob", sandbox.GameSetup{})
	w.play(id, "mary", "bob", "e2e4 e7e5")
	w.clock.Advance(20 * time.Second)
	w.play(id, "mary", "", "g1f3")
	w.clock.Advance(10 * time.Second)
	w.play(id, "bob", "", "b8c6")
	w.clock.Advance(5 * time.Second)
	w.play(id, "mary", "", "f1c4")
	w.ok("mary", gamePath("mary", id, "takeback/yes"), "")
	w.ok("bob", gamePath("bob", id, "takeback/yes"), "")
	var full lichess.GameFull
	w.watch("mary", id).next("gameFull", &full)
	if s := full.State; s.Ply() != 4 || s.WTime != 162000 || s.BTime != 172000 {
		t.Errorf("%+v", s)
	}
}

func TestTakebacksByPreference(t *testing.T) {
	w := newWorld(t, sandbox.Options{}, sandbox.Account{Name: "Casual", Token: "casual", Takebacks: sandbox.TakebacksCasual})
	for _, rated := range []bool{false, true} {
		id := w.start("Mary", "Casual", sandbox.GameSetup{Rated: rated})
		w.play(id, "mary", "casual", "e2e4 e7e5 g1f3")
		w.ok("mary", gamePath("mary", id, "takeback/yes"), "")
		var full lichess.GameFull
		w.watch("mary", id).next("gameFull", &full)
		if full.State.WTakeback == rated {
			t.Errorf("rated %v: proposal standing %v", rated, full.State.WTakeback)
		}
	}
}

// Each refusal makes the proposer wait longer: 10 s, 40 s, 90 s …
func TestTakebackIsThrottled(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	id := w.start("Mary", "Bob", sandbox.GameSetup{Days: 1})
	w.play(id, "mary", "bob", "e2e4 e7e5")
	standing := func() bool {
		t.Helper()
		w.ok("mary", gamePath("mary", id, "takeback/yes"), "")
		var full lichess.GameFull
		w.watch("mary", id).next("gameFull", &full)
		return full.State.WTakeback
	}
	for _, wait := range []time.Duration{10 * time.Second, 40 * time.Second} {
		if !standing() {
			t.Fatal("the proposal was ignored")
		}
		w.ok("bob", gamePath("bob", id, "takeback/no"), "")
		w.clock.Advance(wait - time.Second)
		if standing() {
			t.Errorf("again %v after a refusal", wait-time.Second)
		}
		w.clock.Advance(time.Second)
	}
	if !standing() {
		t.Error("ignored after the wait")
	}
}
