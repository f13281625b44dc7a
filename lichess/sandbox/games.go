package sandbox

import (
	"slices"
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
)

const (
	abandonedAfter = 21 * 24 * time.Hour // without a move
	maxPlies       = 600                 // a move beyond makes a draw
)

// gameRules is what a game is made of besides its players.
type gameRules struct {
	variant          lichess.Variant
	fen              string // "" for the usual start, or a random one in Chess960
	rated            bool
	hasClock         bool
	limit, increment time.Duration
	days             int
	rules            []string
}

// game is a game, running or over.
type game struct {
	gameRules
	id        string
	source    string
	arena     string // id of the arena that it belongs to, "" for none
	speed     lichess.Speed
	perf      string // key
	botOK     bool   // may be played by the Bot API
	createdAt time.Time
	movedAt   time.Time // the last move, or createdAt
	players   [2]*player
	chess     *chess.Game
	clock     *chessClock // nil without a real-time clock
	chat      []lichess.ChatMessage
	tick      *timer
	abandon   *timer

	status  lichess.Status
	winner  *chess.Color
	over    chan struct{} // closed with the end of the game
	rematch string        // id of the rematch that was agreed on
}

// player is one side of a game.
type player struct {
	*account
	side    chess.Color
	secret  string // makes the full id of the game
	elo     int
	eloDiff *int

	offersDraw bool
	offers     []int // plies at which a draw was offered
	takebackAt int   // ply at which a takeback was proposed, -1 when none stands
	declined   int   // takebacks proposed that did not come about
	mayAskAt   time.Time

	presence
}

// pov is a game from one player's side.
type pov struct {
	g *game
	c chess.Color
}

func (p pov) player() *player   { return p.g.players[p.c] }
func (p pov) opponent() *player { return p.g.players[p.c.Other()] }
func (p pov) myTurn() bool      { return p.g.turn() == p.c && !p.g.status.Over() }

func (g *game) turn() chess.Color         { return g.position().SideToMove() }
func (g *game) position() *chess.Position { return g.chess.Position() }
func (g *game) bothMoved() bool           { return g.chess.Ply() >= 2 }
func (g *game) hasRule(rule string) bool  { return slices.Contains(g.rules, rule) }
func (g *game) hasBot() bool              { return g.players[0].isBot() || g.players[1].isBot() }

// abortable reports whether a player may still abort the game.
func (g *game) abortable() bool {
	return !g.status.Over() && g.chess.Ply() < 2 && !g.hasRule("noAbort") && g.arena == ""
}

func (g *game) hasMoved(side chess.Color) bool {
	first := g.chess.Start()
	needed := 1
	if first.SideToMove() != side {
		needed = 2
	}
	return g.chess.Ply() >= needed
}

// makeGame builds a game that nobody knows of yet.
func (s *Server) makeGame(id string, white, black *account, rules gameRules) (*game, error) {
	switch rules.variant.Key {
	case lichess.VariantStandard, lichess.VariantFromPosition:
	case lichess.VariantChess960:
		if rules.fen == "" {
			start, err := chess.Chess960Start(s.rand.IntN(chess.Chess960Starts))
			if err != nil {
				return nil, err
			}
			rules.fen = start.FEN()
		}
	default:
		return nil, badRequest("This server does not play the variant %s", rules.variant.Key)
	}
	start := chess.StartPosition()
	if rules.fen != "" {
		var err error
		if start, err = chess.ParseFEN(rules.fen); err != nil {
			return nil, badRequest("fen: Invalid FEN: %v", err)
		}
	}
	now := s.now()
	g := &game{
		gameRules: rules, id: id, source: "friend",
		speed: lichess.SpeedCorrespondence, createdAt: now, movedAt: now,
		status: lichess.StatusStarted, over: make(chan struct{}),
	}
	if rules.hasClock {
		g.clock = newClock(rules.limit, rules.increment)
		g.speed = lichess.SpeedOf(int(rules.limit/time.Second), int(rules.increment/time.Second))
	}
	g.perf = perfKey(rules.variant.Key, g.speed)
	g.botOK = g.speed.BotPlayable()
	for side, a := range [2]*account{white, black} {
		g.players[side] = &player{
			account: a, side: chess.Color(side), secret: s.randomText(4), elo: a.rating(g.perf),
			takebackAt: -1, presence: presence{offlineSince: now},
		}
	}
	g.chess = chess.NewGame(start, chess.Lichess) // claimsThreefold does what depends on more than the board
	return g, nil
}

// startGame makes the game known to both players and starts its timers.
func (s *Server) startGame(g *game) {
	s.games[g.id] = g
	s.order = append(s.order, g)
	now := s.now()
	if g.players[0].isBot() && g.players[1].isBot() {
		g.players[0].botGames.add(now, 1)
		g.players[1].botGames.add(now, 1)
	}
	switch {
	case g.clock != nil:
		g.tick = s.every(s.opts.GoneTick, func() {
			if !s.checkFlag(g, s.opts.FlagGrace) {
				s.tellGone(g)
			}
		})
	case g.days > 0:
		s.awaitMove(g)
	}
	s.awaitAbandon(g)
	for _, p := range g.players {
		p.running = append(p.running, pov{g, p.side})
		p.notify(lichess.GameStart{Game: s.info(pov{g, p.side})})
	}
}

// awaitMove ends a correspondence game when its time for a move is over. One
// timer looks again and again, so that a move costs none.
func (s *Server) awaitMove(g *game) {
	wait := max(g.perTurn()-s.now().Sub(g.movedAt), time.Second)
	g.tick = s.after(wait, func() {
		if !s.checkFlag(g, 0) {
			s.awaitMove(g)
		}
	})
}

