package bot

import (
	"testing"

	"castellan/lichess"
)

func TestRematchesAreAskedForByThePolicy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*RematchPolicy, *ended)
		want   bool
	}{
		{"lost to a bot", nil, true},
		{"switched off", func(r *RematchPolicy, _ *ended) { r.Offer = false }, false},
		{"not with bots", func(r *RematchPolicy, _ *ended) { r.Bots = false }, false},
		{"a person", func(_ *RematchPolicy, e *ended) { e.bot = false }, true},
		{"not with people", func(r *RematchPolicy, e *ended) { r.Humans, e.bot = false, false }, false},
		{"nobody's account, or the server's engine", func(_ *RematchPolicy, e *ended) { e.account, e.bot = false, false }, false},
		{"in a tournament", func(_ *RematchPolicy, e *ended) { e.tournament = true }, false},
		{"by correspondence", func(_ *RematchPolicy, e *ended) { e.timed = false }, false},
		{"hardly begun", func(_ *RematchPolicy, e *ended) { e.plies = 1 }, false},
		{"won", func(_ *RematchPolicy, e *ended) { e.won = true }, true},
		{"won, when only lost games count", func(r *RematchPolicy, e *ended) { r.Lost, e.won = true, true }, false},
		{"drawn, when only lost games count", func(r *RematchPolicy, e *ended) { r.Lost, e.status = true, lichess.StatusDraw }, true},
		{"the last of the row", func(_ *RematchPolicy, e *ended) { e.inRow = 3 }, false},
		{"the last but one", func(_ *RematchPolicy, e *ended) { e.inRow = 2 }, true},
		{"resigned", func(_ *RematchPolicy, e *ended) { e.status = lichess.StatusResign }, true},
		{"stalemate", func(_ *RematchPolicy, e *ended) { e.status = lichess.StatusStalemate }, true},
		{"flag fallen", func(_ *RematchPolicy, e *ended) { e.status = lichess.StatusOutOfTime }, true},
		{"the opponent has left", func(_ *RematchPolicy, e *ended) { e.status, e.won = lichess.StatusTimeout, true }, false},
		{"aborted", func(_ *RematchPolicy, e *ended) { e.status = lichess.StatusAborted }, false},
		{"never begun", func(_ *RematchPolicy, e *ended) { e.status = lichess.StatusNoStart }, false},
		{"cheat", func(_ *RematchPolicy, e *ended) { e.status = lichess.StatusCheat }, false},
		{"a status to come", func(_ *RematchPolicy, e *ended) { e.status = "somethingNew" }, false},
	} {
		r := RematchPolicy{Offer: true, Humans: true, Bots: true, Games: 3}
		e := ended{status: lichess.StatusMate, plies: 40, timed: true, account: true, bot: true, inRow: 1}
		if tt.change != nil {
			tt.change(&r, &e)
		}
		if why := r.declines(&e); (why == "") != tt.want {
			t.Errorf("%s: asked for %v, because %q", tt.name, why == "", why)
		}
	}
}
