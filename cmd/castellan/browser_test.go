package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// pageWait is how long a test waits for what the page should show. A busy machine takes its time; nothing waits in vain.
const pageWait = 90 * time.Second

// browser finds a Chromium, or skips the test.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium on this machine: apt-get install chromium")
	return ""
}

// startLocal runs castellan local with weak settings and returns the address that it prints.
func startLocal(t *testing.T, listen string, env ...string) string {
	t.Helper()
	cmd := exec.Command("castellan", "local", "--listen", listen, "--clock", "30+20")
	cmd.Env = append(cmd.Environ(), "CASTELLAN_THREADS=1", "CASTELLAN_HASH_MB=8", "CASTELLAN_ELO=800", "CASTELLAN_LOG_FORMAT=text")
	cmd.Env = append(cmd.Env, env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Log(stderr.String())
		}
	})
	first, err := bufio.NewReader(stdout).ReadString('\n')
	url := regexp.MustCompile(`http://\S+`).FindString(first)
	if url == "" {
		t.Fatalf("no address was printed: %q (%v)", first, err)
	}
	go io.Copy(io.Discard, stdout)
	return url
}

// line stands between browser and server and can be cut.
type line struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	down  bool
	lose  string // part of the request whose answer gets lost next, "" for none
	conns map[net.Conn]struct{}
}

func newLine(t *testing.T, url string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{listener: listener, to: strings.TrimPrefix(url, "http://"), conns: map[net.Conn]struct{}{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { l.carry(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.cut(true)
		running.Wait()
	})
	return l
}

func (l *line) url() string { return "http://" + l.listener.Addr().String() }

// keep notes a connection so that it can be cut; when the line is down it is cut at once.
func (l *line) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		conn.Close()
		return false
	}
	l.conns[conn] = struct{}{}
	return true
}

func (l *line) carry(from net.Conn) {
	defer from.Close()
	if !l.keep(from) {
		return
	}
	to, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer to.Close()
	if !l.keep(to) {
		return
	}
	var lost atomic.Bool
	var both sync.WaitGroup
	carry := func(out, in net.Conn, look func(text []byte) (pass bool)) {
		defer in.Close()
		defer out.Close()
		for buffer := make([]byte, 32<<10); ; {
			n, err := in.Read(buffer)
			if err != nil || !look(buffer[:n]) {
				return
			}
			if _, err := out.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
	both.Go(func() {
		carry(to, from, func(text []byte) bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.lose != "" && bytes.Contains(text, []byte(l.lose)) {
				l.lose = ""
				lost.Store(true)
			}
			return true
		})
	})
	both.Go(func() { carry(from, to, func([]byte) bool { return !lost.Load() }) })
	both.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, from)
	delete(l.conns, to)
}

// cut breaks all connections and lets no other through until it is called with false.
func (l *line) cut(down bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = down
	if down {
		for conn := range l.conns {
			conn.Close()
		}
	}
}

// loseAnswer lets the next request with this text in it through, and loses the answer.
func (l *line) loseAnswer(request string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose = request
}

// step is something that is done to a page.
type step = chromedp.Action[chromedp.Void]

// tab is a page in the browser, as a person uses it.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	complain []string // what the browser had to say about the page
}

// startBrowser starts a browser without tabs.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser(t)), chromedp.NoSandbox,
		chromedp.WindowSize(1280, 900),
		// Nothing is looked for outside: the page must do without.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE "+networkAddress()))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// networkAddress is an address of this machine that other machines use, "" when it has none.
func networkAddress() string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	return ""
}

// open opens the page to play on in a new tab.
func open(t *testing.T, browser context.Context, url string, more ...step) *tab {
	t.Helper()
	return openPage(t, browser, url, `!document.querySelector('#setup').hidden || !document.querySelector('#panel').hidden`, more...)
}

// openPage opens a page in a new tab and waits until it is ready, by a condition.
func openPage(t *testing.T, browser context.Context, url, ready string, more ...step) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx, url: url}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *cdpruntime.EventExceptionThrown:
			p.note(fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
		case *log.EventEntryAdded:
			// A refused or cut request is what some tests are about; a breach of the policy never is.
			if e.Entry.Source == log.EntrySourceSecurity || strings.Contains(e.Entry.Text, "Content Security Policy") {
				p.note(e.Entry.Text)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	p.do(append(more, chromedp.Navigate(url))...)
	p.until("the page is there", ready)
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, what := range p.complain {
			t.Errorf("the browser complains: %s", what)
		}
	})
	return p
}

func (p *tab) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complain = append(p.complain, what)
}

func (p *tab) do(actions ...step) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, pageWait)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatalf("%v; the page says %q", err, p.state())
	}
}

