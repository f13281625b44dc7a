package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"castellan/engine"
	"castellan/engine/chess"
)

// TestPlayInTheBrowser drives the page as people do, with the very program behind it.
func TestPlayInTheBrowser(t *testing.T) {
	ctx := startBrowser(t)
	url := startLocal(t, "127.0.0.1:0", "CASTELLAN_MAX_GAMES=50", // most games are left before they are over
		"CASTELLAN_CHAT_FAREWELL=Bye {opponent}, well played")
	t.Run("whole game", func(t *testing.T) { playWholeGame(t, open(t, ctx, url)) })
	t.Run("draw offer accepted", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("color", "white", "start", "fen", "fen", "4k2r/8/8/8/8/8/1QR5/4K3 w - - 0 1")
		if p.is(`!document.querySelector('#draw').disabled`) {
			t.Error("a draw can be offered before both have moved")
		}
		p.clickMove("e1", "d1")
		p.until("the bot moves", myMove)
		p.click("#draw")
		p.until("the bot accepts", gameOver)
		p.statusHas("½–½")
		p.statusHas("by agreement")
	})
	t.Run("draw offer declined", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("color", "white", "start", "fen", "fen", "4k3/1qr5/8/8/8/8/8/4K2R w - - 0 1")
		p.clickMove("h1", "h2")
		p.until("the bot moves", myMove)
		p.click("#draw")
		p.until("the bot declines", `document.querySelector('#chat-lines').textContent.includes('declines draw')`)
		p.until("another can be offered", `!document.querySelector('#draw').disabled`)
		p.click("#draw") // too early for the server
		p.until("the page says why", `document.querySelector('#notice').textContent.includes('did not count')`)
	})
	t.Run("promotion", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("color", "white", "start", "fen", "fen", "8/P5k1/8/8/8/8/6P1/K7 w - - 0 1")
		p.clickMove("a7", "a8")
		p.until("the men to choose from are shown", `document.querySelectorAll('.promotion button').length === 4`)
		p.shot("promotion")
		p.do(chromedp.KeyEvent("\x1b")) // Escape: not now
		p.until("the choice is gone", `!document.querySelector('.promotion')`)
		p.dragMove("a7", "a8")
		p.click(`[data-promotion="r"]`)
		p.until("the rook stands", `document.querySelector('[data-square="a8"]').dataset.man === 'R' && document.querySelector('#moves button').textContent === 'a8=R'`)
	})
	t.Run("resign", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("color", "black")
		p.until("the bot moves", myMove)
		if got := p.text(`document.querySelector('#resign').textContent`); got != "Abort" {
			t.Errorf("before both have moved the button says %q", got)
		}
		p.dragMove("e7", "e5")
		p.until("both have moved", `document.querySelector('#resign').textContent === 'Resign'`)
		p.click("#resign")
		p.click("#sure-no")
		p.click("#resign")
		p.click("#sure-yes")
		p.until("the game is over", gameOver)
		p.statusHas("1–0")
		p.statusHas("Black resigned")
		p.until("the bot says goodbye", `document.querySelector('#chat-lines').textContent.includes('Bye You, well played')`)
		p.do(chromedp.SendKeys(chromedp.CSS("#say"), "!help\r"))
		p.until("what is said after the end is shown, and answered", `/You: !help.*Castellan: /.test(document.querySelector('#chat-lines').textContent)`)
	})
	t.Run("abort", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("color", "white")
		p.click("#resign")
		p.until("the game is over", gameOver)
		p.statusHas("aborted")
	})
	t.Run("reload in mid-game", func(t *testing.T) { reloadInMidGame(t, open(t, ctx, url)) })
	t.Run("lost connection", func(t *testing.T) {
		l := newLine(t, url)
		loseConnection(t, open(t, ctx, l.url()), l)
	})
	t.Run("premove", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("color", "black") // the bot has moved or is about to
		p.until("the bot moves", myMove)
		// While the move is on its way and the bot thinks, the next one is planned.
		p.clickMove("g8", "f6")
		p.clickMove("f6", "g8")
		p.until("the planned move is played", `[...document.querySelectorAll('#moves button')].some((b) => b.textContent === 'Ng8')`)
	})
	t.Run("typed moves and keyboard", func(t *testing.T) { typeMoves(t, open(t, ctx, url)) })
	t.Run("what typed moves mean", func(t *testing.T) { typedMeans(t, open(t, ctx, url)) })
	t.Run("what moves typed ahead mean", func(t *testing.T) { plannedMeans(t, open(t, ctx, url)) })
	t.Run("takeback, stepping back and rematch", func(t *testing.T) { takeBackAndRematch(t, open(t, ctx, url)) })
	t.Run("Chess960", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("color", "white", "start", "chess960", "number", "959")
		if got := p.fen(); !strings.HasPrefix(got, "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w") {
			t.Errorf("the start of number 959 is %q", got)
		}
	})
	t.Run("castling on the rook", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("color", "white", "start", "fen", "fen", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1")
		p.clickMove("e1", "h1")
		p.until("the king has castled", `document.querySelector('[data-square="g1"]').dataset.man === 'K' && document.querySelector('#moves button').textContent === 'O-O'`)
	})
	t.Run("faults of the form", func(t *testing.T) {
		p := open(t, ctx, url)
		p.choose("start", "fen")
		p.choose("fen", `<img src=x onerror=alert(1)> w - - 0 1`)
		p.click("#go")
		p.until("the fault is told", `document.querySelector('#setup-fault').textContent.length > 10`)
		if p.is(`document.querySelector('#setup-fault img')`) {
			t.Error("the FEN has become HTML")
		}
		for fen, why := range map[string]string{"7k/8/6Q1/8/8/8/8/K7 b - - 0 1": "stalemate", "8/8/4k3/8/8/4K3/8/8 w - - 0 1": "insufficient material"} {
			p.choose("fen", fen)
			p.until("the fault is told while it is entered", fmt.Sprintf(`document.querySelector('#setup-fault').textContent === 'In this position the game is over: %s.'`, why))
			if got := p.fen(); got != fen {
				t.Errorf("the board shows %s, not %s", got, fen)
			}
			p.click("#go")
			p.until("the fault stands", `document.querySelector('#setup-fault').textContent.includes('game is over') && location.pathname === '/'`)
		}
		lateFault(p)
		p.choose("start", "standard")
		p.choose("clock", "own")
		p.choose("minutes", "0")
		p.choose("increment", "0")
		p.click("#go")
		p.until("the fault is told", `document.querySelector('#setup-fault').textContent.includes('too little time')`)
	})
	t.Run("chat is text", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("color", "white")
		const said = `<img src=x onerror="document.title='hit'"><b>hi</b>`
		p.do(chromedp.SendKeys(chromedp.CSS("#say"), said+"\r"))
		p.until("it is said", fmt.Sprintf(`document.querySelector('#chat-lines').textContent.includes(%q)`, said))
		if p.is(`document.querySelector('#chat-lines img') || document.title === 'hit'`) {
			t.Error("what was said has become HTML")
		}
	})
	t.Run("two tabs", func(t *testing.T) {
		first := open(t, ctx, url)
		first.begin("color", "white")
		second := open(t, ctx, first.text("location.href"))
		first.until("the first tab steps back", `document.querySelector('#link').textContent.includes('another tab')`)
		second.clickMove("e2", "e4")
		second.until("the bot answers", myMove)
		first.click("#link button")
		first.until("it is the first tab's again", myMove)
	})
	t.Run("from another device", func(t *testing.T) {
		// By an address of the network a browser lends a page less than by that of the machine itself.
		address := networkAddress()
		if address == "" {
			t.Skip("this machine has no address in a network")
		}
		p := open(t, ctx, strings.Replace(startLocal(t, "0.0.0.0:0"), "127.0.0.1", address, 1))
		if p.is(`isSecureContext`) {
			t.Errorf("%s counts as this very machine", p.url)
		}
		p.begin("color", "white")
		p.clickMove("e2", "e4")
		p.until("the bot moves", myMove)
	})
	t.Run("bot against bot", func(t *testing.T) {
		p := open(t, ctx, url)
		p.begin("what", "watch", "white", "800", "black", "1000", "clock", "60 0")
		p.until("they play", `document.querySelectorAll('#moves button').length >= 4`)
		if got := p.text(`document.querySelector('#bottom .name').textContent + ' ' + document.querySelector('#top .name').textContent`); got != "Castellan Steward-1000" {
			t.Errorf("the players are %s", got)
		}
		if p.is(`!document.querySelector('#in-play').hidden || document.querySelector('.square.movable')`) {
			t.Error("a person who watches can move")
		}
		p.do(chromedp.Reload())
		p.until("they still play", `document.querySelectorAll('#moves button').length >= 4`)
	})
}

