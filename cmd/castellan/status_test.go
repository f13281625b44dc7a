package main

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"castellan/bot/watch"
	"castellan/bot/web"
	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// startWatched runs a daemon with a status page, which has won a game and plays another, in which nobody moves; play begins one
// with moves.
func startWatched(t *testing.T) (daemon *process, server *sandbox.Server, url string, play func()) {
	t.Helper()
	server = startSandbox(t)
	rival := startProcess(t, server.URL, "lip_rival", "CASTELLAN_HASH_MB=8", "CASTELLAN_NODES=50000", "CASTELLAN_DRAW_OFFER=no")
	rival.logged("online")
	go io.Copy(io.Discard, rival.stderr)
	daemon = startProcess(t, server.URL, "lip_castellan", "CASTELLAN_STATUS_ADDR=127.0.0.1:0", "CASTELLAN_HASH_MB=8", "CASTELLAN_MAX_GAMES=2",
		"CASTELLAN_NODES=50000", "CASTELLAN_ABORT_AFTER=0s", "CASTELLAN_DRAW_OFFER=no", "CASTELLAN_CHAT_GREETING=<b>Hi</b>, {opponent}")
	url = daemon.seenAt()
	daemon.logged("online")
	go io.Copy(io.Discard, daemon.stderr)
	start := func(g sandbox.GameSetup) string {
		id, err := server.StartGame(g)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	mate := start(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"})
	if _, err := server.WaitGame(t.Context(), mate); err != nil {
		t.Fatal(err)
	}
	start(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour})
	return daemon, server, url, func() {
		start(sandbox.GameSetup{White: "Rival", Black: "Castellan", Limit: 10 * time.Minute, Increment: 5 * time.Second})
	}
}

// TestStatusPage looks at a daemon that plays, from the first picture to its death.
func TestStatusPage(t *testing.T) {
	ctx := startBrowser(t)
	daemon, _, url, play := startWatched(t)
	const ready = `document.querySelector('#health').dataset.state === 'good' && document.querySelectorAll('.game .board').length >= 2`
	for _, look := range []struct {
		name  string
		steps []step
	}{
		{"desktop", []step{still()}}, {"desktop-dark", []step{dark()}}, {"phone", []step{phone()}}, {"phone-dark", []step{phone(), dark()}},
	} {
		t.Run(look.name, func(t *testing.T) {
			play()
			p := openPage(t, ctx, url, ready, look.steps...)
			p.until("a thought is shown", `[...document.querySelectorAll('.thought')].some((e) => /for White · depth \d+ · .* nodes\/s · .* · search/.test(e.textContent))`)
			p.until("the score has a course", `document.querySelector('.graph polyline')`)
			p.until("the won game is told", `/win/.test(document.querySelector('#results')?.textContent) && /checkmate/.test(document.querySelector('#results').textContent)`)
			if !p.is(`document.documentElement.scrollWidth <= innerWidth`) {
				t.Error("the page is wider than the window")
			}
			p.axe("the status page")
			p.shot("status-" + look.name)
			evaluate[int](p, `document.querySelector('#bot-title').scrollIntoView(), 0`)
			p.shot("status-" + look.name + "-below")
		})
	}

	play()
	p := openPage(t, ctx, url, ready)
	fen := `[...document.querySelectorAll('.game .board')].map((b) => b.dataset.fen).join()`
	before := p.text(fen)
	p.until("a move is shown without a reload", fen+` !== `+"`"+before+"`")
	p.until("a clock runs", `document.querySelector('.clock.runs')`)
	clock := `document.querySelector('.clock.runs')?.textContent`
	shown := p.text(clock)
	p.until("it ticks", clock+` !== `+"`"+shown+"`")
	if !p.is(`/Castellan/i.test(document.querySelector('#account').textContent) && /open for/.test(document.querySelector('#facts').textContent)`) {
		t.Errorf("the facts are %s", p.text(`document.querySelector('#facts').textContent`))
	}
	p.until("the settings are there", `document.querySelector('#settings tr')`)
	settings := p.text(`document.querySelector('#settings').innerText`)
	for _, want := range []string{"CASTELLAN_TOKEN\t***", "CASTELLAN_MAX_GAMES\t2", "<b>Hi</b>, {opponent}"} {
		if !strings.Contains(settings, want) {
			t.Errorf("the settings lack %q:\n%s", want, settings)
		}
	}
	if strings.Contains(settings, "CASTELLAN_RESIGN_SCORE") || strings.Contains(settings, "CASTELLAN_ACCEPT_BASE_MAX") {
		t.Errorf("settings are shown that have their default:\n%s", settings)
	}
	p.click("#all-settings")
	p.until("all settings are shown", `/CASTELLAN_RESIGN_SCORE/.test(document.querySelector('#settings').innerText)`)
	p.axe("all settings")
	if cookies := p.text(`document.cookie`); cookies != "" {
		t.Errorf("cookies: %s", cookies)
	}
	daemon.Process.Kill()
	daemon.Wait()
	p.until("its death is seen", `/does not answer/.test(document.querySelector('#health').textContent)`)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complain = nil // that it cannot be reached
}

// TestStatusPageLetsNobodyIn asks for what it must not give.
func TestStatusPageLetsNobodyIn(t *testing.T) {
	_, server, url, _ := startWatched(t)
	for path, has := range map[string]string{"/": "<!doctype html>", "/status/now": `"account":"`, "/status/settings": "CASTELLAN_TOKEN", "/metrics": "castellan_"} {
		code, body := look(t, url+path)
		if code != http.StatusOK || !strings.Contains(body, has) {
			t.Errorf("%s: %d\n%s", path, code, body)
		}
		if strings.Contains(body, "lip_castellan") {
			t.Errorf("%s shows the token", path)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		for _, path := range []string{"/", "/status/now", "/metrics", "/readyz"} {
			r, err := http.NewRequest(method, url+path, strings.NewReader("x"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Origin", "http://evil.example")
			reply, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			reply.Body.Close()
			if reply.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %s", method, path, reply.Status)
			}
		}
	}
	r, err := http.NewRequest(http.MethodGet, url+"/status/now", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example" // a name that somebody has pointed here
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if reply.StatusCode != http.StatusForbidden {
		t.Errorf("by another name: %s", reply.Status)
	}

	// Browsers that take what is sent to them and never read it hold nobody up.
	for range 5 {
		reply, err := http.Get(url + "/status/events")
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		if line, err := bufio.NewReader(reply.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, `data: {"now":`) {
			t.Fatalf("the first line is %.100q (%v)", line, err)
		}
	}
	id, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.WaitGame(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// TestStatusPageKeepsTextText gives names and messages that would like to be more than text.
func TestStatusPageKeepsTextText(t *testing.T) {
	const evil = `<img src=x onerror="document.title='broken in'">`
	state := watch.NewState()
	page := httptest.NewServer(web.NewStatus(web.StatusOptions{
		Version: evil, State: state, EventsHeard: time.Now, Limits: func() []lichess.Limit { return []lichess.Limit{{Name: evil, Until: time.Now()}} },
		Settings: []web.StatusSetting{{Section: evil, Variable: evil, Value: evil, Changed: true}},
	}))
	defer page.Close()
	defer page.CloseClientConnections() // the page listens on and on
	state.Note(&watch.Online{Account: evil, URL: "javascript:alert(1)"})
	state.Note(&watch.Stream{Err: errors.New(evil)})
	state.Note(&watch.Queue{Waiting: []watch.Waiting{{From: evil, Terms: evil}}})
	game := func(id string, status lichess.Status) *watch.Game {
		player := lichess.GamePlayer{ID: "x", Name: evil, Title: evil}
		return &watch.Game{
			ID: id, URL: `javascript:alert(1)//` + evil, Board: chess.NewGame(chess.StartPosition(), chess.LichessBot), Notes: make([]watch.Note, 1),
			Full: &lichess.GameFull{White: player, Black: player, Speed: evil, Variant: lichess.Variant{Key: evil}}, State: &lichess.GameState{Status: status}, Ended: status != lichess.StatusStarted,
		}
	}
	state.Note(game("running0", lichess.StatusStarted))
	state.Note(game("finished", lichess.Status(evil)))
	slog.New(state.Problems(slog.DiscardHandler, nil)).Error(evil, evil, evil)

	p := openPage(t, startBrowser(t), page.URL, `document.querySelector('#results tr') && document.querySelector('.game .board') && document.querySelector('#settings tr') && document.querySelector('#problems li')`)
	if p.is(`document.querySelector('main img, header img')`) || p.is(`/broken in/.test(document.title) && !/img/.test(document.title)`) {
		t.Error("a text has become an element")
	}
	if p.is(`[...document.querySelectorAll('a')].some((a) => a.protocol === 'javascript:')`) {
		t.Error("a text has become a link that runs")
	}
	for _, place := range []string{"#account", "#health", "#facts", "#limits", "#queue", "#results", "#problems", "#settings", ".game .who"} {
		if !p.is(`document.querySelector('` + place + `').textContent.includes('<img src=x')`) {
			t.Errorf("%s does not show the text: %s", place, p.text(`document.querySelector('`+place+`').textContent`))
		}
	}
}
