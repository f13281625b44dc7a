package replay

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"castellan/lichess/record"
)

const (
	// DefaultWait is the default of Options.Wait.
	DefaultWait = 10 * time.Second
	// longestWait bounds that.
	longestWait = 2 * time.Minute
	// settle is the longest pause before an event, for the client to finish what it is at, such as leaving a game that is over.
	settle = 100 * time.Millisecond
	// afterEnd is how long the client has for a decision that the recording did not live to see.
	afterEnd = 2 * time.Second
	// keepAlive is the time between the blank lines of a stream.
	keepAlive = 5 * time.Second
)

const eventStream = "/api/stream/event"

// closed is how the recorder calls the end of a stream that the client has left.
const closed = record.Closed

// Server plays a recording. Make one with New, then Run it while a client is connected to its URL.
type Server struct {
	URL  string
	wait time.Duration
	http *http.Server
	done chan struct{} // closed by Close

	entries   []record.Entry
	exchanges []*exchange // in the order of their requests
	of        map[uint64]*exchange
	recorded  map[string][]*exchange // with a decision, by what it is about
	lines     map[string][]int       // entries with lines of a game that say something new, by the game
	positions map[string][]int       // … of those, with another position than the line before
	account   string

	mu        sync.Mutex
	changed   chan struct{}  // closed and made anew with each change
	at        int            // the entry that is being played
	plies     map[string]int // of games, by what was sent
	told      map[string]int // of games, how many of their lines were sent
	made      map[string]int // what was told when a decision was made, by what it is about and its text
	dead      map[string]bool
	decisions []Decision
	notes     []string
}

// Options of a server. The zero value of each field is its default.
type Options struct {
	// Account is the name of the bot, for a recording without its sign-in.
	Account string
	// Wait is how long the client has for what it did in the recording, on top of the time that it took then: DefaultWait.
	Wait time.Duration
}

