package lichess

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
)

// Token is an API token. It shows as "***" wherever it is formatted, logged or
// marshalled. (Package fmt goes around that in unexported fields: keep a token
// behind a pointer there.)
type Token string

// Masked stands in the place of a token.
const Masked = "***"

// Format hides the token, whatever the verb.
func (Token) Format(f fmt.State, _ rune) { io.WriteString(f, Masked) }

// String hides the token.
func (Token) String() string { return Masked }

// LogValue hides the token.
func (Token) LogValue() slog.Value { return slog.StringValue(Masked) }

// MarshalText hides the token.
func (Token) MarshalText() ([]byte, error) { return []byte(Masked), nil }

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_]{1,512}$`)

func checkToken(token Token) error {
	switch {
	case token == "":
		return errors.New("lichess: no token")
	case !tokenForm.MatchString(string(token)):
		return errors.New("lichess: the token is not one: it has 1 to 512 letters, digits and underscores and nothing else")
	}
	return nil
}
