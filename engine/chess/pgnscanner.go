package chess

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds on what one game of a PGN may be, so that no file can make the reader take memory without end.
const (
	maxPGNGameBytes = 4 << 20 // of text, comments included
	maxPGNWord      = 255     // bytes of one word (section 7 of the standard)
	maxPGNDepth     = 32      // variations within variations
	maxPGNPlies     = 20000   // more than the 75-move rule allows any game
	// Variations take many times the memory of their text: "()" is two bytes of it.
	maxPGNVariations     = 20000
	maxPGNVariationPlies = 200000 // of all variations together
)

// pgnScanner cuts a PGN text into tokens and knows on which line and column each begins.
type pgnScanner struct {
	r            *bufio.Reader
	line, column int   // of the next character, from 1
	rest         int   // bytes that are left of the character whose first byte was taken last
	size         int   // bytes taken since the start of the game
	gap          bool  // the game has not begun: what comes before it does not count as its text
	err          error // from the reader, io.EOF included
}

// pgnToken is one token: a word, a comment, a tag's string, or one of the characters [ ] ( ) that stands for itself.
type pgnToken struct {
	kind         pgnKind
	text         string
	line, column int
	lineStart    bool // nothing but white space stands before it on its line
}

type pgnKind uint8

const (
	pgnEOF     pgnKind = iota
	pgnWord            // a move, a move number, a result or a tag's name
	pgnComment         // {...} or ;...
	pgnString          // "..."
	pgnNAG             // $ and a number, or one or two of ! and ?
	pgnChar            // one character, in text
)

func newPGNScanner(r io.Reader) *pgnScanner {
	return &pgnScanner{r: bufio.NewReaderSize(r, 64<<10), line: 1, column: 1}
}

// peek returns the next byte without taking it, or 0 at the end.
func (s *pgnScanner) peek() byte {
	b, err := s.r.Peek(1)
	if err != nil {
		s.err = err
		return 0
	}
	return b[0]
}

// next takes a byte; ok is false at the end. Every kind of line end reads as "\n".
func (s *pgnScanner) next() (b byte, ok bool) {
	b, err := s.r.ReadByte()
	if err != nil {
		s.err = err
		return 0, false
	}
	if !s.gap {
		s.size++
	}
	if b == '\r' {
		if s.peek() == '\n' {
			s.r.Discard(1)
		}
		b = '\n'
	}
	switch {
	case b == '\n':
		s.line++
		s.column = 1
	case s.rest > 0:
		s.rest--
	default:
		s.column++
		if b >= utf8.RuneSelf {
			s.rest = s.charBytes(b) - 1
		}
	}
	return b, true
}

// charBytes returns how many bytes the character has that begins with a byte: one when it does not go on as UTF-8 does, as
// in ISO 8859-1.
func (s *pgnScanner) charBytes(first byte) int {
	char := append(make([]byte, 0, utf8.UTFMax), first)
	for n := 1; n < utf8.UTFMax && !utf8.FullRune(char); n++ {
		following, err := s.r.Peek(n)
		if err != nil {
			s.err = err
			break
		}
		char = append(char, following[n-1])
	}
	_, size := utf8.DecodeRune(char)
	return size
}

// commentFollows takes blanks and tells whether a comment is next on the same line.
func (s *pgnScanner) commentFollows() bool {
	for {
		switch s.peek() {
		case ' ', '\t':
			s.next()
		case '{', ';':
			return true
		default:
			return false
		}
	}
}

// otherHalf matches what follows the first "1/2" of a draw that was written with blanks, as in "1/2 - 1/2".
var otherHalf = regexp.MustCompile(`^[ \t]+-[ \t]*1/2\b`)

// skipOtherHalf takes the other half of a draw, if that is what comes.
func (s *pgnScanner) skipOtherHalf() {
	ahead, err := s.r.Peek(16)
	if err != nil {
		s.err = err
	}
	for range len(otherHalf.Find(ahead)) {
		s.next()
	}
}

// fault makes an error at a token.
func (t *pgnToken) fault(err error) *PGNError { return &PGNError{t.line, t.column, err} }

func (t *pgnToken) faultf(format string, args ...any) *PGNError {
	return t.fault(fmt.Errorf(format, args...))
}

