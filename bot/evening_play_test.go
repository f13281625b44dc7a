package bot_test

import (
	"context"
	"net/url"
	"time"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
)

// eveningGame is a game as a guest plays it.
type eveningGame struct {
	*guest
	id      string
	timed   bool
	white   bool
	board   *chess.Game
	thinker engine.Thinker
	sleeps  bool // makes no first move
	leaves  int  // the ply from which he is gone, 0 for never
	over    bool
}

// play plays a game to its end, or until the guest has enough of it.
func (g *guest) play(ctx context.Context, info *lichess.GameInfo) {
	p := &eveningGame{
		guest: g, id: info.GameID, timed: info.Speed != lichess.SpeedCorrespondence, white: info.Color == lichess.ColorWhite,
		thinker: g.e.mind.ForGame(g.name + info.GameID),
	}
	defer p.thinker.Close()
	if p.timed {
		p.sleeps = g.chance(g.temper.sleep)
		if g.chance(g.temper.leave) {
			p.leaves = 4 + g.number(30)
		}
	} else {
		stop := make(chan struct{})
		defer close(stop)
		g.doing.Go(func() { p.resignAtTheEnd(ctx, stop) })
	}
	for ctx.Err() == nil && !p.over {
		away := false
		g.lines(ctx, "/api/"+g.api()+"/game/stream/"+p.id, func(line []byte) bool {
			away = !p.on(ctx, line)
			return !away
		})
		if away {
			break
		}
		wait(ctx, time.Second)
	}
	if p.over && !g.e.closed() && g.chance(g.temper.rematch) {
		wait(ctx, g.between(100*time.Millisecond, 3*time.Second))
		if _, err := g.e.server.OfferRematch(p.id, g.name); err == nil {
			g.e.judge.offeredRematch()
		}
	}
}

// resignAtTheEnd ends a game without a clock when the evening is over.
func (p *eveningGame) resignAtTheEnd(ctx context.Context, stop chan struct{}) {
	select {
	case <-stop:
		return
	case <-ctx.Done():
		return
	case <-p.e.closing:
	}
	for range 20 {
		if code, _ := p.do(ctx, "resign", nil); code == 200 || ctx.Err() != nil {
			return
		}
		wait(ctx, time.Minute)
	}
}

func (p *eveningGame) do(ctx context.Context, what string, form url.Values) (code int, body []byte) {
	return p.post(ctx, "/api/"+p.api()+"/game/"+p.id+"/"+what, form)
}

// on takes a line of the game's stream. It returns false when the guest does not want any more.
func (p *eveningGame) on(ctx context.Context, line []byte) bool {
	switch e := lichess.DecodeGameEvent(line).(type) {
	case *lichess.GameFull:
		start := chess.StartPosition()
		if e.InitialFEN != lichess.StartPosition {
			var err error
			if start, err = chess.ParseFEN(e.InitialFEN); err != nil {
				panic(err)
			}
		}
		p.board = chess.NewGame(start, chess.LichessBot)
		p.white = e.White.Name == p.name
		return p.state(ctx, &e.State)
	case *lichess.GameState:
		return p.state(ctx, e)
	}
	return true
}

func (p *eveningGame) state(ctx context.Context, s *lichess.GameState) bool {
	if s.Status.Over() {
		p.over = true
		return false
	}
	for p.board.Undo() {
	}
	for _, m := range s.MoveList() {
		if err := p.board.PlayUCI(m); err != nil {
			panic(err)
		}
	}
	me, daemon := lichess.ColorWhite, lichess.ColorBlack
	if !p.white {
		me, daemon = daemon, me
	}
	ply := p.board.Ply()
	if p.leaves > 0 && ply >= p.leaves {
		return false
	}
	if (p.board.Position().SideToMove() == chess.White) != p.white {
		return true
	}
	if p.sleeps && ply < 2 {
		wait(ctx, 3*time.Minute)
		p.sleeps = false
		if p.chance(30) {
			p.do(ctx, "abort", nil) // too late, where the daemon does so
			return true
		}
	}
	return p.move(ctx, s, me, daemon)
}

// move does what the guest does when it is his turn.
func (p *eveningGame) move(ctx context.Context, s *lichess.GameState, me, daemon lichess.Color) bool {
	t, ply := p.temper, p.board.Ply()
	switch left := s.Time(me).Duration(); {
	case !p.timed:
		wait(ctx, p.between(10*time.Second, 20*time.Minute))
	case left < 10*time.Second:
		wait(ctx, p.between(50*time.Millisecond, 200*time.Millisecond))
	default:
		wait(ctx, min(p.between(200*time.Millisecond, 6*time.Second), left/20))
	}
	if ctx.Err() != nil {
		return false
	}
	if s.DrawOffer(daemon) {
		switch {
		case p.chance(t.agrees):
			if p.do(ctx, "draw/yes", nil); p.chance(90) {
				return true
			}
		case p.chance(30):
			p.do(ctx, "draw/no", nil)
		}
	}
	if ply > 20 && p.chance(t.resign) {
		p.do(ctx, "resign", nil)
		return true
	}
	if p.chance(t.chat) {
		p.talk(ctx)
	}
	form := url.Values{}
	if ply > 2 && p.chance(t.draw) {
		if p.chance(50) {
			form.Set("offeringDraw", "true")
		} else {
			p.do(ctx, "draw/yes", nil)
			wait(ctx, p.between(0, 2*time.Second))
		}
	}
	move := p.choose(ctx)
	if move == chess.NoMove {
		return true
	}
	p.do(ctx, "move/"+move.String(), form)
	if p.chance(t.takeback) {
		for range max(t.storm, 1) {
			wait(ctx, p.between(0, 400*time.Millisecond))
			if code, _ := p.do(ctx, "takeback/yes", nil); code != 200 {
				break
			}
			if p.chance(20) {
				p.do(ctx, "takeback/no", nil)
			}
		}
	}
	return true
}

// choose finds a move.
func (p *eveningGame) choose(ctx context.Context) chess.Move {
	var legal chess.MoveList
	p.board.Position().LegalMoves(&legal)
	if len(legal.Slice()) == 0 {
		return chess.NoMove
	}
	if p.chance(p.temper.random) {
		return pick(p.guest, legal.Slice())
	}
	d, err := p.thinker.Think(ctx, p.board.Clone(), engine.Limits{Nodes: eveningGuestNodes})
	if err != nil && d.Move == chess.NoMove {
		return pick(p.guest, legal.Slice())
	}
	return d.Move
}

// talk says something, or asks.
func (p *eveningGame) talk(ctx context.Context) {
	for range max(p.temper.chatter, 1) {
		room := pick(p.guest, []string{"player", "player", "spectator"})
		text := pick(p.guest, []string{"Hello", "!help", "!eval", "!name", "!howto", "!ping", "!cpu", "!EVAL please", "!unknown", "Nice move"})
		p.do(ctx, "chat", url.Values{"room": {room}, "text": {text}})
	}
}
