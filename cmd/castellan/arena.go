package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"castellan/config"
	"castellan/lichess"
)

type arenaCommand struct {
	Join  arenaJoinCommand  `cmd:"" help:"Join an arena with the bot's account and ask for an opponent. A running daemon plays, and plays on in the arena to its end."`
	Leave arenaLeaveCommand `cmd:"" help:"Leave an arena, or pause in one that runs: the bot gets no opponent any more."`
	Show  arenaShowCommand  `cmd:"" help:"Tell about an arena: when it begins and ends, and whether it admits bots."`
}

// Help is shown by castellan arena --help.
func (arenaCommand) Help() string {
	return `Examples:

  castellan arena show https://lichess.org/tournament/AbCd1234
  castellan arena join AbCd1234
  castellan arena leave AbCd1234
  CASTELLAN_ARENAS=AbCd1234 castellan run        join, play and stay without a hand

The token needs the permission tournament:write besides bot:play, and the arena has to admit bots.`
}

type arenaJoinCommand struct {
	ID       string `arg:"" help:"Id or address of the arena."`
	Password string `help:"Its password, or the account's own entry code; better given as CASTELLAN_ARENA_PASSWORD."`
	Team     string `help:"Id of the team to play for, in a battle of teams (CASTELLAN_ARENA_TEAM)."`
}

type arenaLeaveCommand struct {
	ID string `arg:"" help:"Id or address of the arena."`
}

type arenaShowCommand struct {
	ID   string `arg:"" help:"Id or address of the arena."`
	JSON bool   `name:"json" help:"Print JSON, as the server tells it."`
}

// arenaTimeout bounds what one of these commands asks.
const arenaTimeout = 45 * time.Second

func (c arenaJoinCommand) Run(ctx context.Context, std streams) error {
	return withArena(ctx, c.ID, func(ctx context.Context, cfg *config.Config, client *lichess.Client, id string) error {
		arena, err := client.Arena(ctx, id)
		if err != nil {
			return err
		}
		if arena.IsFinished {
			return fmt.Errorf("%s is over", arena.FullName)
		}
		entry := lichess.ArenaEntry{Password: cfg.ArenaPassword.Reveal(), Team: string(cfg.ArenaTeam), PairNow: arena.Started()}
		if c.Password != "" {
			entry.Password = c.Password
		}
		if c.Team != "" {
			entry.Team = c.Team
		}
		if err := client.JoinArena(ctx, id, entry); err != nil {
			return err
		}
		if arena.Started() {
			fmt.Fprintf(std.out, "Joined %s. The server looks for an opponent for a minute; from the first game on a running daemon stays in it to its end.\n", arena.FullName)
			return nil
		}
		fmt.Fprintf(std.out, "Joined %s, which begins in %v. A daemon with CASTELLAN_ARENAS=%s asks for opponents then; without that, join again when it has begun.\n",
			arena.FullName, arena.StartsIn(), id)
		return nil
	})
}

func (c arenaLeaveCommand) Run(ctx context.Context, std streams) error {
	return withArena(ctx, c.ID, func(ctx context.Context, _ *config.Config, client *lichess.Client, id string) error {
		if err := client.LeaveArena(ctx, id); err != nil {
			return err
		}
		fmt.Fprintf(std.out, "Left the arena %s. A daemon that plays in it by CASTELLAN_ARENAS would come back.\n", id)
		return nil
	})
}

func (c arenaShowCommand) Run(ctx context.Context, std streams) error {
	return withArena(ctx, c.ID, func(ctx context.Context, _ *config.Config, client *lichess.Client, id string) error {
		arena, err := client.Arena(ctx, id)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(std.out, arena)
		}
		when := fmt.Sprintf("runs for another %v", time.Duration(arena.SecondsToFinish)*time.Second)
		switch {
		case arena.IsFinished:
			when = "is over"
		case !arena.Started():
			when = fmt.Sprintf("begins in %v and lasts %d minutes", arena.StartsIn(), arena.Minutes)
		}
		bots := "the server does not say that it admits bots"
		if arena.BotsAllowed {
			bots = "it admits bots"
		}
		_, err = fmt.Fprintf(std.out, "%s (%s) %s; %d players; %s.\n", arena.FullName, id, when, arena.NbPlayers, bots)
		return err
	})
}

// withArena does something about an arena on the server of the settings.
func withArena(ctx context.Context, text string, do func(context.Context, *config.Config, *lichess.Client, string) error) error {
	var ids config.Arenas
	if err := ids.Decode(text); err != nil || len(ids) != 1 {
		return usagef("%q is no arena: give its id of 8 letters and digits, or its address", lichess.CleanText(text, 60))
	}
	cfg, client, err := goOnline()
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, arenaTimeout)
	defer cancel()
	return arenaAdvice(do(ctx, cfg, client, ids[0]), ids[0], client.URL())
}

// arenaAdvice says what to do about a refusal.
func arenaAdvice(err error, id, server string) error {
	switch {
	case errors.Is(err, lichess.ErrNotFound):
		return fmt.Errorf("there is no arena %s on %s: give the last part of its address (%s/tournament/...): %w", id, server, server, err)
	case errors.Is(err, lichess.ErrUnauthorized):
		return fmt.Errorf("make a new token at %s&scopes[]=%s: %w", lichess.TokenPage(server), lichess.ScopeTournament, err)
	case errors.Is(err, lichess.ErrForbidden):
		return fmt.Errorf("the token lacks the permission %s; make one that has it and %s: %w", lichess.ScopeTournament, lichess.ScopeBotPlay, err)
	}
	return withAdvice(err)
}
