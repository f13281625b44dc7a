package external

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"castellan/engine"
	"castellan/engine/uciclient"
)

// Setting is a UCI option and its value, "" for a button.
type Setting struct{ Name, Value string }

// Options says which engine plays and how it is used.
type Options struct {
	Command  uciclient.Command
	Settings []Setting // as the user wants them; they go before what follows
	Shared   bool      // one process for all games, which wait for each other; else each game has its own

	// What an engine is told when it offers such an option. Zero values are not told.
	HashMB, Threads int
	SyzygyPath      string
	Ponder          bool // it will think on the opponent's time

	Elo      int           // strength, by UCI_Elo; the engine must have it. 0 for all there is
	Nodes    uint64        // most nodes for a move; 0 for no limit
	Overhead time.Duration // of a move, the least

	Own *engine.Engine // plays instead when the other fails; it stays the caller's to close
	Log *slog.Logger   // nil discards it
}

// maxFaults is how often an engine may fail in one game without making up for it: then our own plays it to the end.
const maxFaults = 3

// forgivenAfter is how many good moves in a row make up for one failure.
const forgivenAfter = 10

// Engine is somebody else's engine, for any number of games.
type Engine struct {
	opts    Options
	log     *slog.Logger
	name    string
	offers  []uciclient.Option
	all     []Setting     // that each process is told
	shared  *slot         // nil when each game has its own
	idle    chan struct{} // has a token when nobody thinks about a game without a clock
	closing context.Context
	close   context.CancelFunc
	work    sync.WaitGroup

	mu    sync.Mutex
	spare *uciclient.Engine // started and told everything, used by no game yet; nil when there is none
	seats map[*seat]bool    // games under way
}

// New starts the engine once, to see that it can be started and takes its options; that process is the first game's. All faults of the
// options are told at once, as *uciclient.OptionError.
func New(ctx context.Context, o Options) (*Engine, error) {
	e := &Engine{opts: o, log: o.Log, idle: make(chan struct{}, 1), seats: map[*seat]bool{}}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	// A game cannot wait as long as a match can.
	e.opts.Command.ReadyTimeout, e.opts.Command.StopTimeout = 15*time.Second, time.Second
	client, err := uciclient.Start(ctx, e.opts.Command)
	if err != nil {
		return nil, err
	}
	e.name, e.offers = client.Name(), client.Options()
	var faults []error
	e.all, faults = e.settings()
	for _, s := range e.all {
		if err := client.SetOption(s.Name, s.Value); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) == 0 {
		if err := client.Ready(ctx); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) > 0 {
		client.Close()
		return nil, errors.Join(faults...)
	}
	e.spare = client
	e.closing, e.close = context.WithCancel(context.Background())
	if o.Shared {
		e.shared = newSlot(e)
	}
	e.idle <- struct{}{}
	return e, nil
}

// Name returns what the engine calls itself.
func (e *Engine) Name() string { return e.name }

// Close ends all thinking and all processes, and waits for their ends: two seconds at most.
func (e *Engine) Close() {
	e.close()
	e.mu.Lock()
	seats := slices.Collect(maps.Keys(e.seats))
	e.mu.Unlock()
	for _, s := range seats {
		s.Close()
	}
	e.work.Wait()
	if e.shared != nil {
		e.shared.dismiss()
	}
	if client := e.takeSpare(); client != nil {
		client.Close()
	}
}

// option returns what the engine offers under a name.
func (e *Engine) option(name string) (uciclient.Option, bool) {
	i := slices.IndexFunc(e.offers, func(o uciclient.Option) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		return uciclient.Option{}, false
	}
	return e.offers[i], true
}

const (
	optionChess960 = "UCI_Chess960"
	optionPonder   = "Ponder"
	optionLimit    = "UCI_LimitStrength"
	optionElo      = "UCI_Elo"
)

// settings returns what a process is told: ours as far as it offers them and the user says nothing else, then the user's.
func (e *Engine) settings() (all []Setting, faults []error) {
	o := &e.opts
	fault := func(option, reason string) {
		faults = append(faults, &uciclient.OptionError{Engine: e.name, Option: option, Reason: reason})
	}
	own := func(name, value string) {
		if !slices.ContainsFunc(o.Settings, func(s Setting) bool { return strings.EqualFold(s.Name, name) }) {
			all = append(all, Setting{name, value})
		}
	}
	size := func(name string, value int) {
		if offer, ok := e.option(name); ok && offer.Type == uciclient.Spin && value > 0 {
			own(name, strconv.FormatInt(max(offer.Min, min(int64(value), offer.Max)), 10))
		}
	}
	size("Threads", o.Threads)
	size("Hash", o.HashMB)
	if offer, ok := e.option("SyzygyPath"); ok && offer.Type == uciclient.String && o.SyzygyPath != "" {
		own("SyzygyPath", o.SyzygyPath)
	}
	if offer, ok := e.option(optionPonder); ok && offer.Type == uciclient.Check {
		own(optionPonder, strconv.FormatBool(o.Ponder))
	}
	if o.Elo != 0 {
		offer, ok := e.option(optionElo)
		_, limits := e.option(optionLimit)
		switch {
		case !ok || !limits:
			fault(optionElo, "is not offered, so the engine cannot be made to play like a rating")
		case int64(o.Elo) < offer.Min || int64(o.Elo) > offer.Max:
			fault(optionElo, fmt.Sprintf("is from %d to %d, not %d", offer.Min, offer.Max, o.Elo))
		default:
			own(optionLimit, "true")
			own(optionElo, strconv.Itoa(o.Elo))
		}
	}
	for _, s := range o.Settings {
		switch {
		case strings.EqualFold(s.Name, optionChess960):
			fault(optionChess960, "is set by the bot, as each game wants it")
		case strings.EqualFold(s.Name, optionPonder):
			fault(optionPonder, "is set by the bot, which decides whether it is used")
		default:
			all = append(all, s)
		}
	}
	return all, faults
}

// start returns a process that has been told everything.
func (e *Engine) start() (*uciclient.Engine, error) {
	if client := e.takeSpare(); client != nil {
		return client, nil
	}
	client, err := uciclient.Start(e.closing, e.opts.Command)
	if err != nil {
		return nil, err
	}
	for _, s := range e.all {
		if err := client.SetOption(s.Name, s.Value); err != nil {
			client.Close()
			return nil, err
		}
	}
	if err := client.Ready(e.closing); err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

// takeSpare takes the spare process; nil when there is none or it has ended.
func (e *Engine) takeSpare() *uciclient.Engine {
	e.mu.Lock()
	client := e.spare
	e.spare = nil
	e.mu.Unlock()
	if client == nil || !hasExited(client) {
		return client
	}
	client.Close()
	return nil
}

func hasExited(client *uciclient.Engine) bool {
	select {
	case <-client.Exited():
		return true
	default:
		return false
	}
}

// ForGame returns what thinks about one game.
func (e *Engine) ForGame(name string) engine.Thinker {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := &seat{Engine: e, slot: e.shared, log: e.log.With("game", name)}
	if s.slot == nil {
		s.slot = newSlot(e)
	}
	e.seats[s] = true
	return s
}

// alone tells whether there is one game at most.
func (e *Engine) alone() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.seats) <= 1
}
