package bot_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"castellan/lichess/sandbox"
)

// chaosProxy answers in front of the sandbox. It passes the requests of all players on, notes them, and spoils those of the
// daemon by the strikes that wait for one.
type chaosProxy struct {
	server *sandbox.Server
	record *chaosRecord

	mu      sync.Mutex
	waiting []chaosWaiting
	refused map[chaosAim]*chaosRefusal
}

// chaosRefusal is a limit, or a server in trouble, that lasts.
type chaosRefusal struct {
	chaosStrike
	until time.Time
}

// chaosWaiting is a strike that waits for something that it can hit, for a while: else they would pile up and all hit the
// first that comes.
type chaosWaiting struct {
	chaosStrike
	until time.Time
}

const chaosWaitingTime = 15 * time.Second

func newChaosProxy(server *sandbox.Server, record *chaosRecord) *chaosProxy {
	return &chaosProxy{server: server, record: record, refused: map[chaosAim]*chaosRefusal{}}
}

// await makes a strike wait for something that it can hit.
func (p *chaosProxy) await(s chaosStrike) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(p.waiting, chaosWaiting{s, time.Now().Add(chaosWaitingTime)})
}

// strike takes the first strike that waits for this, nil when there is none.
func (p *chaosProxy) strike(fits func(chaosStrike) bool) *chaosStrike {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = slices.DeleteFunc(p.waiting, func(s chaosWaiting) bool { return time.Now().After(s.until) })
	for i, s := range p.waiting {
		if fits(s.chaosStrike) {
			p.waiting = slices.Delete(p.waiting, i, i+1)
			return &s.chaosStrike
		}
	}
	return nil
}

// calm drops what waits and what lasts.
func (p *chaosProxy) calm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = nil
	clear(p.refused)
}

type chaosLinkKey struct{}

func (p *chaosProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	link := r.Context().Value(chaosLinkKey{}).(*chaosLink)
	id := chaosGameOf(r.URL.Path)
	if !link.daemon {
		p.pass(w, r, id)
		return
	}
	if chaosIsStream(r) && r.ProtoMajor == 1 {
		defer link.occupied(id)()
	}
	aim := chaosAimOf(r)
	if refusal := p.refusal(aim, id); refusal != nil {
		refusal.answer(w)
		return
	}
	if s := p.strike(func(s chaosStrike) bool {
		return s.fault == strayRefusal && s.aim == aim && (aim == aimMove || p.record.opened(id))
	}); s != nil {
		p.record.injected(strayRefusal, 0, chaosScope(id)...)
		s.answer(w, [...]int{401, 403, 404}[s.chance%3])
		return
	}
	if s := p.strike(func(s chaosStrike) bool { return s.fault == noReply && s.aim == aim }); s != nil {
		p.record.injected(noReply, 0, chaosScope(id)...)
		if aim == aimMove || aim == aimOther {
			p.passDaemons(httptest.NewRecorder(), r, id)
		}
		<-r.Context().Done() // the client has given up, or its connection is lost
		panic(http.ErrAbortHandler)
	}
	p.passDaemons(w, r, id)
}

// chaosScope names the game that a request was about; nil, for all of them, when it was about none.
func chaosScope(id string) []string {
	if id == "" {
		return nil
	}
	return []string{id}
}

// refusal returns the refusal in force for the daemon's request, nil when there is none.
func (p *chaosProxy) refusal(aim chaosAim, id string) *chaosRefusal {
	s := p.strike(func(s chaosStrike) bool { return s.fault.onRequests() && s.fault < noReply && s.aim == aim })
	p.mu.Lock()
	defer p.mu.Unlock()
	if s != nil {
		if s.fault >= error500 {
			s.length /= 2
		}
		p.record.injected(s.fault, s.length) // it lasts, and hits whoever comes next
		p.refused[aim] = &chaosRefusal{*s, time.Now().Add(s.length)}
	}
	if refusal := p.refused[aim]; refusal != nil && time.Now().Before(refusal.until) {
		return refusal
	}
	return nil
}

// answer writes the refusal.
func (f *chaosRefusal) answer(w http.ResponseWriter) {
	left := time.Until(f.until)
	seconds := int(math.Ceil(left.Seconds()))
	status, kind, body := http.StatusTooManyRequests, "application/json", `{"error":"Too many requests. Try again later."}`
	switch f.fault {
	case limitSeconds:
		body = fmt.Sprintf(`{"error":"Too many requests","ratelimit":{"key":"chaos.test","seconds":%d}}`, seconds)
	case limitRetryAfter:
		after := fmt.Sprint(seconds)
		if f.chance%2 == 0 {
			after = f.until.Add(time.Second).UTC().Format(http.TimeFormat)
		}
		w.Header().Set("Retry-After", after)
	case limitBare:
		if f.chance%3 == 0 {
			body = ""
		}
	default:
		f.chaosStrike.answer(w, map[chaosFault]int{error500: 500, error502: 502, error504: 504}[f.fault])
		return
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	w.Write([]byte(body))
}

// answer writes a web page with a status.
func (chaosStrike) answer(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<html><head><title>%d</title></head><body><center><h1>%d %s</h1></center></body></html>", status, status, http.StatusText(status))
}

// passDaemons passes a request of the daemon on.
func (p *chaosProxy) passDaemons(w http.ResponseWriter, r *http.Request, id string) {
	switch {
	case chaosIsStream(r):
		w = &chaosLines{ResponseWriter: w, proxy: p, game: id}
		p.server.ServeHTTP(w, r)
	case isMove(r):
		move := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		late := r.Context().Value(chaosLinkKey{}).(*chaosLink).heldUp()
		p.record.moveSent(id, move, late)
		copied := &chaosCopy{ResponseWriter: w}
		p.server.ServeHTTP(copied, r)
		p.record.moveAnswered(id, move, late, cmp.Or(copied.status, 200), copied.body.String())
		p.record.turn(id)
	default:
		if strings.HasSuffix(r.URL.Path, "/takeback/yes") {
			p.record.takenBack(id)
		}
		p.pass(w, r, id)
	}
}

// pass passes a request on and notes whose turn it is then.
func (p *chaosProxy) pass(w http.ResponseWriter, r *http.Request, id string) {
	p.server.ServeHTTP(w, r)
	if r.Method == http.MethodPost && id != "" {
		p.record.turn(id)
	}
}

// chaosCopy keeps a copy of a short answer.
type chaosCopy struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (c *chaosCopy) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *chaosCopy) Write(p []byte) (int, error) {
	c.body.Write(p)
	return c.ResponseWriter.Write(p)
}

func (c *chaosCopy) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// chaosGameOf returns the game in a path such as /api/bot/game/Ab3dEf9h/move/e2e4, or "".
func chaosGameOf(path string) string {
	rest, ok := strings.CutPrefix(path, "/api/bot/game/")
	if !ok {
		if rest, ok = strings.CutPrefix(path, "/api/board/game/"); !ok {
			return ""
		}
	}
	rest = strings.TrimPrefix(rest, "stream/")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

func chaosIsStream(r *http.Request) bool { return strings.Contains(r.URL.Path, "/stream/") }

func chaosAimOf(r *http.Request) chaosAim {
	switch {
	case isMove(r):
		return aimMove
	case strings.Contains(r.URL.Path, "/game/stream/"):
		return aimGame
	case chaosIsStream(r):
		return aimEvent
	}
	return aimOther
}
