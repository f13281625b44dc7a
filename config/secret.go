package config

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
)

// mask is what a secret that is set looks like wherever it is printed.
const mask = "***"

// Secret is a text that must not be seen: every way of printing, logging or encoding it gives a mask, or nothing when
// it is not set. [Secret.Reveal] is the only way to the text.
type Secret struct {
	// A pointer, because fmt prints the fields of a struct inside an unexported field by reflection, without asking
	// for String: it then shows an address.
	text *string
}

// NewSecret makes a Secret of text; an empty text is a Secret that is not set.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Reveal returns the text itself, "" when it is not set.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsSet reports whether there is a text.
func (s Secret) IsSet() bool { return s.text != nil }

// String is the mask.
func (s Secret) String() string {
	if !s.IsSet() {
		return ""
	}
	return mask
}

// GoString is the mask.
func (s Secret) GoString() string { return s.String() }

// Format writes the mask for every verb, %x and %d too.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText is the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue is the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Decode takes any text: envconfig would print a text that it refuses, so the check comes later.
func (s *Secret) Decode(value string) error {
	*s = NewSecret(value)
	return nil
}

// tokenLook is how Lichess's personal access tokens look.
var tokenLook = regexp.MustCompile(`lip_[A-Za-z0-9]{12,}`)

// looksLikeToken reports whether text holds what looks like a token.
func looksLikeToken(text string) bool { return tokenLook.MatchString(text) }

// heldIn reports whether text holds the secret, in any case of letters, or another token. A secret too short to be a
// real one is not looked for: it would be found in ordinary words.
func (s Secret) heldIn(text string) bool {
	secret := strings.ToLower(s.Reveal())
	return looksLikeToken(text) || len(secret) >= 8 && strings.Contains(strings.ToLower(text), secret)
}
