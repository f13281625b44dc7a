package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"castellan/bot/watch"
	"castellan/engine/chess"
	"castellan/lichess"
)

const (
	// mostViewers bounds the pages that are kept up to date at a time.
	mostViewers = 20
	// restSends is the least time between two pictures for one page, and beatSends the longest: ages and limits change by themselves.
	restSends = 300 * time.Millisecond
	beatSends = 5 * time.Second
	// sendWithin is how long a browser may take to take a picture: a slow one is let go, and comes back by itself.
	sendWithin = 10 * time.Second
	// longestLine bounds the principal variation that is shown, in plies.
	longestLine = 12
)

// StatusOptions are what the status page shows.
type StatusOptions struct {
	Version string
	State   *watch.State
	// EventsHeard returns when the last line of the event stream came, the zero time for never.
	EventsHeard func() time.Time
	// Limits lists the server's limits in force.
	Limits func() []lichess.Limit
	// Settings are those in force. No secret may be in them.
	Settings []StatusSetting
	// Hosts are names under which the page is served beside IP addresses and localhost; see [KnownHosts].
	Hosts []string
}

// StatusSetting is a setting as the page shows it.
type StatusSetting struct {
	Section  string `json:"section"`
	Variable string `json:"variable"`
	Value    string `json:"value"`
	Changed  bool   `json:"changed"` // is not the default
}

// NewStatus returns the status page of a daemon: at / the page, at /status/events what it shows, each time that something has
// changed, by server-sent events. It answers nothing but GET: there is nothing to be done by it.
func NewStatus(o StatusOptions) http.Handler {
	viewers := make(chan struct{}, mostViewers)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { serveAsset(w, r, "status.html") })
	mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) { serveAsset(w, r, r.PathValue("name")) })
	mux.HandleFunc("GET /status/settings", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, o.Settings) })
	mux.HandleFunc("GET /status/now", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, o.picture()) })
	mux.HandleFunc("GET /status/events", func(w http.ResponseWriter, r *http.Request) {
		select {
		case viewers <- struct{}{}:
			defer func() { <-viewers }()
			o.follow(r.Context(), w)
		default:
			say(w, http.StatusServiceUnavailable, fmt.Sprintf("%d pages are open already", mostViewers))
		}
	})
	known := KnownHosts(mux, o.Hosts, "name it in CASTELLAN_STATUS_HOSTS")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		known.ServeHTTP(w, r)
	})
}

// follow sends a picture at each change until the browser leaves.
func (o *StatusOptions) follow(ctx context.Context, w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy on the way is not to collect it
	control := http.NewResponseController(w)
	for {
		changed := o.State.Changed() // before the look, so that nothing is missed
		body, err := json.Marshal(o.picture())
		if err != nil {
			panic("web: the status does not marshal: " + err.Error())
		}
		if control.SetWriteDeadline(time.Now().Add(sendWithin)) != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", body); err != nil {
			return
		}
		if control.Flush() != nil {
			return
		}
		// Both count from this picture: a ticker would keep a tick from before.
		rest, beat := time.After(restSends), time.After(beatSends)
		select {
		case <-rest:
		case <-ctx.Done():
			return
		}
		select {
		case <-changed:
		case <-beat:
		case <-ctx.Done():
			return
		}
	}
}

// picture is what the page shows at a moment. Times are in ms since 1970, 0 for never.
type picture struct {
	Now      int64          `json:"now"`
	Version  string         `json:"version"`
	Account  string         `json:"account"`
	URL      string         `json:"url"`
	Started  int64          `json:"started"`
	Draining bool           `json:"draining"`
	NotReady []string       `json:"notReady"`
	Stream   pictureStream  `json:"stream"`
	Limits   []pictureLimit `json:"limits"`
	Games    []pictureGame  `json:"games"`
	Own      *pictureOwn    `json:"own,omitempty"` // challenge of the bot's that waits for an answer
	Queue    []pictureGuest `json:"queue"`
	Results  []pictureEnd   `json:"results"`
	Problems []pictureFault `json:"problems"`
}

