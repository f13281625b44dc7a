package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"castellan/engine/chess"
)

// Bounds of a question about the rules.
const (
	maxQuestion = 16 << 10 // bytes
	maxPlies    = 1200     // twice what the server lets a game last
)

// question asks about a game by its start and its moves.
type question struct {
	// FEN is the start; "" and "startpos" are the usual one.
	FEN string `json:"fen"`
	// Number asks for a start of Chess960, 0 to 959, in the place of a FEN.
	Number *int `json:"number"`
	// Moves are UCI moves with spaces between.
	Moves string `json:"moves"`
}

// answer is all that a page must know of the rules to show a game and to move in it.
type answer struct {
	FEN   string  `json:"fen"`             // the start
	Check string  `json:"check,omitempty"` // square of the king that is in check at the start
	Plies []ply   `json:"plies"`
	Legal []legal `json:"legal"` // moves of the side to move; none when the game is over on the board
	// Over says how the game has ended on the board, by the rules of Lichess with a bot in the game; "" when it goes on.
	Over string `json:"over,omitempty"`
}

// ply is a move that was played and what came of it.
type ply struct {
	UCI      string `json:"uci"` // castling is the king's move to its rook
	SAN      string `json:"san"`
	From     string `json:"from"`
	To       string `json:"to"`                 // where the man stands now; a king that castled, not its rook
	FEN      string `json:"fen"`                // after the move
	Check    string `json:"check,omitempty"`    // square of the king that is in check after it
	Captured string `json:"captured,omitempty"` // the man that was taken, as FEN has it
}

// legal is a move that can be played.
type legal struct {
	ply
	// Targets are the squares that choose this move for the man on From: where it goes, and for castling the rook's square and
	// that of the king too, unless another move goes there.
	Targets   []string `json:"targets"`
	Promotion string   `json:"promotion,omitempty"` // q, r, b or n
}

// readQuestion reads a question and plays its moves. What is wrong with it is said in words for the person who gave the FEN.
func readQuestion(r io.Reader) (*chess.Game, error) {
	var q question
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		return nil, fmt.Errorf("the question cannot be read: %w", err)
	}
	start := chess.StartPosition()
	var err error
	switch {
	case q.Number != nil && q.FEN != "":
		return nil, errors.New("a start has either a FEN or a number")
	case q.Number != nil:
		start, err = chess.Chess960Start(*q.Number)
	case q.FEN != "" && q.FEN != "startpos":
		start, err = chess.ParseFEN(q.FEN)
	}
	if err != nil {
		return nil, err
	}
	game := chess.NewGame(start, chess.LichessBot)
	for i, move := range strings.Fields(q.Moves) {
		if i == maxPlies {
			return nil, fmt.Errorf("more than %d plies", maxPlies)
		}
		if err := game.PlayUCI(move); err != nil {
			return nil, err
		}
	}
	return game, nil
}

// explain answers what a page asks about a game.
func explain(game *chess.Game) answer {
	start := game.Start()
	a := answer{FEN: start.FEN(), Check: checkedKing(&start), Plies: []ply{}, Legal: []legal{}}
	for i, m := range game.Moves() {
		before := game.PositionAt(i)
		a.Plies = append(a.Plies, describe(&before, m))
	}
	if outcome := game.Outcome(); outcome.Over() {
		a.Over = outcome.Reason.String()
		return a
	}
	var list chess.MoveList
	game.Position().LegalMoves(&list)
	taken := map[string]bool{} // from-square and to-square of moves that are no castling
	for _, m := range list.Slice() {
		if !m.IsCastle() {
			taken[m.From().String()+m.To().String()] = true
		}
	}
	for _, m := range list.Slice() {
		l := legal{ply: describe(game.Position(), m), Targets: []string{m.To().String()}}
		if m.IsCastle() && !taken[l.From+l.To] && l.To != m.To().String() {
			l.Targets = append(l.Targets, l.To)
		}
		if m.IsPromotion() {
			l.Promotion = l.UCI[4:]
		}
		a.Legal = append(a.Legal, l)
	}
	return a
}

func describe(before *chess.Position, m chess.Move) ply {
	after := before.Play(m)
	p := ply{UCI: m.String(), SAN: before.SAN(m), From: m.From().String(), To: m.To().String(), FEN: after.FEN(), Check: checkedKing(&after)}
	switch {
	case m.IsCastle():
		p.To = after.King(before.SideToMove()).String()
	case m.IsEnPassant():
		p.Captured = letter(before.SideToMove().Other(), "p")
	case before.PieceOn(m.To()) != chess.NoPiece:
		p.Captured = before.PieceOn(m.To()).String()
	}
	return p
}

func letter(c chess.Color, lower string) string {
	if c == chess.White {
		return strings.ToUpper(lower)
	}
	return lower
}

func checkedKing(p *chess.Position) string {
	if !p.InCheck() {
		return ""
	}
	return p.King(p.SideToMove()).String()
}
