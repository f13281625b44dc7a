package bot

import (
	"maps"
	"sync"
	"time"
)

// The bounds of what is said: so many occasions at once, and one more each so long after that.
const (
	saidAtOnce         = 20
	saidEach           = 2 * time.Second
	saidToPersonAtOnce = 4
	saidToPersonEach   = 15 * time.Second
	// mostListeners bounds the people who are remembered. Those who have all their occasions again are forgotten.
	mostListeners = 1000
)

// speech bounds what the bot says in all its games together, and to one person in all of them: anybody may ask for more, in as
// many games as he likes.
type speech struct {
	mu     sync.Mutex
	all    allowance
	people map[string]*allowance // by user id, "" for all without one
}

// allow tells whether the bot may say something now on behalf of a person, and counts it.
func (s *speech) allow(person string) bool { return s.allowAt(person, time.Now()) }

func (s *speech) allowAt(person string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.refill(now, saidAtOnce, saidEach)
	if s.people == nil {
		s.people = map[string]*allowance{}
	}
	p := s.people[person]
	if p == nil {
		if len(s.people) >= mostListeners {
			maps.DeleteFunc(s.people, func(_ string, a *allowance) bool {
				a.refill(now, saidToPersonAtOnce, saidToPersonEach)
				return a.left >= saidToPersonAtOnce
			})
		}
		if len(s.people) >= mostListeners {
			return false
		}
		p = &allowance{}
		s.people[person] = p
	}
	p.refill(now, saidToPersonAtOnce, saidToPersonEach)
	if s.all.left < 1 || p.left < 1 {
		return false
	}
	s.all.left--
	p.left--
	return true
}

// allowance is a number of occasions that grows back. Its zero value is a full one.
type allowance struct {
	left float64
	at   time.Time // when left was right; zero for full
}

func (a *allowance) refill(now time.Time, most float64, each time.Duration) {
	if a.at.IsZero() {
		a.left = most
	} else {
		a.left = min(most, a.left+max(now.Sub(a.at).Seconds(), 0)/each.Seconds())
	}
	a.at = now
}
