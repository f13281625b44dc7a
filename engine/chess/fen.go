package chess

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxFENLength bounds what ParseFEN looks at; the longest sensible FEN is below 100 bytes.
const maxFENLength = 256

// maxClock is the largest half-move clock and move number that ParseFEN accepts and that a Position counts to: a game that goes on
// for longer stays there. The 75-move rule ends every game within 8,850 moves.
const maxClock = 9999

// ParseFEN reads a position in Forsyth-Edwards Notation.
//
// Castling rights may be written as KQkq (X-FEN: the outermost rook of that side) or as rook files (Shredder-FEN), in any
// order. The last fields may be missing, from the right: they are then "w", "-", "-", "0" and "1". Fields may be apart by several
// spaces or tabs, and white space around the text, line ends included, is taken off. A right without king and rook in place,
// and an en passant square on which nothing can be captured, are dropped, as there is nothing they could mean.
//
// Everything else that is wrong is a *SyntaxError which names the field. Where programs differ, this one refuses: two digits in
// a row, the side to move in upper case, a right given twice, counters above 9999 or with fractions, marks and pockets of other
// variants. Each side needs one king, at most eight pawns (none on the first and last rank) and sixteen men, and the side that
// is not to move must not be in check.
func ParseFEN(text string) (Position, error) {
	p, err := readFEN(text)
	if err != nil {
		return Position{}, err
	}
	if reason := p.checkMen(); reason != "" {
		return Position{}, &SyntaxError{"FEN board", strings.Fields(text)[0], reason}
	}
	return p, nil
}

// readFEN reads the fields of a FEN without asking whether the men make a possible position.
func readFEN(text string) (p Position, err error) {
	if len(text) > maxFENLength {
		return p, &SyntaxError{"FEN", text[:40] + "…", fmt.Sprintf("is %d bytes long, a FEN has at most %d", len(text), maxFENLength)}
	}
	fields := strings.FieldsFunc(strings.Trim(text, " \t\r\n"), func(r rune) bool { return r == ' ' || r == '\t' })
	if len(fields) == 0 {
		return p, &SyntaxError{"FEN", text, "is empty"}
	}
	if len(fields) > 6 {
		return p, &SyntaxError{"FEN", text, fmt.Sprintf("has %d fields, a FEN has six", len(fields))}
	}
	for i, missing := range []string{"", "w", "-", "-", "0", "1"} {
		if len(fields) == i {
			fields = append(fields, missing)
		}
	}
	fail := func(field int, reason string) error {
		name := [...]string{"board", "side to move", "castling rights", "en passant square", "half-move clock", "move number"}[field]
		return &SyntaxError{"FEN " + name, fields[field], reason}
	}

	p.ep = NoSquare
	if reason := p.parseBoard(fields[0]); reason != "" {
		return p, fail(0, reason)
	}
	switch fields[1] {
	case "w":
	case "b":
		p.side = Black
	default:
		return p, fail(1, `must be "w" or "b"`)
	}
	if reason := p.parseCastling(fields[2]); reason != "" {
		return p, fail(2, reason)
	}
	if fields[3] != "-" {
		s, ok := ParseSquare(fields[3])
		if !ok {
			return p, fail(3, `must be a square such as "e3", or "-"`)
		}
		if p.couldHavePassed(s) {
			p.setEnPassant(s)
		}
	}
	half, reason := parseClock(fields[4])
	if reason != "" {
		return p, fail(4, reason)
	}
	full, reason := parseClock(fields[5])
	if reason != "" {
		return p, fail(5, reason)
	}
	p.halfmove, p.fullmove = half, max(full, 1)
	p.key, p.pawnKey = p.computeKeys()
	p.checkers = p.attackersOf(p.side.Other(), p.King(p.side))
	return p, nil
}

func (p *Position) parseBoard(text string) (reason string) {
	ranks := strings.Split(text, "/")
	if len(ranks) != 8 {
		if len(ranks) == 1 {
			return "has 1 rank, a board has eight"
		}
		return fmt.Sprintf("has %d ranks, a board has eight", len(ranks))
	}
	for i, rank := range ranks {
		file, afterDigit := 0, false
		for j := 0; j < len(rank); j++ {
			b := rank[j]
			if b >= '1' && b <= '8' {
				if afterDigit {
					return fmt.Sprintf("has two digits in a row on rank %d", 8-i)
				}
				file += int(b - '0')
				afterDigit = true
				continue
			}
			afterDigit = false
			man, ok := pieceFromLetter(b)
			if !ok {
				return fmt.Sprintf("has %q on rank %d: men are PNBRQK and pnbrqk, gaps 1 to 8", b, 8-i)
			}
			if file > 7 {
				return fmt.Sprintf("rank %d has more than eight squares", 8-i)
			}
			p.put(man, NewSquare(file, 7-i))
			file++
		}
		if file != 8 {
			return fmt.Sprintf("rank %d has %d squares instead of eight", 8-i, file)
		}
	}
	return ""
}

