package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is a line of text. The tag max bounds its characters.
type Text string

// Decode takes the text as it is; its length is checked later.
func (t *Text) Decode(value string) error {
	if !utf8.ValidString(value) {
		return fmt.Errorf("is not valid UTF-8")
	}
	if strings.ContainsFunc(value, unicode.IsControl) {
		return fmt.Errorf("holds a line break or another control character")
	}
	*t = Text(value)
	return nil
}

// String is the text.
func (t Text) String() string { return string(t) }

// tooLong says so when a text has more characters than the tag max allows; "" otherwise.
func (t Text) tooLong(maximum string) string {
	limit, err := strconv.Atoi(maximum)
	if length := utf8.RuneCountInString(string(t)); err == nil && length > limit {
		return fmt.Sprintf("has %d characters", length)
	}
	return ""
}

// Path is the path of a file.
type Path string

// Decode takes the path as it is.
func (p *Path) Decode(value string) error {
	*p = Path(value)
	return nil
}

// String is the path.
func (p Path) String() string { return string(p) }