// state is what a person would read, for messages.
func (p *tab) state() string {
	ctx, cancel := context.WithTimeout(p.ctx, 10*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText + '\n' + (document.querySelector('#board')?.dataset.fen ?? '')`))
	if err != nil {
		return err.Error()
	}
	return text
}

// evaluate evaluates an expression in the page.
func evaluate[T any](p *tab, expression string, options ...chromedp.EvaluateOption) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, pageWait)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		p.t.Fatalf("%s: %v; the page says %q", expression[:min(len(expression), 200)], err, p.state())
	}
	return value
}

func (p *tab) is(condition string) bool {
	p.t.Helper()
	return evaluate[bool](p, `Boolean(`+condition+`)`)
}

func (p *tab) text(expression string) string {
	p.t.Helper()
	return evaluate[string](p, `String(`+expression+`)`)
}

// until waits for a condition.
func (p *tab) until(what, condition string) {
	p.t.Helper()
	for deadline := time.Now().Add(pageWait); !p.is(condition); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("waited in vain until %s: %s; the page says %q", what, condition, p.state())
		}
	}
}

func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// clickMove moves a man by two clicks.
func (p *tab) clickMove(from, to string) {
	p.t.Helper()
	// A page that has just been opened may not have the game yet.
	p.until(from+" can be moved", fmt.Sprintf(`document.querySelector(%q)?.classList.contains('movable')`, squareSelector(from)))
	p.click(squareSelector(from))
	p.until(from+" is selected", fmt.Sprintf(`document.querySelector(%q).getAttribute('aria-selected') === 'true'`, squareSelector(from)))
	p.click(squareSelector(to))
}

func squareSelector(square string) string { return `[data-square="` + square + `"]` }

// center is the middle of a square on the screen.
func (p *tab) center(square string) (x, y float64) {
	p.t.Helper()
	at := evaluate[[]float64](p, fmt.Sprintf(`(() => { const b = document.querySelector(%q).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] })()`,
		squareSelector(square)))
	return at[0], at[1]
}

// dragMove moves a man by dragging it.
func (p *tab) dragMove(from, to string) {
	p.t.Helper()
	x, y := p.center(from)
	toX, toY := p.center(to)
	p.do(chromedp.DragAndDropXY(x, y, toX, toY, 4))
}

// choose sets a field of the form for a new game and lets it notice.
func (p *tab) choose(name, value string) {
	p.t.Helper()
	set := fmt.Sprintf(`(() => {
		const f = document.querySelector('#setup-form').elements;
		f[%[1]q].value = %[2]q;
		document.querySelector('#setup-form').dispatchEvent(new Event('change', {bubbles: true}));
		return f[%[1]q].value === %[2]q;
	})()`, name, value)
	if !p.is(set) {
		p.t.Fatalf("%s cannot be %s", name, value)
	}
}

// begin starts a game from the page's form with the given choices, the others as they are at first: the form remembers what was
// chosen before.
func (p *tab) begin(choices ...string) {
	p.t.Helper()
	choices = append([]string{"what", "play", "level", "800", "clock", "1800 20", "start", "standard", "fen", "", "number", ""}, choices...)
	for i := 0; i < len(choices); i += 2 {
		p.choose(choices[i], choices[i+1])
	}
	p.click("#go")
	p.until("the game begins", `/^\/\w{8}$/.test(location.pathname) && document.querySelector('#status').textContent.length > 0 && document.querySelector('#board').dataset.fen.includes('k') && !/Opening/.test(document.querySelector('#status').textContent)`)
}

func (p *tab) fen() string {
	p.t.Helper()
	return p.text(`document.querySelector('#board').dataset.fen`)
}

func (p *tab) status() string {
	p.t.Helper()
	return p.text(`document.querySelector('#status').textContent`)
}

const (
	myMove   = `document.querySelector('#status').textContent === 'Your move.'`
	gameOver = `!document.querySelector('#at-end').hidden && document.querySelector('#link').hidden`
)

// statusHas waits for a word in the line that says how the game stands.
func (p *tab) statusHas(text string) {
	p.t.Helper()
	p.until("the status says "+text, fmt.Sprintf(`document.querySelector('#status').textContent.includes(%q)`, text))
}

// fromRoot is a path as people mean it who run the tests from the root of the repository.
func fromRoot(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join("..", "..", path)
}

// shot writes a picture of the page into the folder that SCREENSHOTS names, if it names one.
func (p *tab) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	dir = fromRoot(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.ctx, pageWait)
	defer cancel()
	const still = `document.getAnimations().length === 0`
	var png []byte
	for range 10 { // a move may begin while the picture is taken
		p.until("nothing moves", still)
		var err error
		if png, err = chromedp.Run(ctx, chromedp.CaptureScreenshot()); err != nil {
			p.t.Fatal(err)
		}
		if p.is(still) {
			break
		}
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func phone() step { return chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile) }

func dark() step { return prefers("prefers-color-scheme", "dark") }

// still lets nothing slide, so that no picture is taken in the middle of a move.
func still() step { return prefers("prefers-reduced-motion", "reduce") }

func prefers(feature, value string) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
		})
		return err
	})
}

// axe checks the page with axe-core, if AXE_CORE names the file axe.min.js.
func (p *tab) axe(where string) {
	p.t.Helper()
	path := os.Getenv("AXE_CORE")
	if path == "" {
		p.t.Logf("%s was not checked by axe-core: AXE_CORE names no axe.min.js", where)
		return
	}
	source, err := os.ReadFile(fromRoot(path))
	if err != nil {
		p.t.Fatal(err)
	}
	evaluate[int](p, string(source)+"; 0")
	report := evaluate[string](p, `axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations.map(
		(v) => [v.id, v.help, v.nodes.map((n) => n.html.slice(0, 200) + ' ' + n.any.map((a) => a.message).join('; '))])))`, chromedp.EvalAwaitPromise)
	var violations []any
	if err := json.Unmarshal([]byte(report), &violations); err != nil {
		p.t.Fatal(err)
	}
	for _, v := range violations {
		p.t.Errorf("%s: axe-core: %v", where, v)
	}
}
