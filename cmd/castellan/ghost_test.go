package main

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot/web"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// ghost is an opponent who does what the test says and has no stream open.
type ghost struct {
	t      *testing.T
	server *sandbox.Server
	game   string
	line   *line        // between browser and server
	moves  atomic.Int32 // requests to move by the person
}

const ghostToken = "lip_xghost"

// startGhostGame starts a game of a person with White against a ghost on a server with the page, and opens it.
func startGhostGame(t *testing.T, browser context.Context, setup sandbox.GameSetup, more ...step) (*ghost, *tab) {
	t.Helper()
	g := startGhost(t)
	setup.White, setup.Black = personName, "Ghost"
	g.game = g.start(setup)
	g.line = newLine(t, g.server.URL)
	p := open(t, browser, g.line.url()+"/"+g.game, more...)
	p.until("the game is there", myMove)
	return g, p
}

// startGhost starts the server of a ghost, without a game.
func startGhost(t *testing.T) *ghost {
	t.Helper()
	g := &ghost{t: t}
	server, err := startServer(sandbox.Options{
		OnRequest: func(_, path string) {
			if strings.HasPrefix(path, "/api/board/") && strings.Contains(path, "/move/") {
				g.moves.Add(1)
			}
		},
		Pages: web.NewPlay(web.PlayOptions{
			Name: personName, Token: personToken, Levels: []web.Level{{Key: "800", Name: "800"}}, Level: "800", Limit: time.Minute,
			Watch: func(string) (web.Watched, bool) { return web.Watched{}, false },
		}),
		GoneWait: 12 * time.Second, GoneTick: time.Second,
	}, sandbox.Account{Name: personName, Token: personToken}, sandbox.Account{
		Name: "Ghost", Token: ghostToken, Title: lichess.TitleBot, Takebacks: sandbox.TakebacksAlways,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	g.server = server
	return g
}

// start starts a game and returns its id.
func (g *ghost) start(setup sandbox.GameSetup) string {
	g.t.Helper()
	id, err := g.server.StartGame(setup)
	if err != nil {
		g.t.Fatal(err)
	}
	return id
}

// post does something in the game.
func (g *ghost) post(what string, form url.Values) {
	g.t.Helper()
	r, err := http.NewRequest(http.MethodPost, g.server.URL+"/api/bot/game/"+g.game+"/"+what, strings.NewReader(form.Encode()))
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+ghostToken)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		g.t.Fatalf("POST %s: %s", what, response.Status)
	}
}

