package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"castellan/bot/watch"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/lichess"
)

// played is a game of a bot with Black after some moves.
func played(t *testing.T, id string, over bool, moves ...string) *watch.Game {
	t.Helper()
	board := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	for _, m := range moves {
		if err := board.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	g := &watch.Game{
		ID: id, URL: "https://lichess.org/" + id, Us: chess.Black, Board: board, SeenAt: time.Now(), Notes: make([]watch.Note, len(moves)+1),
		Full: &lichess.GameFull{
			ID: id, Speed: lichess.SpeedBlitz, Clock: &lichess.GameClock{Initial: 180_000, Increment: 2000},
			White: lichess.GamePlayer{ID: "x", Name: `<img src=x onerror="alert(1)">`, Rating: 1600},
			Black: lichess.GamePlayer{ID: "castellan", Name: "Castellan", Title: "BOT", Rating: 2000},
		},
		State: &lichess.GameState{Moves: strings.Join(moves, " "), WTime: 170_000, BTime: 90_500, Status: lichess.StatusStarted},
	}
	if over {
		g.State.Status, g.State.Winner, g.Ended = lichess.StatusMate, lichess.ColorBlack, true
	}
	return g
}

func newStatus(t *testing.T) (*httptest.Server, *watch.State) {
	t.Helper()
	state := watch.NewState()
	server := httptest.NewServer(NewStatus(StatusOptions{
		Version: "v1", State: state, EventsHeard: func() time.Time { return time.UnixMilli(1_000) },
		Limits:   func() []lichess.Limit { return []lichess.Limit{{Name: "challenge", Until: time.UnixMilli(2_000)}} },
		Settings: []StatusSetting{{"Log", "CASTELLAN_LOG_LEVEL", "info", false}},
	}))
	t.Cleanup(server.Close)
	return server, state
}

func now(t *testing.T, server *httptest.Server) (p picture, text string) {
	t.Helper()
	response, text := request(t, http.MethodGet, server.URL+"/status/now", "", nil)
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p, text
}

// TestPicture publishes what a bot publishes and reads what the page gets.
func TestPicture(t *testing.T) {
	server, state := newStatus(t)
	if p, _ := now(t, server); len(p.NotReady) != 2 || p.Games == nil || p.Results == nil || p.Problems == nil || p.Queue == nil {
		t.Errorf("before anything: %+v", p)
	}
	state.Note(&watch.Online{Account: "Castellan", URL: "https://lichess.org"})
	state.Note(&watch.Stream{Err: errors.New("no route")})
	state.Note(&watch.Stream{})
	g := played(t, "abcdefgh", false, "e2e4", "e7e5", "g1f3", "b8c6")
	illegal := g.Board.Moves()[0] // e2e4, once more
	ours := &watch.Thought{Ply: 3, Decision: engine.Decision{
		Move: g.Board.Moves()[3], PV: []chess.Move{g.Board.Moves()[3], illegal}, Score: 35, Depth: 12, Nodes: 500_000, Time: 500 * time.Millisecond, Source: engine.SourceSearch,
	}}
	g.Notes[4].Thought, g.Thought = ours, ours
	state.Note(g)
	state.Note(&watch.Queue{Waiting: []watch.Waiting{{ID: "q", From: "alice", Rating: 1500, Terms: "3+2 casual standard", Until: time.UnixMilli(5_000)}}})
	state.Note(&watch.Own{To: "rob", Terms: "3+2", Since: time.UnixMilli(9_000)})
	state.Note(played(t, "finished", true, "f2f3", "e7e5", "g2g4", "d8h4"))
	state.Note(&watch.Rated{Game: "finished", Ours: 7, Theirs: -7})
	slog.New(state.Problems(slog.DiscardHandler, nil)).With("game", "abcdefgh").Warn("the disk </script> is full", "err", errors.New("no space"))

	p, text := now(t, server)
	if p.Account != "Castellan" || p.URL != "https://lichess.org" || !p.Stream.Open || p.Stream.LostBy != "no route" || len(p.NotReady) != 0 || p.Stream.Heard != 1000 {
		t.Errorf("%+v", p)
	}
	if len(p.Limits) != 1 || p.Limits[0] != (pictureLimit{"challenge", 2000}) || len(p.Queue) != 1 || p.Queue[0] != (pictureGuest{"alice", 1500, "3+2 casual standard", 5000}) {
		t.Errorf("limits %+v, queue %+v", p.Limits, p.Queue)
	}
	if p.Own == nil || *p.Own != (pictureOwn{"rob", "3+2", 9000}) {
		t.Errorf("own challenge %+v", p.Own)
	}
	if len(p.Games) != 1 {
		t.Fatalf("games %+v", p.Games)
	}
	game := p.Games[0]
	if game.Us != "black" || game.Terms != "3+2" || game.FEN != g.Board.Position().FEN() || strings.Join(game.LastMove, "") != "b8c6" || game.Ply != 4 ||
		game.Clock["black"] != 90_500 || game.Running != "white" || game.Players["black"].Title != "BOT" {
		t.Errorf("game %+v", game)
	}
	if len(game.Scores) != 1 || game.Scores[0] != [2]int{4, -35} {
		t.Errorf("a score of 35 for Black is shown to White as %v", game.Scores)
	}
	th := game.Thought
	if th == nil || th.SAN != "Nc6" || th.Score != "-0.35" || th.Depth != 12 || th.NPS != 1_000_000 || th.TookMs != 500 || th.Source != "search" || strings.Join(th.Line, " ") != "Nc6" {
		t.Errorf("thought %+v, and its line has an illegal second move", th)
	}
	if len(p.Results) != 1 || p.Results[0].Outcome != "win" || p.Results[0].Status != "mate" || p.Results[0].Diff == nil || *p.Results[0].Diff != 7 || p.Results[0].Plies != 4 {
		t.Errorf("results %+v", p.Results)
	}
	if len(p.Problems) != 1 || p.Problems[0].Error || p.Problems[0].Text != "the disk </script> is full game=abcdefgh err=no space" {
		t.Errorf("problems %+v", p.Problems)
	}
	if strings.ContainsAny(text, "<>") {
		t.Error("the JSON has angle brackets in it")
	}
	state.Note(&watch.Left{Game: "abcdefgh"})
	if p, _ := now(t, server); len(p.Games) != 0 {
		t.Errorf("after it was left: %+v", p.Games)
	}
	for score, want := range map[search.Score]string{search.MateIn(3): "#-3", search.MateIn(-2): "#2", 0: "+0.00", -250: "+2.50"} {
		g.Thought = &watch.Thought{Ply: 3, Decision: engine.Decision{Move: g.Board.Moves()[3], Score: score, Depth: 5}}
		if got := thoughtPicture(g).Score; got != want {
			t.Errorf("%v for Black is %s for White, not %s", score, got, want)
		}
	}
}

// TestStatusConfinement looks at the headers and at what is refused.
func TestStatusConfinement(t *testing.T) {
	server, _ := newStatus(t)
	for _, path := range []string{"/", "/assets/status.js", "/status/now", "/status/settings"} {
		response, _ := request(t, http.MethodGet, server.URL+path, "", nil)
		csp := response.Header.Get("Content-Security-Policy")
		if response.StatusCode != http.StatusOK || !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || response.Header.Get("Set-Cookie") != "" ||
			response.Header.Get("X-Content-Type-Options") != "nosniff" || response.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %s, %v", path, response.Status, response.Header)
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			if response, _ := request(t, method, server.URL+path, "x", nil); response.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %s", method, path, response.Status)
			}
		}
	}
	if response, _ := request(t, http.MethodGet, server.URL+"/status/now", "", func(r *http.Request) { r.Host = "evil.example" }); response.StatusCode != http.StatusForbidden {
		t.Errorf("by a name that is not ours: %s", response.Status)
	}
	for _, page := range []string{"status.html", "play.html"} {
		html := string(assets[page].body)
		if strings.Contains(html, "<script>") || strings.Contains(html, " onclick") || strings.Contains(html, "style=") || strings.Contains(html, "://") {
			t.Errorf("%s has something inline or from elsewhere", page)
		}
	}
}

