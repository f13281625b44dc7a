package bot

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"castellan/lichess"
)

// A FatalError ends the bot: no further try could help. Its text is one sentence that says what to do.
type FatalError struct {
	Advice string
	Err    error // the cause, nil when the advice says it all
}

func (e *FatalError) Error() string {
	if e.Err == nil {
		return e.Advice
	}
	return fmt.Sprintf("%s (%v)", e.Advice, e.Err)
}

// Unwrap returns the cause.
func (e *FatalError) Unwrap() error { return e.Err }

// testAgain is the least time between two tests of a token that the server refuses elsewhere.
const testAgain = 5 * time.Second

// signIn finds out whose the token is, by testing it or, while the server has no time for that, by reading the account. What
// is not asked here is left for later, for games may be waiting.
func (b *Bot) signIn(ctx context.Context) (me string, tested bool, err error) {
	b.log.Info("connecting", "url", b.client.URL())
	err = b.untilClear(ctx, func(ctx context.Context) error {
		err := b.checkToken(ctx)
		if tested = err == nil; !tested && errors.As(err, new(*lichess.LimitError)) {
			return b.checkAccount(ctx)
		}
		return err
	})
	return lichess.UserID(b.client.Username()), tested, err
}

// untilClear asks until there is a clear answer: nil, or a *FatalError. It returns another error only when ctx ends.
func (b *Bot) untilClear(ctx context.Context, ask func(context.Context) error) error {
	// The first tries follow each other quickly: games may be waiting.
	const first, longest = 200 * time.Millisecond, time.Minute
	for wait := first; ; wait = min(2*wait, longest) {
		err := ask(ctx)
		if err == nil || errors.As(err, new(*FatalError)) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		pause := wait/2 + rand.N(wait)
		if limit := (*lichess.LimitError)(nil); errors.As(err, &limit) {
			pause = max(pause, limit.Wait())
		}
		b.log.Warn("no clear answer about the account, trying again", "in", pause.Round(time.Millisecond).String(), "err", err)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// watchToken tests the token, unless that was done just now, and whenever the server has refused it in some call. It returns
// when the token is of no use any more, or ctx ends.
func (b *Bot) watchToken(ctx context.Context, tested bool) error {
	for {
		if !tested {
			if err := b.untilClear(ctx, b.checkToken); err != nil {
				return err
			}
			if err := sleep(ctx, testAgain); err != nil {
				return err
			}
		}
		select {
		case <-b.client.Doubts():
			tested = false
			b.log.Warn("a call was refused for the token's sake, testing it")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// checkToken asks what the token may do. Only a plain "no" to this very token is an end.
func (b *Bot) checkToken(ctx context.Context) error {
	server := b.client.URL()
	token, err := b.client.TestToken(ctx)
	switch {
	case errors.Is(err, lichess.ErrUnauthorized):
		return fatal(err, server)
	case err != nil:
		return err
	case !token.HasScope(lichess.ScopeBotPlay):
		return &FatalError{Advice: "the token lacks the permission bot:play; make one that has it at " + lichess.TokenPage(server)}
	}
	return nil
}

// checkAccount asks whether the account is one that may play as a bot.
func (b *Bot) checkAccount(ctx context.Context) error {
	me, err := b.client.Account(ctx)
	switch {
	case err != nil:
		return err
	case me.Disabled:
		return &FatalError{Advice: fmt.Sprintf("the account %s is closed; use a token of another one", me.Username)}
	case !me.IsBot():
		return &FatalError{Advice: fmt.Sprintf("%s is not a BOT account; an account that has never played a game becomes one, for good, by "+
			"castellan upgrade, or by POST %s/api/bot/account/upgrade with its token", me.Username, b.client.URL())}
	}
	return nil
}

// sleep waits for the time given, or returns an error when ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fatal says what to do about an error that ended the bot.
func fatal(err error, server string) error {
	switch {
	case errors.Is(err, lichess.ErrUnauthorized):
		return &FatalError{fmt.Sprintf("%s does not accept the token; make a new one with the permission bot:play at %s", server, lichess.TokenPage(server)), err}
	case errors.Is(err, lichess.ErrForbidden):
		return &FatalError{"the token may not do what a bot must; make one with the permission bot:play at " + lichess.TokenPage(server), err}
	}
	return &FatalError{fmt.Sprintf("%s ended the event stream for good", server), err}
}
