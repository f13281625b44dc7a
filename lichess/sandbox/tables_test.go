package sandbox

import (
	"maps"
	"slices"

	"castellan/lichess"
)

// Patterns returns the patterns of all endpoints, for tests from outside.
func Patterns() (all []string) {
	new(Server).routes(func(pattern string, _ []string, _ handler) { all = append(all, pattern) })
	return all
}

// GameStatuses returns all states that a game can be in, for tests from
// outside.
func GameStatuses() []lichess.Status { return slices.Collect(maps.Keys(terminations)) }
