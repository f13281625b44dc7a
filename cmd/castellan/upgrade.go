package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"castellan/lichess"
)

type upgradeCommand struct{}

// Help is shown by castellan upgrade --help.
func (upgradeCommand) Help() string {
	return `Example:

  CASTELLAN_TOKEN_FILE=/etc/castellan/token castellan upgrade

Lichess lets programs play by BOT accounts alone. Only an account that has never played a game can become one, it can never become an
ordinary one again, and from then on it plays by the Bot API only: no games on the website, no tournaments but those that admit bots.
So the name of the account has to be typed, followed by Enter; anything else changes nothing.

The token comes from CASTELLAN_TOKEN or CASTELLAN_TOKEN_FILE and needs the permission bot:play.`
}

// maxTyped bounds the line that is read.
const maxTyped = 1 << 10

// upgradeTimeout bounds what is asked before and after the name is typed.
const upgradeTimeout = 45 * time.Second

// Run looks whether the account can be upgraded, asks for its name and does it.
func (upgradeCommand) Run(ctx context.Context, std streams) error {
	_, client, err := goOnline()
	if err != nil {
		return err
	}
	defer client.Close()
	name, done, err := upgradable(ctx, client)
	if err != nil {
		return err
	}
	if done {
		_, err := fmt.Fprintf(std.out, "%s is a BOT account already: there is nothing to do.\n", name)
		return err
	}
	fmt.Fprintf(std.out, `%s at %s will become a BOT account.

  - This cannot be undone, not by you and not by Lichess.
  - From then on only a program can play with it, by the Bot API.
  - It is possible because the account has never played a game.

Type the name of the account to go on: `, name, client.URL())
	typed, err := bufio.NewReader(io.LimitReader(std.in, maxTyped)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	fmt.Fprintln(std.out)
	if strings.TrimSpace(typed) != name {
		return fmt.Errorf("that is not %q: nothing was changed", name)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, upgradeTimeout)
	defer cancel()
	if err := client.UpgradeAccount(ctx); err != nil {
		if lichess.Uncertain(err) {
			return fmt.Errorf("the answer was lost, so the account may be a BOT account now; castellan doctor tells: %w", err)
		}
		return withAdvice(err)
	}
	_, err = fmt.Fprintf(std.out, "%s is a BOT account now. Start it with: castellan run\n", name)
	return err
}

// upgradable returns the account's name, and whether it is a BOT account already. The error says why it cannot become one.
func upgradable(ctx context.Context, client *lichess.Client) (name string, done bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, upgradeTimeout)
	defer cancel()
	token, err := client.TestToken(ctx)
	if errors.Is(err, lichess.ErrUnauthorized) {
		return "", false, fmt.Errorf("make a new token at %s: %w", lichess.TokenPage(client.URL()), err)
	}
	if err != nil {
		return "", false, withAdvice(err)
	}
	me, err := client.Account(ctx)
	switch {
	case err != nil:
		return "", false, withAdvice(err)
	case me.IsBot():
		return me.Username, true, nil
	case me.Disabled:
		return "", false, fmt.Errorf("the account %s is closed: use a token of another one", me.Username)
	case me.Count != nil && me.Count.All > 0:
		return "", false, fmt.Errorf("%s has played %s, and only an account without games can become a BOT account: make a new account, and a token of that", me.Username, plural(me.Count.All, "game"))
	case !token.HasScope(lichess.ScopeBotPlay):
		return "", false, fmt.Errorf("the token lacks the permission %s: make one that has it at %s", lichess.ScopeBotPlay, lichess.TokenPage(client.URL()))
	}
	return me.Username, false, nil
}
