package chess

import (
	"fmt"
	"strconv"
	"strings"

	notnil "github.com/notnil/chess"
)

// ownBook answers the statements of docs/rules.md by engine/chess.
type ownBook struct{ game *Game }

func (b *ownBook) Start(fen string) error {
	p, err := ParseFEN(fen)
	b.game = NewGame(p, FIDE)
	return err
}

func (b *ownBook) Play(san string) error {
	m, err := b.game.Position().ParseSAN(san)
	if err != nil {
		return err
	}
	if written := b.game.Position().SAN(m); written != san {
		return fmt.Errorf("is written %s", written)
	}
	return b.game.Play(m)
}

func (b *ownBook) Board() (board [64]string) {
	// Read from the drawing, so that Diagram is checked as well.
	for i, row := range strings.Split(b.game.Position().Diagram(), "\n")[:8] {
		for file, man := range strings.Fields(row)[1:] {
			board[NewSquare(file, 7-i)] = man
		}
	}
	return board
}

func (b *ownBook) SideToMove() string {
	side := b.game.Position().SideToMove().String()
	return strings.ToUpper(side[:1]) + side[1:]
}

func (b *ownBook) FEN() string   { return b.game.Position().FEN() }
func (b *ownBook) InCheck() bool { return b.game.Position().InCheck() }

func (b *ownBook) Checkers() (squares []string) {
	for men := b.game.Position().Checkers(); men != 0; {
		squares = append(squares, men.PopFirst().String())
	}
	return squares
}

func (b *ownBook) Moves() map[string][2]string {
	p := b.game.Position()
	var list MoveList
	p.LegalMoves(&list)
	moves := map[string][2]string{}
	for _, m := range list.Slice() {
		moves[p.SAN(m)] = [2]string{m.From().String(), m.To().String()}
	}
	return moves
}

func describeOutcome(o Outcome) string {
	if !o.Over() {
		return "none"
	}
	return o.Result() + " by " + o.Reason.String()
}

func (b *ownBook) Outcome() string { return describeOutcome(b.game.Outcome()) }

func (b *ownBook) Claims() (claims []string) {
	threefold, fifty := b.game.Claims()
	if threefold {
		claims = append(claims, ThreefoldRepetition.String())
	}
	if fifty {
		claims = append(claims, FiftyMoves.String())
	}
	return claims
}

func (b *ownBook) ClaimsWith(san string) (claims []string, err error) {
	m, err := b.game.Position().ParseSAN(san)
	if err != nil {
		return nil, err
	}
	threefold, fifty := b.game.ClaimsWith(m)
	if threefold {
		claims = append(claims, ThreefoldRepetition.String())
	}
	if fifty {
		claims = append(claims, FiftyMoves.String())
	}
	return claims, nil
}

func (b *ownBook) Accepts(fen string) error {
	_, err := ParseFEN(fen)
	return err
}

func (b *ownBook) Occurrences() int        { return b.game.Repetitions() }
func (b *ownBook) Sequences(plies int) int { return int(Perft(b.game.Position(), plies)) }

func (b *ownBook) OutcomeOnLichess(bot bool) (string, error) {
	rules := Lichess
	if bot {
		rules = LichessBot
	}
	g := NewGame(b.game.Start(), rules)
	for _, m := range b.game.Moves() {
		if err := g.Play(m); err != nil {
			return "", err
		}
	}
	return describeOutcome(g.Outcome()), nil
}

func colorOf(name string) Color {
	if name == "White" {
		return White
	}
	return Black
}

func (b *ownBook) OnTime(loser string) (string, error) {
	return describeOutcome(b.game.Position().OnTime(colorOf(loser))), nil
}

func (b *ownBook) Agree() string              { return describeOutcome(Agreed()) }
func (b *ownBook) Resign(loser string) string { return describeOutcome(Resigned(colorOf(loser))) }

// notnilBook answers them by github.com/notnil/chess.
type notnilBook struct{ game *notnil.Game }

func (b *notnilBook) Start(fen string) error {
	if rights := strings.Fields(fen)[2]; strings.Trim(rights, "KQkq-") != "" {
		return errNotnilDoesNotKnowChess960
	}
	start, err := notnil.FEN(fen)
	if err != nil {
		return err
	}
	b.game = notnil.NewGame(start)
	return nil
}

func (b *notnilBook) Play(san string) error { return b.game.MoveStr(san) }

func (b *notnilBook) Board() (board [64]string) {
	for s := range board {
		board[s] = "."
	}
	letters := map[notnil.PieceType]string{notnil.King: "k", notnil.Queen: "q", notnil.Rook: "r", notnil.Bishop: "b", notnil.Knight: "n", notnil.Pawn: "p"}
	for s, man := range b.game.Position().Board().SquareMap() {
		letter := letters[man.Type()]
		if man.Color() == notnil.White {
			letter = strings.ToUpper(letter)
		}
		board[s] = letter // squares are numbered alike
	}
	return board
}

