package chess

import "fmt"

// Game is a game from its start to now: the start, the moves, and every position between, so that repetition can be told
// and moves taken back. A Game is not for use by several goroutines at once.
type Game struct {
	rules     Ruleset
	positions []Position // len(moves)+1, the last is the current one
	moves     []Move
}

// NewGame returns a game that starts from a position.
func NewGame(start Position, rules Ruleset) *Game {
	positions := make([]Position, 1, 128)
	positions[0] = start
	return &Game{rules: rules, positions: positions, moves: make([]Move, 0, 128)}
}

// Rules returns the ruleset that Outcome goes by.
func (g *Game) Rules() Ruleset { return g.rules }

// Start returns the position the game started from.
func (g *Game) Start() Position { return g.positions[0] }

// Position returns the current position; it is valid until the next change of the game.
func (g *Game) Position() *Position { return &g.positions[len(g.moves)] }

// PositionAt returns the position after the first ply moves, 0 <= ply <= Ply.
func (g *Game) PositionAt(ply int) Position { return g.positions[ply] }

// Moves returns the moves played; it is valid until the next change of the game and must not be written to.
func (g *Game) Moves() []Move { return g.moves }

// Ply returns the number of moves played.
func (g *Game) Ply() int { return len(g.moves) }

// Play plays a move. It returns an *IllegalMoveError and changes nothing when the move is not legal. It does not ask whether
// the game is over: a draw that nobody has claimed does not stop the men.
func (g *Game) Play(m Move) error {
	p := g.Position()
	if !p.IsLegal(m) {
		return &IllegalMoveError{m.String(), p.FEN()}
	}
	g.push(m)
	return nil
}

func (g *Game) push(m Move) {
	g.positions = append(g.positions, *g.Position())
	g.positions[len(g.positions)-1].play(m)
	g.moves = append(g.moves, m)
}

// PlayUCI plays a move given as UCI text; see Position.ParseUCI.
func (g *Game) PlayUCI(text string) error {
	m, err := g.Position().ParseUCI(text)
	if err != nil {
		return fmt.Errorf("ply %d: %w", g.Ply()+1, err)
	}
	g.push(m)
	return nil
}

// PlaySAN plays a move given as SAN; see Position.ParseSAN.
func (g *Game) PlaySAN(text string) error {
	m, err := g.Position().ParseSAN(text)
	if err != nil {
		return fmt.Errorf("ply %d: %w", g.Ply()+1, err)
	}
	g.push(m)
	return nil
}

// Undo takes back the last move and tells whether there was one.
func (g *Game) Undo() bool {
	if len(g.moves) == 0 {
		return false
	}
	g.moves = g.moves[:len(g.moves)-1]
	g.positions = g.positions[:len(g.positions)-1]
	return true
}

// Clone returns a copy that shares nothing with the game.
func (g *Game) Clone() *Game {
	return &Game{
		rules:     g.rules,
		positions: append(make([]Position, 0, cap(g.positions)), g.positions...),
		moves:     append(make([]Move, 0, cap(g.moves)), g.moves...),
	}
}

// Keys returns the keys of all positions from the start to the current one, for a search that must know what repeats.
func (g *Game) Keys() []uint64 {
	keys := make([]uint64, len(g.positions))
	for i := range g.positions {
		keys[i] = g.positions[i].key
	}
	return keys
}

// Repetitions returns how often the current position has occurred in the game, this time included. Two positions are the
// same when men, side to move, castling rights and legal en passant captures are (FIDE Laws 9.2.3).
func (g *Game) Repetitions() int {
	return g.occurrences(g.Position(), g.Ply())
}

// occurrences returns how often a position has occurred when it comes after a number of plies, up to Ply+1.
func (g *Game) occurrences(p *Position, ply int) int {
	n := 1
	// Nothing before the last capture or pawn move can come again. The clock may have begun before the game did.
	first := ply - int(p.halfmove)
	if first < 0 || p.halfmove == maxClock { // a clock at its bound does not tell how long ago that was
		first = 0
	}
	for i := ply - 2; i >= first; i -= 2 {
		if g.positions[i].key == p.key {
			n++
		}
	}
	return n
}

// Outcome returns how the game stands on the board: over by mate, stalemate, dead material or one of the ruleset's automatic
// draws, or ongoing. Mate and stalemate come before any draw by count (FIDE Laws 9.6.2).
func (g *Game) Outcome() Outcome {
	p := g.Position()
	if !p.HasLegalMove() {
		if p.InCheck() {
			return Outcome{Reason: Checkmate, Decisive: true, Winner: p.side.Other()}
		}
		return Outcome{Reason: Stalemate}
	}
	switch {
	case p.IsDeadMaterial():
		return Outcome{Reason: DeadMaterial}
	case g.rules.Halfmoves > 0 && int(p.halfmove) >= g.rules.Halfmoves:
		if g.rules.Halfmoves < seventyFiveMoveLimit {
			return Outcome{Reason: FiftyMoves}
		}
		return Outcome{Reason: SeventyFiveMoves}
	}
	if limit := g.rules.Repetitions; limit > 1 && int(p.halfmove) >= 4*(limit-1) && g.Repetitions() >= limit {
		if limit < fivefoldLimit {
			return Outcome{Reason: ThreefoldRepetition}
		}
		return Outcome{Reason: FivefoldRepetition}
	}
	return Outcome{}
}
