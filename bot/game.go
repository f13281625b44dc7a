package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"castellan/bot/opponents"
	"castellan/bot/watch"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
)

const (
	// echoWait is how long the stream may take to show a move that the server has accepted before the game asks anew how things
	// stand: a line can get lost.
	echoWait = 5 * time.Second
	// finishWait is how long a game waits for its last line when the event stream, or the board, says that it is over.
	finishWait = 3 * time.Second
	// flagWait is how long the server may take to tell of a flag: its passive check comes with a keep-alive (7 s) and forgives
	// 2 s.
	flagWait = 20 * time.Second
	// abortAgain is the pause after an abort that failed.
	abortAgain = 10 * time.Second
	// hiddenBy is how many chat lines and the like may hide that a state was lost: the server keeps 32 lines for a slow reader and
	// drops the oldest for newer ones, among which there may be some keep-alives that are not seen here.
	hiddenBy = 28
	// freshPause is the least time between two openings of the stream to be on the safe side. It doubles with each that brings no
	// new move, up to freshCeiling or a quarter of the bot's clock.
	freshPause   = 2 * time.Second
	freshCeiling = time.Minute
	// wrongTries is how many openings of the stream in a row must go wrong, with those pauses between them, for a game to be given
	// up: about a minute of it, less when the clock is low.
	wrongTries = 6
	// illegalTries is how often a move is sent that the server calls wrong. Once can be a race with its own state.
	illegalTries = 3
	// limitShare is the part of the time left for which a limit on opening the stream is heeded.
	limitShare = 4
	// mostStrange bounds what a game remembers of types of lines that it does not know.
	mostStrange = 16
)

// game plays one game. It is owned by the goroutine that calls run: everything below the line belongs to that goroutine alone,
// and what runs beside it (searches, requests, the stream's reader) reports by functions on the inbox.
type game struct {
	id       string
	me       string // user id
	client   *lichess.Client
	mind     engine.Mind
	opts     *Options
	overhead *overhead
	speech   *speech
	log      *slog.Logger
	finished <-chan struct{}        // closed when the event stream says that the game is over
	met      func(bot bool)         // is told once whether the opponent is a bot
	did      func(opponents.Doings) // is told of what must outlive a restart
	known    bool                   // what was done in it before is
	since    time.Time              // this run of the program began

	inbox chan func()
	gone  chan struct{} // closed when run has ended and takes nothing from the inbox any more
	work  sync.WaitGroup

	//-----------------------------------------------------------------------------------------------------------------------

	over       bool
	unplayable bool // the server or the rules engine cannot play it
	played     bool // there was a sound state of it, of this player or of one before
	running    bool // there was a state of it in play
	parting    bool // the game was long enough, and its end seen, to say good-bye

	closeStream context.CancelFunc
	stream      int  // number of the current stream: lines of an older one are dropped
	resting     bool // there is none until the opponent has moved

	full    *lichess.GameFull // nil until the first line
	us      chess.Color
	timed   bool        // played by a clock
	board   *chess.Game // replaced, never changed: others may look at it
	start   string      // of the board, as the server wrote it
	moves   []string    // those on the board, as the server wrote them
	state   *lichess.GameState
	seenAt  time.Time       // when state came: its clocks were right then
	talk    int             // lines since then that brought no state
	fresh   bool            // the position was asked for anew when the stream did not show what it should
	asked   time.Time       // when the stream was opened to be on the safe side for the last time …
	vain    int             // … and how often that was since the last new move
	lostAt  time.Time       // when the stream was lost; zero while it is open
	wrong   int             // openings in a row that were refused or began with what cannot be
	strange map[string]bool // types of lines that are not known and have come
	odd     lichess.Status  // what the last state said when that is no status that is known; "" else

	thinker  engine.Thinker // made when it is needed for the first time
	thought  *thought       // the search under way, nil when there is none
	sent     *sending       // the move on its way to the board, nil when there is none
	barred   []string       // moves that the server does not take in this position
	reply    chess.Move     // what is expected of the opponent, NoMove when nothing is
	history  []assessment
	past     chronicle
	answered map[asked]time.Time // commands, and when
	offers   offers
	greeted  bool
	absent   bool // the server says that the opponent has left
	due      deadlines
}

