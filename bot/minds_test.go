package bot_test

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"castellan/bot"
	"castellan/bot/sources"
	"castellan/engine"
	"castellan/lichess"
)

// startMind runs a bot with something around the engine, which thinks for a millisecond a move.
func (a arena) startMind(url, token string, opts bot.Options, around func(*engine.Engine, *slog.Logger) (mind engine.Mind, end func())) *daemon {
	a.t.Helper()
	lines := &lockedLines{}
	opts.Log = slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	client, err := lichess.New(lichess.Options{URL: url, Token: lichess.Token("lip_" + token), Logger: opts.Log})
	if err != nil {
		a.t.Fatal(err)
	}
	own, err := engine.New(engine.Options{HashMB: 1, Threads: 1, MaxMoveTime: time.Millisecond, MoveOverhead: 10 * time.Millisecond})
	if err != nil {
		a.t.Fatal(err)
	}
	mind, end := around(own, opts.Log)
	ctx, cancel := context.WithCancel(context.Background())
	d := &daemon{Bot: bot.New(client, mind, opts), done: make(chan error, 1), log: lines}
	var once sync.Once
	d.kill = func() {
		once.Do(func() {
			cancel()
			<-d.done
			end()
			own.Close()
			client.Close()
		})
	}
	go func() {
		d.done <- d.Run(ctx)
		close(d.done)
	}()
	a.t.Cleanup(func() {
		d.kill()
		if a.t.Failed() {
			a.t.Logf("end of the log:\n%s", lines.end(60))
		}
	})
	return d
}

// startBehind runs a bot with sources before its engine.
func (a arena) startBehind(url string, opts bot.Options, o sources.Options) *daemon {
	a.t.Helper()
	return a.startMind(url, "castellan", opts, func(own *engine.Engine, log *slog.Logger) (engine.Mind, func()) {
		o.Log = log
		return sources.New(own, o), func() {}
	})
}
