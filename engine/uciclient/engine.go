package uciclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Default time-outs.
const (
	DefaultStartTimeout = 15 * time.Second
	DefaultReadyTimeout = time.Minute
	DefaultStopTimeout  = 2 * time.Second
)

// Command says which engine to run and how long to wait for it. The zero value of a time-out is its default.
type Command struct {
	Path string   // looked up in PATH when it has no slash
	Args []string // without the path
	Dir  string   // working directory; "" for that of this process
	Env  []string // environment as KEY=VALUE; nil for that of this process

	StartTimeout time.Duration // from the start to "uciok"
	ReadyTimeout time.Duration // for "isready": clearing a big table takes a while
	StopTimeout  time.Duration // from "stop" to "bestmove", and from "quit" to the end of the process
}

// Engine is a running engine. Its methods are for one goroutine at a time; Close and the getters may be called by any.
type Engine struct {
	command Command
	cmd     *exec.Cmd
	stdin   *os.File
	stderr  tail
	exited  chan struct{} // closed when the process was waited for and all its output was read
	exitErr error         // valid once exited is closed

	ready chan struct{} // an "uciok" or a "readyok", as awaited
	best  chan answer   // the "bestmove" of the search under way

	mu      sync.Mutex // guards what follows; the goroutine that reads the output holds it for each line
	name    string
	author  string
	options []Option
	await   string    // the word that ready waits for
	search  *progress // nil when no search is under way

	closeOnce sync.Once
}

// progress is a search under way.
type progress struct {
	info   Info
	report func(Info)
}

// answer is a "bestmove".
type answer struct {
	move, ponder string
	info         Info
	at           time.Time
}

// maxOptions bounds the options that an engine may declare; more are ignored.
const maxOptions = 500

// Start starts an engine and waits until it has introduced itself. The context bounds the start alone: the engine lives until
// Close. On an error nothing is left behind.
func Start(ctx context.Context, c Command) (*Engine, error) {
	if c.StartTimeout <= 0 {
		c.StartTimeout = DefaultStartTimeout
	}
	if c.ReadyTimeout <= 0 {
		c.ReadyTimeout = DefaultReadyTimeout
	}
	if c.StopTimeout <= 0 {
		c.StopTimeout = DefaultStopTimeout
	}
	e := &Engine{
		command: c, name: c.Path, exited: make(chan struct{}),
		ready: make(chan struct{}, 1), best: make(chan answer, 1),
	}
	e.cmd = exec.Command(c.Path, c.Args...)
	e.cmd.Dir, e.cmd.Env = c.Dir, c.Env
	e.cmd.Stdout = &lineWriter{take: e.take}
	e.cmd.Stderr = &e.stderr
	e.cmd.WaitDelay = time.Second // for a grandchild that holds the pipes
	isolate(e.cmd)
	// A pipe of our own, for its deadlines: an engine that does not read must not block us.
	read, write, err := os.Pipe()
	if err != nil {
		return nil, e.fault("starting", err)
	}
	e.cmd.Stdin, e.stdin = read, write
	started := make(chan error)
	go func() {
		// What kills an engine whose parent was killed hangs on the thread that started it: see isolate.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := e.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		e.exitErr = e.cmd.Wait()
		close(e.exited)
	}()
	err = <-started
	read.Close()
	if err != nil {
		write.Close()
		return nil, e.fault("starting", err)
	}
	if err := e.exchange(ctx, "uci", "uciok", c.StartTimeout); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Name returns the engine's name as it has told it, else its path.
func (e *Engine) Name() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.name
}

// Author returns the engine's author as it has told it.
func (e *Engine) Author() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.author
}

// Options returns what can be set, in the order in which the engine has told it.
func (e *Engine) Options() []Option {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.options)
}

// Exited is closed when the process has ended, be it by Close or by itself.
func (e *Engine) Exited() <-chan struct{} { return e.exited }

// SetOption sets an option. Names are compared without regard to case; name and value are checked against what the engine has
// declared, and an *OptionError says what is wrong with them. A button takes the value "".
func (e *Engine) SetOption(name, value string) error {
	e.mu.Lock()
	options, engine := e.options, e.name
	e.mu.Unlock()
	i := slices.IndexFunc(options, func(o Option) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		var names []string
		for _, o := range options {
			names = append(names, o.Name)
		}
		return &OptionError{engine, name, fmt.Sprintf("does not exist; there are: %s", strings.Join(names, ", "))}
	}
	value, reason := options[i].check(value)
	if reason != "" {
		return &OptionError{engine, name, reason}
	}
	line := "setoption name " + options[i].Name
	if options[i].Type != Button {
		line += " value " + value
	}
	return e.send(line)
}

// NewGame tells the engine that the next position is from another game, and waits until it is ready.
func (e *Engine) NewGame(ctx context.Context) error {
	if err := e.send("ucinewgame"); err != nil {
		return err
	}
	return e.Ready(ctx)
}

