package main

import (
	"fmt"
	"log/slog"

	"castellan/bot/archive"
	"castellan/bot/watch"
	"castellan/config"
)

// watchers are those who want to know what the daemon does: they are told by it, and never asked anything.
type watchers struct {
	state   *watch.State
	archive *archive.Archive // nil when no games are kept
}

// newWatchers makes what the settings ask for.
func newWatchers(cfg *config.Config, state *watch.State, log *slog.Logger) (*watchers, error) {
	w := &watchers{state: state}
	if cfg.PGN.Dir != "" {
		var err error
		w.archive, err = archive.Open(archive.Options{Dir: string(cfg.PGN.Dir), Files: archive.Grouping(cfg.PGN.Files), Log: log})
		if err != nil {
			return nil, usageError{fmt.Errorf("CASTELLAN_PGN_DIR: %w", err)}
		}
	}
	return w, nil
}

// note takes what the bot publishes.
func (w *watchers) note(event watch.Event) {
	w.state.Note(event)
	if w.archive != nil {
		w.archive.Note(event)
	}
}

// close ends them, when the bot has ended.
func (w *watchers) close() {
	if w.archive != nil {
		w.archive.Close()
	}
}
