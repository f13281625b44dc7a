package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"castellan/bot/archive"
	"castellan/bot/metrics"
	"castellan/bot/watch"
	"castellan/bot/web"
	"castellan/config"
	"castellan/lichess"
)

// watchers are those who want to know what the daemon does: they are told by it, and never asked anything. The archive keeps the
// games; the state is what the status page, the readiness check and some metrics read.
type watchers struct {
	state   *watch.State
	metrics *metrics.Metrics
	archive *archive.Archive // nil when no games are kept
	client  *lichess.Client  // set before anybody is served

	log     *slog.Logger
	doors   []door
	servers []*http.Server
	serving sync.WaitGroup
}

// door is an address at which somebody may look in.
type door struct {
	listener net.Listener
	page     bool // with the status page
}

// listenName is the host of an address to listen on: who gives a name there wants to be asked by it.
func listenName(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return strings.ToLower(host)
}

// statusSettings are the settings as the status page shows them, secrets masked.
func statusSettings(cfg *config.Config) (list []web.StatusSetting) {
	settings := cfg.Settings()
	changed := changed(settings)
	for _, s := range settings {
		set := slices.ContainsFunc(changed, func(c config.Setting) bool { return c.Variable == s.Variable })
		list = append(list, web.StatusSetting{Section: s.Section, Variable: s.Variable, Value: s.Value, Changed: set})
	}
	return list
}

// newWatchers returns those who keep nothing outside the process. Open makes the others.
func newWatchers() *watchers {
	w := &watchers{state: watch.NewState()}
	w.metrics = metrics.New(metrics.Sources{
		Version: buildVersion(), State: w.state,
		EventsHeard: func() time.Time { return w.client.EventsHeard() },
		Limits:      func() []lichess.Limit { return w.client.Limits() },
	})
	return w
}

// watchLog makes the watchers see the warnings and errors of a log.
func (w *watchers) watchLog(log *slog.Logger) *slog.Logger {
	w.log = slog.New(w.state.Problems(log.Handler(), w.metrics.Problem))
	return w.log
}

// open makes the folder of the games and the addresses ready, so that what is wrong with them is told at the start, all at once.
func (w *watchers) open(cfg *config.Config) error {
	var faults []error
	if err := checkMadeFolder("CASTELLAN_PGN_DIR", cfg.PGN.Dir); err != nil {
		faults = append(faults, err)
	} else if cfg.PGN.Dir != "" {
		w.archive, err = archive.Open(archive.Options{Dir: string(cfg.PGN.Dir), Files: archive.Grouping(cfg.PGN.Files), Log: w.log})
		if err != nil {
			faults = append(faults, fmt.Errorf("CASTELLAN_PGN_DIR: %w: %s", err, folderAdvice(err)))
		}
	}
	for _, at := range []struct {
		variable string
		addr     config.Addr
		page     bool
	}{{"CASTELLAN_STATUS_ADDR", cfg.StatusAddr, true}, {"CASTELLAN_METRICS_ADDR", cfg.MetricsAddr, false}} {
		if at.addr == "" {
			continue
		}
		listener, err := net.Listen("tcp", string(at.addr))
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w: %s", at.variable, err, listenAdvice))
			continue
		}
		w.doors = append(w.doors, door{listener, at.page})
	}
	if len(faults) > 0 {
		w.close()
		return usageError{errors.Join(faults...)}
	}
	return nil
}

// note takes what the bot publishes.
func (w *watchers) note(event watch.Event) {
	w.state.Note(event)
	w.metrics.Note(event)
	if w.archive != nil {
		w.archive.Note(event)
	}
}

// serve lets people and programs look in at the addresses that were opened.
func (w *watchers) serve(cfg *config.Config) {
	health := web.NewHealth(func() []string {
		now := w.state.Snapshot()
		return now.NotReady(w.client.EventsHeard(), time.Now())
	})
	for _, d := range w.doors {
		mux := http.NewServeMux()
		mux.Handle("/healthz", health)
		mux.Handle("/readyz", health)
		mux.Handle("/metrics", web.GetOnly(w.metrics.Handler()))
		what := "health and metrics"
		if d.page {
			what = "status page, health and metrics"
			mux.Handle("/", web.NewStatus(web.StatusOptions{
				Version: buildVersion(), State: w.state, EventsHeard: w.client.EventsHeard, Limits: w.client.Limits,
				Settings: statusSettings(cfg), Hosts: append([]string{listenName(string(cfg.StatusAddr))}, cfg.StatusHosts...),
			}))
		}
		server := &http.Server{
			Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
			MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(w.log.Handler(), slog.LevelDebug),
		}
		w.servers = append(w.servers, server)
		at := "http://" + d.listener.Addr().String()
		line := []any{"url", reachable(at), "what", what}
		if others := fromElsewhere(at); len(others) > 0 {
			line = append(line, "elsewhere", strings.Join(others, " "))
		}
		w.log.Info("to be seen", line...)
		w.serving.Go(func() {
			if err := server.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
				w.log.Error("nobody can look in any more", "at", d.listener.Addr().String(), "err", err)
			}
		})
	}
	w.doors = nil // the servers close them
}

// gamesTold is how long after the start the bot has surely taken up the games that run.
const gamesTold = 30 * time.Second

// completeGames finds out how games ended that ended while no bot was running.
func (w *watchers) completeGames(ctx context.Context) {
	if w.archive == nil {
		return
	}
	w.serving.Go(func() {
		select {
		case <-time.After(gamesTold):
		case <-ctx.Done():
			return
		}
		if now := w.state.Snapshot(); now.Connected {
			w.archive.Complete(ctx, w.client.ExportPGN)
		}
	})
}

// close ends them, when the bot has ended.
func (w *watchers) close() {
	for _, d := range w.doors {
		d.listener.Close()
	}
	for _, server := range w.servers {
		server.Close()
	}
	w.serving.Wait()
	if w.archive != nil {
		w.archive.Close()
	}
}
