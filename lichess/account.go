package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// Account returns the account of the token. From this call or TestToken on,
// whichever comes first, the client names the account in its User-Agent, which
// is part of what makes a game stream the only one of its kind: make one of the
// two before opening streams.
func (c *Client) Account(ctx context.Context) (*User, error) {
	var user User
	if err := c.get(ctx, epAccount, request{costs: []cost{{&c.limits.account, 1}}}, &user); err != nil {
		return nil, err
	}
	if err := checkArg("user name", nameForm, user.Username); err != nil {
		return nil, fmt.Errorf("lichess: %s: the reply has no proper name: %w", epAccount, err)
	}
	c.named(user.Username)
	return &user, nil
}

// TestToken asks whose the token is and what it may do. The error matches
// ErrUnauthorized only when the server says that it does not know this very
// token; an empty answer is asked again a few times.
func (c *Client) TestToken(ctx context.Context) (*TokenInfo, error) {
	body := request{body: []byte(*c.token), contentType: "text/plain", anonymous: true}
	for try := 0; ; try++ {
		var reply map[string]*TokenInfo
		if err := c.get(ctx, epTokenTest, body, &reply); err != nil {
			return nil, err
		}
		info, answered := reply[string(*c.token)]
		switch {
		case info != nil:
			if err := checkArg("user id", nameForm, info.UserID); err != nil {
				return nil, fmt.Errorf("lichess: %s: %w", epTokenTest, err)
			}
			if c.Username() == "" {
				c.named(info.UserID)
			}
			return info, nil
		case answered:
			return nil, &APIError{Endpoint: epTokenTest.String(), Status: 401, Message: "the server does not know this token"}
		case try == 3:
			return nil, fmt.Errorf("lichess: %s: the reply does not mention the token", epTokenTest)
		}
		if err := sleep(ctx, jitter(try+1)); err != nil {
			return nil, err
		}
	}
}

// TokenPage is the page of a server on which a token with the permission
// bot:play is made.
func TokenPage(server string) string {
	return server + "/account/oauth/token/create?scopes[]=" + ScopeBotPlay
}

// UpgradeAccount turns the account into a BOT account, for good. The server
// refuses with 400 when it has ever played a game.
func (c *Client) UpgradeAccount(ctx context.Context) error {
	return c.post(ctx, epUpgrade, request{})
}

// Playing lists up to limit (1 to 50) running games, the most urgent first.
func (c *Client) Playing(ctx context.Context, limit int) (*NowPlaying, error) {
	var list NowPlaying
	query := url.Values{"nb": {strconv.Itoa(min(max(limit, 1), 50))}}
	if err := c.get(ctx, epPlaying, request{query: query}, &list); err != nil {
		return nil, err
	}
	return &list, nil
}

// OnlineBots lists up to limit (1 to 512) BOT accounts that are online.
func (c *Client) OnlineBots(ctx context.Context, limit int) ([]User, error) {
	query := url.Values{"nb": {strconv.Itoa(min(max(limit, 1), 512))}}
	body, err := c.call(ctx, epOnlineBots, request{query: query, accept: ndjsonType})
	if err != nil {
		return nil, err
	}
	var users []User
	var broken error
	for line := range bytes.Lines(body) {
		var user User
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := errors.Join(json.Unmarshal(line, &user), checkArg("user name", nameForm, user.Username)); err != nil {
			broken = cleanError(err)
			continue
		}
		users = append(users, user)
	}
	if users == nil && broken != nil {
		return nil, fmt.Errorf("lichess: %s: the reply is not what was expected: %w", epOnlineBots, broken)
	}
	return users, nil
}

// sleep waits for the time given, or returns the cause when the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
