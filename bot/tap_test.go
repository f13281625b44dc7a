package bot_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/lichess"
)

// tap is a network between one bot and the sandbox. It notes what the bot asks for and can change what it hears: other answers
// to requests, and lines of streams left out, changed or added.
type tap struct {
	*network
	t       *testing.T
	mu      sync.Mutex
	asked   []string                 // method, path and query of each request
	streams map[string][]*lineWriter // the open ones by path
}

// tapping says what a tap changes; what is nil passes as it is.
type tapping struct {
	// answer may answer a request itself, or carry it out by pass and then spoil the answer; false leaves it alone.
	answer func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool
	// line returns what comes through in place of a line that is not blank.
	line func(path, line string) []string
	// hold keeps streams open that the server ends, for as long as the bot listens.
	hold func(path string) bool
}

const (
	eventStream = "/api/stream/event"
	gameStream  = "/api/bot/game/stream/"
)

func newTap(t *testing.T, to string, change tapping) *tap {
	t.Helper()
	tap := &tap{t: t, streams: map[string][]*lineWriter{}}
	tap.network = newNetwork(t, to, func(_ *network, w http.ResponseWriter, r *http.Request, pass http.Handler) {
		tap.note(r)
		if change.answer != nil && change.answer(w, r, pass) {
			tap.spoiled.Add(1)
			return
		}
		path := r.URL.Path
		if path != eventStream && !strings.HasPrefix(path, gameStream) {
			pass.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		lines := &lineWriter{ResponseWriter: w, cut: cancel, edit: func(line string) []string {
			if change.line == nil {
				return []string{line}
			}
			return change.line(path, line)
		}}
		tap.opened(path, lines)
		defer lines.close()
		pass.ServeHTTP(lines, r.WithContext(ctx))
		if change.hold != nil && change.hold(path) {
			<-r.Context().Done()
		}
	})
	return tap
}

// cut breaks all open streams.
func (p *tap) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, open := range p.streams {
		for _, w := range open {
			w.cut()
		}
	}
}

func (p *tap) note(r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r.Method+" "+r.URL.RequestURI())
}

func (p *tap) opened(path string, w *lineWriter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams[path] = append(p.streams[path], w)
}

// requests returns those whose method, path and query hold the text.
func (p *tap) requests(text string) (found []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.asked {
		if strings.Contains(r, text) {
			found = append(found, r)
		}
	}
	return found
}

// count counts them.
func (p *tap) count(text string) int { return len(p.requests(text)) }

// inject adds a line to the newest stream of that path, once one is open and has told its first line.
func (p *tap) inject(path, line string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		open := p.streams[path]
		p.mu.Unlock()
		if n := len(open); n > 0 && open[n-1].add(line) {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("no stream %s to put a line on", path)
		}
	}
}

// lineWriter passes a stream on line by line.
type lineWriter struct {
	http.ResponseWriter
	edit func(line string) []string
	cut  func() // breaks the connection

	mu     sync.Mutex
	half   string
	begun  bool // a line has passed
	closed bool
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.half += string(p)
	for {
		line, rest, whole := strings.Cut(w.half, "\n")
		if !whole {
			return len(p), nil
		}
		w.half = rest
		through := []string{line}
		if line != "" {
			through = w.edit(line)
		}
		for _, l := range through {
			w.begun = true
			if _, err := w.ResponseWriter.Write([]byte(l + "\n")); err != nil {
				return 0, err
			}
		}
	}
}

func (w *lineWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *lineWriter) add(line string) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || !w.begun {
		return false
	}
	_, err := w.ResponseWriter.Write([]byte(line + "\n"))
	http.NewResponseController(w.ResponseWriter).Flush()
	return err == nil
}

func (w *lineWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}

// fields is a line of a stream taken apart.
type fields map[string]any

func parse(line string) fields {
	var f fields
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		panic("a line of the sandbox is not JSON: " + err.Error())
	}
	return f
}

func (f fields) String() string {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// state returns the state of the game in the line, nil when it has none.
func (f fields) state() fields {
	switch f["type"] {
	case lichess.TypeGameState:
		return f
	case lichess.TypeGameFull:
		state, _ := f["state"].(map[string]any)
		return state
	}
	return nil
}

func (f fields) is(typ string) bool { return f["type"] == typ }

// over tells whether the state is final.
func (f fields) over() bool {
	status, _ := f["status"].(string)
	return lichess.Status(status).Over()
}

// ply counts the moves of the state.
func (f fields) ply() int {
	moves, _ := f["moves"].(string)
	return len(strings.Fields(moves))
}

// changingStates returns a tap's line function that changes each state on the game streams.
func changingStates(change func(state fields)) func(path, line string) []string {
	return func(path, line string) []string {
		if !strings.HasPrefix(path, gameStream) {
			return []string{line}
		}
		f := parse(line)
		state := f.state()
		if state == nil {
			return []string{line}
		}
		change(state)
		return []string{f.String()}
	}
}

// stays wants a condition to hold for some time: for what must not happen, which no event can tell.
func (a arena) stays(what string, d time.Duration, is func() bool) {
	a.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if !is() {
			a.t.Fatalf("did not stay: %s", what)
		}
	}
}

// move plays a move for the person.
func (a arena) move(game, uci string) {
	a.t.Helper()
	a.post("/api/board/game/"+game+"/move/"+uci, nil)
}

// resigns ends a game for the person.
func (a arena) resigns(game string) {
	a.t.Helper()
	a.post("/api/board/game/"+game+"/resign", nil)
	a.finished(game)
}
