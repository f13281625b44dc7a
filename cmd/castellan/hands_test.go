package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"castellan/engine/chess"
	"castellan/lichess/sandbox"
)

// mouse does something with the mouse at the middle of a square.
func (p *tab) mouse(kind input.DispatchMouseEventType, square string, button input.MouseButton, held int64) {
	p.t.Helper()
	x, y := p.center(square)
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: button, Buttons: held, ClickCount: 1})
		return err
	}))
}

// pick takes a man with the mouse and carries him to another square, without letting him go.
func (p *tab) pick(from, over string) {
	p.t.Helper()
	p.mouse(input.DispatchMouseEventTypeMouseMoved, from, input.MouseButtonNone, 0)
	p.mouse(input.DispatchMouseEventTypeMousePressed, from, input.MouseButtonLeft, 1)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, over, input.MouseButtonLeft, 1)
	p.until("the man is in the hand", dragged)
}

func (p *tab) letGo(over string) {
	p.t.Helper()
	p.mouse(input.DispatchMouseEventTypeMouseReleased, over, input.MouseButtonLeft, 0)
}

// touch tells of the fingers that are on the screen, in the middle of squares: the nth square is the nth finger's.
func (p *tab) touch(kind input.DispatchTouchEventType, squares ...string) {
	p.t.Helper()
	points := []*input.TouchPoint{}
	for i, square := range squares {
		x, y := p.center(square)
		points = append(points, &input.TouchPoint{X: x, Y: y, ID: new(float64(i))})
	}
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
		return err
	}))
}

const (
	dragged    = `document.querySelector('.man.dragged')`
	notDragged = `!document.querySelector('.man.dragged') && ![...document.querySelectorAll('.square .man')].some((m) => m.style.transform)`
)

func planned(from, to string) string {
	return fmt.Sprintf(`document.querySelector('#status').textContent === 'Your move %s–%s is planned.'`, from, to)
}

// TestMenInTheHand drags men about while other things happen.
func TestMenInTheHand(t *testing.T) {
	ctx := startBrowser(t)
	clock := sandbox.GameSetup{Limit: 10 * time.Minute}
	t.Run("the opponent moves meanwhile", func(t *testing.T) {
		g, p := startGhostGame(t, ctx, clock)
		p.clickMove("e2", "e4")
		p.statusHas("thinking")
		p.pick("g1", "f3")
		g.post("move/e7e5", nil)
		p.until("his move is shown", `document.querySelector('[data-square="e5"]').dataset.man === 'p'`)
		if p.is(notDragged) {
			t.Error("the man has fallen out of the hand")
		}
		p.letGo("f3")
		p.until("the move is made", `document.querySelector('[data-square="f3"]').dataset.man === 'N' && document.querySelectorAll('#moves button').length === 3`)
		p.statusHas("thinking")
		// One that is taken meanwhile is gone.
		p.pick("e4", "d5")
		g.post("move/d7d5", nil)
		p.until("it is my move", myMove)
		p.letGo("d5")
		p.statusHas("thinking")
		p.pick("f3", "d4")
		g.post("move/e5e4", nil)
		p.until("it is my move", myMove)
		p.letGo("d4")
		p.statusHas("thinking")
		p.pick("d4", "f5") // and on
		p.letGo("f5")
		p.until("it is planned", planned("d4", "f5"))
	})
	t.Run("taken meanwhile", func(t *testing.T) {
		setup := clock
		setup.FEN = "4k3/8/8/3p4/8/4P3/8/4K3 w - - 0 1"
		g, p := startGhostGame(t, ctx, setup)
		p.clickMove("e3", "e4")
		p.statusHas("thinking")
		p.pick("e4", "e5")
		g.post("move/d5e4", nil)
		p.until("it is my move", myMove)
		p.until("nothing is in the hand", notDragged)
		p.letGo("e5")
		p.clickMove("e1", "d2")
		p.statusHas("thinking")
	})
	t.Run("Escape and the right button", func(t *testing.T) {
		_, p := startGhostGame(t, ctx, clock)
		p.pick("e2", "e4")
		p.do(chromedp.KeyEvent("\x1b"))
		p.until("Escape lets go of it", notDragged)
		p.letGo("e4")
		p.pick("d2", "d4")
		p.mouse(input.DispatchMouseEventTypeMousePressed, "d4", input.MouseButtonRight, 3)
		p.until("the right button lets go of it", notDragged)
		p.mouse(input.DispatchMouseEventTypeMouseReleased, "d4", input.MouseButtonRight, 1)
		p.letGo("d4")
		if p.is(`document.querySelector('#moves button') || document.querySelector('.square.selected') || !(` + myMove + `)`) {
			t.Errorf("a move was made all the same: %s", p.state())
		}
		p.clickMove("e2", "e4")
		p.statusHas("thinking")
		// A plan outlives what is let go of, and then Escape is for it.
		p.clickMove("d2", "d4")
		p.until("it is planned", planned("d2", "d4"))
		p.pick("g1", "f3")
		p.do(chromedp.KeyEvent("\x1b"))
		p.until("Escape lets go of it", notDragged)
		p.letGo("f3")
		p.until("the plan stands", planned("d2", "d4"))
		p.do(chromedp.KeyEvent("\x1b"))
		p.statusHas("thinking")
	})
	t.Run("a second finger", func(t *testing.T) {
		_, p := startGhostGame(t, ctx, clock, phone())
		p.touch(input.DispatchTouchEventTypeTouchStart, "e2")
		p.touch(input.DispatchTouchEventTypeTouchMove, "e3")
		p.touch(input.DispatchTouchEventTypeTouchMove, "e4")
		p.until("the man is in the hand", dragged)
		p.touch(input.DispatchTouchEventTypeTouchStart, "e4", "g1")
		p.touch(input.DispatchTouchEventTypeTouchMove, "e4", "f3")
		if !p.is(`document.querySelector('[data-square="e2"] .man.dragged')`) {
			t.Error("the second finger has taken the man from the first")
		}
		p.touch(input.DispatchTouchEventTypeTouchEnd, "e4") // the second is lifted
		p.touch(input.DispatchTouchEventTypeTouchMove, "e4")
		p.touch(input.DispatchTouchEventTypeTouchEnd)
		p.until("the move is made", `document.querySelector('[data-square="e4"]').dataset.man === 'P' && document.querySelectorAll('#moves button').length === 1`)
		p.until("every man stands on its square", notDragged)
	})
}

