package bot

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
)

const (
	// clockShare is the part of the time left that a wait for the network may take at most.
	clockShare = 20
	// leisure is the least time on the clock with which a move waits for idle time: below that a game by correspondence is played
	// like one by a clock.
	leisure = time.Hour
	// firstMoveThink bounds the bot's first move, before which no clock runs and the opponent waits.
	firstMoveThink = time.Second
	// leastSendTime and mostSendTime bound the time that a move's request is given. When the server owes an answer for a third of
	// it, the client gives the request up as doubtful.
	leastSendTime = 2 * time.Second
	mostSendTime  = 24 * time.Second
)

// thought is a search under way.
type thought struct {
	cancel context.CancelFunc
	key    uint64        // of the position that is searched …
	ply    int           // … and the number of moves before it
	hit    chan struct{} // for a search on the opponent's time: closed when he plays what was expected; nil when it is our time
}

// expected tells whether the search is about the position on the board.
func (t *thought) expected(board *chess.Game) bool {
	return t.ply == board.Ply() && t.key == board.Position().Key()
}

func (g *game) stopThinking() {
	if g.thought != nil {
		g.thought.cancel()
		g.thought = nil
	}
}

// think starts a search for the bot's move.
func (g *game) think(ctx context.Context) {
	g.search(ctx, g.board.Clone(), nil)
}

// ponder starts a search on the opponent's time, about the position after the reply that is expected of him.
func (g *game) ponder(ctx context.Context) {
	if !g.opts.Ponder || !g.timed || g.thought != nil || g.reply == chess.NoMove || g.board.Ply() < 2 {
		return
	}
	board := g.board.Clone()
	if err := board.Play(g.reply); err != nil || board.Outcome().Over() {
		return
	}
	g.search(ctx, board, make(chan struct{}))
}

func (g *game) search(ctx context.Context, board *chess.Game, hit chan struct{}) {
	find := g.finder(hit)
	searching, cancel := context.WithCancel(ctx)
	t := &thought{cancel: cancel, key: board.Position().Key(), ply: board.Ply(), hit: hit}
	g.thought = t
	g.log.Debug("thinking", "ply", t.ply, "ponder", hit != nil)
	g.work.Go(func() {
		decision, err := find(searching, board)
		g.tell(func() {
			cancel()
			if g.thought == t {
				g.thought = nil
				g.onThought(ctx, decision, err)
			}
		})
	})
}

// otherMoves returns the legal moves that the server has not refused; none when it has refused all.
func (g *game) otherMoves() (others []chess.Move) {
	var legal chess.MoveList
	g.board.Position().LegalMoves(&legal)
	for _, m := range legal.Slice() {
		if !slices.Contains(g.barred, m.String()) {
			others = append(others, m)
		}
	}
	return others
}

// finder returns the call that finds the bot's next move within what the clock allows.
func (g *game) finder(hit chan struct{}) func(context.Context, *chess.Game) (engine.Decision, error) {
	if g.thinker == nil {
		g.thinker = g.mind.ForGame(g.id)
	}
	thinker := g.thinker
	if left := g.timeLeft(); !g.timed && left >= leisure && len(g.barred) == 0 {
		// Three quarters of the time are kept for a machine that is busy, or off.
		think, latest := g.opts.CorrespondenceThink, left/4
		return func(ctx context.Context, board *chess.Game) (engine.Decision, error) {
			return thinker.ThinkIdle(ctx, board, think, latest)
		}
	}
	limits := g.limits()
	limits.PonderHit = hit
	if len(g.barred) > 0 {
		limits.SearchMoves = g.otherMoves()
	}
	return func(ctx context.Context, board *chess.Game) (engine.Decision, error) {
		return thinker.Think(ctx, board, limits)
	}
}

// limits returns what the clock allows for the bot's next move.
func (g *game) limits() engine.Limits {
	us, them := lichess.Color(g.us.String()), lichess.Color(g.us.Other().String())
	if !g.timed || g.board.Ply() < 2 {
		// A correspondence clock may be short too, at the end of its days.
		think := min(g.opts.CorrespondenceThink, max(g.timeLeft()/20, time.Millisecond))
		if g.timed {
			think = min(think, firstMoveThink)
		}
		return engine.Limits{MoveTime: think}
	}
	left := map[lichess.Color]time.Duration{us: g.state.Time(us).Duration(), them: g.state.Time(them).Duration()}
	if g.ourTurn() {
		left[us] = max(left[us]-time.Since(g.seenAt), time.Millisecond)
	}
	return engine.Limits{
		WTime: left[lichess.ColorWhite], BTime: left[lichess.ColorBlack],
		WInc: g.state.WInc.Duration(), BInc: g.state.BInc.Duration(),
		Overhead: g.overhead.expected(time.Now()),
	}
}