func (b *notnilBook) SideToMove() string { return b.game.Position().Turn().Name() }
func (b *notnilBook) FEN() string        { return b.game.Position().XFENString() }

// InCheck asks the last move, or in the diagram itself whether the king could be taken if the other side moved.
func (b *notnilBook) InCheck() bool {
	if moves := b.game.Moves(); len(moves) > 0 {
		return moves[len(moves)-1].HasTag(notnil.Check)
	}
	return len(b.Checkers()) > 0
}

// Checkers lists the men that could take the king if the other side moved. A pawn stands in for that side's own king, which gives no
// check: a man that shields it gives check all the same.
func (b *notnilBook) Checkers() (squares []string) {
	p := b.game.Position()
	fields := strings.Fields(p.String())
	if fields[1] == "w" {
		fields[0], fields[1] = strings.ReplaceAll(fields[0], "k", "p"), "b"
	} else {
		fields[0], fields[1] = strings.ReplaceAll(fields[0], "K", "P"), "w"
	}
	fields[2], fields[3] = "-", "-"
	turned, err := notnil.FEN(strings.Join(fields, " "))
	if err != nil {
		panic(err)
	}
	for _, m := range notnil.NewGame(turned).ValidMoves() {
		if man := p.Board().Piece(m.S2()); man.Type() == notnil.King && man.Color() == p.Turn() {
			squares = append(squares, m.S1().String())
		}
	}
	return squares
}

func (b *notnilBook) Moves() map[string][2]string {
	moves := map[string][2]string{}
	p := b.game.Position()
	for _, m := range p.ValidMoves() {
		moves[notnil.AlgebraicNotation{}.Encode(p, m)] = [2]string{m.S1().String(), m.S2().String()}
	}
	return moves
}

var notnilMethods = map[notnil.Method]string{
	notnil.Checkmate: "checkmate", notnil.Stalemate: "stalemate", notnil.InsufficientMaterial: "insufficient material",
	notnil.FivefoldRepetition: "fivefold repetition", notnil.SeventyFiveMoveRule: "75-move rule",
	notnil.ThreefoldRepetition: "threefold repetition", notnil.FiftyMoveRule: "50-move rule",
	notnil.DrawOffer: "agreement", notnil.Resignation: "resignation",
}

func (b *notnilBook) Outcome() string {
	if b.game.Outcome() == notnil.NoOutcome {
		return "none"
	}
	return b.game.Outcome().String() + " by " + notnilMethods[b.game.Method()]
}

func (b *notnilBook) Claims() (claims []string) {
	for _, method := range b.game.EligibleDraws() {
		if method != notnil.DrawOffer { // which needs the opponent
			claims = append(claims, notnilMethods[method])
		}
	}
	return claims
}

// ClaimsWith plays the move: what is claimed is the position after it.
func (b *notnilBook) ClaimsWith(san string) ([]string, error) {
	if err := b.game.MoveStr(san); err != nil {
		return nil, err
	}
	return b.Claims(), nil
}

func (b *notnilBook) Accepts(fen string) error {
	_, err := notnil.FEN(fen)
	return err
}

// Occurrences counts the game's positions that have the hash-relevant fields of the current one, as notnil itself does.
func (b *notnilBook) Occurrences() (n int) {
	same := func(p *notnil.Position) string { return strings.Join(strings.Fields(p.String())[:4], " ") }
	for _, p := range b.game.Positions() {
		if same(p) == same(b.game.Position()) {
			n++
		}
	}
	return n
}

func (b *notnilBook) Sequences(plies int) int {
	var count func(p *notnil.Position, plies int) int
	count = func(p *notnil.Position, plies int) (n int) {
		if plies == 0 {
			return 1
		}
		for _, m := range p.ValidMoves() {
			n += count(p.Update(m), plies-1)
		}
		return n
	}
	return count(b.game.Position(), plies)
}

// OutcomeOnLichess applies Lichess's counts to notnil's positions, after the ends that do not count anything.
func (b *notnilBook) OutcomeOnLichess(bot bool) (string, error) {
	switch b.game.Method() {
	case notnil.Checkmate, notnil.Stalemate, notnil.InsufficientMaterial:
		return b.Outcome(), nil
	}
	clock, err := strconv.Atoi(strings.Fields(b.game.Position().String())[4])
	switch {
	case err != nil:
		return "", err
	case clock >= 100:
		return "1/2-1/2 by 50-move rule", nil
	case bot && b.Occurrences() >= 3:
		return "1/2-1/2 by threefold repetition", nil
	case b.Occurrences() >= 5:
		return "1/2-1/2 by fivefold repetition", nil
	}
	return "none", nil
}

func (b *notnilBook) OnTime(string) (string, error) { return "", errNotnilHasNoClocks }

func (b *notnilBook) Agree() string {
	if err := b.game.Draw(notnil.DrawOffer); err != nil {
		return err.Error()
	}
	return b.Outcome()
}

func (b *notnilBook) Resign(loser string) string {
	color := notnil.White
	if loser == "Black" {
		color = notnil.Black
	}
	b.game.Resign(color)
	return b.Outcome()
}
