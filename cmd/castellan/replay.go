package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"text/tabwriter"
	"time"

	"castellan/bot"
	"castellan/bot/sources"
	"castellan/config"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/record"
	"castellan/lichess/replay"
)

type replayCommand struct {
	Dir     string        `arg:"" complete:"file" help:"Folder that CASTELLAN_RECORD_DIR named."`
	Account string        `placeholder:"NAME" help:"Name of the bot's account, for a recording whose first part is gone."`
	Wait    time.Duration `default:"10s" placeholder:"DURATION" help:"Time for the bot to do again what it did then, on top of what it took then (${default})."`
	Check   bool          `help:"Fail when a decision is not the recorded one."`
}

// Help is shown by castellan replay --help.
func (replayCommand) Help() string {
	return `Examples:

  CASTELLAN_RECORD_DIR=recording castellan run     record
  castellan replay recording
  castellan replay --check recording

The bot, with the settings of the environment, is given what the server said in the recording, over HTTP. Each of its decisions
stands in a line: when it was made then, in which game or about which challenge, after how many moves, then and now.

It looks at a fixed number of positions for a move, CASTELLAN_NODES or 20000 of them, with one thread and an empty memory, so that every
replay decides alike. Opening books and levels below full strength choose at random all the same.

The exit code is 0 after success, 1 when the recording cannot be played or, with --check, a decision is not the recorded one, 2 when something
on the command line or in the settings is wrong.`
}

const (
	replayNodes  = 20_000
	replayHashMB = 16 // is emptied before each move
	replayToken  = "lip_replay"
)

// Run replays all runs in the folder, one after the other.
func (c replayCommand) Run(ctx context.Context, std streams) error {
	cfg, err := config.Load()
	onlyOnline(&cfg)
	if err != nil {
		return allFaults(&cfg, err)
	}
	usualTable(&cfg)
	if c.Wait <= 0 {
		return usagef("--wait %s: it must be longer than nothing", c.Wait)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	runs, err := record.Runs(c.Dir)
	if err != nil {
		return usageError{err}
	}
	if cfg.Nodes == 0 {
		cfg.Nodes = replayNodes
	}
	cfg.Threads, cfg.HashMB, cfg.Ponder, cfg.Record.Dir = 1, min(cfg.HashMB, replayHashMB), false, ""
	cfg.Engine = "" // nobody vouches for another engine's deciding alike, nor for what is asked online
	cfg.Sources = slices.DeleteFunc(slices.Clone(cfg.Sources), func(s string) bool { return s != "book" })
	differ, all := 0, 0
	for _, run := range runs {
		entries, err := run.Read()
		if cut := (*record.CutError)(nil); errors.As(err, &cut) {
			fmt.Fprintln(std.err, "castellan:", err)
		} else if err != nil {
			return err
		}
		fmt.Fprintln(std.out, run.Name)
		decisions, err := c.replay(ctx, &cfg, entries, std)
		if err != nil {
			return err
		}
		d, err := printDecisions(decisions, std)
		if err != nil {
			return err
		}
		differ, all = differ+d, all+len(decisions)
	}
	fmt.Fprintf(std.out, "%d decisions, %d differ\n", all, differ)
	if c.Check && differ > 0 {
		return fmt.Errorf("%d of %d decisions are not the recorded ones", differ, all)
	}
	return nil
}

// replay plays one run to a bot of its own and returns what was decided.
func (c replayCommand) replay(ctx context.Context, cfg *config.Config, entries []record.Entry, std streams) ([]replay.Decision, error) {
	server, err := replay.New(entries, replay.Options{Account: c.Account, Wait: c.Wait})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	f, err := openFiles(cfg)
	if err != nil {
		return nil, err
	}
	defer f.close()
	options := engineOptions(cfg, f)
	options.Reproducible = true
	eng, err := engine.New(options)
	if err != nil {
		return nil, err
	}
	defer eng.Close()
	log := newLog(cfg, std.err)
	client, err := lichess.New(lichess.Options{URL: server.URL, Token: replayToken, Version: buildVersion(), Logger: log})
	if err != nil {
		return nil, err
	}
	defer client.Close()

	playing, leave := context.WithCancel(ctx)
	defer leave()
	left := make(chan error, 1)
	go func() {
		defer leave() // nobody is left to play to
		mind := sources.New(eng, sourceOptions(cfg, f, nil, eng, log))
		left <- bot.New(client, mind, botOptions(cfg, log)).Run(playing)
	}()
	_ = server.Run(playing) // ends with the context, of which the bot's end and a signal are told below
	leave()
	if botErr := <-left; botErr != nil {
		fmt.Fprintln(std.err, "castellan: the bot gave up:", botErr)
	}
	if ctx.Err() != nil {
		return nil, errors.New("interrupted before the end of the recording")
	}
	for _, note := range server.Notes() {
		fmt.Fprintln(std.err, "castellan:", lichess.CleanText(note, 300))
	}
	return server.Decisions(), nil
}

// printDecisions prints a table and returns how many decisions differ.
func printDecisions(decisions []replay.Decision, std streams) (differ int, err error) {
	table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TIME\tABOUT\tPLY\tTHEN\tNOW\t")
	for _, d := range decisions {
		ply, mark := "", ""
		if d.Ply >= 0 {
			ply = strconv.Itoa(d.Ply)
		}
		if d.Differs() {
			differ++
			mark = "differs"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", d.At.UTC().Format("15:04:05.000"), lichess.CleanText(d.About, 40), ply,
			orNothing(d.Recorded), orNothing(d.Now), mark)
	}
	return differ, table.Flush()
}

func orNothing(decision string) string {
	if decision == "" {
		return "-"
	}
	return lichess.CleanText(decision, 60)
}
