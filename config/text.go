package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is a line for a chat. The tag max bounds its characters.
type Text string

// link finds what the server may take for a link in a chat line, which it then drops without saying so.
var link = regexp.MustCompile(`(?i)https?:|www\.|[a-z0-9-]\.[a-z]{2}`)

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

// placeholder finds what stands in a text for something else.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// unfit says so when a text has more characters than the tag max allows, a link, or a placeholder that is none of the words, which are
// separated by commas; "" otherwise.
func (t Text) unfit(maximum, words string) string {
	limit, err := strconv.Atoi(maximum)
	if length := utf8.RuneCountInString(string(t)); err == nil && length > limit {
		return fmt.Sprintf("has %d characters", length)
	}
	if link.MatchString(string(t)) {
		return "has what looks like a link"
	}
	known := strings.Split(words, ",")
	for _, found := range placeholder.FindAllString(string(t), -1) {
		word := strings.Trim(found, "{}")
		if words == "" || slices.Contains(known, word) {
			continue
		}
		if near := nearestWithin(strings.ToLower(word), known, len(word)/2); near != "" {
			return fmt.Sprintf("%s stands for nothing; did you mean {%s}?", quote(found), near)
		}
		return fmt.Sprintf("%s stands for nothing", quote(found))
	}
	return ""
}

// Folder is the path of a folder.
type Folder string

// Decode takes the path as it is.
func (f *Folder) Decode(value string) error {
	*f = Folder(value)
	return nil
}

// String is the path.
func (f Folder) String() string { return string(f) }

// Path is the path of a file.
type Path string

// Decode takes the path as it is.
func (p *Path) Decode(value string) error {
	*p = Path(value)
	return nil
}

// String is the path.
func (p Path) String() string { return string(p) }
