package config

import (
	"errors"
	"strings"
)

// Bool is a yes or a no.
type Bool bool

// Decode reads yes, true, on, 1 and no, false, off, 0, in any case of letters.
func (b *Bool) Decode(value string) error {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "yes", "true", "on", "1":
		*b = true
	case "no", "false", "off", "0":
		*b = false
	default:
		return errors.New("is neither yes nor no")
	}
	return nil
}

// String is yes or no.
func (b Bool) String() string {
	if b {
		return "yes"
	}
	return "no"
}
