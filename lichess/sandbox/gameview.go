package sandbox

import (
	"strings"
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
)

// wire is a side as it is written on the wire.
func wire(c chess.Color) lichess.Color { return lichess.Color(c.String()) }

// state returns what changes in a game, with the clocks of that moment.
func (g *game) state(now time.Time) lichess.GameState {
	var increment time.Duration
	if g.clock != nil {
		increment = g.clock.increment
	}
	white, black := g.players[chess.White], g.players[chess.Black]
	state := lichess.GameState{
		Moves:     strings.Join(uciMoves(g.chess), " "),
		WTime:     g.millis(chess.White, now),
		BTime:     g.millis(chess.Black, now),
		WInc:      lichess.MillisOf(increment),
		BInc:      lichess.MillisOf(increment),
		Status:    g.status,
		WDraw:     white.offersDraw,
		BDraw:     black.offersDraw,
		WTakeback: white.takebackAt >= 0,
		BTakeback: black.takebackAt >= 0,
		Rematch:   g.rematch,
	}
	if g.winner != nil {
		state.Winner = wire(*g.winner)
	}
	return state
}

// uciMoves returns the moves of a game as streams tell them: castling is the
// king's move to the rook in every variant.
func uciMoves(g *chess.Game) []string {
	moves := make([]string, 0, g.Ply())
	for _, m := range g.Moves() {
		moves = append(moves, m.String())
	}
	return moves
}

func (g *game) full(now time.Time) lichess.GameFull {
	full := lichess.GameFull{
		ID: g.id, Variant: g.variant, Speed: g.speed,
		Perf:  lichess.GamePerf{Name: perfName(g.variant, g.speed)},
		Rated: g.rated, CreatedAt: g.createdAt.UnixMilli(),
		White: g.players[chess.White].view(), Black: g.players[chess.Black].view(),
		InitialFEN:  lichess.StartPosition,
		DaysPerTurn: g.days, TournamentID: g.arena,
		State: g.state(now),
	}
	if g.fen != "" {
		full.InitialFEN = g.fen
	}
	if g.clock != nil {
		full.Clock = &lichess.GameClock{
			Initial: lichess.MillisOf(g.clock.limit), Increment: lichess.MillisOf(g.clock.increment),
		}
	}
	return full
}

func (p *player) view() lichess.GamePlayer {
	return lichess.GamePlayer{ID: p.id, Name: p.Name, Title: p.Title, Rating: p.elo}
}

// info returns a game as the event stream and the list of running games show
// it to one of its players.
func (s *Server) info(p pov) lichess.GameInfo {
	g, me, opponent := p.g, p.player(), p.opponent()
	info := lichess.GameInfo{
		ID: g.id, GameID: g.id, FullID: g.id + me.secret,
		FEN: g.position().FEN(), Color: wire(p.c), LastMove: g.lastMove(), Source: g.source, TournamentID: g.arena,
		Status:  g.status.Info(),
		Variant: lichess.Variant{Key: g.variant.Key, Name: g.variant.Name},
		Speed:   g.speed, Perf: g.perf, Rated: g.rated,
		HasMoved: g.hasMoved(p.c), IsMyTurn: p.myTurn(),
		Opponent: lichess.GameOpponent{
			ID: opponent.id, Username: opponent.Name, Rating: opponent.elo, RatingDiff: opponent.eloDiff,
		},
		Rating: me.elo, RatingDiff: me.eloDiff,
		Compat: &lichess.Compat{Bot: g.botOK, Board: boardPlayable(g.speed)},
	}
	if left, timed := g.timeLeft(p.c, s.now()); timed {
		seconds := int(left / time.Second)
		info.SecondsLeft = &seconds
	}
	if g.winner != nil {
		info.Winner = wire(*g.winner)
	}
	return info
}

// lastMove is the last move for display: castling shows where the king went.
func (g *game) lastMove() string {
	n := g.chess.Ply()
	if n == 0 {
		return ""
	}
	before := g.chess.PositionAt(n - 1)
	return before.UCI(g.chess.Moves()[n-1], false)
}