// lateFault lets the answer about one position come after another has been entered: it is not to be told any more.
func lateFault(p *tab) {
	const stalemate, dead = "7k/8/6Q1/8/8/8/8/K7 b - - 0 1", "8/8/4k3/8/8/4K3/8/8 w - - 0 1"
	told := func(why string) string {
		return fmt.Sprintf(`document.querySelector('#setup-fault').textContent === 'In this position the game is over: %s.'`, why)
	}
	p.choose("fen", stalemate)
	p.until("the fault is told", told("stalemate"))
	p.is(`(() => {
		const real = window.fetch;
		window.fetch = (path, options) => {
			window.fetch = real;
			return new Promise((answer) => {
				window.letGo = async () => {
					const body = await (await real(path, options)).json();
					answer({ ok: true, json: () => body });
					setTimeout(() => { window.answered = true; }); // after all that follows from the answer
				};
			});
		};
		return true;
	})()`)
	p.click("#go")
	p.until("the question is held up", `window.letGo`)
	p.choose("fen", dead)
	p.until("the fault of the second position is told", told("insufficient material"))
	p.is(`window.letGo(), true`)
	p.until("the first answer has come", `window.answered`)
	if !p.is(told("insufficient material")) {
		p.t.Errorf("then the page says %s", p.text(`document.querySelector('#setup-fault').textContent`))
	}
}

