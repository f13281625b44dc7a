package bot_test

import (
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// readily gives up what is lost after two moves.
func readily() bot.ResignPolicy {
	return bot.ResignPolicy{Enabled: true, Humans: true, Bots: true, Score: -500, Moves: 2, FromMove: 1}
}

// TestResignsWithCare plays a lost game, with pawns that can move, against the person, who does nothing in particular.
func TestResignsWithCare(t *testing.T) {
	t.Parallel()
	const fen = "3qk3/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1"
	for _, tt := range []struct {
		name   string
		fen    string
		clock  time.Duration
		change func(*bot.ResignPolicy)
		want   bool
	}{
		{"by the plain rules", fen, time.Hour, nil, true},
		{"not at all", fen, time.Hour, func(r *bot.ResignPolicy) { r.Enabled = false }, false},
		{"not to people", fen, time.Hour, func(r *bot.ResignPolicy) { r.Humans = false }, false},
		{"not to the weak", fen, time.Hour, func(r *bot.ResignPolicy) { r.MinRating = 1501 }, false},
		{"to those strong enough", fen, time.Hour, func(r *bot.ResignPolicy) { r.MinRating = 1500 }, true},
		{"not to one who is short of time", fen, 20 * time.Second, func(r *bot.ResignPolicy) { r.OpponentClock = 25 * time.Second }, false},
		{"to one who is not quite so", fen, 40 * time.Second, func(r *bot.ResignPolicy) { r.OpponentClock = 5 * time.Second }, true},
		{"not before its time", fen, time.Hour, func(r *bot.ResignPolicy) { r.FromMove = 50 }, false},
		{"not before it is lost for long", fen, time.Hour, func(r *bot.ResignPolicy) { r.Moves = 50 }, false},
		{"not on a look that is not deep enough", fen, time.Hour, func(r *bot.ResignPolicy) { r.Depth = 100 }, false},
		{"not with a score that is not so bad", fen, time.Hour, func(r *bot.ResignPolicy) { r.Score = -9000 }, false},
		{"not while a stalemate is near", "3qk3/8/8/8/p7/P7/8/6K1 w - - 0 1", time.Hour, func(r *bot.ResignPolicy) { r.Stalemate = true }, false},
		{"near a stalemate that is not hoped for", "3qk3/8/8/8/p7/P7/8/6K1 w - - 0 1", time.Hour, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{})
			opts := quick()
			opts.Resign = readily()
			if tt.change != nil {
				tt.change(&opts.Resign)
			}
			a.startWith(n.URL, "castellan", opts, engine.Options{MaxMoveTime: 10 * time.Millisecond})
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: tt.clock, FEN: tt.fen})
			for i, move := range []string{"d8d7", "d7d8", "d8d7", "d7d8"} {
				a.until("a move or the end", func() bool { g := a.game(id); return len(g.Moves) > 2*i || g.Status.Over() })
				if a.game(id).Status.Over() {
					break
				}
				a.move(id, move)
			}
			a.until("a move or the end", func() bool { g := a.game(id); return len(g.Moves) > 8 || g.Status.Over() })
			g := a.game(id)
			if resigned := g.Status == lichess.StatusResign; resigned != tt.want || n.count("/resign") > 1 || resigned && g.Winner != lichess.ColorBlack {
				t.Errorf("status %s after %v; requests %q", g.Status, g.Moves, n.requests("/resign"))
			}
		})
	}
}

// TestResignsWhatTheTablesCallLost lets the bot be lost by the endgame tables, which tell it however short it thinks, and drawn by the
// 50-move rule in the same ending.
func TestResignsWhatTheTablesCallLost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fen  string
		want lichess.Status
	}{
		"lost":                      {"8/8/8/3k4/8/8/8/K6R b - - 0 1", lichess.StatusResign},
		"saved by the 50-move rule": {"8/8/8/3k4/8/8/8/K6R b - - 93 70", lichess.StatusDraw},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			opts := quick()
			opts.Resign = readily()
			opts.Resign.Depth = 100
			a.startWith(a.URL, "castellan", opts, withTables(t, engine.Options{MaxMoveTime: time.Millisecond}))
			id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour, FEN: tt.fen})
			for i := range 5 {
				a.until("a move or the end", func() bool { g := a.game(id); return len(g.Moves) > 2*i || g.Status.Over() })
				if a.game(id).Status.Over() {
					break
				}
				a.wanders(id, tt.fen)
			}
			a.until("the end", func() bool { return a.game(id).Status.Over() })
			if g := a.game(id); g.Status != tt.want {
				t.Errorf("the game ended by %s after %v", g.Status, g.Moves)
			}
		})
	}
}

// TestNoResignationToOneWhoHasLeft lets the person go while the bot is lost and to move.
func TestNoResignationToOneWhoHasLeft(t *testing.T) {
	t.Parallel()
	const fen = "3qk3/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1"
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{line: func(_, line string) []string {
		if state := parse(line).state(); state != nil && state.ply() == 4 {
			return []string{line, fields{"type": lichess.TypeOpponentGone, "gone": true, "claimWinInSeconds": 30}.String()}
		}
		return []string{line}
	}})
	opts := quick()
	opts.Resign = readily()
	opts.Resign.Moves = 3
	d := a.startWith(n.URL, "castellan", opts, engine.Options{MaxMoveTime: 300 * time.Millisecond})
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour, FEN: fen})
	a.plies(id, 1)
	a.move(id, "d8d7")
	a.plies(id, 3)
	a.move(id, "d7d8")
	a.until("a move or the end", func() bool { g := a.game(id); return len(g.Moves) > 4 || g.Status.Over() })
	if g := a.game(id); g.Status.Over() || !d.log.has("verdict=\"go on\"") {
		t.Errorf("the game ended by %s", g.Status)
	}
}
