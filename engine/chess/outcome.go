package chess

// Reason is why a game ended.
type Reason uint8

// The ways a game ends. The board decides down to FiftyMoves; the others are decided by the players, their clocks or the
// server and appear in an Outcome only when somebody says so.
const (
	Ongoing Reason = iota
	Checkmate
	Stalemate
	DeadMaterial        // neither side can mate
	FivefoldRepetition  // automatic by FIDE 9.6.1
	SeventyFiveMoves    // automatic by FIDE 9.6.2
	ThreefoldRepetition // by claim, or automatic where the ruleset says so
	FiftyMoves          // by claim, or automatic where the ruleset says so
	Agreement           // both sides agreed to a draw
	Resignation         // one side gave up
	TimeForfeit         // one side's time ran out; a draw when the other cannot mate
	Abandonment         // one side left; a draw when the other cannot mate
	Aborted             // the game ended without a result
)

var reasonText = [...]string{
	"ongoing", "checkmate", "stalemate", "insufficient material", "fivefold repetition", "75-move rule",
	"threefold repetition", "50-move rule", "agreement", "resignation", "time forfeit", "abandonment", "aborted",
}

// String returns the reason in words, such as "threefold repetition".
func (r Reason) String() string {
	if int(r) < len(reasonText) {
		return reasonText[r]
	}
	return "unknown"
}

// Outcome is how a game stands: the zero value is a game that goes on.
type Outcome struct {
	Reason Reason
	// Decisive tells whether there is a winner, and Winner who it is; Winner has no meaning otherwise.
	Decisive bool
	Winner   Color
}

// Over tells whether the game has ended.
func (o Outcome) Over() bool { return o.Reason != Ongoing }

// Drawn tells whether the game has ended in a draw.
func (o Outcome) Drawn() bool { return o.Over() && !o.Decisive && o.Reason != Aborted }

// Result returns the PGN result: "1-0", "0-1", "1/2-1/2", or "*" for a game that goes on or was aborted.
func (o Outcome) Result() string {
	switch {
	case o.Decisive && o.Winner == White:
		return "1-0"
	case o.Decisive:
		return "0-1"
	case o.Drawn():
		return "1/2-1/2"
	}
	return "*"
}

// String returns the result and the reason, such as "1-0 (checkmate)".
func (o Outcome) String() string { return o.Result() + " (" + o.Reason.String() + ")" }

// OnTime returns the outcome when loser's time runs out: the opponent wins if he could still mate, else it is a draw.
func (p *Position) OnTime(loser Color) Outcome { return p.leftBy(loser, TimeForfeit) }

// OnAbandonment returns the outcome when a side has left and the opponent claims: a win if he could still mate, else a draw.
func (p *Position) OnAbandonment(loser Color) Outcome { return p.leftBy(loser, Abandonment) }

func (p *Position) leftBy(loser Color, reason Reason) Outcome {
	winner := loser.Other()
	if !p.CanMate(winner) {
		return Outcome{Reason: reason}
	}
	return Outcome{Reason: reason, Decisive: true, Winner: winner}
}

// Ruleset says which draws come by themselves. What is not automatic may still be claimed: see Game.Claims. With the zero
// value only stalemate and dead material draw by themselves.
type Ruleset struct {
	// Repetitions is the occurrence of one position that ends the game, or 0 (as 1, which every position has) for none. The
	// reason is fivefold repetition from 5 on and threefold repetition below.
	Repetitions int
	// Halfmoves is the number of plies without capture or pawn move that ends the game, or 0 for none. The reason is the
	// 75-move rule from 150 on and the 50-move rule below.
	Halfmoves int
}

// The counts of FIDE's Laws (9.2, 9.6.1, 9.6.2).
const (
	threefoldLimit       = 3
	fivefoldLimit        = 5
	seventyFiveMoveLimit = 150 // plies
)

var (
	// FIDE is the Laws of Chess of 2023: five occurrences and 75 moves end the game, three and 50 may be claimed.
	FIDE = Ruleset{Repetitions: fivefoldLimit, Halfmoves: seventyFiveMoveLimit}
	// Lichess ends games at 50 moves by itself and lets players claim three occurrences.
	Lichess = Ruleset{Repetitions: fivefoldLimit, Halfmoves: FiftyMoveLimit}
	// LichessBot is Lichess with a bot in the game, for whom threefold repetition is always claimed at once.
	LichessBot = Ruleset{Repetitions: threefoldLimit, Halfmoves: FiftyMoveLimit}
)

// Agreed returns the outcome when both sides agree to a draw.
func Agreed() Outcome { return Outcome{Reason: Agreement} }

// Resigned returns the outcome when a side gives up.
func Resigned(loser Color) Outcome {
	return Outcome{Reason: Resignation, Decisive: true, Winner: loser.Other()}
}
