package chess

import (
	"errors"
	"strings"
	"testing"
)

type gameVector struct {
	Start    string
	Chess960 bool
	Moves    []string
	SAN      []string
	Rep      []int
	Clock    []int
	First    map[string]int
	Final    struct {
		FEN               string
		Rep, Clock        int
		ThreefoldNow      bool `json:"threefold_now"`
		FiftyNow          bool `json:"fifty_now"`
		CanClaimThreefold bool `json:"can_claim_threefold"`
		CanClaimFifty     bool `json:"can_claim_fifty"`
		WhiteInsufficient bool `json:"white_insufficient"`
		BlackInsufficient bool `json:"black_insufficient"`
	}
	ResultFIDE    [2]string `json:"result_fide"`
	ResultLichess [2]string `json:"result_lichess"`
}

// vectorReasons are the reasons by the names that games.jsonl gives them.
var vectorReasons = map[string]Reason{
	"ongoing": Ongoing, "checkmate": Checkmate, "stalemate": Stalemate, "insufficient": DeadMaterial,
	"fivefold": FivefoldRepetition, "seventyfive": SeventyFiveMoves, "fifty": FiftyMoves,
}

func TestGames(t *testing.T) {
	forEachVector(t, "games.jsonl", func(t *testing.T, v gameVector) {
		start := readFENOrFail(t, v.Start)
		fide, lichess, bots := NewGame(start, FIDE), NewGame(start, Lichess), NewGame(start, LichessBot)
		first := map[string]int{}
		note := func(event string, happens bool, ply int) {
			if _, known := first[event]; happens && !known {
				first[event] = ply
			}
		}
		for ply := 0; ; ply++ {
			if got := fide.Repetitions(); got != v.Rep[ply] {
				t.Errorf("ply %d: occurrence %d, want %d", ply, got, v.Rep[ply])
			}
			if got := fide.Position().HalfmoveClock(); got != v.Clock[ply] {
				t.Errorf("ply %d: half-move clock %d, want %d", ply, got, v.Clock[ply])
			}
			// Facts about the position, whether or not the game is over; what may be claimed goes by them.
			threefold, fifty := fide.Repetitions() >= 3, fide.Position().HalfmoveClock() >= FiftyMoveLimit
			outcome := fide.Outcome()
			reason := outcome.Reason
			if a, b := fide.Claims(); a != (threefold && !outcome.Over()) || b != (fifty && !outcome.Over()) {
				t.Errorf("ply %d: claims %v, %v in a game that is %v", ply, a, b, outcome)
			}
			note("threefold_now", threefold, ply)
			note("fifty_now", fifty && reason != Checkmate && reason != Stalemate, ply)
			note("checkmate", reason == Checkmate, ply)
			note("stalemate", reason == Stalemate, ply)
			note("insufficient", fide.Position().IsDeadMaterial(), ply)
			note("fivefold", fide.Repetitions() >= 5, ply)
			note("seventyfive", fide.Position().HalfmoveClock() >= 150 && reason != Checkmate && reason != Stalemate, ply)
			if want := threefold; !lichess.Outcome().Over() && (bots.Outcome().Reason == ThreefoldRepetition) != want {
				t.Errorf("ply %d: third occurrence %v, but a game of bots is %v", ply, want, bots.Outcome())
			}
			if ply == len(v.Moves) {
				break
			}
			p := fide.Position()
			m, err := p.ParseUCI(v.Moves[ply])
			if err != nil {
				t.Fatalf("ply %d: %v", ply+1, err)
			}
			if v.SAN != nil {
				if got := p.SAN(m); got != v.SAN[ply] {
					t.Errorf("ply %d: SAN %q, want %q", ply+1, got, v.SAN[ply])
				}
			}
			if err := fide.Play(m); err != nil {
				t.Fatal(err)
			}
			if err := lichess.PlayUCI(v.Moves[ply]); err != nil {
				t.Fatal(err)
			}
			if err := bots.PlaySAN(p.SAN(m)); err != nil {
				t.Fatal(err)
			}
			checkConsistent(t, fide.Position())
		}
		for _, event := range []string{"threefold_now", "fifty_now", "checkmate", "stalemate", "insufficient", "fivefold", "seventyfive"} {
			got, happened := first[event]
			want, wanted := v.First[event]
			if happened != wanted || got != want {
				t.Errorf("%s first at %d (%v), want %d (%v)", event, got, happened, want, wanted)
			}
		}
		p := fide.Position()
		want := parseFENOrFail(t, v.Final.FEN)
		if p.FEN() != want.FEN() {
			t.Errorf("ends in %s, want %s", p.FEN(), want.FEN())
		}
		// The vectors' flags do not ask whether the game is over by a draw of its own, only whether there is a move.
		threefold, fifty := fide.Repetitions() >= 3, p.HalfmoveClock() >= FiftyMoveLimit && p.HasLegalMove()
		if threefold != v.Final.ThreefoldNow || fifty != v.Final.FiftyNow {
			t.Errorf("third occurrence %v, 50 moves %v, want %v, %v", threefold, fifty, v.Final.ThreefoldNow, v.Final.FiftyNow)
		}
		threefold, fifty = claimsWithAnyMove(fide)
		wantThreefold, wantFifty := v.Final.CanClaimThreefold, v.Final.CanClaimFifty
		if fide.Outcome().Over() {
			wantThreefold, wantFifty = false, false
		}
		if threefold != wantThreefold || fifty != wantFifty {
			t.Errorf("claims now or with a move %v, %v, want %v, %v", threefold, fifty, wantThreefold, wantFifty)
		}
		if p.CanMate(White) == v.Final.WhiteInsufficient || p.CanMate(Black) == v.Final.BlackInsufficient {
			t.Errorf("CanMate %v, %v", p.CanMate(White), p.CanMate(Black))
		}
		for _, end := range []struct {
			g    *Game
			want [2]string
		}{{fide, v.ResultFIDE}, {lichess, v.ResultLichess}} {
			if got := end.g.Outcome(); got.Result() != end.want[0] || got.Reason != vectorReasons[end.want[1]] {
				t.Errorf("%+v: outcome %v, want %v", end.g.Rules(), got, end.want)
			}
		}
	})
}

