package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"castellan/bot/watch"
	"castellan/engine/chess"
)

const (
	// restWrites is the least time between two rounds of writing: moves that come faster share one.
	restWrites = time.Second
	// ratingWait is how long a rated game that has ended waits for word of what it did to the ratings.
	ratingWait = 5 * time.Second
	// retryAfter is the pause after a fault of the disk.
	retryAfter = time.Minute
	// mostWaiting bounds the games that wait for a disk that does not take them.
	mostWaiting = 1000
	// placedKept is how many games are remembered as put in their place.
	placedKept = 1000
)

// Options say where games are kept.
type Options struct {
	Dir   string // made when it does not exist. One bot's alone
	Files Grouping
	Log   *slog.Logger // faults of the disk; nil for none
}

// Archive writes the games of a bot. Make it with Open, hand its Note what the bot publishes, and close it when the bot has ended.
type Archive struct {
	opts Options
	wake chan struct{} // has something when there may be something to write
	stop chan struct{}
	done chan struct{}
	once sync.Once

	mu    sync.Mutex
	games map[string]*entry
	found []ending

	// Owned by the writer.
	placed  []string // ids of the games put in their place, the newest last
	faulted bool     // the last write failed
}

// entry is a game of which there is something to be written.
type entry struct {
	game    *watch.Game
	rated   *watch.Rated
	ended   time.Time // zero while it is in play
	changed bool      // since it was written
	left    bool      // nothing more will come of it

	// Owned by the writer.
	looked  bool           // for what an earlier run kept of it
	earlier *chess.PGNGame // … nil for nothing
}

// Open makes the folder ready, and puts games into their place that an earlier run did not get to.
func Open(o Options) (*Archive, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(filepath.Join(o.Dir, unfinished), 0o755); err != nil {
		return nil, err
	}
	a := &Archive{
		opts: o, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}), games: map[string]*entry{},
	}
	if err := a.takeUp(); err != nil {
		return nil, err
	}
	go a.write()
	return a, nil
}

