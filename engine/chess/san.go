package chess

import "strings"

// SAN returns a legal move in Standard Algebraic Notation, as the PGN standard (S. J. Edwards, 1994, section 8.2.3) writes
// it: the least disambiguation that is needed, "=Q" for promotions, "+" and "#" for check and mate.
func (p *Position) SAN(m Move) string {
	b := make([]byte, 0, 8)
	switch {
	case m.IsCastle() && m.To() > m.From():
		b = append(b, "O-O"...)
	case m.IsCastle():
		b = append(b, "O-O-O"...)
	default:
		from, to := m.From(), m.To()
		t := p.PieceOn(from).Type()
		if t == Pawn {
			if p.IsCapture(m) {
				b = append(b, 'a'+byte(from.File()), 'x')
			}
		} else {
			b = append(b, t.upper())
			b = append(b, p.disambiguation(m, t)...)
			if p.IsCapture(m) {
				b = append(b, 'x')
			}
		}
		b = append(b, to.String()...)
		if m.IsPromotion() {
			b = append(b, '=', m.Promotion().upper())
		}
	}
	if next := p.Play(m); next.InCheck() {
		if next.HasLegalMove() {
			b = append(b, '+')
		} else {
			b = append(b, '#')
		}
	}
	return string(b)
}

// disambiguation returns what tells the man from others of its kind that could go to the same square: the file if that
// is enough, else the rank if that is enough, else both.
func (p *Position) disambiguation(m Move, t PieceType) string {
	from := m.From()
	var others Bitboard
	var list MoveList
	p.LegalMoves(&list)
	for _, other := range list.Slice() {
		if other.To() == m.To() && other.From() != from && !other.IsCastle() && p.PieceOn(other.From()).Type() == t {
			others |= other.From().Bit()
		}
	}
	name := from.String()
	switch {
	case others == 0:
		return ""
	case others&(fileA<<from.File()) == 0:
		return name[:1]
	case others&(rank1<<(8*from.Rank())) == 0:
		return name[1:]
	}
	return name
}

// sanParts is a SAN text taken apart. Files and ranks are -1 where the text does not give them.
type sanParts struct {
	castle             bool
	hSide              bool
	piece              PieceType
	fromFile, fromRank int
	to                 Square
	promotion          PieceType
	enPassant          bool // the text says so
}

// ParseSAN reads a legal move in Standard Algebraic Notation. It reads more than SAN writes: missing or wrong "+", "#"
// and "x", up to two marks of check ("++" as well) and two of annotation ("!", "?") at the end in any order, "e.p." before
// them when the move captures en passant, zeros for the letters of castling, a missing "=", more disambiguation than
// needed, P for a pawn, and the long forms "e2-e4" and "e2e4". A dash stands after a whole square only: "N-d5" is none.
//
// It does not guess: a piece letter is upper case, also after a promotion's "=", castling is written with capital
// letters or zeros and not as a king's move, a pawn's capture names the file that it leaves and a promotion its piece, which stands
// bare or after "=", not in brackets or after a slash. Nothing may stand before the move. The error is a *SyntaxError,
// an *IllegalMoveError or an *AmbiguousMoveError.
func (p *Position) ParseSAN(text string) (Move, error) {
	parts, reason := parseSAN(text)
	if reason != "" {
		return NoMove, &SyntaxError{"SAN move", text, reason}
	}
	var list MoveList
	p.LegalMoves(&list)
	var fits []Move
	for _, m := range list.Slice() {
		if p.sanFits(m, &parts) {
			fits = append(fits, m)
		}
	}
	switch len(fits) {
	case 0:
		return NoMove, &IllegalMoveError{text, p.FEN()}
	case 1:
		return fits[0], nil
	}
	return NoMove, &AmbiguousMoveError{text, p.FEN(), fits}
}

func (p *Position) sanFits(m Move, parts *sanParts) bool {
	if m.IsCastle() || parts.castle {
		return m.IsCastle() && parts.castle && !parts.enPassant && parts.hSide == (m.To() > m.From())
	}
	from := m.From()
	if parts.enPassant && !m.IsEnPassant() || m.To() != parts.to || m.Promotion() != parts.promotion || p.PieceOn(from).Type() != parts.piece ||
		parts.fromFile >= 0 && from.File() != parts.fromFile || parts.fromRank >= 0 && from.Rank() != parts.fromRank {
		return false
	}
	// "d5" is a push: a pawn's capture has to name its file.
	return parts.piece != Pawn || parts.fromFile >= 0 || from.File() == m.To().File()
}

func parseSAN(text string) (parts sanParts, reason string) {
	if len(text) > 16 {
		return parts, "is longer than any move"
	}
	s := strings.TrimRight(text, "+#!?")
	marks := text[len(s):]
	if checks := strings.Count(marks, "+") + strings.Count(marks, "#"); checks > 2 || len(marks)-checks > 2 {
		return parts, "has more than two marks of check or of annotation"
	}
	s, enPassant := strings.CutSuffix(s, "e.p.")
	if enPassant {
		s = strings.TrimRight(s, " ")
	}
	switch s {
	case "O-O", "0-0":
		return sanParts{castle: true, hSide: true, enPassant: enPassant}, ""
	case "O-O-O", "0-0-0":
		return sanParts{castle: true, enPassant: enPassant}, ""
	case "":
		return parts, "is empty"
	}

	parts = sanParts{piece: Pawn, fromFile: -1, fromRank: -1, enPassant: enPassant}
	if t := pieceFromUpper(s[0]); t != NoPieceType {
		parts.piece, s = t, s[1:]
	}
	if n := len(s); n > 0 {
		if t := pieceFromUpper(s[n-1]); t != NoPieceType {
			if parts.piece != Pawn || t == Pawn || t == King {
				return parts, "has a promotion that no man can make"
			}
			parts.promotion, s = t, strings.TrimSuffix(s[:n-1], "=")
		}
	}
	n := len(s)
	if n < 2 {
		return parts, "does not end in a square"
	}
	to, ok := ParseSquare(s[n-2:])
	if !ok {
		return parts, "does not end in a square"
	}
	parts.to, s = to, s[:n-2]
	pawnTakes := false
	if n := len(s); n > 0 && (s[n-1] == 'x' || s[n-1] == '-') {
		if s[n-1] == '-' && n != 3 {
			return parts, "has a dash that does not stand between two squares"
		}
		pawnTakes = s[n-1] == 'x' && parts.piece == Pawn
		s = s[:n-1]
	}
	if s != "" && s[0] >= 'a' && s[0] <= 'h' {
		parts.fromFile, s = int(s[0]-'a'), s[1:]
	}
	if s != "" && s[0] >= '1' && s[0] <= '8' {
		parts.fromRank, s = int(s[0]-'1'), s[1:]
	}
	switch {
	case s != "":
		return parts, "is not a move in algebraic notation"
	case pawnTakes && parts.fromFile < 0:
		return parts, "is a pawn's capture without the pawn's file"
	case pawnTakes && parts.fromFile == to.File():
		return parts, "is a pawn's capture that stays on its file"
	}
	return parts, ""
}

// pieceFromUpper reads an upper-case piece letter, P included, or returns NoPieceType.
func pieceFromUpper(b byte) PieceType {
	if man, ok := pieceFromLetter(b); ok && man.Color() == White {
		return man.Type()
	}
	return NoPieceType
}