// claimsWithAnyMove tells which draws may be claimed now or by announcing some move.
func claimsWithAnyMove(g *Game) (threefold, fifty bool) {
	threefold, fifty = g.Claims()
	var list MoveList
	g.Position().LegalMoves(&list)
	for _, m := range list.Slice() {
		a, b := g.ClaimsWith(m)
		threefold, fifty = threefold || a, fifty || b
	}
	return threefold, fifty
}

func TestClaimsWith(t *testing.T) {
	for _, tt := range []struct {
		fen, moves, announced string
		threefold, fifty      bool
	}{
		{startFEN, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", "f6g8", true, false},
		{startFEN, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", "f6d5", false, false},
		{startFEN, "Nf3 Nf6 Ng1", "f6g8", false, false},
		{startFEN, "", "e2e5", false, false},
		{"4k3/8/4K3/8/8/8/8/R6R w - - 99 90", "", "a1a7", false, true},
		{"4k3/8/4K3/8/8/8/8/R6R w - - 98 90", "", "a1a7", false, false},
		{"4k3/8/4K3/8/8/8/8/R6R w - - 99 90", "", "a1a8", false, false},     // mate
		{"4k3/8/4K3/8/8/8/P7/R6R w - - 99 90", "", "a2a3", false, false},    // a pawn's move
		{"7k/8/5K2/8/8/8/8/6Q1 w - - 99 90", "", "g1g6", false, false},      // stalemate
		{"4k3/8/4K3/8/8/8/8/R6R w - - 150 90", "", "a1a7", false, false},    // over by 75 moves
		{"4k3/8/4K3/8/8/8/8/R6R w - - 149 90", "", "a1a7", false, true},     // about to be
		{"4k3/8/4K3/8/8/8/8/7B w - - 120 90", "", "h1g2", false, false},     // over by dead material
		{"4k3/8/4K3/8/8/8/8/R6R w - - 99 90", "Ra7", "e8f8", false, true},   // claimable already, and still
		{"4k3/8/4K3/8/8/8/8/R6R w - - 99 90", "Ra8#", "e8d8", false, false}, // over by mate
	} {
		g := NewGame(parseFENOrFail(t, tt.fen), FIDE)
		for _, san := range strings.Fields(tt.moves) {
			if err := g.PlaySAN(san); err != nil {
				t.Fatal(err)
			}
		}
		from, _ := ParseSquare(tt.announced[:2])
		to, _ := ParseSquare(tt.announced[2:])
		threefold, fifty := g.ClaimsWith(newMove(kindNormal, from, to))
		if threefold != tt.threefold || fifty != tt.fifty {
			t.Errorf("%s after %q: with %s announced claims %v, %v, want %v, %v", tt.fen, tt.moves, tt.announced, threefold, fifty, tt.threefold, tt.fifty)
		}
	}
}

func TestRulesetLimits(t *testing.T) {
	for _, tt := range []struct {
		rules Ruleset
		clock int
		turns int // of knights out and back
		want  Reason
	}{
		{Ruleset{}, 0, 0, Ongoing},
		{Ruleset{}, 0, 9, Ongoing},
		{Ruleset{}, 9000, 0, Ongoing},
		{Ruleset{Repetitions: 1}, 0, 0, Ongoing},
		{Ruleset{Repetitions: -1, Halfmoves: -1}, 0, 9, Ongoing},
		{Ruleset{Repetitions: 2}, 0, 1, ThreefoldRepetition},
		{Ruleset{Repetitions: 4}, 0, 2, Ongoing},
		{Ruleset{Repetitions: 4}, 0, 3, ThreefoldRepetition},
		{Ruleset{Repetitions: 5}, 0, 4, FivefoldRepetition},
		{Ruleset{Repetitions: 6}, 0, 5, FivefoldRepetition},
		{Ruleset{Halfmoves: 120}, 119, 0, Ongoing},
		{Ruleset{Halfmoves: 120}, 120, 0, FiftyMoves},
		{Ruleset{Halfmoves: 160}, 159, 0, Ongoing},
		{Ruleset{Halfmoves: 160}, 160, 0, SeventyFiveMoves},
		{LichessBot, 0, 2, ThreefoldRepetition},
		{LichessBot, 100, 0, FiftyMoves},
	} {
		start := StartPosition()
		start.halfmove = uint16(tt.clock)
		g := NewGame(start, tt.rules)
		for range tt.turns {
			for _, san := range []string{"Nf3", "Nf6", "Ng1", "Ng8"} {
				if err := g.PlaySAN(san); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := g.Outcome(); got.Reason != tt.want {
			t.Errorf("%+v, clock %d, %d turns: %v, want %v", tt.rules, tt.clock, tt.turns, got, tt.want)
		}
	}
}

func TestGameUndo(t *testing.T) {
	g := NewGame(StartPosition(), FIDE)
	if g.Undo() {
		t.Error("a game without moves took one back")
	}
	for range 4 {
		for _, san := range []string{"Nf3", "Nf6", "Ng1", "Ng8"} {
			if err := g.PlaySAN(san); err != nil {
				t.Fatal(err)
			}
		}
	}
	clone := g.Clone()
	if got := g.Outcome(); got.Reason != FivefoldRepetition || got.String() != "1/2-1/2 (fivefold repetition)" {
		t.Errorf("outcome %v, want a draw by fivefold repetition", got)
	}
	if !g.Undo() || g.Ply() != 15 || g.Repetitions() != 4 || g.Outcome().Over() {
		t.Errorf("after taking one back: ply %d, occurrence %d, %v", g.Ply(), g.Repetitions(), g.Outcome())
	}
	if err := g.PlaySAN("Rg8"); err != nil {
		t.Fatal(err)
	}
	if g.Repetitions() != 1 {
		t.Errorf("occurrence %d of a new position", g.Repetitions())
	}
	if clone.Ply() != 16 || clone.Repetitions() != 5 || len(clone.Keys()) != 17 {
		t.Errorf("the copy changed with the game: ply %d, occurrence %d", clone.Ply(), clone.Repetitions())
	}
	for g.Undo() {
	}
	if start := StartPosition(); *g.Position() != start || g.Start() != start {
		t.Errorf("taking everything back leads to %s", g.Position().FEN())
	}
}

func TestGameRefusesIllegalMoves(t *testing.T) {
	g := NewGame(StartPosition(), FIDE)
	var illegal *IllegalMoveError
	if err := g.Play(NoMove); !errors.As(err, &illegal) {
		t.Errorf("Play: got %v, want an *IllegalMoveError", err)
	}
	if err := g.PlayUCI("e2e5"); !errors.As(err, &illegal) || illegal.Text != "e2e5" {
		t.Errorf("PlayUCI: got %v, want an *IllegalMoveError", err)
	}
	if err := g.PlaySAN("e5"); !errors.As(err, &illegal) {
		t.Errorf("PlaySAN: got %v, want an *IllegalMoveError", err)
	}
	if g.Ply() != 0 {
		t.Errorf("%d moves were played", g.Ply())
	}
}

// TestLongShuffle plays more plies without a capture or a pawn's move than two bytes can count.
func TestLongShuffle(t *testing.T) {
	g := NewGame(StartPosition(), FIDE)
	const rounds = 1<<14 + 1
	for range rounds {
		for _, text := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
			if err := g.PlayUCI(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := g.Outcome(); got.Reason != SeventyFiveMoves {
		t.Errorf("after %d plies the outcome is %v", g.Ply(), got)
	}
	if got := g.Repetitions(); got != rounds+1 {
		t.Errorf("the start has occurred %d times, want %d", got, rounds+1)
	}
	if fen, want := g.Position().FEN(), strings.Replace(startFEN, "0 1", "9999 9999", 1); fen != want {
		t.Errorf("the game is at %s, want %s", fen, want)
	}
}
