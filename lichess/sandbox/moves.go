package sandbox

import (
	"regexp"
	"strings"

	"castellan/engine/chess"
	"castellan/lichess"
)

var (
	uciMove = regexp.MustCompile(`^[a-h][1-8][a-h][1-8][a-z]?$`)
	uciDrop = regexp.MustCompile(`^[PNBRQK][@*][a-h][1-8]$`)
)

// move plays a move, after what its offeringDraw says: true offers a draw or
// accepts the opponent's, in which case the move is not played any more.
func (s *Server) move(c *call, p pov) (any, error) {
	text := c.path("uci")
	offering, err := boolParam(c.form, "offeringDraw", false)
	if err != nil {
		return nil, err
	}
	switch {
	case !uciMove.MatchString(text) && !uciDrop.MatchString(text):
		return nil, badRequest("Invalid UCI: %s", text)
	case !p.myTurn():
		return nil, badRequest("Not your turn, or game already over")
	case c.form.Has("offeringDraw") && !offering && p.player().offersDraw:
		s.declineDraw(p)
	case offering && !p.player().offersDraw:
		if s.offerDraw(p); p.g.status.Over() {
			return ok(nil)
		}
	}
	// A move that comes after the flag falls is answered by the flag.
	if s.checkFlag(p.g, 0) {
		return ok(nil)
	}
	if p.g.chess.Ply() > maxPlies {
		s.finish(p.g, lichess.StatusDraw, nil)
		return ok(nil)
	}
	m, err := p.g.findMove(text)
	if err != nil {
		return nil, err
	}
	s.play(p, m)
	return ok(nil)
}

// play plays a legal move and all that follows from it.
func (s *Server) play(p pov, m chess.Move) {
	g, now := p.g, s.now()
	if err := g.chess.Play(m); err != nil {
		panic("sandbox: " + err.Error()) // findMove has found it among the legal ones
	}
	if g.clock != nil {
		g.clock.moved(p.c, g.chess.Ply(), now)
	}
	g.movedAt = now
	s.sawMove(p)

	switch outcome := g.chess.Outcome(); outcome.Reason {
	case chess.Ongoing:
		g.pushState(now)
		if g.claimsThreefold() { // right after the move is out
			s.finish(g, lichess.StatusDraw, nil)
			return
		}
		// Moving declines whatever the opponent has offered, and withdraws
		// an own takeback proposal. The state above still shows it.
		s.declineDraw(p)
		s.declineTakeback(p)
	case chess.Checkmate:
		s.finish(g, lichess.StatusMate, winnerOf(outcome))
	case chess.Stalemate:
		s.finish(g, lichess.StatusStalemate, nil)
	default:
		s.finish(g, lichess.StatusDraw, nil)
	}
}

// findMove finds the legal move that a UCI string stands for. Castling is the
// king's move to the rook, or to where the king goes when that cannot be
// mistaken: never in Chess960, and elsewhere with the king on the e-file and
// the rook on the a- or h-file. A promotion without a letter is to a queen; a
// letter on any other move is ignored.
func (g *game) findMove(text string) (chess.Move, error) {
	position := g.position()
	if len(text) > 1 && strings.ContainsAny(text[1:2], "@*") {
		return chess.NoMove, badRequest("%s does not know drops", g.variant.Name)
	}
	from, _ := chess.ParseSquare(text[:2])
	to, _ := chess.ParseSquare(text[2:4])
	piece := position.PieceOn(from)
	switch {
	case piece == chess.NoPiece:
		return chess.NoMove, badRequest("No piece on %s", from)
	case piece.Color() != position.SideToMove():
		return chess.NoMove, badRequest("Not my piece on %s", from)
	}
	promotion := chess.Queen
	if len(text) == 5 {
		switch text[4] {
		case 'q':
		case 'r':
			promotion = chess.Rook
		case 'b':
			promotion = chess.Bishop
		case 'n':
			promotion = chess.Knight
		default:
			return chess.NoMove, badRequest("Cannot promote to %s in this game mode", text[4:])
		}
	}
	var legal chess.MoveList
	position.LegalMoves(&legal)
	for _, m := range legal.Slice() {
		if m.From() == from && m.To() == to && (!m.IsPromotion() || m.Promotion() == promotion) {
			return m, nil
		}
	}
	if g.variant.Key != lichess.VariantChess960 && from.File() == 4 {
		for _, m := range legal.Slice() {
			file := m.To().File()
			if m.IsCastle() && (file == 0 || file == 7) && position.UCI(m, false) == text[:4] {
				return m, nil
			}
		}
	}
	return chess.NoMove, badRequest("Piece on %s cannot move to %s", from, to)
}

func (s *Server) abort(_ *call, p pov) (any, error) {
	if !p.g.abortable() {
		return nil, badRequest("This game can no longer be aborted")
	}
	s.finish(p.g, lichess.StatusAborted, nil)
	return ok(nil)
}

func (s *Server) resign(c *call, p pov) (any, error) {
	switch {
	case p.g.status.Over():
		return nil, badRequest("This game cannot be resigned")
	case p.g.abortable():
		return s.abort(c, p)
	}
	winner := p.c.Other()
	s.finish(p.g, lichess.StatusResign, &winner)
	return ok(nil)
}