// playOn plays up to so many moves by clicks, with the moves of our own engine.
func playOn(t *testing.T, p *tab, most int) {
	eng, err := engine.New(engine.Options{HashMB: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	for range most {
		p.until("it is my move or all is over", myMove+" || "+gameOver)
		if p.is(gameOver) {
			return
		}
		position, err := chess.ParseFEN(p.fen())
		if err != nil {
			t.Fatal(err)
		}
		decision, err := eng.Think(t.Context(), chess.NewGame(position, chess.LichessBot), engine.Limits{Nodes: 20000})
		if err != nil {
			t.Fatal(err)
		}
		move := position.UCI(decision.Move, false)
		p.clickMove(move[:2], move[2:4])
		if len(move) == 5 {
			p.click(`[data-promotion="` + move[4:] + `"]`)
		}
		p.until("the move "+move+" shows", fmt.Sprintf(`document.querySelector('#board').dataset.fen !== %q`, position.FEN()))
	}
}

// playWholeGame plays from the first move to the end.
func playWholeGame(t *testing.T, p *tab) {
	p.begin("color", "white")
	playOn(t, p, 150)
	p.until("the game is over", gameOver)
	if got := p.status(); !strings.Contains(got, "1–0") {
		t.Errorf("against the weakest bot: %s", got)
	}
	response, err := http.Get(p.text(`document.querySelector('#pgn').href`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	reader := chess.NewPGNReader(response.Body)
	game, err := reader.Read()
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(game.Game.Ply()); game.Result != "1-0" || got != p.text(`document.querySelectorAll('#moves button').length`) {
		t.Errorf("the PGN has the result %s and %s plies", game.Result, got)
	}
	p.shot("over")
	p.axe("a game that is over")
}

func reloadInMidGame(t *testing.T, p *tab) {
	p.begin("color", "black")
	p.until("the bot moves", myMove)
	p.clickMove("e7", "e6")
	p.until("the bot moves again", myMove+` && document.querySelectorAll('#moves button').length === 3`)
	before := p.fen()
	p.do(chromedp.Reload())
	p.until("the game is there again", myMove)
	if got := p.fen(); got != before || p.text(`document.querySelector('#board').dataset.orientation`) != "black" {
		t.Errorf("after the reload the board shows %s, before %s", got, before)
	}
	p.clickMove("d7", "d6")
	p.until("the bot moves on", myMove+` && document.querySelectorAll('#moves button').length === 5`)
	// From the front page one comes back too.
	p.do(chromedp.Navigate(p.url))
	p.until("the games in play are listed", `document.querySelector('#resume a')`)
	link := fmt.Sprintf(`#resume a[href="%s"]`, p.text(`[...document.querySelectorAll('#resume a')].at(-1).getAttribute('href')`))
	p.click(link)
	p.until("the game is there again", `document.querySelectorAll('#moves button').length >= 1`)
}

func loseConnection(t *testing.T, p *tab, l *line) {
	p.begin("color", "white")
	p.clickMove("e2", "e4")
	p.until("the bot moves", myMove)
	l.cut(true)
	p.until("the loss is shown", `document.querySelector('#link').textContent.includes('connection is lost')`)
	p.shot("connection-lost")
	// A move made meanwhile is kept and sent when the line is back.
	p.clickMove("g1", "f3")
	p.until("the move shows", `document.querySelector('[data-square="f3"]').dataset.man === 'N'`)
	l.cut(false)
	p.until("the connection is back and the bot has answered", `document.querySelector('#link').hidden && document.querySelectorAll('#moves button').length === 4 && `+myMove)
	if got := p.text(`document.querySelectorAll('#moves button')[2].textContent`); got != "Nf3" {
		t.Errorf("the third ply is %s", got)
	}
}

func typeMoves(t *testing.T, p *tab) {
	p.begin("color", "white")
	enter := func(text string) { p.do(chromedp.SendKeys(chromedp.CSS("#type-move"), text+"\r")) }
	enter("e5")
	p.until("what is not legal is refused", `document.querySelector('#notice').textContent.includes('not a legal move')`)
	p.is(`document.querySelector('#type-move').value = ''`)
	enter("Nf3")
	p.until("the bot answers", myMove+` && document.querySelectorAll('#moves button').length === 2`)
	p.until("it is announced", `/Castellan: .*\w\d/.test(document.querySelector('#announce').textContent)`)
	enter("g2g3")
	p.until("the bot answers", myMove+` && document.querySelectorAll('#moves button').length === 4`)
	// On the board, by keys alone: from a1 up to h2, h2-h3.
	p.do(chromedp.Focus(chromedp.CSS(squareSelector("h2"))), chromedp.KeyEvent("\r"))
	p.until("the pawn is taken hold of", `document.querySelector('[data-square="h2"]').getAttribute('aria-selected') === 'true'`)
	p.do(chromedp.KeyEvent("\u0304")) // arrow up
	p.until("the next square has the focus", `document.activeElement.dataset.square === 'h3'`)
	p.do(chromedp.KeyEvent(" "))
	p.until("the pawn is set down", `document.querySelector('[data-square="h3"]').dataset.man === 'P'`)
}

// typedMeans asks the page's own function about texts in a position with castling, promotion, and a bishop and a pawn that can
// both take on c4.
func typedMeans(t *testing.T, p *tab) {
	for typed, want := range map[string]string{
		"O-O": "e1h1", "0-0": "e1h1", "o-o": "e1h1", "e1g1": "e1h1", "e1h1": "e1h1", "E1G1": "e1h1", "O-O-O": "e1a1", "0-0-0": "e1a1",
		"e8=Q": "e7e8q", "e8Q": "e7e8q", "e8=n": "e7e8n", "e7e8": "e7e8q", "e7e8r": "e7e8r", "e7-e8r": "e7e8r",
		"bxc4": "b3c4", "Bxc4": "d3c4", "Ke2": "e1e2", "ke2": "e1e2", "Ke2!?": "e1e2", "e1e2": "e1e2",
		"Rd1": "a1d1", "Rf1": "h1f1", "Ra8": "a1a8", "Rb8": "", "e4": "", "": "", "e8": "",
	} {
		got := evaluate[string](p, fmt.Sprintf(`(async () => {
			const { findTyped } = await import('/assets/words.js');
			const { postJSON } = await import('/assets/api.js');
			const { legal } = await postJSON('/rules', { fen: '1k6/4P3/8/8/2p5/1P1B4/8/R3K2R w KQ - 0 1' });
			return findTyped(%q, legal).map((m) => m.uci).join(' ');
		})()`, typed), chromedp.EvalAwaitPromise)
		if got != want {
			t.Errorf("%q means %q, want %q", typed, got, want)
		}
	}
}

// plannedMeans asks the page's own function about texts that are typed while the opponent thinks.
func plannedMeans(t *testing.T, p *tab) {
	const (
		start   = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
		mixed   = "1k6/4P3/8/8/2p5/1P1B4/8/R3K2R" // castling, promotion, a bishop and a pawn that can both take on c4
		rooks   = "4k3/8/8/8/8/8/8/R1N2R1K"       // the way of the rook on a1 is not free
		knights = "4k3/8/8/8/8/5N2/8/1N2K3"
	)
	for _, test := range []struct{ men, color, typed, want string }{
		{start, "black", "d7d5", "d7d5"}, {start, "black", "D7-D5", "d7d5"}, {start, "black", "d5", "d7d5"}, {start, "black", "d6", "d7d6"},
		{start, "black", "exd6", "e7d6"}, {start, "black", "xd6", "c7d6 e7d6"}, {start, "black", "Nf6", "g8f6"}, {start, "black", "nf6", "g8f6"},
		{start, "black", "Qd5", "d8d5"}, {start, "black", "0-0", "e8h8"}, {start, "black", "o-o-o", "e8a8"}, {start, "black", "e2e4", ""},
		{start, "black", "e4", ""}, {start, "black", "Nf3", ""}, {start, "black", "", ""}, {start, "black", "nonsense", ""}, {start, "white", "Nf3+", "g1f3"},
		{mixed, "white", "e8=N", "e7e8n"}, {mixed, "white", "e8", "e7e8q"}, {mixed, "white", "e7e8", "e7e8q"}, {mixed, "white", "e7e8r", "e7e8r"},
		{mixed, "white", "exd8=Q#", "e7d8q"}, {mixed, "white", "bxc4", "b3c4"}, {mixed, "white", "Bxc4", "d3c4"}, {mixed, "white", "O-O", "e1h1"},
		{mixed, "white", "a1d1", "a1d1"}, {mixed, "white", "b4b5", ""}, {mixed, "black", "O-O", ""},
		{rooks, "white", "Rd1", "f1d1"}, {rooks, "white", "Rad1", "a1d1"}, {rooks, "white", "Rb1", "a1b1"},
		{knights, "white", "Nd2", "f3d2 b1d2"}, {knights, "white", "Nbd2", "b1d2"}, {knights, "white", "N3d2", "f3d2"},
	} {
		got := evaluate[string](p, fmt.Sprintf(`(async () => {
			const { findPlanned } = await import('/assets/premove.js');
			const { placement } = await import('/assets/board.js');
			return findPlanned(%q, placement(%q), %q).map((m) => m.from + m.to + m.promotion).join(' ');
		})()`, test.typed, test.men, test.color), chromedp.EvalAwaitPromise)
		if got != test.want {
			t.Errorf("%s, %s: %q means %q, want %q", test.men, test.color, test.typed, got, test.want)
		}
	}
}

func takeBackAndRematch(t *testing.T, p *tab) {
	p.begin("color", "white")
	start := p.fen()
	p.clickMove("d2", "d4")
	p.until("the bot moves", myMove)
	p.click("#first")
	p.until("the start is shown", fmt.Sprintf(`document.querySelector('#board').dataset.fen === %q`, start))
	if p.is(`document.querySelector('.square.movable')`) {
		t.Error("a position of the past can be played in")
	}
	p.click("#last")
	p.click("#takeback")
	p.until("the moves are taken back", fmt.Sprintf(`document.querySelectorAll('#moves button').length === 0 && document.querySelector('#board').dataset.fen === %q`, start))
	p.clickMove("e2", "e4")
	p.until("the bot moves", myMove)
	before := p.text("location.pathname")
	p.click("#resign")
	p.click("#sure-yes")
	p.until("the game is over", gameOver)
	p.click("#rematch")
	p.until("another game begins", fmt.Sprintf(`/^\/\w{8}$/.test(location.pathname) && location.pathname !== %q && document.querySelector('#board').dataset.orientation === 'black'`, before))
}

// TestPageLooksRight checks the page at the sizes and in the colours that people have. SCREENSHOTS names a folder for pictures.
func TestPageLooksRight(t *testing.T) {
	ctx := startBrowser(t)
	url := startLocal(t, "127.0.0.1:0", "CASTELLAN_MAX_GAMES=50", "CASTELLAN_CHAT_GREETING=Good luck, {opponent}!")
	for _, look := range []struct {
		name  string
		steps []step
	}{
		{"desktop", nil},
		{"desktop-dark", []step{dark()}},
		{"phone", []step{phone()}},
		{"phone-dark", []step{phone(), dark()}},
	} {
		t.Run(look.name, func(t *testing.T) {
			p := open(t, ctx, url, look.steps...)
			if !strings.HasPrefix(look.name, "phone") {
				p.fits()
			} else if !p.is(`(() => { const b = document.querySelector('#go').getBoundingClientRect(); return scrollY === 0 && b.height > 0 && b.top >= 0 && b.bottom <= innerHeight && document.documentElement.scrollWidth <= innerWidth })()`) {
				t.Error("Play is out of view on opening")
			}
			p.shot(look.name + "-setup")
			p.axe("the form")
			p.begin("color", "white")
			p.fits()
			playOn(t, p, 8)
			p.until("it is my move", myMove)
			from := p.text(`[...document.querySelectorAll('.square.movable')].find((s) => (s.dataset.man === 'Q' || s.dataset.man === 'N')).dataset.square`)
			if strings.HasPrefix(look.name, "phone") {
				p.do(chromedp.Tap(chromedp.CSS(squareSelector(from))))
			} else {
				p.click(squareSelector(from))
			}
			p.until("targets are shown", `document.querySelector('.square.selected')`)
			p.fits()
			p.shot(look.name)
			p.axe("a game in play")
		})
	}
}

// TestBoardIsInViewWhenAGameBegins presses Play at the end of the form, on small screens.
func TestBoardIsInViewWhenAGameBegins(t *testing.T) {
	ctx := startBrowser(t)
	url := startLocal(t, "127.0.0.1:0", "CASTELLAN_MAX_GAMES=50", "CASTELLAN_CHAT_GREETING=Good luck, {opponent}!")
	for _, size := range [][2]int64{{375, 667}, {360, 640}, {320, 568}, {768, 1024}, {1024, 768}, {844, 390}, {667, 375}, {568, 320}, {932, 430}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := open(t, ctx, url, chromedp.EmulateViewport(size[0], size[1], chromedp.EmulateMobile))
			p.begin("color", "black")
			inView := func(selector string) string {
				return `(() => { const b = document.querySelector('` + selector + `').getBoundingClientRect(); return b.height > 0 && b.top >= 0 && b.bottom <= innerHeight && b.left >= 0 && b.right <= innerWidth })()`
			}
			p.until("the bot moves", myMove)
			look := []string{"#top .clock", "#board", "#bottom .clock"}
			if size[0] > size[1] {
				look = append(look, "#type-move", "#status") // side by side
			}
			for _, selector := range look {
				if !p.is(inView(selector)) {
					t.Errorf("%s is out of view: %s", selector, p.text(`JSON.stringify(document.querySelector('`+selector+`').getBoundingClientRect())`))
				}
			}
			p.fits()
			p.shot(fmt.Sprintf("begin-%dx%d", size[0], size[1]))
			if size[0] > size[1] {
				p.do(chromedp.SendKeys(chromedp.CSS("#type-move"), "e6\r"))
				p.until("the move shows", `document.querySelector('[data-square="e6"]').dataset.man === 'p'`)
				if !p.is(inView("#board")) {
					t.Error("the board is out of view once a move was typed")
				}
			}
		})
	}
}

// fits checks that nothing sticks out to the side, and that the whole board is in view.
func (p *tab) fits() {
	p.t.Helper()
	if !p.is(`document.documentElement.scrollWidth <= innerWidth`) {
		p.t.Error("the page is wider than the window")
	}
	if !p.is(`(() => { const b = document.querySelector('#board').getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight && b.left >= 0 && b.right <= innerWidth })()`) {
		p.t.Error("a part of the board is out of view")
	}
}