// TestMovesTypedAhead types while the opponent thinks.
func TestMovesTypedAhead(t *testing.T) {
	g, p := startGhostGame(t, startBrowser(t), sandbox.GameSetup{Limit: 10 * time.Minute})
	enter := func(text string) { p.do(chromedp.SendKeys(chromedp.CSS("#type-move"), text+"\r")) }
	p.clickMove("e2", "e4")
	p.statusHas("thinking")
	enter("Nf4")
	p.until("the page says why not", `/not your move yet.*none of your men/.test(document.querySelector('#notice').textContent)`)
	p.is(`document.querySelector('#type-move').value = ''`)
	enter("d2d4")
	p.until("it is planned", planned("d2", "d4")+` && document.querySelector('#type-move').value === '' && document.querySelector('#notice').textContent === ''`)
	p.until("a screen reader is told", `document.querySelector('#announce').textContent.startsWith('Planned: d2 to d4.')`)
	p.do(chromedp.SendKeys(chromedp.CSS("#type-move"), "\x1b"))
	p.statusHas("thinking")
	enter("Nf3")
	p.until("it is planned", planned("g1", "f3"))
	g.post("move/e7e5", nil)
	p.until("it is played", `document.querySelector('[data-square="f3"]').dataset.man === 'N' && document.querySelectorAll('#moves button').length === 3`)
}

// TestGameInPlayIsKept downloads the PGN of a game that goes on.
func TestGameInPlayIsKept(t *testing.T) {
	const fen = "4k2r/p7/8/8/8/8/P7/4K3 b k - 3 20"
	g := startGhost(t)
	g.game = g.start(sandbox.GameSetup{White: personName, Black: "Ghost", Limit: 10 * time.Minute, FEN: fen})
	p := open(t, startBrowser(t), g.server.URL+"/"+g.game)
	p.statusHas("thinking")
	if p.is(`!document.querySelector('#pgn-now').hidden`) {
		t.Error("a PGN is offered without a move")
	}
	g.post("move/e8h8", nil)
	p.until("it is my move", myMove)
	p.clickMove("a2", "a4")
	p.statusHas("thinking")
	folder := t.TempDir()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: folder})
		return err
	}))
	p.click("#pgn-now")
	var text []byte
	for deadline := time.Now().Add(pageWait); len(text) == 0; time.Sleep(20 * time.Millisecond) {
		if text, _ = os.ReadFile(filepath.Join(folder, "castellan-"+g.game+".pgn")); time.Now().After(deadline) {
			t.Fatal("nothing was downloaded")
		}
	}
	read, err := chess.NewPGNReader(strings.NewReader(string(text))).Read()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	start := read.Game.Start()
	if read.Game.Ply() != 2 || start.FEN() != fen || !strings.Contains(string(text), "20... O-O 21. a4 *") || !strings.Contains(string(text), `[Black "Ghost"]`) {
		t.Errorf("the PGN is\n%s", text)
	}
}

// TestChatGoesOnAfterTheGame talks when the game is over.
func TestChatGoesOnAfterTheGame(t *testing.T) {
	g, p := startGhostGame(t, startBrowser(t), sandbox.GameSetup{Limit: 10 * time.Minute})
	said := func(text string) string {
		return fmt.Sprintf(`document.querySelector('#chat-lines').textContent.includes(%q)`, text)
	}
	say := func(text string) { g.post("chat", url.Values{"room": {"player"}, "text": {text}}) }
	p.clickMove("e2", "e4")
	p.statusHas("thinking")
	g.post("move/e7e5", nil)
	p.until("it is my move", myMove)
	g.post("resign", nil)
	p.until("the game is over", gameOver)
	say("well played")
	p.until("the farewell is read", said("well played")+` && document.querySelector('#announce').textContent.includes('Ghost says: well played')`)
	p.do(chromedp.SendKeys(chromedp.CSS("#say"), "thanks\r"))
	p.until("what was said is shown", said("You: thanks")+` && document.querySelector('#say').value === ''`)
	say("see you")
	p.until("the answer is read", said("see you"))
}
