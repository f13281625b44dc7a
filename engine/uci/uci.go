// Package uci puts the Universal Chess Interface (Stefan Meyer-Kahlen and
// Rudolf Huber, 2006) in front of the engine, for GUIs and match runners.
package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/engine/tablebase"
)

// Options of a session.
type Options struct {
	Name   string         // as shown to the GUI, with the version
	Author string         // as shown to the GUI
	Engine engine.Options // settings to begin with
}

// maxLine bounds a command; a game of 600 moves needs 6 kB.
const maxLine = 1 << 20

// Run answers commands from in on out until "quit", the end of in, or the end
// of ctx; a search under way is stopped and its move still written. It
// returns an error when in cannot be read, out cannot be written, or the
// engine's options are wrong.
//
// When ctx ends while in blocks, one goroutine stays behind until in returns.
func Run(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	s := &session{
		name:     opts.Name,
		author:   opts.Author,
		settings: opts.Engine,
		out:      out,
		game:     chess.NewGame(chess.StartPosition(), chess.FIDE),
		multiPV:  1,
		weaker:   opts.Engine.Elo != 0,
		elo:      defaultElo,
	}
	if s.weaker {
		s.elo = opts.Engine.Elo
	}
	e, err := engine.New(s.settings)
	if err != nil {
		return err
	}
	s.engine = e
	s.nameDefaults()
	defer func() {
		s.engine.Close()
		s.closeTables(nil)
	}()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan string)
	readErr := make(chan error, 1)
	go func() {
		readErr <- readLines(ctx, in, lines)
		close(lines)
	}()
	for {
		select {
		case <-ctx.Done():
			s.stop()
			return s.writeError()
		case line, ok := <-lines:
			if !ok {
				s.stop()
				return errors.Join(<-readErr, s.writeError())
			}
			if quit := s.obey(ctx, line); quit {
				s.stop()
				return s.writeError()
			}
			if err := s.writeError(); err != nil {
				s.stop()
				return err
			}
		}
	}
}

// readLines hands on one line after another, an overlong one cut to a byte
// more than maxLine.
func readLines(ctx context.Context, in io.Reader, lines chan<- string) error {
	r := bufio.NewReaderSize(in, 1<<16)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxLine+1-len(line))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > 0 {
			select {
			case lines <- string(line):
			case <-ctx.Done():
				return nil
			}
		}
		line = line[:0]
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("uci: reading commands: %w", err)
		}
	}
}

// session is one conversation. All of it but the output belongs to the
// goroutine of Run.
type session struct {
	name, author string
	settings     engine.Options
	inForce      engine.Options // settings of the engine
	multiPV      int
	chess960     bool
	showWDL      bool
	weaker       bool // UCI_LimitStrength
	elo          int  // UCI_Elo, in force when weaker

	tables    []*tablebase.Tables // opened here; the engine may be using the last
	tablePath string              // as the GUI gave it

	engine *engine.Engine
	stale  bool // settings have changed that the engine does not know yet
	forget bool // the engine is to forget all before the next search
	game   *chess.Game
	search *thought // the latest, nil when there was none

	mu     sync.Mutex // guards out and outErr
	out    io.Writer
	outErr error
}

// thought is a search under way.
type thought struct {
	cancel context.CancelFunc
	ponder chan struct{} // closed by ponderhit; nil when not pondering
	hit    bool
	done   chan struct{}
}

// obey carries one command out and tells whether it was "quit".
func (s *session) obey(ctx context.Context, line string) (quit bool) {
	if len(line) > maxLine {
		s.inform(fmt.Sprintf("a command of more than %d bytes was dropped", maxLine))
		return false
	}
	words := strings.Fields(line)
	told := false
	// The protocol wants unknown words before a command to be skipped.
	for len(words) > 0 {
		args := words[1:]
		var err error
		switch words[0] {
		case "uci":
			s.introduce()
		case "isready":
			if s.idle() {
				s.refresh()
			}
			s.write("readyok")
		case "ucinewgame":
			s.stop()
			s.newGame()
		case "setoption":
			err = s.setOption(args)
		case "position":
			// After one that is refused the position before stands, and "go" answers for it.
			var g *chess.Game
			if g, err = parsePosition(args); err == nil {
				s.game = g
			}
		case "go":
			err = s.think(ctx, args)
		case "stop":
			s.stop()
		case "ponderhit":
			s.ponderHit()
		case "quit":
			return true
		case "debug", "register":
		default:
			if !told {
				s.inform("unknown command " + quote(words[0]))
				told = true // once is enough for a line of a million words
			}
			words = args
			continue
		}
		if err != nil {
			s.inform(err.Error())
		}
		return false
	}
	return false
}