// token takes the next token.
func (s *pgnScanner) token() (t pgnToken, fault *PGNError) {
	lineStart := s.line == 1 && s.column == 1
	for {
		t = pgnToken{line: s.line, column: s.column, lineStart: lineStart || s.column == 1}
		b, ok := s.next()
		switch {
		case !ok:
			return t, nil
		case b == '\n':
			lineStart = true
		case b <= ' ':
		case b == 0xef && s.skipBOM():
		case b == '%' && t.column == 1:
			s.skipLine() // an escape line: for other programs than PGN readers (section 6)
			lineStart = true
		default:
			s.gap = false
			return s.tokenFrom(b, t)
		}
	}
}

// skipBOM takes the rest of a byte order mark, which opens some files, and with them each part of files put together.
func (s *pgnScanner) skipBOM() bool {
	if b, _ := s.r.Peek(2); len(b) < 2 || b[0] != 0xbb || b[1] != 0xbf {
		return false
	}
	s.r.Discard(2)
	s.column--
	s.rest = 0
	return true
}

func (s *pgnScanner) tokenFrom(b byte, t pgnToken) (pgnToken, *PGNError) {
	switch b {
	case '[', ']', '(', ')':
		t.kind, t.text = pgnChar, string(b)
		return t, nil
	case '{':
		return s.comment(t)
	case ';':
		t.kind, t.text = pgnComment, s.restOfLine()
		return t, nil
	case '"':
		return s.quoted(t)
	case '*':
		t.kind, t.text = pgnWord, "*"
		return t, nil
	case '$', '!', '?':
		t.kind, t.text = pgnNAG, string(s.run(b, func(c byte) bool {
			if b == '$' {
				return c >= '0' && c <= '9'
			}
			return c == '!' || c == '?'
		}))
		return t, nil
	}
	t.kind, t.text = pgnWord, validText(s.run(b, isWordByte))
	return t, nil
}

// isWordByte tells whether a byte goes on with a word. Annotations such as "!" end it.
func isWordByte(c byte) bool {
	return c > ' ' && !strings.ContainsRune(`[](){};"$!?*`, rune(c))
}

// run takes bytes as long as they belong; what goes beyond the longest word is taken too but not kept.
func (s *pgnScanner) run(first byte, belongs func(byte) bool) []byte {
	text := append(make([]byte, 0, 16), first)
	for c := s.peek(); c != 0 && belongs(c); c = s.peek() {
		s.next()
		if len(text) <= maxPGNWord {
			text = append(text, c)
		}
	}
	return text
}

// skipLine takes everything up to and with the end of the line.
func (s *pgnScanner) skipLine() {
	for {
		if b, ok := s.next(); !ok || b == '\n' {
			return
		}
	}
}

// restOfLine is skipLine for what is to be kept.
func (s *pgnScanner) restOfLine() string {
	var text []byte
	for {
		b, ok := s.next()
		if !ok || b == '\n' {
			return validText(text)
		}
		if s.size <= maxPGNGameBytes {
			text = append(text, b)
		}
	}
}

func (s *pgnScanner) comment(t pgnToken) (pgnToken, *PGNError) {
	t.kind = pgnComment
	var text []byte
	for {
		b, ok := s.next()
		switch {
		case !ok:
			return t, t.faultf("the comment that begins here has no end: a \"}\" is missing")
		case b == '}':
			t.text = validText(text)
			return t, nil
		}
		if s.size <= maxPGNGameBytes {
			text = append(text, b)
		}
	}
}

// quoted takes a string; a backslash stands before a quote or a backslash that belongs to it.
func (s *pgnScanner) quoted(t pgnToken) (pgnToken, *PGNError) {
	t.kind = pgnString
	var text []byte
	for {
		b, ok := s.next()
		if b == '\\' && (s.peek() == '"' || s.peek() == '\\') {
			b, ok = s.next()
		} else if b == '"' {
			t.text = validText(text)
			return t, nil
		}
		if !ok || b == '\n' {
			return t, t.faultf("the string that begins here has no end: a '\"' is missing on its line")
		}
		if s.size <= maxPGNGameBytes {
			text = append(text, b)
		}
	}
}

// validText reads bytes as UTF-8 or, when they are none, as ISO 8859-1, which the standard of 1994 knew.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