// sending is a move that was sent and that the stream has not shown yet.
type sending struct {
	ply      int
	move     string
	offer    bool
	at       time.Time // when it was sent for the first time; zero before
	inFlight bool      // its request is not answered yet
	stream   int       // number of the stream that was open when the answer came
	doubted  int       // how often there was no answer to it
	refused  int       // how often the server said no …
	illegal  int       // … and how often by calling the request itself wrong
	wanted   time.Time // when the server wants it again, or the clock does; zero for at once
}

func newGame(id string, b *Bot, finished <-chan struct{}) *game {
	return &game{
		id: id, me: b.me, client: b.client, mind: b.mind, opts: &b.opts, overhead: &b.overhead, speech: &b.speech,
		log: b.log.With("game", id), finished: finished,
		inbox: make(chan func()), gone: make(chan struct{}), closeStream: func() {},
		strange: map[string]bool{}, since: b.since,
	}
}

// run plays the game until it is over, the server refuses it for good (unplayable), or ctx ends. After that g.played tells whether
// the game could be played once.
func (g *game) run(ctx context.Context) (unplayable bool) {
	defer g.work.Wait()
	defer g.opts.publish(&watch.Left{Game: g.id})
	g.play(ctx)
	if g.thinker != nil {
		g.thinker.Close()
	}
	if g.parting {
		g.sayFarewell(ctx)
	}
	return g.unplayable
}

// play is run without the parting words. When it returns, all searches and requests are told to end.
func (g *game) play(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer close(g.gone)
	defer cancel()

	alarm := time.NewTimer(0)
	defer alarm.Stop()
	g.openStream(ctx)
	for !g.over {
		alarm.Reset(g.due.next())
		select {
		case <-ctx.Done():
			return
		case f := <-g.inbox:
			f()
		case <-alarm.C:
			g.onAlarm(ctx)
		case <-g.finished:
			g.finished = nil
			g.due.finish = time.Now().Add(finishWait)
			g.wake(ctx)
		}
	}
}

// tell hands a function to the game's goroutine, unless the game has ended.
func (g *game) tell(f func()) {
	select {
	case g.inbox <- f:
	case <-g.gone:
	}
}

// request makes a call beside the game's goroutine and hands the outcome back to it.
func (g *game) request(ctx context.Context, call func(context.Context) error, done func(error)) {
	g.work.Go(func() {
		err := call(ctx)
		g.tell(func() { done(err) })
	})
}

// openStream opens the game's stream, in place of the one before: the first line says anew how everything stands.
func (g *game) openStream(ctx context.Context) {
	g.closeStream()
	reading, cancel := context.WithCancel(ctx)
	g.closeStream = cancel
	g.stream++
	stream := g.stream
	g.due.resync, g.due.reopen, g.due.rest = time.Time{}, time.Time{}, time.Time{}
	g.resting = false
	g.work.Go(func() {
		for event, err := range g.client.GameStream(reading, g.id) {
			g.tell(func() {
				switch {
				case g.stream != stream:
				case err != nil:
					g.onStreamEnd(err)
				default:
					g.onEvent(ctx, event)
				}
			})
			if reading.Err() != nil {
				return
			}
		}
	})
}

// askSoon opens the stream again when the pause since the last time is over, unless a sound state comes before.
func (g *game) askSoon() {
	if !g.due.reopen.IsZero() {
		return
	}
	pause := min(g.withinClock(freshPause)<<min(g.vain, 10), freshCeiling)
	if g.state != nil && g.timed {
		pause = min(pause, max(g.timeLeft()/4, time.Second))
	}
	g.due.reopen = g.asked.Add(pause)
}

// askNow is askSoon when the time has come.
func (g *game) askNow(ctx context.Context) {
	g.asked = time.Now()
	g.vain++
	g.openStream(ctx)
}

