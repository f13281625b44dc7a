package watch

import (
	"fmt"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
)

// Outcomes of a game for the bot.
const (
	Win     = "win"
	Draw    = "draw"
	Loss    = "loss"
	Aborted = "aborted"
)

// Over tells whether the game has ended.
func (g *Game) Over() bool { return g.Ended }

// Outcome tells how the game ended for the bot. It is "" for a game in play.
func (g *Game) Outcome() string {
	if !g.Over() {
		return ""
	}
	return OutcomeOf(g.State, g.Us)
}

// OutcomeOf tells how a game ended for a side, by its last state. The winner decides, never the status.
func OutcomeOf(last *lichess.GameState, us chess.Color) string {
	switch {
	case last.Status == lichess.StatusAborted, last.Status == lichess.StatusNoStart && last.Winner == "":
		return Aborted
	case last.Winner == "":
		return Draw
	case last.Winner == lichess.Color(us.String()):
		return Win
	}
	return Loss
}

// ScoreForWhite writes a score of a side's in pawns, or in moves to mate, as White sees it.
func ScoreForWhite(score engine.Score, us chess.Color) string {
	sign := 1
	if us == chess.Black {
		sign = -1
	}
	if moves, mate := score.Mate(); mate {
		return fmt.Sprintf("#%d", sign*moves)
	}
	return fmt.Sprintf("%+.2f", float64(sign*score.Centipawns())/100)
}

// Player returns the player of a side.
func (g *Game) Player(c chess.Color) *lichess.GamePlayer {
	return g.Full.Player(lichess.Color(c.String()))
}

// Opponent returns the player of the other side.
func (g *Game) Opponent() *lichess.GamePlayer { return g.Player(g.Us.Other()) }

// PlayerName is what a player is called: for the server's own engine its level, "Anonymous" for one without an account.
func PlayerName(p *lichess.GamePlayer) string {
	switch {
	case p.IsAI():
		return fmt.Sprintf("lichess AI level %d", p.AILevel)
	case p.Name == "":
		return "Anonymous"
	}
	return strings.TrimSpace(lichess.CleanText(p.Name, 60))
}

// Terms is the clock of the game in words: "3+2" with minutes and seconds a move, "2 days", "unlimited".
func (g *Game) Terms() string {
	switch c := g.Full.Clock; {
	case c != nil:
		minutes := map[lichess.Millis]string{15_000: "¼", 30_000: "½", 45_000: "¾"}[c.Initial]
		if minutes == "" {
			minutes = fmt.Sprintf("%g", c.Initial.Duration().Minutes())
		}
		return fmt.Sprintf("%s+%g", minutes, c.Increment.Duration().Seconds())
	case g.Full.DaysPerTurn == 1:
		return "1 day"
	case g.Full.DaysPerTurn > 1:
		return fmt.Sprintf("%d days", g.Full.DaysPerTurn)
	}
	return "unlimited"
}

// Variant returns the variant; only its id is sure to be sent.
func (g *Game) Variant() lichess.VariantKey {
	if g.Full.Variant.Key == "" {
		return lichess.VariantStandard
	}
	return g.Full.Variant.Key
}

// Running tells whose clock runs: from the third ply on, as long as the game is in play.
func (g *Game) Running() (side chess.Color, runs bool) {
	return g.Board.Position().SideToMove(), g.Full.Clock != nil && g.Board.Ply() >= 2 && !g.Over()
}

// SpentBeyondThinking tells how much more the last move, if it was the bot's, cost on the server's clock than the search took:
// the way there and back and all waits; ok is false when that is not known.
func (g *Game) SpentBeyondThinking() (spent time.Duration, ok bool) {
	ply := g.Board.Ply()
	if ply < 3 || g.Full.Clock == nil || g.Board.Position().SideToMove() == g.Us {
		return 0, false
	}
	before, after, t := g.Notes[ply-2].Clock, g.Notes[ply].Clock, g.Notes[ply].Thought
	if before == nil || after == nil || t == nil {
		return 0, false
	}
	spent = *before + g.Full.Clock.Increment.Duration() - *after - t.Time
	return spent, spent >= 0 // a search that began in the opponent's time took longer than the clock ran
}