// Ready waits until the engine has done all it was told.
func (e *Engine) Ready(ctx context.Context) error {
	return e.exchange(ctx, "isready", "readyok", e.command.ReadyTimeout)
}

// Close ends the engine: it asks it to quit, kills it when it does not, and waits until the process is gone. It may be called
// again, and while another call waits, which then returns an error.
func (e *Engine) Close() {
	e.closeOnce.Do(func() {
		// A closed input tells the engine as well, should it have missed the word.
		_ = e.write("quit")
		e.stdin.Close()
		select {
		case <-e.exited:
		case <-time.After(e.command.StopTimeout):
		}
		e.kill()
	})
	<-e.exited
}

// kill ends the process now and waits until it is gone.
func (e *Engine) kill() {
	select {
	case <-e.exited: // its number may belong to another process by now
	default:
		kill(e.cmd)
		<-e.exited
	}
}

// exchange sends a command and waits for the word that answers it.
func (e *Engine) exchange(ctx context.Context, command, word string, timeout time.Duration) error {
	e.mu.Lock()
	e.await = word
	select { // a word that came when nobody waited any more
	case <-e.ready:
	default:
	}
	e.mu.Unlock()
	if err := e.send(command); err != nil {
		return err
	}
	during := fmt.Sprintf("waiting for %q", word)
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-e.ready:
		return nil
	case <-ctx.Done():
		return e.fault(during, context.Cause(ctx))
	case <-e.exited:
		select {
		case <-e.ready: // its last word; the next call finds it dead
			return nil
		default:
			return e.exitFault(during)
		}
	case <-timer.C:
		e.kill()
		hint := ""
		if command == "uci" {
			hint = "; perhaps the program does not speak UCI, or only with an argument that asks for it, as gnuchess --uci"
		}
		return e.fault(during, fmt.Errorf("%w: killed after %v%s", ErrNoAnswer, timeout, hint))
	}
}

// send writes a command.
func (e *Engine) send(line string) error {
	err := e.write(line)
	if err == nil {
		return nil
	}
	word, _, _ := strings.Cut(line, " ")
	during := fmt.Sprintf("writing %q", word)
	// The input of a process that has ended is closed; give it the time to be seen as ended.
	if errors.Is(err, os.ErrDeadlineExceeded) {
		e.kill()
		return e.fault(during, fmt.Errorf("%w: it does not read its input and was killed", ErrNoAnswer))
	}
	select {
	case <-e.exited:
	case <-time.After(e.command.StopTimeout):
		e.kill()
	}
	return e.exitFault(during)
}

func (e *Engine) write(line string) error {
	// Where pipes have no deadlines, a write can wait only for an engine that has 64 kB of commands unread.
	_ = e.stdin.SetWriteDeadline(time.Now().Add(e.command.StopTimeout))
	_, err := e.stdin.WriteString(line + "\n")
	return err
}

// exitFault is the error of a process that has ended; exited must be closed.
func (e *Engine) exitFault(during string) error {
	state := "exit status 0"
	if e.exitErr != nil {
		state = e.exitErr.Error()
	}
	return e.fault(during, fmt.Errorf("%w (%s)", ErrExited, state))
}

func (e *Engine) fault(during string, err error) error {
	return &Error{Engine: e.Name(), During: during, Err: err, Stderr: e.stderr.String()}
}

// take handles a line that the engine has written. It never waits.
func (e *Engine) take(line string) {
	now := time.Now()
	words := strings.Fields(line)
	if len(words) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch words[0] {
	case "id":
		e.takeID(words[1:])
	case "option":
		if o, ok := parseOption(words[1:]); ok && len(e.options) < maxOptions && e.await == "uciok" {
			e.options = append(e.options, o)
		}
	case "uciok", "readyok":
		if e.await == words[0] {
			e.await = ""
			e.ready <- struct{}{} // has room: await was set when it was empty
		}
	case "info":
		if e.search != nil {
			info := parseInfo(words[1:])
			e.search.info.merge(info)
			if e.search.report != nil {
				e.search.report(info)
			}
		}
	case "bestmove":
		if e.search != nil {
			move, ponder := parseBestMove(words[1:])
			e.best <- answer{move, ponder, e.search.info, now} // has room: once for each search
			e.search = nil
		}
	}
}

// maxName bounds the name and the author, in bytes.
const maxName = 100

func (e *Engine) takeID(words []string) {
	if len(words) < 2 || e.await != "uciok" {
		return
	}
	text := strings.ToValidUTF8(strings.Join(words[1:], " "), "?")
	text = strings.ToValidUTF8(text[:min(len(text), maxName)], "")
	switch words[0] {
	case "name":
		e.name = text
	case "author":
		e.author = text
	}
}