func (g *game) onStreamEnd(err error) {
	var refusal *lichess.APIError
	switch {
	case errors.Is(err, lichess.ErrGameOver) && g.odd != "":
		return // a fresh state is asked for already
	case errors.Is(err, lichess.ErrGameOver), errors.Is(err, context.Canceled):
	case g.full != nil && errors.As(err, &refusal):
		// It could be played a moment ago. What stands between here and the server, or the server in trouble, may say so once.
		if g.wrong++; g.wrong < wrongTries {
			g.log.Warn("the server does not open a game that it has opened before, trying again", "err", err)
			g.askSoon()
			return
		}
		fallthrough
	default:
		g.log.Error("the server does not let the bot play this game", "err", err)
		g.unplayable = true
	}
	g.over = true
}

func (g *game) onEvent(ctx context.Context, event lichess.GameEvent) {
	switch event.(type) {
	case *lichess.OpponentGone, *lichess.ChatLine:
		if g.talk++; g.talk == hiddenBy {
			g.log.Info("so many lines without a state may have pushed one out, opening the game stream again", "lines", g.talk)
			g.askSoon()
		}
	}
	switch e := event.(type) {
	case *lichess.GameFull:
		g.onFull(ctx, e)
	case *lichess.GameState:
		if g.full != nil {
			g.onState(ctx, e, false)
		}
	case *lichess.OpponentGone:
		g.onOpponentGone(e)
	case *lichess.ChatLine:
		g.onChat(ctx, e)
	case *lichess.Disconnected:
		// One line for a loss; that it could not be opened again at once says nothing new.
		level := slog.LevelDebug
		if g.lostAt.IsZero() {
			level, g.lostAt = slog.LevelWarn, time.Now()
		}
		g.log.Log(ctx, level, "game stream lost", "err", e.Err)
		g.opts.publish(&watch.Stream{Game: g.id, Err: e.Err})
		g.due.claim, g.absent = time.Time{}, false // the opponent's absence is not told again
		// A stream that was opened in place of another knows nothing of the clock before its first line.
		wait := g.withinClock(e.Wait)
		if limit := (*lichess.LimitError)(nil); errors.As(e.Err, &limit) && g.state != nil && g.timed {
			wait = min(e.Wait, max(g.timeLeft()/limitShare, time.Second))
		}
		if wait < e.Wait {
			g.due.resync = time.Now().Add(wait)
		}
	case *lichess.Unknown:
		g.log.Debug("line skipped", "type", e.Type, "err", e.Err)
		// It may have been a state. A type that comes again is a new kind of line.
		if e.Err != nil || !g.strange[e.Type] {
			g.askSoon()
		}
		if e.Err == nil && len(g.strange) < mostStrange {
			g.strange[e.Type] = true
		}
	}
}

// onFull takes what does not change in a game and then its state, which is a state like any other.
func (g *game) onFull(ctx context.Context, full *lichess.GameFull) {
	us := chess.White
	switch full.ColorOf(g.me) {
	case lichess.ColorWhite:
	case lichess.ColorBlack:
		us = chess.Black
	default:
		g.onWrong(errors.New("the bot is neither of the players"), true)
		return
	}
	if !g.lostAt.IsZero() {
		g.log.Info("game stream is back", "after", time.Since(g.lostAt).Round(time.Millisecond).String())
		g.lostAt = time.Time{}
	}
	start, err := startOf(full.InitialFEN)
	switch {
	case err != nil:
		g.onWrong(fmt.Errorf("start position: %w", err), true)
		return
	case full.InitialFEN == "" && full.Variant.Key != "" && full.Variant.Key != lichess.VariantStandard:
		g.onWrong(fmt.Errorf("no start position in a game of %s", full.Variant.Key), true)
		return
	case full.Clock == nil && full.Speed != "" && full.Speed != lichess.SpeedCorrespondence:
		g.onWrong(fmt.Errorf("no clock in a game of %s", full.Speed), true)
		return
	}
	first := g.board == nil
	if first || full.InitialFEN != g.start {
		// The start that was told before was damaged, or this one is: the moves must fit.
		board := chess.NewGame(start, chess.LichessBot)
		if _, err := played(board, full.State.MoveList(), 0); err != nil {
			g.onWrong(err, true)
			return
		}
		g.board, g.moves, g.start = board, nil, full.InitialFEN
		if !first {
			g.onNewPosition()
		}
	}
	g.full, g.us, g.timed = full, us, full.Clock != nil
	if first {
		opponent := full.Player(lichess.Color(us.Other().String()))
		g.work.Go(func() { g.met(opponent.IsBot()) })
		g.log.Info("game", "opponent", g.opponentName(), "color", g.us.String(), "variant", full.Variant.Key, "speed", full.Speed,
			"rated", full.Rated, "moves", full.State.Ply())
		if !g.known && full.State.Ply() >= 2 && !full.State.Status.Over() {
			// Another run has played it, and may have granted and offered all that there is.
			g.offers.granted, g.offers.madeAt = max(g.offers.granted, g.opts.Takebacks), full.State.Ply()
			g.noteDoings()
		}
		if full.State.Ply() < 2 && !full.State.Status.Over() && !g.played {
			g.greet(ctx)
		}
	}
	g.onState(ctx, &full.State, true)
}

