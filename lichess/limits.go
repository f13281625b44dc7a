package lichess

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	// bareLimitWait is the first pause after a 429 that does not say how long
	// to wait: the server asks for a minute at least. It doubles each time.
	bareLimitWait = time.Minute
	// A game cannot wait for a minute: its calls try again after this, doubled
	// each time.
	bareGameLimitWait    = 2 * time.Second
	bareGameLimitCeiling = 30 * time.Second
	// Challenges are limited by buckets of a day, so that asking again each
	// few minutes would hammer in vain; the other limits are short.
	bareLimitCeiling          = 10 * time.Minute
	bareChallengeLimitCeiling = 4 * time.Hour
	// maxLimitWait bounds what the server may demand: its longest window is
	// a day.
	maxLimitWait = 48 * time.Hour
)

// Limit is a limit of the server that is known to last.
type Limit struct {
	Name  string    // the server's key, or the group of calls that is held back
	Until time.Time // when it ends
}

// limits knows which groups of calls the server does not want for a while, and
// keeps to the limits that are known beforehand.
type limits struct {
	mu       sync.Mutex
	features [featureCount]featureLimit
	keys     map[string]time.Time // limits that hold for some calls of a group only

	events          window // openings of the event stream
	account         window // reads of the account
	challengeMinute window // points for challenges
	challengeDay    window
	aiDay           window // games against the server's engine
	botGames        window // games against other bots
	botGamesSeen    map[string]time.Time
	gameOpens       bucket             // openings of the streams of games, but for the first of each
	opened          map[string]pace    // the games whose streams were opened, and what their clocks showed last
	turns           map[*turn]struct{} // openings that wait for their turn
}

// mostOpened bounds the games that are remembered as opened before.
const mostOpened = 4096

// The server's limits. A challenge costs points by who is challenged.
const (
	pointsForBot    = 1
	pointsForPerson = 5
	maxBotGames     = 100 // a day, may be lowered: then the server tells
	day             = 24 * time.Hour
)

// newLimits returns the limits of the server. When they are not known, only the
// openings of streams are limited beforehand.
func newLimits(eventOpens int, eventWindow time.Duration, known bool) *limits {
	l := &limits{
		keys:         map[string]time.Time{},
		events:       window{space: eventWindow, most: eventOpens, what: "openings of the event stream"},
		botGamesSeen: map[string]time.Time{},
		opened:       map[string]pace{},
		turns:        map[*turn]struct{}{},
		// No limit is known of these. It is below the 180 requests a minute that
		// an address may make, lets all games come back at once, and eight of
		// them look after their moves while the server fails, one time after
		// the other: with one a second they waited for each other until a flag
		// fell.
		gameOpens: bucket{most: 128, each: time.Second / 2},
	}
	if known {
		l.account = window{space: 5 * time.Minute, most: 30, what: "reads of the account"}
		l.challengeMinute = window{space: time.Minute, most: 25, what: "points for challenges"}
		l.challengeDay = window{space: day, most: 200, what: "points for challenges"}
		l.aiDay = window{space: day, most: 20, what: "games against the server's engine"}
		l.botGames = window{space: day, most: maxBotGames, what: "games against bots"}
	}
	return l
}

type featureLimit struct {
	until time.Time
	key   string
	// 429s in a row that did not say how long to wait, those within the pause
	// after one not counted, and the end of that pause.
	bare      int
	bareUntil time.Time
}

// check returns the limit in force for the group, false when there is none.
func (l *limits) check(f feature) (featureLimit, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	state := l.features[f]
	return state, time.Now().Before(state.until)
}

// refused takes note of a 429 and returns when the call may be tried again.
// wait is what the server demands, 0 when it did not say.
func (l *limits) refused(f feature, key string, wait time.Duration) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if key == KeyBotVsBotDay && wait > 0 {
		// Games against people go on, and only the caller knows who is one.
		l.keys[key] = now.Add(wait)
		return l.keys[key]
	}
	state := &l.features[f]
	if wait <= 0 {
		// Those that are refused in one moment, the streams of all games for
		// instance, have met one limit.
		if !now.Before(state.bareUntil) {
			state.bareUntil = now.Add(bareWait(f, state.bare))
			state.bare++
		}
		wait = state.bareUntil.Sub(now)
	}
	until := now.Add(wait)
	if f != featureGame {
		state.until, state.key = until, key
		return until
	}
	// A game itself is never held back. A limit that it met is likely that of
	// the whole address: what can wait leaves the next minute to the games.
	sideUntil := now.Add(bareLimitWait)
	for _, other := range []feature{featureChat, featureChallenge, featureLookup} {
		if l.features[other].until.Before(sideUntil) {
			l.features[other].until, l.features[other].key = sideUntil, key
		}
	}
	return until
}

