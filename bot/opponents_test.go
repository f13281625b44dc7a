package bot_test

import (
	"testing"
	"time"

	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestOpponentsWithoutNameOrTitle(t *testing.T) {
	t.Parallel()
	for name, opponent := range map[string]fields{
		"title null":        {"id": "person", "name": "Person", "title": nil, "rating": 1500},
		"the server's own":  {"aiLevel": 3},
		"anonymous":         {},
		"a rating in words": {"id": "person", "name": "Person", "rating": "about 1500", "provisional": "?"},
		"all null":          {"id": nil, "name": nil, "title": nil, "rating": nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{line: func(_, line string) []string {
				f := parse(line)
				switch {
				case f.is(lichess.TypeGameFull):
					f["black"] = opponent
				case f.is(lichess.TypeGameStart):
					f["game"].(map[string]any)["opponent"] = fields{"id": nil, "username": opponent["name"], "ai": opponent["aiLevel"]}
				}
				return []string{f.String()}
			}})
			opts := quick()
			opts.Chat.Greeting = "Good luck, {opponent}!"
			a.startAt(n.URL, "castellan", opts)
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
			a.plies(id, 1)
			a.move(id, "e7e5")
			a.plies(id, 3)
		})
	}
}

func TestOpponentWhoComesBackByMovingLosesNothing(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	gone := func(seconds int) string {
		return fields{"type": lichess.TypeOpponentGone, "gone": true, "claimWinInSeconds": seconds}.String()
	}
	n := newTap(t, a.URL, tapping{line: func(_, line string) []string {
		if state := parse(line).state(); state != nil && state.ply() == 6 {
			return []string{line, gone(0)} // in the bot's own turn, when nothing can be claimed
		}
		return []string{line}
	}})
	d := a.startWith(n.URL, "castellan", quick(), engine.Options{MaxMoveTime: 400 * time.Millisecond})
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Hour})
	hear := func(line, marker string) {
		t.Helper()
		n.inject(gameStream+id, line)
		n.inject(gameStream+id, fields{"type": lichess.TypeChatLine, "room": "player", "username": "Person", "text": marker}.String())
		a.until("the line is heard", func() bool { return d.log.has(marker) })
	}
	noClaim := func() {
		t.Helper()
		a.stays("no claim", 1200*time.Millisecond, func() bool { return n.count("claim") == 0 })
	}
	a.plies(id, 1)
	a.move(id, "a7a6")
	a.plies(id, 3)
	hear(gone(1), "leaving")
	a.move(id, "a6a5") // and back, without a word
	a.plies(id, 5)
	noClaim()
	a.move(id, "a5a4")
	a.plies(id, 7)
	noClaim()
	hear(gone(1), "leaving again")
	hear(`{"type":"opponentGone","gone":false}`, "here I am")
	noClaim()
	hear(gone(0), "good-bye")
	a.until("a claim", func() bool { return n.count("/claim-victory") == 1 })
}

// TestFirstMovesAreSoonAndNeverAborted lets the bot think about its first move for longer than it waits for the opponent's.
func TestFirstMovesAreSoonAndNeverAborted(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.CorrespondenceThink = time.Minute
	opts.AbortAfter = 900 * time.Millisecond
	d := a.startWith(a.URL, "castellan", opts, engine.Options{MaxMoveTime: time.Minute})
	white := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: 10 * time.Minute})
	black := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: 10 * time.Minute})
	a.until("the bot waits for the opponent", func() bool { return d.log.has("msg=game game=" + black) })
	start := time.Now()
	a.move(black, "e2e4")
	a.plies(white, 1)
	a.plies(black, 2)
	// A second is meant; the rest is for a busy machine.
	if took := time.Since(start); took < opts.AbortAfter || took > 10*time.Second {
		t.Errorf("the first moves took %v", took)
	}
	if g := a.game(black); g.Status.Over() {
		t.Errorf("the game ended by %s", g.Status)
	}
}
