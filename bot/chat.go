package bot

import (
	"strings"

	"castellan/lichess"
)

// fill puts the names into a text and fits it to what the server takes.
func fill(text, me, opponent string) string {
	return lichess.FitChat(strings.NewReplacer("{me}", me, "{opponent}", opponent).Replace(text))
}