func (s *session) introduce() {
	s.write("id name " + s.name)
	s.write("id author " + s.author)
	for _, o := range s.optionList() {
		s.write("option name " + o.name + " " + o.kind)
	}
	s.write("uciok")
}

// nameDefaults puts the engine's defaults in place of zeros, for the GUI to see, and notes that the settings are in force.
func (s *session) nameDefaults() {
	if s.settings.HashMB == 0 {
		s.settings.HashMB = engine.DefaultHashMB
	}
	if s.settings.Threads == 0 {
		s.settings.Threads = engine.DefaultThreads
	}
	if s.settings.MoveOverhead == 0 {
		s.settings.MoveOverhead = engine.DefaultMoveOverhead
	}
	if s.settings.TableMen == 0 {
		s.settings.TableMen = engine.MaxTableMen
	}
	if s.settings.TableDepth == 0 {
		s.settings.TableDepth = 1
	}
	s.inForce = s.settings
}

// changed notes that the engine is to hear of the settings before the next search.
func (s *session) changed(err error) error {
	if err == nil {
		s.stale = true
	}
	return err
}

// refresh tells the engine, which must not be thinking, what has changed. Settings that cannot be had are taken back.
func (s *session) refresh() {
	if s.stale {
		s.stale = false
		if err := s.engine.Change(s.settings); err != nil {
			s.inform(err.Error() + "; going on with the settings before")
			s.settings = s.inForce
		} else {
			s.closeTables(s.settings.Tables)
			s.inForce = s.settings
		}
	}
	if s.forget {
		s.forget = false
		s.engine.NewGame()
	}
}

func (s *session) newGame() {
	if s.idle() {
		s.engine.NewGame()
		// Garbage is collected now rather than in the game: on one core that takes up to 10 ms of the clock.
		runtime.GC()
	} else {
		s.forget = true
	}
}

// think starts a search and returns.
func (s *session) think(ctx context.Context, args []string) error {
	s.stop()
	command, err := parseGo(args)
	if err != nil {
		s.inform(err.Error())
	}
	s.refresh()
	g, style := s.game, notation{chess960: s.chess960, wdl: s.showWDL}
	limits := engine.Limits{
		Depth:     command.depth,
		Nodes:     command.nodes,
		Mate:      command.mate,
		MoveTime:  command.moveTime,
		WTime:     command.wtime,
		BTime:     command.btime,
		WInc:      command.winc,
		BInc:      command.binc,
		MovesToGo: command.movesToGo,
		Infinite:  command.infinite,
		MultiPV:   s.multiPV,
	}
	for _, text := range command.searchMoves {
		m, err := g.Position().ParseUCI(text)
		if err != nil {
			s.inform("go searchmoves: " + err.Error())
			continue
		}
		limits.SearchMoves = append(limits.SearchMoves, m)
	}
	limits.Report = func(i engine.Info) { s.write(style.infoLine(*g.Position(), i)) }

	ctx, cancel := context.WithCancel(ctx)
	t := &thought{cancel: cancel, done: make(chan struct{})}
	if command.ponder {
		t.ponder = make(chan struct{})
		limits.PonderHit = t.ponder
	}
	s.search = t
	e := s.engine
	go func() {
		defer close(t.done)
		defer cancel()
		d, err := e.Think(ctx, g, limits)
		if err != nil && !errors.Is(err, engine.ErrNoLegalMove) {
			s.inform(err.Error())
		}
		// The GUI is not to hear of the move before it asks for it.
		switch {
		case command.infinite:
			<-ctx.Done()
		case command.ponder:
			select {
			case <-ctx.Done():
			case <-t.ponder:
			}
		}
		s.write(style.bestMoveLine(*g.Position(), d))
	}()
	return nil
}

// idle tells whether no search is under way.
func (s *session) idle() bool {
	if s.search == nil {
		return true
	}
	select {
	case <-s.search.done:
		return true
	default:
		return false
	}
}

// stop ends the search, if there is one, and waits until its move is written.
func (s *session) stop() {
	if s.search == nil {
		return
	}
	s.search.cancel()
	<-s.search.done
	s.search = nil
}

func (s *session) ponderHit() {
	if t := s.search; t != nil && t.ponder != nil && !t.hit {
		close(t.ponder)
		t.hit = true
	}
}

func (s *session) inform(text string) {
	for _, line := range strings.Split(text, "\n") {
		s.write("info string " + strings.TrimSpace(line))
	}
}

func (s *session) write(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outErr == nil {
		if _, err := io.WriteString(s.out, line+"\n"); err != nil {
			s.outErr = fmt.Errorf("uci: writing an answer: %w", err)
		}
	}
}

func (s *session) writeError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outErr
}

// quote shortens and quotes what came from outside.
func quote(text string) string {
	if len(text) > 40 {
		text = text[:40] + "..."
	}
	return fmt.Sprintf("%q", text)
}
