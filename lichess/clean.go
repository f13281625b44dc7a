package lichess

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMessage bounds the server's words in an error, in characters.
const maxMessage = 300

// CleanText makes text from outside fit for one line of a log: invalid UTF-8,
// control and formatting characters go, white space shrinks to single spaces,
// and what is longer than limit characters is cut and ends with "…".
func CleanText(s string, limit int) string {
	runes := make([]rune, 0, min(len(s), limit+1))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = len(runes) > 0
			continue
		case r == utf8.RuneError || unicode.Is(unicode.C, r):
			continue
		}
		if space {
			runes, space = append(runes, ' '), false
		}
		if runes = append(runes, r); len(runes) > limit {
			return strings.TrimRight(string(runes[:max(limit-1, 0)]), " ") + "…"
		}
	}
	return string(runes)
}

// The greatest lengths of what comes from outside and is kept, in characters.
const (
	maxName = 60  // of names, and of words that the server chooses from
	maxFEN  = 200 // more than any position takes
	maxText = 500 // of a chat line, of a reason, of an address
	maxList = 32  // entries
	maxIcon = 8   // of a symbol
)

// clean makes texts from outside fit for a log or a page, and short.
func clean[S ~string](limit int, texts ...*S) {
	for _, text := range texts {
		*text = S(CleanText(string(*text), limit))
	}
}

// cleanError returns an error whose text is fit for one line of the log. Errors
// of the libraries quote what came from outside, at any length.
func cleanError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if short := CleanText(text, maxMessage); short != text {
		return &cleanedError{short, err}
	}
	return err
}

// cleanedError stands for an error and matches what it matches, but does not
// show it.
type cleanedError struct {
	text string
	err  error
}

func (e *cleanedError) Error() string              { return e.text }
func (e *cleanedError) Is(target error) bool       { return errors.Is(e.err, target) }
func (e *cleanedError) As(target any) bool         { return errors.As(e.err, target) }
func (e *cleanedError) Format(f fmt.State, _ rune) { io.WriteString(f, e.text) }

var (
	htmlTitle  = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	htmlHidden = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>`)
	htmlTag    = regexp.MustCompile(`<[^>]*>`)
)

// errorBody makes the best of the body of a refusal: the server's JSON, the
// title or text of an HTML page, or plain text. Message is never empty.
func errorBody(status int, body []byte) ErrorBody {
	var parsed ErrorBody
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "{") && json.Unmarshal(body, &parsed) == nil {
		text = parsed.Error
	} else if strings.HasPrefix(text, "<") {
		if title := htmlTitle.FindStringSubmatch(text); title != nil && strings.TrimSpace(title[1]) != "" {
			text = title[1]
		} else {
			text = htmlTag.ReplaceAllString(htmlHidden.ReplaceAllString(text, " "), " ")
		}
	}
	parsed.Error = CleanText(text, maxMessage)
	if parsed.Error == "" {
		parsed.Error = http.StatusText(status)
	}
	if parsed.Error == "" {
		parsed.Error = "no reason given"
	}
	return parsed
}