// onThought takes the answer to a search for the bot's move and does what the verdict says.
func (g *game) onThought(ctx context.Context, d engine.Decision, err error) {
	if !g.ourTurn() || g.sent != nil {
		return
	}
	if err != nil {
		g.log.Error("the search failed", "err", err, "move", d.Move, "fen", g.board.Position().FEN())
	}
	if d.Move == chess.NoMove {
		if !errors.Is(err, engine.ErrClosed) {
			g.due.resync = time.Now().Add(finishWait) // nothing to play: the server must know more
		}
		return
	}
	g.noteThought(d)
	g.reply = d.Ponder
	g.history = append(g.history, assess(g.board.Ply(), &d, g.board.Position().CountMoves() == 1))
	move := &sending{ply: g.board.Ply(), move: d.Move.String()}
	v := g.judge()
	g.log.Debug("move", "ply", move.ply+1, "san", g.board.Position().SAN(d.Move), "score", d.Score.String(), "depth", d.Depth, "nodes", d.Nodes,
		"took", d.Time.String(), "clock", g.timeLeft().Round(time.Millisecond).String(), "source", d.Source.String(), "verdict", v.String(), "overhead", g.overhead.expected(time.Now()).String())
	switch v {
	case resign:
		g.log.Info("resigning", "score", d.Score.String())
		g.endBy(ctx, move, g.client.Resign)
	case acceptDraw:
		g.log.Info("accepting the draw", "score", d.Score.String())
		g.endBy(ctx, move, func(ctx context.Context, id string) error { return g.client.Draw(ctx, id, true) })
	case offerDraw:
		g.log.Info("offering a draw", "score", d.Score.String())
		g.offers.madeAt = g.board.Ply()
		g.noteDoings()
		move.offer = true
		g.send(ctx, move)
	default:
		g.send(ctx, move)
	}
}

// endBy ends the game by a request other than a move. The server answers success also when it ignores such a request: if the
// game goes on, the move is played after all.
func (g *game) endBy(ctx context.Context, move *sending, end func(context.Context, string) error) {
	g.sent = move
	move.inFlight = true
	patience := min(finishWait, g.timeLeft()/10)
	g.request(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, g.sendTime())
		defer cancel()
		return end(ctx, g.id)
	}, func(err error) {
		if g.sent != move {
			return
		}
		if err != nil {
			g.log.Warn("ending the game failed, playing on", "err", err)
			g.send(ctx, move)
			return
		}
		time.AfterFunc(patience, func() {
			g.tell(func() {
				if g.sent == move {
					g.send(ctx, move)
				}
			})
		})
	})
}

// timeLeft returns what the bot's clock shows now.
func (g *game) timeLeft() time.Duration {
	return max(g.state.Time(lichess.Color(g.us.String())).Duration()-time.Since(g.seenAt), 0)
}

// sendTime returns how long a move's request may take: no longer than the clock makes it useful, since the server lets a
// request hang whose flag has fallen.
func (g *game) sendTime() time.Duration {
	return min(max(g.timeLeft(), leastSendTime), mostSendTime)
}

// send sends a move, for the first time or again. Only the stream tells whether it was played.
func (g *game) send(ctx context.Context, s *sending) {
	g.sent = s
	s.inFlight = true
	if s.at.IsZero() {
		s.at = time.Now()
	}
	timeout := g.sendTime()
	g.request(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return g.client.Move(ctx, g.id, s.move, s.offer)
	}, func(err error) {
		s.inFlight, s.stream = false, g.stream
		if g.sent != s {
			return // the stream was faster
		}
		g.onSent(ctx, s, err)
	})
}

// pause returns how long to wait before looking at the game again after n failures before this one.
func (g *game) pause(n int) time.Duration {
	return g.withinClock(min(100*time.Millisecond<<min(n, 6), echoWait))
}

// withinClock shortens a wait, but not below a quarter of a second, to what the bot's clock has room for many times over.
func (g *game) withinClock(wait time.Duration) time.Duration {
	if g.full == nil || !g.timed || g.board.Ply() < 2 {
		return wait
	}
	return min(wait, max(g.timeLeft()/clockShare, 250*time.Millisecond))
}

// lastTries is the most that is kept on the clock for sending a move when the server wants a longer wait than there is time.
const lastTries = 6 * time.Second

// heed returns how long to wait for the server's sake: as long as it wants, or until there is just enough left on the clock for
// a try and another after that.
func (g *game) heed(wait time.Duration) time.Duration {
	left := g.timeLeft()
	return min(wait, max(left-min(lastTries, left/4), 250*time.Millisecond))
}

// onSent takes the answer to a move that the stream has not shown yet.
func (g *game) onSent(ctx context.Context, s *sending, err error) {
	switch {
	case err == nil:
		g.due.resync = time.Now().Add(g.withinClock(echoWait))
	case lichess.Uncertain(err):
		g.log.Warn("no answer to the move, looking at the game", "move", s.move, "err", err)
		if s.doubted++; s.doubted == 1 {
			g.openStream(ctx)
			return
		}
		// A server in trouble that says so at once is not to be asked as fast as it answers.
		g.due.resync = time.Now().Add(g.pause(s.doubted - 1))
	default:
		// "Not your turn" means that an earlier try went through or that the game is over: the stream tells. Anything else is
		// tried again, more and more slowly.
		g.log.Warn("the move was not taken, looking at the game", "move", s.move, "err", err)
		if refusal := (*lichess.APIError)(nil); errors.As(err, &refusal) && refusal.Status == http.StatusBadRequest {
			s.illegal++
		}
		wait := g.pause(s.refused)
		if limit := (*lichess.LimitError)(nil); errors.As(err, &limit) && !limit.Guessed {
			wait = g.heed(limit.Wait())
			s.wanted = time.Now().Add(wait)
		}
		g.due.resync = time.Now().Add(wait)
		s.refused++
	}
}
