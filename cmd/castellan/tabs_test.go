package main

import (
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"castellan/bot/watch"
	"castellan/bot/web"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// hidden makes a tab believe that it is hidden, or shown again: without a screen all tabs count as shown.
func (p *tab) hidden(yes bool) {
	p.t.Helper()
	evaluate[bool](p, fmt.Sprintf(`Object.defineProperty(document, 'hidden', {value: %t, configurable: true}) && document.dispatchEvent(new Event('visibilitychange'))`, yes))
}

const manyTabs = 7 // a browser opens six connections to a server

// TestManyTabsWithGames has more games in one browser than it opens connections.
func TestManyTabsWithGames(t *testing.T) {
	ctx := startBrowser(t)
	g := startGhost(t)
	var tabs []*tab
	var games []string
	for range manyTabs {
		id := g.start(sandbox.GameSetup{White: "Ghost", Black: personName, Limit: time.Hour})
		p := open(t, ctx, g.server.URL+"/"+id)
		p.statusHas("thinking")
		p.hidden(true) // the next one is opened
		tabs, games = append(tabs, p), append(games, id)
	}
	for i, p := range tabs {
		g.game = games[i]
		g.post("move/e2e4", nil)
		p.until("the move is seen though the tab is hidden", myMove)
	}
	// One that is taken up again is played on.
	for i, p := range tabs[:2] {
		g.game = games[i]
		p.hidden(false)
		p.clickMove("e7", "e5")
		p.statusHas("thinking")
		// A move that is planned is played in a hidden tab too.
		p.clickMove("d7", "d6")
		p.hidden(true)
		p.until("it is planned", planned("d7", "d6"))
		g.post("move/g1f3", nil)
		p.until("it is played", `document.querySelectorAll('#moves button').length === 4`)
		g.post("resign", nil)
		p.until("the end is seen", gameOver)
	}
	for i, p := range tabs {
		if !p.is(`document.querySelector('#link').hidden`) {
			t.Errorf("tab %d says %q", i+1, p.text(`document.querySelector('#link').textContent`))
		}
	}
}

// startIdleStatus serves the status page of a daemon in whose games nothing happens.
func startIdleStatus(t *testing.T) (*httptest.Server, *watch.State) {
	state := watch.NewState()
	page := httptest.NewServer(web.NewStatus(web.StatusOptions{
		Version: "v1", State: state, EventsHeard: time.Now, Limits: func() []lichess.Limit { return nil },
		Settings: []web.StatusSetting{},
	}))
	t.Cleanup(page.Close)
	t.Cleanup(page.CloseClientConnections) // the page listens on and on
	state.Note(&watch.Online{Account: "Castellan", URL: "https://lichess.org"})
	state.Note(&watch.Stream{})
	return page, state
}

const statusShown = `document.querySelector('#facts dd') && document.querySelector('#health').dataset.state === 'good'`

// TestManyTabsWithTheStatusPage has more pages in one browser than it opens connections.
func TestManyTabsWithTheStatusPage(t *testing.T) {
	ctx := startBrowser(t)
	page, state := startIdleStatus(t)
	var tabs []*tab
	for range manyTabs {
		p := openPage(t, ctx, page.URL, statusShown)
		p.hidden(true)
		tabs = append(tabs, p)
	}
	state.Note(&watch.Online{Account: "Renamed", URL: "https://lichess.org"})
	tabs[0].hidden(false)
	tabs[0].until("the first is up to date when it is shown again", `document.querySelector('#account').textContent === 'Renamed'`)
	if tabs[1].is(`document.querySelector('#account').textContent === 'Renamed'`) {
		t.Error("a hidden tab holds a connection")
	}
}

// TestStatusPageSaysThatItIsOneTooMany opens all pages that there may be, and one more.
func TestStatusPageSaysThatItIsOneTooMany(t *testing.T) {
	page, state := startIdleStatus(t)
	var first net.Conn
	for range 20 {
		conn, err := net.Dial("tcp", page.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write([]byte("GET /status/events HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		first = conn
	}
	p := openPage(t, startBrowser(t), page.URL, statusShown)
	p.until("the true reason is told", `!document.querySelector('#pace').hidden`)
	if got := p.text(`document.querySelector('#pace').textContent`); !strings.HasPrefix(got, "20 pages are open already: ") {
		t.Errorf("it says %q", got)
	}
	state.Note(&watch.Online{Account: "Renamed", URL: "https://lichess.org"})
	p.until("it looks now and then", `document.querySelector('#account').textContent === 'Renamed'`)
	first.Close()
	p.until("it follows when there is room", `document.querySelector('#pace').hidden && `+statusShown)
}
