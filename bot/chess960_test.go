package bot_test

import (
	"strings"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// thorough are the options of a bot that finds a mate in one on any machine.
func thorough() (bot.Options, engine.Options) {
	opts := quick()
	opts.CorrespondenceThink = 100 * time.Millisecond // bounds the first move too
	return opts, engine.Options{MaxMoveTime: 100 * time.Millisecond}
}

func TestCastlesWithTheInnerRook(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	opts, think := thorough()
	a.startWith(a.URL, "castellan", opts, think)
	// Only castling from d1 with the rook on f1, which stays where it is, mates.
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute, FEN: "8/8/8/8/8/2NN4/2PPP3/k2K1R1R w F - 0 1"})
	a.plies(id, 1)
	if g := a.game(id); g.Status != lichess.StatusMate || g.Moves[0] != "d1f1" {
		t.Errorf("the moves are %v, the status is %s", g.Moves, g.Status)
	}
}

// TestCastlingAndKingStepsAreReadRight lets the opponent move his king so that the bot can mate in one, if its board is right.
func TestCastlingAndKingStepsAreReadRight(t *testing.T) {
	t.Parallel()
	const (
		standard = "4k3/1b6/8/6q1/8/8/5PPP/4K2R w K - 0 1" // to be mated by g5g2 when castled
		step     = "4r3/6k1/8/8/8/8/5PPP/5K1R w H - 0 1"   // to be mated by e8e1 when the king has stepped to g1 and not castled
	)
	for _, tt := range []struct {
		name, fen, move, told, mate string
	}{
		{"castling as it is told now", standard, "e1g1", "e1h1", "g5g2"},
		{"castling as it was told before", standard, "e1g1", "e1g1", "g5g2"},
		{"a step of the king that looks like castling", step, "f1g1", "f1g1", "e8e1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{line: changingStates(func(state fields) {
				moves, _ := state["moves"].(string)
				state["moves"] = strings.Replace(moves, "e1h1", tt.told, 1)
			})})
			opts, think := thorough()
			a.startWith(n.URL, "castellan", opts, think)
			id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute, FEN: tt.fen})
			a.move(id, tt.move)
			a.plies(id, 2)
			if g := a.game(id); g.Status != lichess.StatusMate || g.Moves[1] != tt.mate {
				t.Errorf("the moves are %v, the status is %s", g.Moves, g.Status)
			}
		})
	}
}