// onWrong takes a line that cannot be right. It may have been damaged on the way, so the server is asked for a fresh state, and the
// game is given up only when those stay wrong.
func (g *game) onWrong(err error, fresh bool) {
	if fresh {
		g.wrong++
	}
	if g.wrong >= wrongTries {
		g.giveUp(err)
		return
	}
	g.log.Warn("the game stream says what cannot be, opening it again", "err", err)
	g.askSoon()
}

// giveUp leaves a game that cannot be played, without resigning it: a person may still save it on the website.
func (g *game) giveUp(err error) {
	g.log.Error("this game cannot be played by the bot", "err", err)
	g.over, g.unplayable = true, true
}

// onState takes the state of the game, which may be the same as before, further on, or further back. A fresh one was read by
// the server just now, for a stream that has been opened.
func (g *game) onState(ctx context.Context, state *lichess.GameState, fresh bool) {
	changed, err := g.sync(state.MoveList())
	if err != nil {
		g.onWrong(err, fresh)
		return
	}
	g.state, g.seenAt, g.talk = state, time.Now(), 0
	g.played, g.wrong, g.due.reopen = true, 0, time.Time{}
	if changed {
		g.vain = 0
	}
	if fresh && !g.offers.granting {
		g.offers.rewind = false
	}
	g.fresh = fresh && !changed
	over := state.Status.Over() && (state.Status.Known() || fresh && state.Status == g.odd)
	g.noteState(fresh, changed, over)
	if over {
		g.onOver()
		return
	}
	g.running = true
	if changed {
		g.measure(fresh)
		g.onNewPosition()
	}
	if state.Status.Over() {
		g.onOddStatus()
		return
	}
	g.odd = ""
	g.noteOffers(ctx)
	// What the stream says that was open already may be older than the answer: only one that was opened after it tells.
	if fresh && g.sent != nil && !g.sent.inFlight && g.stream > g.sent.stream {
		if time.Now().Before(g.sent.wanted) {
			g.due.resync = g.sent.wanted
			return
		}
		if g.sent.illegal < illegalTries {
			g.send(ctx, g.sent) // it was in doubt and has not been played
			return
		}
		g.log.Error("the server does not take the move, looking for another", "move", g.sent.move, "fen", g.board.Position().FEN())
		g.barred = append(g.barred, g.sent.move)
		g.sent = nil
		g.history = g.history[:len(g.history)-1] // of that move
	}
	g.act(ctx)
}

// measure takes note of how long the move that was sent took to come back, if the state is about just that. A fresh one was asked
// for, and with a reply in it the opponent's time counts too.
func (g *game) measure(fresh bool) {
	if s := g.sent; s != nil && !fresh && !s.at.IsZero() && len(g.moves) == s.ply+1 && g.moves[s.ply] == s.move {
		g.overhead.measured(g.seenAt, g.seenAt.Sub(s.at))
		g.noteEcho(g.seenAt.Sub(s.at))
	}
}

// onNewPosition drops what belonged to the position before.
func (g *game) onNewPosition() {
	g.sent, g.barred, g.offers.rewind = nil, nil, false
	g.due.claim, g.due.resync, g.due.abort, g.due.rest = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	if g.ourTurn() {
		g.absent = false // he has moved
	}
	switch t := g.thought; {
	case t == nil:
	case !t.expected(g.board):
		g.stopThinking()
	case t.hit != nil:
		g.log.Debug("the reply was expected", "move", g.moves[len(g.moves)-1])
		close(t.hit) // from now on the bot's own clock runs
		t.hit = nil
	}
	for n := len(g.history); n > 0 && g.history[n-1].ply >= g.board.Ply(); n-- {
		g.history = g.history[:n-1] // taken back
	}
}

