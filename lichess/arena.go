package lichess

import (
	"context"
	"fmt"
	"net/url"
	"time"
)

// ScopeTournament is the OAuth scope that joining and leaving an arena needs, besides ScopeBotPlay for playing in it.
const ScopeTournament = "tournament:write"

// Arena is an arena tournament.
type Arena struct {
	ID              string `json:"id"`
	FullName        string `json:"fullName"`
	Minutes         int    `json:"minutes"`                   // how long it lasts
	SecondsToStart  int    `json:"secondsToStart,omitempty"`  // 0 once it has started
	SecondsToFinish int    `json:"secondsToFinish,omitempty"` // 0 before it starts, and when it is over
	IsFinished      bool   `json:"isFinished,omitempty"`
	PairingsClosed  bool   `json:"pairingsClosed,omitempty"` // no more games begin
	BotsAllowed     bool   `json:"botsAllowed,omitempty"`    // the server may leave it out
	NbPlayers       int    `json:"nbPlayers"`
}

// Started reports whether games are played.
func (a *Arena) Started() bool { return a.SecondsToStart <= 0 && !a.IsFinished }

// StartsIn returns the time until it starts, 0 once it has.
func (a *Arena) StartsIn() time.Duration {
	return time.Duration(min(max(a.SecondsToStart, 0), int(maxArenaWait/time.Second))) * time.Second
}

// maxArenaWait bounds what the server may say of the beginning of an arena: they are announced for months at most.
const maxArenaWait = 365 * 24 * time.Hour

// ArenaEntry is what joining an arena may need.
type ArenaEntry struct {
	Password string // or the account's own entry code; "" for none
	Team     string // id of the team to play for, in a battle of teams; "" for none
	// PairNow asks for an opponent within the next minute. Without it the server pairs only who looks at the arena's page.
	PairNow bool
}

// Arena asks about an arena. The error matches ErrNotFound when there is none.
func (c *Client) Arena(ctx context.Context, id string) (*Arena, error) {
	if err := checkArg("arena id", idForm, id); err != nil {
		return nil, err
	}
	var arena Arena
	if err := c.get(ctx, epArena, request{args: []string{id}}, &arena); err != nil {
		return nil, err
	}
	if arena.ID != id {
		return nil, fmt.Errorf("lichess: %s: the reply is about another arena", epArena)
	}
	arena.FullName = CleanText(arena.FullName, 100)
	return &arena, nil
}

// JoinArena joins an arena, or comes back to it, or asks once more for an opponent. It needs the scope ScopeTournament; the error
// is an *APIError with status 400 when the arena does not want the account.
func (c *Client) JoinArena(ctx context.Context, id string, entry ArenaEntry) error {
	if err := checkArg("arena id", idForm, id); err != nil {
		return err
	}
	values := url.Values{}
	if entry.Password != "" {
		values.Set("password", entry.Password)
	}
	if entry.Team != "" {
		values.Set("team", entry.Team)
	}
	if entry.PairNow {
		values.Set("pairMeAsap", "true")
	}
	return c.post(ctx, epArenaJoin, form(values, id))
}

// LeaveArena leaves an arena that has not started, or pauses in one that has: no opponent is given until it is joined again.
func (c *Client) LeaveArena(ctx context.Context, id string) error {
	if err := checkArg("arena id", idForm, id); err != nil {
		return err
	}
	return c.post(ctx, epArenaLeave, request{args: []string{id}})
}
