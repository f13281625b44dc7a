package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"castellan/config"
)

type runCommand struct{}

// Help is shown by castellan run --help.
func (runCommand) Help() string {
	return `Examples:

  CASTELLAN_TOKEN_FILE=/etc/castellan/token castellan run

It signs in, goes on with all games that run, and then takes challenges and makes them as the settings say. It needs a token with the permission
bot:play (CASTELLAN_TOKEN or CASTELLAN_TOKEN_FILE) and a BOT account (castellan upgrade); castellan doctor looks whether all is well,
castellan config lists the settings. The log goes to standard error.

Signals: SIGTERM and SIGINT end it, at once or after the games that run (CASTELLAN_SHUTDOWN), a second one at once in any case; games go on
with the next start. SIGHUP reads the lists of names again.

The exit code is 0 after a signal, 1 when the server refuses for good, 2 when a setting is wrong.`
}

// Run is the daemon. The first SIGTERM or SIGINT leaves at once or after the running games, as the settings say; the second
// leaves at once. SIGHUP reads the lists of names again.
func (runCommand) Run(ctx context.Context, std streams) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)
	cfg, faults := config.LoadOnline()
	watchers := newWatchers()
	log := watchers.watchLog(newLog(&cfg, std.err))
	if faults = errors.Join(faults, fitMemory(&cfg, log)); faults == nil {
		faults = watchers.open(&cfg)
	}
	if faults != nil {
		return allFaults(&cfg, faults)
	}
	defer watchers.close()
	player, err := newPlayer(&cfg, string(cfg.URL), cfg.Token.Reveal(), log, watchers)
	if err != nil {
		return err
	}
	defer player.close()
	watchers.serve(&cfg)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchers.completeGames(ctx)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	go func() {
		for {
			select {
			case <-hangups:
				readNamesAgain(&cfg, player, log)
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		select {
		case s := <-signals:
			log.Info("signal", "name", s.String(), "shutdown", string(cfg.Shutdown))
		case <-ctx.Done():
			return
		}
		if cfg.Shutdown == "leave" {
			cancel()
			return
		}
		player.Drain()
		select {
		case s := <-signals:
			log.Info("second signal: leaving now", "name", s.String())
		case <-time.After(time.Duration(cfg.ShutdownLimit)):
			log.Warn("games are still running at CASTELLAN_SHUTDOWN_LIMIT: leaving now")
		case <-ctx.Done():
		}
		cancel()
	}()
	return player.Run(ctx)
}

// readNamesAgain takes the allow and block lists out of their files anew. When one of them is wrong, all stays as it was.
func readNamesAgain(cfg *config.Config, player *player, log *slog.Logger) {
	lists, err := cfg.NameLists()
	if err != nil {
		log.Error("the lists of names stay as they were", "err", err)
		return
	}
	player.SetNames(lists.Allow, lists.Block)
	log.Info("lists of names read again", "allowed", len(lists.Allow), "blocked", len(lists.Block))
}