// takeUp removes what a crash left half written and puts games that have ended into their place.
func (a *Archive) takeUp() error {
	probe, err := os.CreateTemp(a.opts.Dir, tempMark+"*") // fails now rather than after the first game
	if err != nil {
		return err
	}
	probe.Close()
	for _, dir := range []string{a.opts.Dir, filepath.Join(a.opts.Dir, unfinished)} {
		half, err := filepath.Glob(filepath.Join(escapeGlob(dir), tempMark+"*"))
		if err != nil {
			return err
		}
		for _, path := range half {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	drafts, err := filepath.Glob(filepath.Join(escapeGlob(a.opts.Dir), unfinished, "*.pgn"))
	if err != nil {
		return err
	}
	for _, path := range drafts {
		g, us, err := readDraft(path)
		if err != nil {
			a.opts.Log.Warn("a game that was in play cannot be read again", "err", err)
			continue
		}
		if g == nil || g.Result == "*" {
			continue
		}
		if err := errors.Join(place(a.opts.Dir, a.opts.Files, g, us), os.Remove(path)); err != nil {
			return err
		}
	}
	return nil
}

// escapeGlob makes a path stand for itself in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// Note takes what the bot publishes. It never waits.
func (a *Archive) Note(event watch.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e := event.(type) {
	case *watch.Game:
		g := a.games[e.ID]
		if g == nil {
			g = &entry{}
			a.games[e.ID] = g
		}
		g.game, g.changed, g.left = e, true, false
		if e.Over() && g.ended.IsZero() {
			g.ended = time.Now()
		}
	case *watch.Rated:
		if g := a.games[e.Game]; g != nil {
			g.rated, g.changed = e, true
		}
	case *watch.Left:
		if g := a.games[e.Game]; g != nil {
			g.left = true
		}
	default:
		return
	}
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Close writes what is left and ends the archive.
func (a *Archive) Close() {
	a.once.Do(func() { close(a.stop) })
	<-a.done
}

// write is the writer: it alone touches the files.
func (a *Archive) write() {
	defer close(a.done)
	next := time.NewTimer(restWrites)
	next.Stop()
	rest := time.NewTimer(0)
	for {
		select {
		case <-a.stop:
			a.round(true)
			return
		case <-a.wake:
		case <-next.C:
		}
		if wait := a.round(false); wait > 0 {
			next.Reset(wait)
		}
		rest.Reset(restWrites)
		select {
		case <-rest.C:
		case <-a.stop:
		}
	}
}

// round writes what is to be written, all of it when it is the last. It returns when to come again, 0 for when there is something
// new.
func (a *Archive) round(last bool) (wait time.Duration) {
	now := time.Now()
	a.mu.Lock()
	work := make(map[string]entry, len(a.games)) // copies: events go on coming
	for id, g := range a.games {
		if g.changed || g.left || !g.ended.IsZero() {
			work[id] = *g
			g.changed = false
		}
	}
	a.mu.Unlock()

	fault := a.placeFound()
	for id, g := range work {
		if slices.Contains(a.placed, id) {
			a.drop(id, g.game)
			continue
		}
		if !g.looked {
			g.looked, g.earlier = true, a.earlier(id)
			a.mu.Lock()
			a.games[id].looked, a.games[id].earlier = true, g.earlier
			a.mu.Unlock()
		}
		done, later, err := a.keep(id, &g, now, last)
		switch {
		case err != nil:
			fault = err
			a.mu.Lock()
			a.games[id].changed = true
			a.mu.Unlock()
		case done:
			a.drop(id, g.game)
		case later > 0 && (wait == 0 || later < wait):
			wait = later
		}
	}
	switch {
	case fault != nil:
		if !a.faulted || last {
			a.opts.Log.Error("games cannot be written, trying on", "dir", a.opts.Dir, "games", a.bound(), "err", fault)
		}
		wait = retryAfter
	case a.faulted:
		a.opts.Log.Info("games can be written again", "dir", a.opts.Dir)
	}
	a.faulted = fault != nil
	return wait
}

// keep writes a game: into its place when all is known of it (done), else as one in play. later is when to come again for it.
func (a *Archive) keep(id string, g *entry, now time.Time, last bool) (done bool, later time.Duration, err error) {
	if g.game.Outcome() == watch.Aborted {
		return true, 0, a.forget(id)
	}
	pgn := toPGN(g.game, g.rated)
	complete(pgn, g.earlier)
	if g.changed {
		if err := writeDraft(a.opts.Dir, id, pgn, g.game.Us); err != nil {
			return false, 0, err
		}
	}
	if g.ended.IsZero() {
		return g.left, 0, nil
	}
	if wait := g.ended.Add(ratingWait).Sub(now); g.game.Full.Rated && g.rated == nil && wait > 0 && !last {
		return false, wait, nil
	}
	if err := place(a.opts.Dir, a.opts.Files, pgn, g.game.Us); err != nil {
		return false, 0, err
	}
	if a.placed = append(a.placed, id); len(a.placed) > placedKept {
		a.placed = slices.Delete(a.placed, 0, 1)
	}
	return true, 0, a.forget(id)
}

// forget removes the file of a game in play.
func (a *Archive) forget(id string) error {
	if err := os.Remove(draftPath(a.opts.Dir, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the game is in its place, but not off the unfinished ones: %w", err)
	}
	return nil
}

// drop forgets a game, unless there is news of it.
func (a *Archive) drop(id string, written *watch.Game) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if g := a.games[id]; g != nil && g.game == written {
		delete(a.games, id)
	}
}

// bound drops games when too many wait for the disk, those first that ended first, and returns how many wait.
func (a *Archive) bound() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.games) > mostWaiting {
		oldest := ""
		for id, g := range a.games {
			if !g.ended.IsZero() && (oldest == "" || g.ended.Before(a.games[oldest].ended)) {
				oldest = id
			}
		}
		if oldest == "" {
			break
		}
		delete(a.games, oldest)
	}
	return len(a.games)
}

// earlier returns what an earlier run, or this one before the bot left the game, kept of it; nil for nothing.
func (a *Archive) earlier(id string) *chess.PGNGame {
	g, _, err := readDraft(draftPath(a.opts.Dir, id))
	if err != nil {
		a.opts.Log.Warn("what was kept of a game in play cannot be read again", "game", id, "err", err)
		return nil
	}
	return g
}