// TestPageAnswersTheOpponent has an opponent who offers, asks, talks and leaves.
func TestPageAnswersTheOpponent(t *testing.T) {
	ctx := startBrowser(t)
	clock := sandbox.GameSetup{Limit: 10 * time.Minute}
	t.Run("offers", func(t *testing.T) {
		g, p := startGhostGame(t, ctx, clock)
		p.clickMove("e2", "e4")
		p.until("the move is out", `document.querySelector('#status').textContent.includes('thinking')`)
		// Planned while the opponent thinks; not legal any more when he has moved, then legal.
		p.clickMove("e4", "d5")
		p.until("it is planned", `document.querySelectorAll('.square.planned').length === 2`)
		g.post("move/e7e5", nil)
		p.until("the plan is dropped and the page says so", myMove+` && document.querySelector('#notice').textContent.includes('not legal any more')`)
		p.clickMove("d2", "d4")
		p.until("the move is out", `document.querySelector('#status').textContent.includes('thinking')`)
		p.clickMove("d4", "e5")
		p.until("it is planned", `document.querySelectorAll('.square.planned').length === 2`)
		g.post("move/a7a6", nil)
		p.until("the planned move is played", `document.querySelector('[data-square="e5"]').dataset.man === 'P' && document.querySelectorAll('#moves button').length === 5`)
		if got := p.text(`document.querySelector('#bottom .taken').getAttribute('aria-label') + ' ' + document.querySelector('#bottom .taken').textContent`); got != "took black pawn +1" {
			t.Errorf("what was taken: %q", got)
		}
		g.post("move/a6a5", nil)

		g.post("draw/yes", nil)
		p.until("the offer is shown", `document.querySelector('#offer-text').textContent.includes('Ghost offers a draw') && !document.querySelector('#offer').hidden`)
		p.axe("an offer")
		p.shot("offer")
		p.click("#decline")
		p.until("the offer is gone", `document.querySelector('#offer').hidden`)
		g.post("takeback/yes", nil)
		p.until("the takeback is asked for", `document.querySelector('#offer-text').textContent.includes('asks to take back') && !document.querySelector('#offer').hidden`)
		p.click("#accept")
		p.until("the move is back", `document.querySelectorAll('#moves button').length === 5`)

		const name = `<b onclick="x">`
		g.post("chat", url.Values{"room": {"player"}, "text": {name}})
		p.until("it is read", `document.querySelector('#chat-lines').textContent.includes('`+name+`') && document.querySelector('#announce').textContent.includes('Ghost says')`)
		p.click("#sound")
		p.click("#flip")
		p.until("the board is turned", `document.querySelector('#board').dataset.orientation === 'black' && document.querySelector('#sound').getAttribute('aria-pressed') === 'true'`)
		g.post("resign", nil)
		p.until("the game is over", gameOver)
		p.statusHas("Black resigned")
	})
	t.Run("the opponent leaves", func(t *testing.T) {
		g, p := startGhostGame(t, ctx, clock)
		p.clickMove("e2", "e4")
		p.until("the move is out", `document.querySelector('#status').textContent.includes('thinking')`)
		g.post("move/e7e5", nil)
		p.until("it is my move", myMove)
		p.clickMove("g1", "f3")
		p.until("his leaving is told", `!document.querySelector('#gone').hidden`)
		p.until("the win can be claimed", `!document.querySelector('#claim-victory').disabled`)
		p.click("#claim-victory")
		p.until("the game is over", gameOver)
		p.statusHas("1–0")
		p.statusHas("left the game")
	})
	t.Run("fifty moves", func(t *testing.T) {
		setup := clock
		setup.FEN = "4k2r/8/8/8/8/8/8/R3K3 w - - 98 80"
		g, p := startGhostGame(t, ctx, setup)
		p.clickMove("e1", "e2")
		p.until("the move is out", `document.querySelector('#status').textContent.includes('thinking')`)
		g.post("move/e8e7", nil)
		p.until("the game is over without a claim", gameOver)
		p.statusHas("50-move rule")
	})
	t.Run("a move whose answer is lost", func(t *testing.T) {
		// Castling, whose text is a step of the king a move later.
		setup := clock
		setup.Variant, setup.FEN = lichess.VariantFromPosition, "4k3/p7/8/8/8/8/P7/6KR w H - 0 1"
		g, p := startGhostGame(t, ctx, setup)
		g.line.loseAnswer("/move/g1h1")
		p.clickMove("g1", "h1")
		p.until("the page has seen that it was played", `document.querySelector('#status').textContent.includes('thinking')`)
		// The browser itself may have sent it again on the connection's end; the page must not.
		if n := g.moves.Load(); n > 2 || p.is(`document.querySelector('#notice').textContent`) {
			t.Errorf("%d requests; the page says %s", n, p.text(`document.querySelector('#notice').textContent`))
		}
		g.post("move/a7a6", nil)
		p.until("the game goes on", myMove+` && document.querySelectorAll('#moves button').length === 2 && document.querySelector('#link').hidden`)
		p.clickMove("a2", "a3")
		p.until("the next move is out", `document.querySelectorAll('#moves button').length === 3 && document.querySelector('#status').textContent.includes('thinking')`)
		if now, _ := g.server.Game(g.game); strings.Join(now.Moves, " ") != "g1h1 a7a6 a2a3" {
			t.Errorf("the moves are %s", now.Moves)
		}
	})
	t.Run("no time left", func(t *testing.T) {
		setup := clock
		setup.Limit = 3 * time.Second
		g, p := startGhostGame(t, ctx, setup)
		p.clickMove("e2", "e4")
		p.until("the move is out", `document.querySelector('#status').textContent.includes('thinking')`)
		g.post("move/e7e5", nil)
		p.until("the clock is short", `document.querySelector('#bottom .clock').classList.contains('hurry')`)
		p.until("the game is over", gameOver)
		p.statusHas("White's time is up")
	})
}
