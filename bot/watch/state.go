package watch

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"castellan/engine/chess"
)

const (
	// resultsKept is how many of the last games are remembered.
	resultsKept = 50
	// problemsKept is how many of the last warnings and errors are remembered.
	problemsKept = 50
)

// State keeps the latest of what a bot has published. It is safe for use by many goroutines, and its lock is never held for longer
// than it takes to copy a few values, so that nobody who looks can hold up the bot.
type State struct {
	mu      sync.Mutex
	changed chan struct{} // closed at the next change
	now     Snapshot
	games   map[string]*Game
}

// Snapshot is a moment of the state.
type Snapshot struct {
	Started  time.Time
	Account  string // name, "" before the bot has signed in
	URL      string // of the server
	Draining bool

	Connected bool      // the event stream is open …
	Since     time.Time // … or closed, since then
	LostBy    string    // why it was lost or could not be opened the last time, "" when that has not happened

	Own      Own       // the bot's own challenge that waits for an answer
	Queue    []Waiting // challenges that wait for a place, the next one first
	Games    []*Game   // in play, the first to be seen first
	Results  []Result  // the newest first
	Problems []Problem // the newest first
}

// Result is a game that has ended.
type Result struct {
	ID, URL  string
	Us       chess.Color
	Opponent string
	Title    string // of the opponent
	Rating   int    // of the opponent, 0 when there is none
	Rated    bool
	Speed    string
	Terms    string
	Outcome  string // Win, Draw, Loss or Aborted
	Status   string // how the server says that it ended
	Plies    int
	Ended    time.Time
	Diff     *int // to the bot's rating, nil when it did not change or is not known
}

// Problem is a warning or an error of the log.
type Problem struct {
	At    time.Time
	Error bool // not just a warning
	Text  string
}

// NewState returns an empty state.
func NewState() *State {
	now := time.Now()
	return &State{changed: make(chan struct{}), now: Snapshot{Started: now, Since: now}, games: map[string]*Game{}}
}

// Snapshot returns what is known now. The games have the order in which they were begun.
func (s *State) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now
	now.Results, now.Problems = slices.Clone(now.Results), slices.Clone(now.Problems)
	now.Games = slices.SortedFunc(maps.Values(s.games), func(a, b *Game) int {
		if a.Full.CreatedAt != b.Full.CreatedAt {
			return cmp.Compare(a.Full.CreatedAt, b.Full.CreatedAt)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return now
}

// Changed returns a channel that is closed at the next change.
func (s *State) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Note takes an event.
func (s *State) Note(event Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := event.(type) {
	case *Online:
		s.now.Account, s.now.URL = e.Account, e.URL
	case *Draining:
		s.now.Draining = true
	case *Stream:
		if e.Game != "" {
			return
		}
		s.noteStream(e)
	case *Own:
		s.now.Own = *e
	case *Queue:
		s.now.Queue = e.Waiting
	case *Game:
		if e.Over() {
			s.noteEnd(e)
		} else {
			s.games[e.ID] = e
		}
	case *Left:
		delete(s.games, e.Game)
	case *Rated:
		for i := range s.now.Results {
			if s.now.Results[i].ID == e.Game {
				s.now.Results[i].Diff = &e.Ours
			}
		}
	default:
		return
	}
	s.tell()
}

// tell wakes everybody who waits for a change.
func (s *State) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *State) noteStream(e *Stream) {
	if up := e.Err == nil; up != s.now.Connected {
		s.now.Connected, s.now.Since = up, time.Now()
	}
	if e.Err != nil {
		s.now.LostBy = e.Err.Error()
	}
}

// noteEnd moves a game to the results, once: a player who takes a game up again that has ended tells its end again.
func (s *State) noteEnd(g *Game) {
	delete(s.games, g.ID)
	if slices.ContainsFunc(s.now.Results, func(r Result) bool { return r.ID == g.ID }) {
		return
	}
	opponent := g.Opponent()
	s.now.Results = keep(s.now.Results, resultsKept, Result{
		ID: g.ID, URL: g.URL, Us: g.Us, Opponent: PlayerName(opponent), Title: opponent.Title, Rating: opponent.Rating,
		Rated: g.Full.Rated, Speed: string(g.Full.Speed), Terms: g.Terms(), Outcome: g.Outcome(), Status: string(g.State.Status),
		Plies: g.Board.Ply(), Ended: g.SeenAt,
	})
}

// keep puts an item in front of a list that has at most so many.
func keep[T any](list []T, most int, item T) []T {
	kept := make([]T, 0, most)
	return append(append(kept, item), list[:min(len(list), most-1)]...)
}
