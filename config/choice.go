package config

import "strings"

// Choice is one word of those in the tag legal.
type Choice string

// Decode trims the word; whether it is one of those is checked later, since a type does not see its tags.
func (c *Choice) Decode(value string) error {
	*c = Choice(strings.TrimSpace(value))
	return nil
}

// String is the word.
func (c Choice) String() string { return string(c) }

// spelled finds word in a comma-separated list without regard to case, and returns it as it is spelled there.
func spelled(word, legal string) (string, bool) {
	for known := range strings.SplitSeq(legal, ",") {
		if strings.EqualFold(word, known) {
			return known, true
		}
	}
	return "", false
}
