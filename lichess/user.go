package lichess

import (
	"slices"
	"strings"
)

// TitleBot is the title of BOT accounts.
const TitleBot = "BOT"

// User is an account: the own one, one by name, or one line of the list of
// online bots.
type User struct {
	ID           string          `json:"id"`
	Username     string          `json:"username"`
	Title        string          `json:"title,omitempty"`
	Perfs        map[string]Perf `json:"perfs,omitempty"` // by perf key: "bullet", "blitz", …, "chess960"
	Flair        string          `json:"flair,omitempty"`
	CreatedAt    int64           `json:"createdAt,omitempty"` // ms since 1970
	SeenAt       int64           `json:"seenAt,omitempty"`    // ms since 1970
	Profile      *Profile        `json:"profile,omitempty"`
	PlayTime     *PlayTime       `json:"playTime,omitempty"`
	URL          string          `json:"url,omitempty"`
	Count        *GameCount      `json:"count,omitempty"`
	Disabled     bool            `json:"disabled,omitempty"`     // the account is closed
	TosViolation bool            `json:"tosViolation,omitempty"` // marked for breaking the terms of service
	Verified     bool            `json:"verified,omitempty"`
	Patron       bool            `json:"patron,omitempty"`
	Playing      string          `json:"playing,omitempty"` // address of the game in play
	Streaming    bool            `json:"streaming,omitempty"`
	Followable   bool            `json:"followable,omitempty"`
	Following    bool            `json:"following,omitempty"`
	Blocking     bool            `json:"blocking,omitempty"`
}

// IsBot reports whether the account is a BOT account.
func (u *User) IsBot() bool { return u.Title == TitleBot }

// Rating returns the rating for a perf key such as "blitz" or "chess960",
// false when the account has none.
func (u *User) Rating(perf string) (int, bool) {
	p, ok := u.Perfs[perf]
	return p.Rating, ok
}

// Perf is the rating of an account in one kind of game.
type Perf struct {
	Games  int  `json:"games"`
	Rating int  `json:"rating"`
	RD     int  `json:"rd"` // rating deviation
	Prog   int  `json:"prog"`
	Prov   bool `json:"prov,omitempty"` // provisional
}

// Profile is what the owner of an account tells of himself.
type Profile struct {
	Flag       string `json:"flag,omitempty"`
	Location   string `json:"location,omitempty"`
	Bio        string `json:"bio,omitempty"`
	RealName   string `json:"realName,omitempty"`
	FideRating int    `json:"fideRating,omitempty"`
	Links      string `json:"links,omitempty"`
}

// PlayTime is time spent in games, in seconds.
type PlayTime struct {
	Total int64 `json:"total"`
	TV    int64 `json:"tv"`
	Human int64 `json:"human,omitempty"`
}

// GameCount counts games by kind and result.
type GameCount struct {
	All      int `json:"all"`
	Rated    int `json:"rated"`
	AI       int `json:"ai,omitempty"`
	Draw     int `json:"draw"`
	Loss     int `json:"loss"`
	Win      int `json:"win"`
	Bookmark int `json:"bookmark"`
	Playing  int `json:"playing"`
	Import   int `json:"import"`
	Me       int `json:"me"`
}

// ScopeBotPlay is the one OAuth scope that a bot needs.
const ScopeBotPlay = "bot:play"

// TokenInfo is what the token test knows of a token. The reply of the test is
// a map from token to TokenInfo, null for a token that does not exist.
type TokenInfo struct {
	UserID  string `json:"userId"`
	Scopes  string `json:"scopes"`  // comma-separated
	Expires *int64 `json:"expires"` // ms since 1970, null for never
}

// HasScope reports whether the token carries the scope.
func (t *TokenInfo) HasScope(scope string) bool {
	return slices.ContainsFunc(strings.Split(t.Scopes, ","), func(s string) bool {
		return strings.TrimSpace(s) == scope
	})
}
