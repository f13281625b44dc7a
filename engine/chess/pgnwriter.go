package chess

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pgnLineWidth is the number of characters a line of movetext may have. The standard wants fewer than 80 (section 4.3).
const pgnLineWidth = 79

// WritePGN writes a game as PGN, with an empty line after it, so that games can follow each other in one file.
//
// Tags of the Seven Tag Roster come first and are supplied when missing. SetUp and FEN are written when the game does not
// begin with the start position, and Variant as well when only Chess960 knows its castling rights; a FEN tag in Tags is not
// looked at, and a Variant tag that names standard chess then becomes Chess960. The result is Result, or else the Result tag's, or else that of the game's Outcome; the Result tag follows it. A "}"
// cannot stand in a PGN comment and becomes ")"; line ends in tags and comments become spaces. Comments have a space inside
// their braces, as Lichess writes them; a move stays on the line of its number, and a command such as "[%csl Ga1]" on one line.
//
// Nothing is written when the result is none, a tag's name cannot be one, a Variant tag names a game that PGNReader does not
// know, a glyph is not 0 to 255, or a move of a variation is not legal: the error is then a *SyntaxError, an *IllegalMoveError or one that says which.
func WritePGN(w io.Writer, g *PGNGame) error {
	if g.Game == nil {
		return errors.New("PGN: there is no game to write")
	}
	result, err := g.resultToWrite()
	if err != nil {
		return err
	}
	b, err := g.appendTags(nil, result)
	if err != nil {
		return err
	}
	b = append(b, '\n')

	text := movetext{}
	if err := text.line(g.Game.Start(), g.Game.Moves(), g.Notes); err != nil {
		return fmt.Errorf("PGN: %w", err)
	}
	text.word(result)
	b = append(b, text.buf...)
	_, err = w.Write(append(b, "\n\n"...))
	return err
}

func (g *PGNGame) resultToWrite() (string, error) {
	result := g.Result
	for _, t := range g.Tags {
		if t.Name == "Result" && result == "" {
			result = t.Value
		}
	}
	if result == "" {
		result = g.Game.Outcome().Result()
	}
	if !isPGNResult(result) {
		return "", fmt.Errorf(`PGN result %s: must be "1-0", "0-1", "1/2-1/2" or "*"`, quote(result))
	}
	return result, nil
}

func (g *PGNGame) appendTags(b []byte, result string) ([]byte, error) {
	for _, t := range sevenTagRoster {
		value := g.Tag(t.Name)
		if t.Name == "Result" {
			value = result
		}
		b = appendTag(b, Tag{t.Name, value})
	}
	start := g.Game.Start()
	fen := start.FEN()
	chess960 := start.IsChess960()
	hasVariant := false
	for _, t := range g.Tags {
		if reason := tagNameFault(t.Name); reason != "" {
			return nil, &SyntaxError{"PGN tag name", t.Name, reason}
		}
		switch {
		case isRosterTag(t.Name) || t.Name == "FEN" || t.Name == "SetUp":
			continue
		case t.Name == "Variant" && !isKnownVariant(t.Value):
			return nil, fmt.Errorf("PGN tag Variant %s: it names a game that is neither standard chess nor Chess960", quote(t.Value))
		case t.Name == "Variant":
			hasVariant = true
			if chess960 && isStandardVariant(t.Value) {
				t.Value = "Chess960"
			}
		}
		b = appendTag(b, t)
	}
	if chess960 && !hasVariant {
		b = appendTag(b, Tag{"Variant", "Chess960"})
	}
	if fen != startFEN {
		b = appendTag(b, Tag{"SetUp", "1"})
		b = appendTag(b, Tag{"FEN", fen})
	}
	return b, nil
}

func isRosterTag(name string) bool {
	for _, t := range sevenTagRoster {
		if t.Name == name {
			return true
		}
	}
	return false
}

// tagNameFault tells what is wrong with a tag's name, or nothing.
func tagNameFault(name string) string {
	if name == "" {
		return "is empty"
	}
	for i := 0; i < len(name); i++ {
		if !isTagNameByte(name[i]) {
			return "has something other than letters, digits and underscores"
		}
	}
	return ""
}

func isTagNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func appendTag(b []byte, t Tag) []byte {
	b = append(b, '[')
	b = append(b, t.Name...)
	b = append(b, ` "`...)
	for _, r := range oneLine(t.Value) {
		if r == '"' || r == '\\' {
			b = append(b, '\\')
		}
		b = utf8.AppendRune(b, r)
	}
	return append(b, "\"]\n"...)
}

