package bot

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"castellan/bot/watch"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
)

// publish tells whoever watches; nobody does when Options.Watch is nil.
func (o *Options) publish(event watch.Event) {
	if o.Watch != nil {
		o.Watch(event)
	}
}

// chronicle is what a game keeps of its own past for those who watch: the states tell clocks and moves of the moment alone. It
// belongs to the game's goroutine. What it has published is never changed.
type chronicle struct {
	moves   []string       // those that the notes are about
	notes   []watch.Note   // after the i-th ply at index i
	thought *watch.Thought // the latest one
}

// noteState takes the state that has just come and publishes how the game stands. A fresh one tells the time left at the moment
// of asking; moved tells that it has brought moves or taken some back, over that it is the last.
func (g *game) noteState(fresh, moved, over bool) {
	c := &g.past
	if moved {
		g.logTheirs()
	}
	if g.opts.Watch == nil {
		return
	}
	common := 0
	for common < min(len(c.moves), len(g.moves)) && c.moves[common] == g.moves[common] {
		common++
	}
	notes := make([]watch.Note, len(g.moves)+1)
	copy(notes, c.notes[:min(common+1, len(c.notes))])
	c.moves, c.notes = g.moves, notes
	if g.timed {
		g.noteClocks(fresh)
	}
	if t := c.thought; t != nil && t.Ply < len(g.moves) && g.board.Moves()[t.Ply] == t.Move {
		notes[t.Ply+1].Thought = t
	}
	g.publishGame(moved, over)
}

// logTheirs writes the opponent's move down; the bot's own are written when they are found.
func (g *game) logTheirs() {
	last := g.board.Ply()
	if last == 0 || !g.ourTurn() || !g.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	before := g.board.PositionAt(last - 1)
	g.log.Debug("opponent's move", "ply", last, "san", before.SAN(g.board.Moves()[last-1]),
		"clock", g.state.Time(lichess.Color(g.us.Other().String())).Duration().String())
}

// noteClocks takes the clocks of the last two moves. The clock of who has just moved stands; that of who is to move has run since,
// but not in the line that came with the move.
func (g *game) noteClocks(fresh bool) {
	last := len(g.moves)
	mover := g.us
	if g.ourTurn() {
		mover = g.us.Other()
	}
	note := func(ply int, side chess.Color) {
		if ply >= 1 && g.past.notes[ply].Clock == nil {
			left := g.state.Time(lichess.Color(side.String())).Duration()
			g.past.notes[ply].Clock = &left
		}
	}
	note(last, mover)
	if !fresh {
		note(last-1, mover.Other())
	}
}

// noteThought publishes the decision about the bot's move in the position on the board.
func (g *game) noteThought(d engine.Decision) {
	g.past.thought = &watch.Thought{Ply: g.board.Ply(), Decision: d}
	if g.opts.Watch == nil {
		return
	}
	g.opts.publish(&watch.Decided{Game: g.id, Speed: g.full.Speed, Thought: g.past.thought})
	g.publishGame(false, false)
}

func (g *game) publishGame(moved, over bool) {
	g.opts.publish(&watch.Game{
		ID: g.id, URL: g.client.URL() + "/" + g.id, Us: g.us, Full: g.full, State: g.state, SeenAt: g.seenAt,
		Board: g.board, Moved: moved, Ended: over, Notes: slices.Clone(g.past.notes), Thought: g.past.thought,
	})
}

// noteEcho publishes how long a move took to come back.
func (g *game) noteEcho(took time.Duration) {
	g.opts.publish(&watch.Echo{Game: g.id, Took: took})
}

// noteOnline publishes whose account it is, as far as is known.
func (b *Bot) noteOnline() {
	b.opts.publish(&watch.Online{Account: b.client.Username(), URL: b.client.URL()})
}

// noteRating publishes what a game did to the ratings, when the server tells.
func (b *Bot) noteRating(info *lichess.GameInfo) {
	if info.RatingDiff != nil && info.Opponent.RatingDiff != nil {
		b.opts.publish(&watch.Rated{Game: info.GameID, Ours: *info.RatingDiff, Theirs: *info.Opponent.RatingDiff})
	}
}

// noteQueue publishes who waits for a place, when that has changed.
func (b *Bot) noteQueue() {
	if slices.Equal(b.queue, b.toldQueue) {
		return
	}
	b.toldQueue = slices.Clone(b.queue)
	now := &watch.Queue{}
	for _, w := range b.queue {
		now.Waiting = append(now.Waiting, watch.Waiting{
			ID: w.challenge.ID, From: challengerName(w.challenge), Rating: rating(w.challenge), Terms: describe(w.challenge), Until: w.until,
		})
	}
	b.opts.publish(now)
}

// noteOwn publishes the bot's own challenge, when another one waits for its answer than before, or none.
func (b *Bot) noteOwn() {
	o := b.match.out
	if o == b.toldOwn {
		return
	}
	b.toldOwn = o
	now := &watch.Own{}
	if o != nil {
		now.To, now.Terms, now.Since = o.name, o.terms.String(), time.Now()
	}
	b.opts.publish(now)
}

// noteAnswer publishes how a challenge is answered: accepted when there is no refusal.
func (b *Bot) noteAnswer(c *lichess.Challenge, r *refusal) {
	answer := &watch.Challenge{ID: c.ID, From: challengerName(c), Terms: describe(c)}
	if r != nil {
		answer.Reason, answer.Why = r.reason, r.why
	}
	b.opts.publish(answer)
}
