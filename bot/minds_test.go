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

// startMind is startWith for a bot with something around its engine.
func (a arena) startMind(url, token string, opts bot.Options, think engine.Options, around func(*engine.Engine, *slog.Logger) (mind engine.Mind, end func())) *daemon {
	a.t.Helper()
	lines := &lockedLines{}
	opts.Log = slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	client, err := lichess.New(lichess.Options{URL: url, Token: lichess.Token("lip_" + token), Logger: opts.Log})
	if err != nil {
		a.t.Fatal(err)
	}
	think.HashMB, think.Threads = 1, 1
	if think.MoveOverhead == 0 {
		think.MoveOverhead = 10 * time.Millisecond
	}
	own, err := engine.New(think)
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
			a.t.Logf("end of the log of %s:\n%s", token, lines.end(100))
		}
	})
	return d
}

// startBehind runs a bot with sources before its engine.
func (a arena) startBehind(url string, opts bot.Options, o sources.Options) *daemon {
	a.t.Helper()
	return a.startMind(url, "castellan", opts, engine.Options{MaxMoveTime: time.Millisecond}, func(own *engine.Engine, log *slog.Logger) (engine.Mind, func()) {
		o.Log = log
		return sources.New(own, o), func() {}
	})
}