// oneLine turns every run of white space and control characters into one space and takes it off the ends.
func oneLine(text string) string {
	const byteOrderMark = 0xfeff
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == byteOrderMark
	}) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

// movetext gathers words and breaks lines between them.
type movetext struct {
	buf    []byte
	column int    // characters on the current line
	prefix string // opening brackets that belong to the next word
}

// word writes a word after a space or on a new line.
func (t *movetext) word(s string) {
	s = t.prefix + s
	t.prefix = ""
	switch {
	case t.column == 0:
	case t.column+1+utf8.RuneCountInString(s) > pgnLineWidth:
		t.buf = append(t.buf, '\n')
		t.column = 0
	default:
		t.buf = append(t.buf, ' ')
		t.column++
	}
	t.join(s)
}

// join writes a text right after the last word, if the line has room for it.
func (t *movetext) join(s string) {
	width := utf8.RuneCountInString(s)
	if t.column > 0 && t.column+width > pgnLineWidth {
		t.buf = append(t.buf, '\n')
		t.column = 0
	}
	t.buf = append(t.buf, s...)
	t.column += width
}

// line writes moves with their notes, starting with what is said before the first.
func (t *movetext) line(p Position, moves []Move, notes []Note) error {
	number := true // after a comment or a variation Black's move needs its number
	if len(notes) > 0 {
		first := notes[0]
		first.Variations = nil // there is no move yet that they could replace
		if _, err := t.note(&p, &first); err != nil {
			return err
		}
	}
	for i, m := range moves {
		before := p
		text := ""
		switch {
		case p.side == White:
			text = strconv.Itoa(int(p.fullmove)) + ". "
		case number:
			text = strconv.Itoa(int(p.fullmove)) + "... "
		}
		switch {
		case m == NoMove && !p.InCheck():
			text += "--"
			p = p.PlayNull()
		case p.IsLegal(m):
			text += p.SAN(m)
			p = p.Play(m)
		default:
			return &IllegalMoveError{m.String(), p.FEN()}
		}
		t.word(text)
		number = false
		if i+1 < len(notes) {
			var err error
			if number, err = t.note(&before, &notes[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// note writes a note and tells whether a comment or a variation was in it. The position is the one in which the
// variations begin.
func (t *movetext) note(before *Position, n *Note) (interrupts bool, err error) {
	for _, nag := range n.NAGs {
		if nag < 0 || nag > 255 {
			return false, fmt.Errorf("the annotation glyph $%d is none: they are $0 to $255", nag)
		}
		t.word("$" + strconv.Itoa(nag))
	}
	if words := n.commentWords(); len(words) > 0 {
		interrupts = true
		for i, w := range words {
			if i == 0 {
				w = "{ " + w
			}
			if i == len(words)-1 {
				w += " }"
			}
			t.word(w)
		}
	}
	for _, v := range n.Variations {
		interrupts = true
		t.prefix += "("
		if err := t.line(*before, v.Moves, v.Notes); err != nil {
			return false, err
		}
		if t.prefix != "" {
			t.word("") // a variation without a word in it
		}
		t.join(")")
	}
	return interrupts, nil
}

// commentWords returns what stands between the braces, cut where a line may be broken.
func (n *Note) commentWords() (words []string) {
	if n.Eval != nil {
		words = append(words, "[%eval "+n.Eval.String()+"]")
	}
	if n.Clock != nil {
		words = append(words, "[%clk "+formatClock(*n.Clock)+"]")
	}
	for text := strings.ReplaceAll(oneLine(n.Comment), "}", ")"); text != ""; {
		end := commentWordEnd(text)
		words = append(words, text[:end])
		text = strings.TrimPrefix(text[end:], " ")
	}
	return words
}

// commentWordEnd returns the length of the first word of a comment: up to a space that is not within a command, as other programs
// may not know a command that is broken in two.
func commentWordEnd(text string) int {
	end := 0
	for {
		space := strings.IndexByte(text[end:], ' ')
		if space < 0 {
			return len(text)
		}
		open := strings.Index(text[end:end+space], "[%")
		if open < 0 {
			return end + space
		}
		length := strings.IndexByte(text[end+open:], ']')
		if length < 0 {
			return end + space
		}
		end += open + length + 1
	}
}