type pictureStream struct {
	Open   bool   `json:"open"`
	Since  int64  `json:"since"`
	Heard  int64  `json:"heard"`
	LostBy string `json:"lostBy,omitempty"`
}

type pictureLimit struct {
	Name  string `json:"name"`
	Until int64  `json:"until"`
}

type picturePlayer struct {
	Name   string `json:"name"`
	Title  string `json:"title,omitempty"`
	Rating int    `json:"rating,omitempty"`
}

type pictureGame struct {
	ID       string                   `json:"id"`
	URL      string                   `json:"url"`
	Us       string                   `json:"us"`
	Players  map[string]picturePlayer `json:"players"` // by colour
	Terms    string                   `json:"terms"`
	Speed    string                   `json:"speed"`
	Variant  string                   `json:"variant,omitempty"` // "" for standard chess
	Rated    bool                     `json:"rated"`
	FEN      string                   `json:"fen"`
	LastMove []string                 `json:"lastMove"` // squares
	LastSAN  string                   `json:"lastSan,omitempty"`
	Check    string                   `json:"check,omitempty"`
	Ply      int                      `json:"ply"`
	Clock    map[string]int64         `json:"clock,omitempty"` // ms by colour, as of At
	Running  string                   `json:"running,omitempty"`
	At       int64                    `json:"at"`
	Scores   [][2]int                 `json:"scores"` // ply and centipawns from White's side, one for each own move with a score
	Thought  *pictureThought          `json:"thought,omitempty"`
}

type pictureThought struct {
	SAN    string   `json:"san"`
	Score  string   `json:"score,omitempty"` // pawns from White's side, or # and moves to mate
	Depth  int      `json:"depth,omitempty"`
	Nodes  uint64   `json:"nodes,omitempty"`
	NPS    uint64   `json:"nps,omitempty"` // nodes per second
	TookMs int64    `json:"tookMs"`
	Source string   `json:"source"`
	Line   []string `json:"line,omitempty"` // principal variation in SAN, the move first
}

type pictureOwn struct {
	To    string `json:"to"`
	Terms string `json:"terms"`
	Since int64  `json:"since"`
}

type pictureGuest struct {
	From   string `json:"from"`
	Rating int    `json:"rating,omitempty"`
	Terms  string `json:"terms"`
	Until  int64  `json:"until"`
}

type pictureEnd struct {
	ID       string `json:"id"`
	URL      string `json:"url"`
	Us       string `json:"us"`
	Opponent string `json:"opponent"`
	Title    string `json:"title,omitempty"`
	Rating   int    `json:"rating,omitempty"`
	Rated    bool   `json:"rated"`
	Terms    string `json:"terms"`
	Speed    string `json:"speed"`
	Outcome  string `json:"outcome"`
	Status   string `json:"status"`
	Plies    int    `json:"plies"`
	Ended    int64  `json:"ended"`
	Diff     *int   `json:"diff,omitempty"`
}

