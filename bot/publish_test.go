package bot_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"castellan/bot/watch"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// events collects what a bot publishes.
type events struct {
	mu  sync.Mutex
	all []watch.Event
}

func (e *events) note(event watch.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, event)
}

// of returns the events of a type.
func of[T watch.Event](e *events) (found []T) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, event := range e.all {
		if t, is := event.(T); is {
			found = append(found, t)
		}
	}
	return found
}

// TestPublishedGame plays a rated game and holds what the bot told of it against what the server knows.
func TestPublishedGame(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	told := &events{}
	opts := quick()
	opts.Watch = told.note
	a.start("castellan", opts)
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, Rated: true})
	end := a.finished(id)
	a.until("the end and the ratings", func() bool { return len(of[*watch.Left](told)) == 1 && len(of[*watch.Rated](told)) == 1 })

	games := of[*watch.Game](told)
	last := games[len(games)-1]
	if !last.Over() || last.Board.Ply() != len(end.Moves) || last.Outcome() == "" || last.Us != chess.White || last.URL != a.URL+"/"+id {
		t.Errorf("the last state is %+v, the server says %+v", last.State, end)
	}
	if diff := of[*watch.Rated](told)[0]; last.Outcome() != watch.Draw && diff.Ours == 0 || diff.Theirs != -diff.Ours {
		t.Errorf("the ratings changed by %+v", diff)
	}
	if len(last.Notes) != last.Board.Ply()+1 {
		t.Fatalf("%d notes for %d plies", len(last.Notes), last.Board.Ply())
	}
	for ply := 1; ply <= last.Board.Ply(); ply++ {
		note := last.Notes[ply]
		if note.Clock == nil || *note.Clock <= 0 || *note.Clock > time.Minute {
			t.Errorf("ply %d: clock %v", ply, note.Clock)
		}
		if ours := ply%2 == 1; ours != (note.Thought != nil) {
			t.Errorf("ply %d: thought %v", ply, note.Thought)
		} else if ours && (note.Thought.Move != last.Board.Moves()[ply-1] || note.Thought.Source == engine.SourceNone) {
			t.Errorf("ply %d: %s was played, %+v was thought", ply, last.Board.Moves()[ply-1], note.Thought)
		}
	}
	if n, want := len(of[*watch.Decided](told)), (last.Board.Ply()+1)/2; n != want {
		t.Errorf("%d decisions were told, %d moves played", n, want)
	}
	if n := len(of[*watch.Echo](told)); n == 0 || n > (last.Board.Ply()+1)/2 {
		t.Errorf("%d moves came back", n)
	}
	if online := of[*watch.Online](told); len(online) == 0 || len(online) > 2 || lichess.UserID(online[0].Account) != "castellan" {
		t.Errorf("signing in was told as %v", online)
	}
	if streams := of[*watch.Stream](told); len(streams) == 0 || streams[0].Err != nil {
		t.Errorf("the event stream was told as %v", streams)
	}
}

// TestPublishedTakeback sees to it that nothing is told of moves that were taken back.
func TestPublishedTakeback(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	told := &events{}
	opts := quick()
	opts.Watch, opts.Takebacks = told.note, 1
	a.start("castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour})
	a.post("/api/board/game/"+id+"/move/e2e4", nil)
	a.plies(id, 2)
	a.post("/api/board/game/"+id+"/takeback/yes", nil)
	a.until("the takeback", func() bool { return len(a.game(id).Moves) == 0 })
	a.post("/api/board/game/"+id+"/move/d2d4", nil)
	a.plies(id, 2)
	a.until("the second answer", func() bool {
		games := of[*watch.Game](told)
		last := games[len(games)-1]
		return last.Board.Ply() == 2 && last.Board.Moves()[0].String() == "d2d4"
	})
	games := of[*watch.Game](told)
	last := games[len(games)-1]
	if thought := last.Notes[2].Thought; thought == nil || thought.Move != last.Board.Moves()[1] {
		t.Errorf("after the takeback %v was played and %+v is told", last.Board.Moves()[1], thought)
	}
	for _, g := range games {
		if len(g.Notes) != g.Board.Ply()+1 {
			t.Errorf("%d notes for %d plies", len(g.Notes), g.Board.Ply())
		}
	}
}

// TestPublishedQueue lets a challenge wait for a place, and get it.
func TestPublishedQueue(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	told := &events{}
	opts := quick()
	opts.Watch, opts.MaxGames, opts.Accept.Queue, opts.Accept.QueueWait = told.note, 1, 3, time.Hour
	a.start("castellan", opts)
	first := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour})
	a.until("the first game", func() bool { return len(of[*watch.Game](told)) > 0 })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	terms := lichess.ChallengeRequest{ToBot: true, TimeControl: lichess.TimeControl{Type: lichess.TimeControlClock, Limit: 180, Increment: 2}}
	challenge, err := a.client("rival").CreateChallenge(ctx, "Castellan", terms)
	if err != nil {
		t.Fatal(err)
	}
	a.until("the challenge to wait", func() bool {
		told := of[*watch.Queue](told)
		return len(told) == 1 && len(told[0].Waiting) == 1
	})
	w := of[*watch.Queue](told)[0].Waiting[0]
	if w.ID != challenge.ID || w.From != "Rival" || w.Rating == 0 || w.Terms != "3+2 casual standard" || time.Until(w.Until) < time.Minute {
		t.Errorf("it is told as %+v", w)
	}
	a.post("/api/board/game/"+first+"/abort", nil)
	a.until("the end of the wait", func() bool {
		told := of[*watch.Queue](told)
		return len(told) == 2 && len(told[1].Waiting) == 0
	})
	if answers := of[*watch.Challenge](told); len(answers) != 1 || answers[0].Reason != "" || answers[0].ID != challenge.ID {
		t.Errorf("the answer is told as %+v", answers)
	}
}

// TestPublishedOwnChallenge lets the bot challenge somebody who does not answer.
func TestPublishedOwnChallenge(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	rival := a.online("rival")
	told := &events{}
	opts := seeking()
	opts.Watch, opts.Match.Wait = told.note, 200*time.Millisecond
	a.start("castellan", opts)
	a.challenged(rival)
	a.until("the challenge and its end", func() bool { return len(of[*watch.Own](told)) == 2 })
	own := of[*watch.Own](told)
	if own[0].To != "Rival" || own[0].Terms == "" || time.Since(own[0].Since) > patience || own[1].To != "" {
		t.Errorf("it is told as %+v, and its end as %+v", own[0], own[1])
	}
}