// checkMen tells what makes the men on the board impossible, or nothing.
func (p *Position) checkMen() (reason string) {
	for _, c := range []Color{White, Black} {
		if n := p.Pieces(c, King).Count(); n != 1 {
			return fmt.Sprintf("has %d %v kings instead of one", n, c)
		}
		if n := p.Pieces(c, Pawn).Count(); n > 8 {
			return fmt.Sprintf("has %d %v pawns, at most eight are possible", n, c)
		}
		if n := p.ByColor(c).Count(); n > 16 {
			return fmt.Sprintf("has %d %v men, at most sixteen are possible", n, c)
		}
	}
	if p.ByType(Pawn)&(rank1|rank8) != 0 {
		return "has a pawn on the first or last rank"
	}
	if waiting := p.side.Other(); p.AttackersTo(p.King(waiting), p.Occupied())&p.ByColor(p.side) != 0 {
		return fmt.Sprintf("has the %v king in check with %v to move", waiting, p.side)
	}
	return ""
}

func (p *Position) parseCastling(text string) (reason string) {
	if text == "-" {
		return ""
	}
	if len(text) > 4 {
		return "has more than four letters"
	}
	for i := 0; i < len(text); i++ {
		b, c := text[i], White
		if b >= 'a' && b <= 'z' {
			b, c = b-'a'+'A', Black
		}
		king := p.King(c)
		rooks := p.Pieces(c, Rook) & (rank1 << (8 * c.backRank()))
		var rook Square
		switch {
		case b == 'K':
			rook = lastOf(rooks)
		case b == 'Q':
			rook = rooks.First()
		case b >= 'A' && b <= 'H':
			rook = NewSquare(int(b-'A'), c.backRank())
			if !rooks.Has(rook) {
				rook = NoSquare
			}
		default:
			return fmt.Sprintf("has %q: rights are K, Q, k, q, rook files A to H and a to h, or - alone", text[i])
		}
		if rook == NoSquare || king.Rank() != c.backRank() || b == 'K' && rook < king || b == 'Q' && rook > king {
			continue // no such king and rook: nothing to castle with
		}
		same := p.castling.of(c).squares()
		if rook > king {
			same &^= king.Bit() - 1
		} else {
			same &= king.Bit() - 1
		}
		if same != 0 {
			return fmt.Sprintf("gives %v the same side twice", c)
		}
		p.castling |= castlingBits(rook.Bit())
	}
	return ""
}

// lastOf returns the highest square of a set, or NoSquare.
func lastOf(b Bitboard) Square {
	last := NoSquare
	for b != 0 {
		last = b.PopFirst()
	}
	return last
}

// couldHavePassed tells whether the enemy's last move can have been a double step over s.
func (p *Position) couldHavePassed(s Square) bool {
	them := p.side.Other()
	from, to := Square(int(s)-them.up()), Square(int(s)+them.up())
	return s.Rank() == 2+3*int(them) && p.PieceOn(to) == NewPiece(them, Pawn) &&
		p.PieceOn(s) == NoPiece && p.PieceOn(from) == NoPiece
}

func parseClock(text string) (n uint16, reason string) {
	v, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && v > maxClock:
		return 0, fmt.Sprintf("must be between 0 and %d", maxClock)
	case err != nil:
		return 0, "must be a whole number that is not negative"
	}
	return uint16(v), ""
}

// FEN returns the position in Forsyth-Edwards Notation. The en passant square is written only when such a capture is legal.
// Castling rights are KQkq, with the rook's file in place of the letter when another rook stands further out (X-FEN).
func (p *Position) FEN() string { return p.fen(false) }

// ShredderFEN is FEN with the castling rights written as rook files, the form that engines use for Chess960.
func (p *Position) ShredderFEN() string { return p.fen(true) }

func (p *Position) fen(rookFiles bool) string {
	b := make([]byte, 0, 96)
	for rank := 7; rank >= 0; rank-- {
		gap := byte(0)
		for file := range 8 {
			man := p.PieceOn(NewSquare(file, rank))
			if man == NoPiece {
				gap++
				continue
			}
			if gap > 0 {
				b = append(b, '0'+gap)
				gap = 0
			}
			b = append(b, man.String()...)
		}
		if gap > 0 {
			b = append(b, '0'+gap)
		}
		if rank > 0 {
			b = append(b, '/')
		}
	}
	b = append(b, ' ', "wb"[p.side&1], ' ')
	if p.castling == 0 {
		b = append(b, '-')
	}
	for _, c := range []Color{White, Black} {
		rights := p.castling.of(c).squares()
		for rights != 0 { // the h-side first, as K goes before Q
			rook := lastOf(rights)
			rights &^= rook.Bit()
			letter := p.castlingLetter(c, rook, rookFiles)
			if c == Black {
				letter += 'a' - 'A'
			}
			b = append(b, letter)
		}
	}
	b = append(b, ' ')
	b = append(b, p.ep.String()...)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(p.halfmove), 10)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(p.fullmove), 10)
	return string(b)
}

// castlingLetter returns the upper-case letter for the right to castle with a rook.
func (p *Position) castlingLetter(c Color, rook Square, rookFiles bool) byte {
	file := 'A' + byte(rook.File())
	rooks := p.Pieces(c, Rook) & (rank1 << (8 * c.backRank()))
	switch hSide := rook > p.King(c); {
	case rookFiles:
		return file
	case hSide && rook == lastOf(rooks):
		return 'K'
	case !hSide && rook == rooks.First():
		return 'Q'
	}
	return file
}