// awaitAbandon ends a game in which nobody has moved for three weeks.
func (s *Server) awaitAbandon(g *game) {
	g.abandon = s.after(abandonedAfter-s.now().Sub(g.movedAt), func() {
		switch {
		case s.now().Sub(g.movedAt) < abandonedAfter:
			s.awaitAbandon(g)
		case g.chess.Ply() < 2:
			s.finish(g, lichess.StatusAborted, nil)
		default:
			winner := g.turn().Other()
			s.finish(g, lichess.StatusResign, &winner)
		}
	})
}

// finish ends a game and tells everybody.
func (s *Server) finish(g *game, status lichess.Status, winner *chess.Color) {
	s.cancel(g.tick)
	s.cancel(g.abandon)
	now := s.now()
	if g.clock != nil {
		g.clock.stop(g.turn(), now)
	}
	g.status, g.winner = status, winner
	for _, p := range g.players {
		s.cancel(p.leaving)
		p.offersDraw, p.takebackAt = false, -1
		p.running = slices.DeleteFunc(p.running, func(r pov) bool { return r.g == g })
	}
	if status != lichess.StatusAborted {
		g.count()
	}
	g.pushState(now)
	for _, p := range g.players {
		for _, st := range p.streams {
			st.close()
		}
		p.notify(lichess.GameFinish{Game: s.info(pov{g, p.side})})
	}
	close(g.over)
	s.ended = append(s.ended, g)
	if keep := s.opts.KeepGames; keep > 0 && len(s.ended) > keep {
		s.forget(s.ended[0])
		s.ended = slices.Delete(s.ended, 0, 1)
	}
}

// forget removes all traces of a game that is over.
func (s *Server) forget(g *game) {
	delete(s.games, g.id)
	s.order = slices.DeleteFunc(s.order, func(o *game) bool { return o == g })
	for id, r := range s.rematches {
		if r.of == g {
			delete(s.rematches, id)
		}
	}
}

// povOf finds an account's side of a game by the id or full id of the game.
func (s *Server) povOf(id string, me *account) (pov, error) {
	const idLen, fullIDLen = 8, 12
	if len(id) == fullIDLen {
		id = id[:idLen]
	}
	g := s.games[id]
	if g == nil {
		return pov{}, refuse(404, "No such game")
	}
	for _, p := range g.players {
		if p.account == me {
			return pov{g, p.side}, nil
		}
	}
	return pov{}, refuse(404, "Not your game")
}

// gameHandler answers a call that is about one game. It runs with s.mu held.
type gameHandler func(c *call, p pov) (any, error)

// inGame finds the game of a call and checks that this API may play it.
func (s *Server) inGame(botAPI bool, h gameHandler) handler {
	return func(c *call) (any, error) {
		p, err := s.povOf(c.path("id"), c.me)
		switch {
		case err != nil:
			return nil, err
		case botAPI && !c.me.isBot():
			return nil, badRequest("This endpoint can only be used with a Bot account. See %s/api#operation/botAccountUpgrade", s.URL)
		case botAPI && !p.g.botOK:
			return nil, badRequest("This game cannot be played with the Bot API.")
		case !botAPI && c.me.isBot():
			return nil, badRequest("This endpoint can not be used with a Bot account.")
		}
		return h(c, p)
	}
}

// urgent orders games for their owner: first those where he is to move, by the
// time that he has left.
func urgent(now time.Time) func(a, b pov) int {
	return func(a, b pov) int {
		if a.myTurn() != b.myTurn() {
			if a.myTurn() {
				return -1
			}
			return 1
		}
		return int(a.g.millis(a.c, now) - b.g.millis(b.c, now))
	}
}

func (s *Server) nowPlaying(c *call) (any, error) {
	most, err := intParam(c.form, "nb", 9, 1, 50)
	if err != nil {
		return nil, err
	}
	games := slices.Clone(c.me.running)
	slices.SortStableFunc(games, urgent(s.now()))
	reply := lichess.NowPlaying{NowPlaying: []lichess.GameInfo{}}
	for i, p := range games {
		if p.myTurn() {
			reply.NbMyTurn++
		}
		if i < most {
			info := s.info(p)
			info.ID, info.Compat, info.Rating = "", nil, 0 // told in events only
			reply.NowPlaying = append(reply.NowPlaying, info)
		}
	}
	return reply, nil
}

// count books a finished game for both players, and changes the ratings of a
// rated one by Elo's formula with K = 10.
func (g *game) count() {
	var change int
	if g.rated {
		change = eloChange(g.players[0].elo, g.players[1].elo, g.score())
	}
	for i, p := range g.players {
		p.count.All++
		p.played[g.perf]++
		switch {
		case g.winner == nil:
			p.count.Draw++
		case *g.winner == p.side:
			p.count.Win++
		default:
			p.count.Loss++
		}
		if g.rated {
			p.count.Rated++
			diff := change * (1 - 2*i)
			p.eloDiff = &diff
			p.ratings[g.perf] = p.rating(g.perf) + diff
		}
	}
}

// score is White's: 1, ½ or 0.
func (g *game) score() float64 {
	switch {
	case g.winner == nil:
		return 0.5
	case *g.winner == chess.White:
		return 1
	}
	return 0
}

// result is the result in PGN: "*" for a game in play or aborted.
func (g *game) result() string {
	switch {
	case !g.status.Over() || g.status == lichess.StatusAborted:
		return "*"
	case g.winner == nil:
		return "1/2-1/2"
	case *g.winner == chess.White:
		return "1-0"
	}
	return "0-1"
}