// TestNothingIsToldBeforeItIsKnown: the sentences for empty lists are shown when the lists have come.
func TestNothingIsToldBeforeItIsKnown(t *testing.T) {
	html := string(assets["status.html"].body)
	all, hidden := strings.Count(html, ` data-none="`), strings.Count(html, `<p class="none" hidden data-none="`)
	if all < 5 || hidden != all {
		t.Errorf("%d of %d are hidden", hidden, all)
	}
}

// TestSlowViewersHoldNobodyUp opens as many pages as there may be, none of which reads, and publishes away.
func TestSlowViewersHoldNobodyUp(t *testing.T) {
	server, state := newStatus(t)
	for range mostViewers {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write([]byte("GET /status/events HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReaderSize(conn, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("%q (%v)", line, err)
		}
	}
	if response, body := request(t, http.MethodGet, server.URL+"/status/events", "", nil); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one page too many: %s %s", response.Status, body)
	}
	g := played(t, "abcdefgh", false, "e2e4")
	start := time.Now()
	const events = 100_000
	for range events {
		state.Note(g)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("%d events took %s", events, took)
	}
}

// TestEventsFollow reads along as a browser does.
// pictures opens the stream of the status page and returns what waits for its next picture.
func pictures(t *testing.T, server *httptest.Server) (next func() picture) {
	t.Helper()
	response, err := http.Get(server.URL + "/status/events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("it is %s", kind)
	}
	lines := bufio.NewScanner(response.Body)
	return func() (p picture) {
		t.Helper()
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				if err := json.Unmarshal([]byte(data), &p); err != nil {
					t.Fatal(err)
				}
				return p
			}
		}
		t.Fatal("the stream has ended")
		return p
	}
}

func TestEventsFollow(t *testing.T) {
	server, state := newStatus(t)
	next := pictures(t, server)
	if p := next(); p.Account != "" {
		t.Errorf("%+v", p)
	}
	state.Note(&watch.Online{Account: "Castellan"})
	if p := next(); p.Account != "Castellan" {
		t.Errorf("%+v", p)
	}
	for range 1000 { // many changes are one picture
		state.Note(played(t, "abcdefgh", false, "e2e4"))
	}
	state.Note(played(t, "abcdefgh", false, "e2e4", "e7e5"))
	seen := 1
	for ; ; seen++ {
		if p := next(); len(p.Games) == 1 && p.Games[0].Ply == 2 {
			break
		}
	}
	if seen > 3 {
		t.Errorf("a moment's changes became %d pictures", seen)
	}
}

// TestPicturesKeepTheirDistance publishes two changes in a row after a time in which nothing happened.
func TestPicturesKeepTheirDistance(t *testing.T) {
	server, state := newStatus(t)
	next := pictures(t, server)
	last := next()
	time.Sleep(2 * restSends) // the time in which nothing happens
	for range 3 {
		state.Note(&watch.Stream{})
		p := next()
		if gap := time.Duration(p.Now-last.Now) * time.Millisecond; gap < restSends-time.Millisecond {
			t.Errorf("a picture %s after the one before", gap)
		}
		last = p
	}
}