// sync brings the board to the server's list of moves and tells whether that changed anything. After an error all is as before.
func (g *game) sync(moves []string) (changed bool, err error) {
	common := 0
	for common < len(moves) && common < len(g.moves) && moves[common] == g.moves[common] {
		common++
	}
	if common == len(moves) && common == len(g.moves) {
		return false, nil
	}
	board, err := played(g.board, moves, common)
	if err != nil {
		return false, err
	}
	g.board, g.moves = board, moves
	return true, nil
}

// played returns a copy of a game whose moves after the first common ones are those given.
func played(g *chess.Game, moves []string, common int) (*chess.Game, error) {
	board := g.Clone()
	for board.Ply() > common {
		board.Undo()
	}
	for _, move := range moves[common:] {
		if err := board.PlayUCI(move); err != nil {
			return nil, fmt.Errorf("the server's moves do not fit the rules: %w", err)
		}
	}
	return board, nil
}

// ourTurn tells whether the bot is to move.
func (g *game) ourTurn() bool { return g.board.Position().SideToMove() == g.us }

// act does what the position asks for.
func (g *game) act(ctx context.Context) {
	switch {
	case g.offers.rewind:
		// Moves are about to be taken back.
	case g.offers.agreeing:
		// The game is about to end.
	case !g.ourTurn():
		g.awaitOpponent()
		g.ponder(ctx)
	case g.thought != nil || g.sent != nil:
		// Already at it: a line that changes nothing starts nothing.
	case g.board.Outcome().Over():
		// The server's word is on its way. Should it think otherwise, the alarm plays on.
		if g.due.resync.IsZero() {
			g.due.resync = time.Now().Add(finishWait)
		}
	default:
		g.think(ctx)
	}
}

// awaitOpponent sets the bounds of the wait for the opponent's move.
func (g *game) awaitOpponent() {
	switch {
	case !g.timed:
		g.restSoon()
	case g.board.Ply() < 2:
		// An opponent who does not begin is waited for by the server for weeks, but in tournaments, where nobody can abort.
		if g.opts.AbortAfter > 0 && g.full.TournamentID == "" && g.due.abort.IsZero() {
			g.due.abort = time.Now().Add(g.opts.AbortAfter)
		}
	default:
		// His flag falls when his time is up: silence after that means that a line was lost.
		left := g.state.Time(lichess.Color(g.us.Other().String()))
		g.due.resync = g.seenAt.Add(left.Duration() + flagWait)
	}
}

func (g *game) onOpponentGone(e *lichess.OpponentGone) {
	g.due.claim, g.absent = time.Time{}, e.Gone
	if e.Gone && g.opts.ClaimWhenGone && e.ClaimWinInSeconds != nil {
		g.due.claim = time.Now().Add(time.Duration(*e.ClaimWinInSeconds) * time.Second)
	}
}

// onOddStatus takes a status that is not known. It is an end, but a single damaged letter makes one as well: it counts when a fresh
// state says the same.
func (g *game) onOddStatus() {
	g.odd = g.state.Status
	g.log.Warn("the status of the game is none that is known, asking again", "status", lichess.CleanText(string(g.odd), 40))
	g.askSoon()
}

// onOver ends the game by the server's word.
func (g *game) onOver() {
	g.stopThinking()
	g.log.Info("game over", "result", watch.OutcomeOf(g.state, g.us), "status", g.state.Status, "moves", len(g.moves))
	g.parting = g.running && g.state.Status != lichess.StatusAborted && len(g.moves) >= 2
	g.over = true
}

func (g *game) opponent() *lichess.GamePlayer {
	return g.full.Player(lichess.Color(g.us.Other().String()))
}

func (g *game) opponentName() string {
	o := g.opponent()
	switch {
	case o.IsAI():
		return fmt.Sprintf("Lichess AI level %d", o.AILevel)
	case o.Name == "":
		return "anonymous"
	}
	return strings.TrimSpace(lichess.CleanText(o.Title+" "+o.Name, 60))
}
