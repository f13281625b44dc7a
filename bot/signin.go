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

// signIn checks the token and the account. It tries as long as the server does not answer clearly: only a plain "no" to this
// very token is an end.
func (b *Bot) signIn(ctx context.Context) (*lichess.User, error) {
	// The first tries follow each other quickly: games may be waiting.
	const first, longest = 200 * time.Millisecond, time.Minute
	b.log.Info("connecting", "url", b.client.URL())
	for wait := first; ; wait = min(2*wait, longest) {
		me, err := b.trySignIn(ctx)
		if err == nil {
			return me, nil
		}
		if deadly := (*FatalError)(nil); errors.As(err, &deadly) {
			return nil, err
		}
		if lichess.IsAuthError(err) {
			return nil, fatal(err, b.client.URL())
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		pause := wait/2 + rand.N(wait)
		if limit := (*lichess.LimitError)(nil); errors.As(err, &limit) {
			pause = max(pause, limit.Wait())
		}
		b.log.Warn("signing in failed, trying again", "in", pause.Round(time.Millisecond).String(), "err", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (b *Bot) trySignIn(ctx context.Context) (*lichess.User, error) {
	server := b.client.URL()
	token, err := b.client.TestToken(ctx)
	switch {
	case errors.Is(err, lichess.ErrUnauthorized):
		return nil, fatal(err, server)
	case err != nil:
		return nil, err
	case !token.HasScope(lichess.ScopeBotPlay):
		return nil, &FatalError{Advice: fmt.Sprintf("the token lacks the permission bot:play; make one that has it at %s/account/oauth/token", server)}
	}
	me, err := b.client.Account(ctx)
	switch {
	case err != nil:
		return nil, err
	case me.Disabled:
		return nil, &FatalError{Advice: fmt.Sprintf("the account %s is closed; use a token of another one", me.Username)}
	case !me.IsBot():
		return nil, &FatalError{Advice: fmt.Sprintf("%s is not a BOT account; an account that has never played a game becomes one, for good, by "+
			"POST %s/api/bot/account/upgrade with its token", me.Username, server)}
	}
	return me, nil
}

// fatal says what to do about an error that ended the bot.
func fatal(err error, server string) error {
	switch {
	case errors.Is(err, lichess.ErrUnauthorized):
		return &FatalError{fmt.Sprintf("%s does not accept the token; make a new one with the permission bot:play at %s/account/oauth/token", server, server), err}
	case errors.Is(err, lichess.ErrForbidden):
		return &FatalError{fmt.Sprintf("the token may not do what a bot must; make one with the permission bot:play at %s/account/oauth/token", server), err}
	}
	return &FatalError{fmt.Sprintf("%s ended the event stream for good", server), err}
}