// New starts a server that will play the entries of one run.
func New(entries []record.Entry, o Options) (*Server, error) {
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	s := &Server{
		wait: o.Wait, done: make(chan struct{}), entries: entries, of: map[uint64]*exchange{}, changed: make(chan struct{}),
		recorded: map[string][]*exchange{}, lines: map[string][]int{}, positions: map[string][]int{}, account: o.Account,
		plies: map[string]int{}, told: map[string]int{}, made: map[string]int{}, dead: map[string]bool{},
	}
	s.gather()
	if s.account == "" {
		return nil, errors.New("replay: the recording does not hold the sign-in (GET /api/account), its first part may be gone: name the account")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	s.URL = "http://" + listener.Addr().String()
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(listener)
	return s, nil
}

// Close ends everything at once.
func (s *Server) Close() {
	close(s.done)
	s.http.Close()
}

// gather makes exchanges of the entries.
func (s *Server) gather() {
	plies := map[string]int{}
	last := map[string]state{}
	made := map[string]int{}
	for i := range s.entries {
		e := &s.entries[i]
		if e.ID == 0 {
			continue
		}
		x := s.of[e.ID]
		if x == nil {
			method := e.Method
			if method == "" {
				method = http.MethodGet // the request itself is in a part that is gone: a stream
			}
			x = newExchange(method, e.URL)
			s.of[e.ID], s.exchanges = x, append(s.exchanges, x)
		}
		switch e.Kind {
		case record.Request:
			if x.decision = decisionOf(x.method, x.path, x.query, e.Text); x.decision != nil && x.decision.ply == 0 {
				x.decision.ply = plies[x.decision.about]
			}
			if x.index = i; x.decision != nil {
				x.again = repeats(made, x.decision, len(s.lines[x.decision.about]))
				s.recorded[x.decision.about] = append(s.recorded[x.decision.about], x)
			}
		case record.Reply:
			x.reply = e
			x.stream = x.stream || e.Stream()
			if e.Error != "" {
				x.fault = e.Error
			}
			if x.path == "/api/account" && e.Status == http.StatusOK && s.account == "" {
				s.account = usernameOf(e.Text)
			}
		case record.Line:
			x.stream = true
			if ply, ok := plyOf(e.Text); ok {
				plies["game "+gameOf(x.path)] = ply
			}
			if id := gameOf(x.path); id != "" && len(e.Text) > 0 {
				game := "game " + id
				now, isState := stateOf(e.Text)
				before, known := last[game]
				if isState {
					last[game] = now
				}
				if isState && (!known || now.Moves != before.Moves) {
					s.positions[game] = append(s.positions[game], i)
				}
				// What a line repeats, such as the first one of a stream that is opened again, is nothing new.
				if (!isState || !known || now != before) && !isChat(e.Text) {
					s.lines[game] = append(s.lines[game], i)
				}
			}
		case record.End:
			x.fault = e.Error
		}
		if x.stream && x.lines == nil {
			x.opened, x.closed, x.lines = make(chan struct{}), make(chan struct{}), make(chan []byte, 1)
		}
	}
}

// Run plays the recording to its end. The error is that of ctx.
func (s *Server) Run(ctx context.Context) error {
	last := map[string]time.Time{} // when something happened, by what it is about
	for i := range s.entries {
		e := &s.entries[i]
		s.change(func() { s.at = i })
		if e.Kind == record.Lost {
			s.note("%s: %d entries are missing", e.Where, e.Count)
		}
		x := s.of[e.ID]
		if x == nil {
			continue
		}
		lane := x.path
		if x.decision != nil {
			lane = x.decision.about
		} else if id := gameOf(x.path); id != "" {
			lane = "game " + id
		}
		took := time.Duration(0)
		if before, ok := last[lane]; ok {
			took = e.At.Sub(before)
		}
		if e.Kind != record.Line || len(e.Text) > 0 {
			last[lane] = e.At // a keep-alive is nothing that anybody waits for
		}
		limit := min(s.wait+max(took, 0), longestWait)
		switch {
		case x.stream && (e.Kind == record.Line || e.Kind == record.End):
			if x.path == eventStream && e.Kind == record.Line && len(e.Text) > 0 {
				s.pause(ctx, min(max(took, 0), settle))
			}
			s.playStream(ctx, x, e, lane, limit)
		case x.decision != nil && e.Kind == record.Request && !x.again:
			s.await(ctx, x, e, lane, limit)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	s.change(func() { s.at = len(s.entries) })
	if s.playing() {
		s.pause(ctx, min(afterEnd, s.wait))
	}
	return ctx.Err()
}

// playing tells whether a game is still open.
func (s *Server) playing() bool {
	for _, x := range s.exchanges {
		if !x.stream || gameOf(x.path) == "" || !isClosed(x.opened) || isClosed(x.closed) {
			continue
		}
		return true
	}
	return false
}

// playStream sends a line of a stream, or ends it.
func (s *Server) playStream(ctx context.Context, x *exchange, e *record.Entry, lane string, limit time.Duration) {
	if s.isDead(lane) {
		return
	}
	if x.ended {
		s.note("%s: %s has ended before", e.Where, x.path)
		return
	}
	if !within(ctx, limit, x.opened) {
		if ctx.Err() == nil {
			s.note("%s: the stream %s is not opened now; the rest of it is left out", e.Where, x.path)
			s.change(func() { s.dead[lane] = true })
		}
		return
	}
	if e.Kind == record.End {
		if e.Error == closed {
			// The client closed it by itself, and does so now unless it decides otherwise.
			within(ctx, settle, x.closed)
		}
		x.ended = true
		close(x.lines)
		return
	}
	if len(e.Text) == 0 {
		return // a keep-alive: this server has its own
	}
	s.change(func() {
		if ply, ok := plyOf(e.Text); ok {
			s.plies[lane] = ply
		}
		if _, isNew := slices.BinarySearch(s.lines[lane], s.at); isNew {
			s.told[lane]++
		}
	})
	select {
	case x.lines <- e.Text:
	case <-x.closed:
	case <-ctx.Done():
	case <-time.After(limit):
		s.note("%s: the client does not read %s any more", e.Where, x.path)
		s.change(func() { s.dead[lane] = true })
	}
}

// await waits for a decision to be made again.
func (s *Server) await(ctx context.Context, x *exchange, e *record.Entry, lane string, limit time.Duration) {
	if s.isDead(lane) {
		return
	}
	alarm := time.NewTimer(limit)
	defer alarm.Stop()
	for {
		s.mu.Lock()
		claimed, changed := x.claimed, s.changed
		s.mu.Unlock()
		if claimed {
			return
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
			return
		case <-alarm.C:
		}
		s.change(func() {
			if !x.claimed {
				x.claimed = true
				s.decisions = append(s.decisions, Decision{index: x.index, At: e.At, Where: e.Where, About: x.decision.about, Ply: x.decision.ply, Recorded: x.decision.text})
			}
		})
		return
	}
}

// decided takes a decision of the client and returns the recorded one that it stands for; nil when there is none. A request that
// is made again, because the answer was lost or was a refusal that passes, is no further decision: whether that happens depends on
// when the network failed. It gets the answer to a recorded repetition, if there is one.
func (s *Server) decided(d *decision) (pair *exchange) {
	s.change(func() {
		if repeats(s.made, d, s.told[d.about]) {
			if pair = s.repetition(d); pair != nil {
				pair.claimed = true
			}
			return
		}
		pair = s.counterpart(d, func(group string) bool { return group == d.group })
		if pair == nil {
			// To agree to a draw is a turn as well.
			pair = s.counterpart(d, func(group string) bool {
				return group == "turn" && d.group == "draw" || group == "draw" && d.group == "turn"
			})
		}
		made := Decision{About: d.about, Ply: d.ply, Now: d.text}
		if d.ply == 0 {
			made.Ply = s.plies[d.about]
		}
		if pair != nil {
			pair.claimed = true
			made.index, made.Ply, made.Recorded = pair.index, pair.decision.ply, pair.decision.text
		} else {
			made.index = min(s.at, len(s.entries)-1)
		}
		made.At, made.Where = s.entries[made.index].At, s.entries[made.index].Where
		s.decisions = append(s.decisions, made)
	})
	return pair
}

// repeats tells whether a decision was made before when no more was told, and remembers that it is made.
func repeats(made map[string]int, d *decision, told int) bool {
	key := d.about + " " + d.text
	before, ok := made[key]
	made[key] = told
	return ok && before == told
}

// repetition finds the next recorded repetition of a decision. The lock is held.
func (s *Server) repetition(d *decision) *exchange {
	for _, x := range s.recorded[d.about] {
		if x.again && !x.claimed && x.decision.text == d.text {
			return x
		}
	}
	return nil
}

// counterpart finds the next recorded decision about the same, not before all that it was made on has been sent; the same decision
// in the same position is enough, whatever else, such as an offer, was told while the client thought. The lock is held.
func (s *Server) counterpart(d *decision, fits func(group string) bool) *exchange {
	for _, x := range s.recorded[d.about] {
		if x.claimed || x.again || !fits(x.decision.group) {
			continue
		}
		lines := s.lines[d.about]
		if x.decision.text == d.text {
			lines = s.positions[d.about]
		}
		if next, _ := slices.BinarySearch(lines, s.at+1); next < len(lines) && lines[next] < x.index {
			return nil // something new comes before it
		}
		return x
	}
	return nil
}

// Decisions returns the decisions in the order of the recording.
func (s *Server) Decisions() []Decision {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.decisions)
	slices.SortStableFunc(all, func(a, b Decision) int { return a.index - b.index })
	return all
}

// Notes returns what could not be played.
func (s *Server) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.notes...)
}

func (s *Server) note(format string, args ...any) {
	s.change(func() { s.notes = append(s.notes, fmt.Sprintf(format, args...)) })
}

// change changes what the lock guards and tells those that wait for it.
func (s *Server) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) isDead(lane string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead[lane]
}

func (s *Server) pause(ctx context.Context, d time.Duration) { within(ctx, d, nil) }

// within waits for a channel to be closed and tells whether it was in time.
func within(ctx context.Context, d time.Duration, c <-chan struct{}) bool {
	alarm := time.NewTimer(d)
	defer alarm.Stop()
	select {
	case <-c:
		return true
	case <-ctx.Done():
	case <-alarm.C:
	}
	return false
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
