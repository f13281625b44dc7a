package bot_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"castellan/lichess"
)

// eveningRule is one of the rules that the daemon is held to.
type eveningRule int

const (
	rulePlaces eveningRule = iota
	rulePlacesForPeople
	ruleOpponentGames
	ruleOpponentDay
	ruleOpponentPause
	ruleLists
	ruleTerms
	ruleReason
	ruleLater
	ruleAnswered
	ruleQueueOrder
	ruleMatchmaking
	ruleMakesWay
	ruleLearns
	ruleDayOfBots
	ruleRematches
	ruleDrawOffers
	ruleDrawDistance
	ruleDrawWon
	ruleDrawAnswers
	ruleResignations
	ruleTakebacks
	ruleAborts
	ruleClaims
	ruleChat
	ruleChatRate
	ruleGreetings
	ruleNoLimitEarned
	ruleNoTimeLosses
	ruleLegalMoves
	ruleOnePlayer
	ruleNothingOrphaned
	eveningRules
)

func (r eveningRule) String() string {
	return [...]string{
		"never more games than places", "places kept for people", "games at once with one opponent", "games a day with one opponent",
		"pause after a game", "allow and block lists", "only what the terms allow is accepted", "declined with the fitting reason",
		"put off only for want of a place", "challenges are answered in time", "order of those who wait", "the bot's own challenges", "own challenges make way for people",
		"what opponents declined is not asked again", "caps of the day on own challenges", "rematches", "draw offers", "20 plies between draw offers",
		"no draw in a won position", "draw offers are answered honestly", "resignations", "takebacks", "aborts", "claims",
		"chat: length, links, to whom, no secrets", "chat: rate", "one greeting, one farewell", "no 429 earned", "no game lost on time", "legal moves, in turn",
		"one player for a game", "nothing orphaned",
	}[r]
}

// eveningTally is the report.
type eveningTally struct {
	mu       sync.Mutex
	number   uint64
	games    int
	results  map[string]map[string]int // of kinds of games
	counts   map[string]map[string]int
	tests    [eveningRules]int
	breaches [eveningRules][]string
}

func newEveningTally(number uint64) *eveningTally {
	return &eveningTally{number: number, results: map[string]map[string]int{}, counts: map[string]map[string]int{}}
}

func (t *eveningTally) tested(r eveningRule) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tests[r]++
}

func (t *eveningTally) breach(r eveningRule, what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.breaches[r] = append(t.breaches[r], fmt.Sprintf("evening %d, %s", t.number, what))
}

func (t *eveningTally) count(what, outcome string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	add(t.counts, what, outcome, 1)
}

func add(to map[string]map[string]int, what, outcome string, n int) {
	if to[what] == nil {
		to[what] = map[string]int{}
	}
	to[what][outcome] += n
}

// game counts a game that has ended.
func (t *eveningTally) game(g *judgedGame, lost bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.games++
	result := "won"
	switch {
	case g.final.Status == lichess.StatusAborted:
		result = "aborted"
	case lost:
		result = "lost"
	case g.final.Winner == "":
		result = "drawn"
	}
	mode, who, by := "casual", "against people", "asked for by the guest"
	if g.challenge.Rated {
		mode = "rated"
	}
	if g.challenge.isBot() {
		who = "against bots"
	}
	if g.challenge.mine() {
		by = "asked for by the bot"
	}
	for _, kind := range []string{string(g.challenge.TimeControl.Speed()), string(g.challenge.Variant.Key), mode, who, by} {
		add(t.results, kind, result, 1)
	}
	add(t.counts, "games by their end", string(g.final.Status), 1)
}

func (t *eveningTally) add(o *eveningTally) {
	t.games += o.games
	for _, pair := range [][2]map[string]map[string]int{{t.results, o.results}, {t.counts, o.counts}} {
		for what, outcomes := range pair[1] {
			for outcome, n := range outcomes {
				add(pair[0], what, outcome, n)
			}
		}
	}
	for r := range eveningRules {
		t.tests[r] += o.tests[r]
		t.breaches[r] = append(t.breaches[r], o.breaches[r]...)
	}
}

func (t *eveningTally) failed() bool {
	return slices.ContainsFunc(t.breaches[:], func(list []string) bool { return len(list) > 0 })
}

// String is the report.
func (t *eveningTally) String() string {
	var b strings.Builder
	results := []string{"won", "drawn", "lost", "aborted"}
	fmt.Fprintf(&b, "%-44s", fmt.Sprintf("%d games", t.games))
	for _, r := range results {
		fmt.Fprintf(&b, " %8s", r)
	}
	b.WriteString("\n")
	for _, kind := range []string{
		"bullet", "blitz", "rapid", "classical", "correspondence", "standard", "chess960", "fromPosition", "rated", "casual",
		"against people", "against bots", "asked for by the guest", "asked for by the bot",
	} {
		fmt.Fprintf(&b, "  %-42s", kind)
		for _, r := range results {
			fmt.Fprintf(&b, " %8d", t.results[kind][r])
		}
		b.WriteString("\n")
	}
	for _, what := range slices.Sorted(maps.Keys(t.counts)) {
		fmt.Fprintf(&b, "%s\n", what)
		for _, outcome := range slices.Sorted(maps.Keys(t.counts[what])) {
			fmt.Fprintf(&b, "  %-42s %8d\n", outcome, t.counts[what][outcome])
		}
	}
	fmt.Fprintf(&b, "%-44s %8s %8s\n", "rules", "tested", "broken")
	for r := range eveningRules {
		fmt.Fprintf(&b, "  %-42s %8d %8d\n", r, t.tests[r], len(t.breaches[r]))
	}
	return b.String()
}
