package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command is a program with its arguments, on one line. The tag max bounds its characters.
type Command string

// Decode takes the line as it is; its length is checked later, and its quotes are by who takes it apart.
func (c *Command) Decode(value string) error {
	if !utf8.ValidString(value) {
		return errors.New("is not valid UTF-8")
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
		return errors.New("holds a line break or another control character")
	}
	*c = Command(value)
	return nil
}

// String is the line.
func (c Command) String() string { return string(c) }

// unfit says so when the line has more characters than the tag max allows; "" otherwise.
func (c Command) unfit(maximum string) string {
	limit, err := strconv.Atoi(maximum)
	if length := utf8.RuneCountInString(string(c)); err == nil && length > limit {
		return fmt.Sprintf("has %d characters", length)
	}
	return ""
}
