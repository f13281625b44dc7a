package main

import (
	"errors"
	"strings"
)

// splitWords splits a command as a shell would: at white space, but for what stands in single or double quotes. Nothing else
// is special, so that a backslash can be part of a path.
func splitWords(text string) (words []string, err error) {
	var word strings.Builder
	inWord := false
	var quote rune
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case strings.ContainsRune(" \t\r\n", c):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote has no end")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
