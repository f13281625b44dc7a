package lichess

import (
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

// limits knows which groups of calls the server does not want for a while,
// and keeps the openings of the event stream within their window.
type limits struct {
	mu        sync.Mutex
	features  [featureCount]featureLimit
	keys      map[string]time.Time // limits that hold for some calls of a group only
	opens     []time.Time          // recent openings of the event stream
	maxOpens  int
	openSpace time.Duration
}

type featureLimit struct {
	until time.Time
	key   string
	bare  int // 429s in a row that did not say how long to wait
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
		wait = bareWait(f, state.bare)
		state.bare++
	}
	until := now.Add(wait)
	if f != featureGame {
		state.until, state.key = until, key
		return until
	}
	// A game itself is never held back. A limit that it met is that of the whole address: leave what is left
	// of it to the games.
	sideUntil := now.Add(max(wait, bareLimitWait))
	for other := featureGame + 1; other < featureCount; other++ {
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
	l.features[f].bare = 0
}

// openEvents counts an opening of the event stream, or returns when the next
// one is allowed.
func (l *limits) openEvents() (time.Time, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.opens = slices.DeleteFunc(l.opens, func(t time.Time) bool { return now.Sub(t) >= l.openSpace })
	if len(l.opens) >= l.maxOpens {
		return l.opens[len(l.opens)-l.maxOpens].Add(l.openSpace), false
	}
	l.opens = append(l.opens, now)
	return time.Time{}, true
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
		return min(max(time.Until(date), 0), maxLimitWait)
	}
	return 0
}

func boundedSeconds(seconds int64) time.Duration {
	return time.Duration(min(max(seconds, 0), int64(maxLimitWait/time.Second))) * time.Second
}
