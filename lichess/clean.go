package lichess

import (
	"encoding/json"
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
