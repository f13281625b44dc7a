package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot"
	"castellan/bot/opponents"
	"castellan/lichess/sandbox"
)

// What the bot has done in a game is kept in the state directory; without one a game that is found in play may have seen it all.

// keeping are the options of a bot that begins with what the one before has left in the directory, "" for none.
func keeping(t *testing.T, opts bot.Options, dir string) bot.Options {
	t.Helper()
	if dir == "" {
		return opts
	}
	book, err := opponents.Load(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	opts.StateDir, opts.Opponents = dir, book
	return opts
}

func TestTakebacksAreCountedOverARestart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		state         bool
		before, after []string // answers to proposals
	}{
		{"kept, and all granted", true, []string{"yes"}, []string{"no"}},
		{"kept, and none granted", true, nil, []string{"yes", "no"}},
		{"not kept", false, []string{"yes"}, []string{"no"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{})
			dir := ""
			if tt.state {
				dir = t.TempDir()
			}
			opts := quick()
			opts.Takebacks = 1
			d := a.startAt(n.URL, "castellan", keeping(t, opts, dir))
			id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour})
			move := func(uci string) {
				t.Helper()
				a.move(id, uci)
				a.until("the reply", func() bool { g := a.game(id); return len(g.Moves)%2 == 0 && g.Moves[len(g.Moves)-2] == uci })
			}
			asked := 0
			propose := func(answers []string) {
				t.Helper()
				for _, want := range answers {
					// The stream tells of the bot's own move before it tells of this.
					word := fmt.Sprint("word", asked)
					a.tells(id, word)
					a.until("the bot has heard all", func() bool { return d.log.has("text=" + word) })
					plies := len(a.game(id).Moves)
					a.post("/api/board/game/"+id+"/takeback/yes", nil)
					asked++
					a.until("an answer", func() bool { return n.count("/takeback/") == asked })
					if got := n.requests("/takeback/")[asked-1]; !strings.HasSuffix(got, "/"+want) {
						t.Errorf("proposal %d: %s, want %s", asked, got, want)
					}
					if want == "yes" {
						a.until("the takeback", func() bool { return len(a.game(id).Moves) == plies-2 })
						move("d2d4")
					}
				}
			}
			move("g1f3")
			move("e2e3")
			propose(tt.before)
			d.kill()
			d = a.startAt(n.URL, "castellan", keeping(t, opts, dir))
			move("b1c3")
			propose(tt.after)
		})
	}
}

func TestDrawOffersKeepTheirDistanceOverARestart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		state bool
		want  []int // indices of the bot's moves with an offer
	}{{"kept", true, []int{1, 12}}, {"not kept", false, []int{1}}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{})
			dir := ""
			if tt.state {
				dir = t.TempDir()
			}
			opts := quick()
			opts.Draw = flat()
			d := a.startAt(n.URL, "castellan", keeping(t, opts, dir))
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour, FEN: fortress})
			for i := range 13 {
				a.plies(id, 2*i+1)
				if i == 3 {
					d.kill()
					a.startAt(n.URL, "castellan", keeping(t, opts, dir))
				}
				if i < 12 {
					a.wanders(id, fortress)
				}
			}
			var offers []int
			for i, r := range n.requests("/move/") {
				if strings.HasSuffix(r, "offeringDraw=true") {
					offers = append(offers, i)
				}
			}
			if !slices.Equal(offers, tt.want) {
				t.Errorf("offers with the moves %v of %q, want %v", offers, n.requests("/move/"), tt.want)
			}
		})
	}
}

// TestSpectatorsAreGreetedOnce plays a bot that is not talked to: then nothing in the players' chat tells of a greeting.
func TestSpectatorsAreGreetedOnce(t *testing.T) {
	t.Parallel()
	for _, state := range []bool{true, false} {
		a := newArena(t, sandbox.Options{})
		n := newTap(t, a.URL, tapping{})
		dir := ""
		if state {
			dir = t.TempDir()
		}
		opts := quick()
		opts.Chat = words()
		d := a.startAt(n.URL, "castellan", keeping(t, opts, dir))
		a.until("the bot is online", func() bool { return d.log.has("msg=online") }) // a game from before might have been greeted
		id := a.startGame(sandbox.GameSetup{White: "Rival", Black: "Castellan", Limit: time.Minute})
		said := func() int { return n.count("POST /api/bot/game/" + id + "/chat") }
		a.until("the greeting", func() bool { return said() == 1 })
		for range 2 {
			d.kill()
			d = a.startAt(n.URL, "castellan", keeping(t, opts, dir))
			a.until("the game", func() bool { return d.log.has("msg=game game=" + id) })
		}
		if err := a.client("rival").Move(t.Context(), id, "e2e4", false); err != nil {
			t.Fatal(err)
		}
		a.plies(id, 2)
		if said() != 1 {
			t.Errorf("state kept: %v: the spectators were greeted %d times", state, said())
		}
	}
}