// bareWait returns the pause after a 429 that does not say how long to wait,
// when n of that kind came before it.
func bareWait(f feature, n int) time.Duration {
	first, ceiling := bareLimitWait, bareLimitCeiling
	switch f {
	case featureGame:
		first, ceiling = bareGameLimitWait, bareGameLimitCeiling
	case featureChallenge:
		ceiling = bareChallengeLimitCeiling
	}
	return min(first<<min(n, 10), ceiling)
}

// accepted takes note of a call that the server did not limit.
func (l *limits) accepted(f feature) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.features[f].bare, l.features[f].bareUntil = 0, time.Time{}
}

// spend counts against windows, or returns the one that has no room and when
// it has. Then nothing is counted.
func (l *limits) spend(costs []cost) (full *window, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, c := range costs {
		if at := c.window.room(now, c.points); at.After(until) {
			full, until = c.window, at
		}
	}
	if full == nil {
		for _, c := range costs {
			c.window.add(now, c.points)
		}
	}
	return full, until
}

// playBot counts a game against a bot, once. The last of a day's games puts
// the server's limit in force.
func (l *limits) playBot(gameID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(l.botGamesSeen, func(_ string, at time.Time) bool { return now.Sub(at) >= day })
	if _, seen := l.botGamesSeen[gameID]; seen || len(l.botGamesSeen) >= 2*maxBotGames {
		return
	}
	l.botGamesSeen[gameID] = now
	l.botGames.add(now, 1)
	if until := l.botGames.room(now, 1); until.After(l.keys[KeyBotVsBotDay]) {
		l.keys[KeyBotVsBotDay] = until
	}
}

// recall counts games against bots and challenges that were not made here.
func (l *limits) recall(botGames []time.Time, challenges []ChallengeUse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range botGames {
		l.botGames.add(at, 1)
	}
	for _, c := range challenges {
		l.challengeDay.add(c.At, c.Points)
		l.challengeMinute.add(c.At, c.Points)
	}
	if until := l.botGames.room(time.Now(), 1); !until.IsZero() {
		l.keys[KeyBotVsBotDay] = until
	}
}

// botGamesLeft returns how many games against bots have room now.
func (l *limits) botGamesLeft() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.botGames.left(time.Now())
}

// until returns when the limit of that key ends, the zero time when it is not
// in force.
func (l *limits) until(key string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := l.keys[key]; time.Now().Before(until) {
		return until
	}
	return time.Time{}
}

// inForce lists the limits in force.
func (l *limits) inForce() []Limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	var list []Limit
	for f, state := range l.features {
		if now.Before(state.until) {
			list = append(list, Limit{feature(f).String(), state.until})
		}
	}
	for key, until := range l.keys {
		if now.Before(until) {
			list = append(list, Limit{key, until})
		}
	}
	slices.SortFunc(list, func(a, b Limit) int { return a.Until.Compare(b.Until) })
	return list
}

// demandedWait returns how long a refusal asks to wait: by the body, else by
// the Retry-After header in seconds or as a date, else 0.
func demandedWait(header http.Header, limit *RateLimit) time.Duration {
	if limit != nil && limit.Seconds > 0 {
		return boundedSeconds(limit.Seconds)
	}
	after := header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(after, 10, 64); err == nil {
		return boundedSeconds(seconds)
	}
	if date, err := http.ParseTime(after); err == nil {
		now := time.Now()
		if sent, err := http.ParseTime(header.Get("Date")); err == nil {
			now = sent // by the same clock, which may not be ours
		}
		return min(max(date.Sub(now), 0), maxLimitWait)
	}
	return 0
}

func boundedSeconds(seconds int64) time.Duration {
	return time.Duration(min(max(seconds, 0), int64(maxLimitWait/time.Second))) * time.Second
}
