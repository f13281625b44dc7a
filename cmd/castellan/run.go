package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"castellan/config"
)

type runCommand struct{}

// Run is the daemon. The first SIGTERM or SIGINT leaves at once or after the running games, as the settings say; the second
// leaves at once.
func (runCommand) Run(ctx context.Context, std streams) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)
	cfg, err := config.LoadOnline()
	if err != nil {
		return withFileFaults(&cfg, err)
	}
	log := newLog(&cfg, std.err)
	if err := fitMemory(&cfg, log); err != nil {
		return err
	}
	player, err := newPlayer(&cfg, string(cfg.URL), cfg.Token.Reveal(), log)
	if err != nil {
		return err
	}
	defer player.close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
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