type pictureFault struct {
	At    int64  `json:"at"`
	Error bool   `json:"error"`
	Text  string `json:"text"`
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func (o *StatusOptions) picture() picture {
	s, now, heard := o.State.Snapshot(), time.Now(), o.EventsHeard()
	p := picture{
		Now: millis(now), Version: o.Version, Account: s.Account, URL: s.URL, Started: millis(s.Started), Draining: s.Draining,
		NotReady: s.NotReady(heard, now),
		Stream:   pictureStream{Open: s.Connected, Since: millis(s.Since), Heard: millis(heard), LostBy: s.LostBy},
		Limits:   []pictureLimit{}, Games: []pictureGame{}, Queue: []pictureGuest{}, Results: []pictureEnd{}, Problems: []pictureFault{},
	}
	for _, l := range o.Limits() {
		p.Limits = append(p.Limits, pictureLimit{l.Name, millis(l.Until)})
	}
	for _, g := range s.Games {
		p.Games = append(p.Games, gamePicture(g))
	}
	if s.Own.To != "" {
		p.Own = &pictureOwn{s.Own.To, s.Own.Terms, millis(s.Own.Since)}
	}
	for _, w := range s.Queue {
		p.Queue = append(p.Queue, pictureGuest{w.From, w.Rating, w.Terms, millis(w.Until)})
	}
	for _, r := range s.Results {
		p.Results = append(p.Results, pictureEnd{
			r.ID, r.URL, r.Us.String(), r.Opponent, r.Title, r.Rating, r.Rated, r.Terms, r.Speed, r.Outcome, r.Status, r.Plies, millis(r.Ended), r.Diff,
		})
	}
	for _, f := range s.Problems {
		p.Problems = append(p.Problems, pictureFault{millis(f.At), f.Error, f.Text})
	}
	return p
}

func gamePicture(g *watch.Game) pictureGame {
	position := g.Board.Position()
	p := pictureGame{
		ID: g.ID, URL: g.URL, Us: g.Us.String(), Terms: g.Terms(), Speed: string(g.Full.Speed), Rated: g.Full.Rated,
		Players: map[string]picturePlayer{}, FEN: position.FEN(), LastMove: []string{}, Check: checkedKing(position), Ply: g.Board.Ply(),
		At: millis(g.SeenAt), Scores: [][2]int{},
	}
	if v := g.Variant(); v != lichess.VariantStandard {
		p.Variant = string(v)
	}
	for _, c := range []chess.Color{chess.White, chess.Black} {
		player := g.Player(c)
		p.Players[c.String()] = picturePlayer{watch.PlayerName(player), player.Title, player.Rating}
	}
	if n := g.Board.Ply(); n > 0 {
		before := g.Board.PositionAt(n - 1)
		last := describe(&before, g.Board.Moves()[n-1])
		p.LastMove, p.LastSAN = []string{last.From, last.To}, last.SAN
	}
	if g.Full.Clock != nil {
		p.Clock = map[string]int64{"white": int64(g.State.WTime), "black": int64(g.State.BTime)}
		if side, runs := g.Running(); runs {
			p.Running = side.String()
		}
	}
	for ply, note := range g.Notes {
		if t := note.Thought; t != nil && t.Depth > 0 {
			p.Scores = append(p.Scores, [2]int{ply, forWhite(t.Score.Centipawns(), g.Us)})
		}
	}
	if g.Thought != nil && g.Thought.Ply <= g.Board.Ply() {
		p.Thought = thoughtPicture(g)
	}
	return p
}

// forWhite turns a number that is good for the side given into one that is good for White.
func forWhite(n int, side chess.Color) int {
	if side == chess.Black {
		return -n
	}
	return n
}

func thoughtPicture(g *watch.Game) *pictureThought {
	t := g.Thought
	before := g.Board.PositionAt(t.Ply)
	p := &pictureThought{Depth: t.Depth, Nodes: t.Nodes, TookMs: t.Time.Milliseconds(), Source: t.Source.String()}
	if s := t.Time.Seconds(); s > 0 && t.Nodes > 0 {
		p.NPS = uint64(float64(t.Nodes) / s)
	}
	if t.Depth > 0 {
		p.Score = watch.ScoreForWhite(t.Score, g.Us)
	}
	line := t.PV
	if len(line) == 0 || line[0] != t.Move {
		line = []chess.Move{t.Move}
	}
	for _, m := range line[:min(len(line), longestLine)] {
		if m == chess.NoMove || !before.IsLegal(m) {
			break
		}
		p.Line = append(p.Line, before.SAN(m))
		before = before.Play(m)
	}
	if len(p.Line) > 0 {
		p.SAN = p.Line[0]
	}
	return p
}
