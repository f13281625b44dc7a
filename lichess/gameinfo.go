package lichess

import "encoding/json"

// GameInfo is a game as the event stream and the list of running games show
// it, from the account's own point of view. Only GameID and FullID are sure to
// be there. FEN is the position at the time of sending; the game stream is the
// authority.
type GameInfo struct {
	ID           string       `json:"id,omitempty"`
	GameID       string       `json:"gameId"`
	FullID       string       `json:"fullId"` // 12 characters: the id and the player's secret
	FEN          string       `json:"fen,omitempty"`
	Color        Color        `json:"color,omitempty"`
	LastMove     string       `json:"lastMove"` // "" at the start; castling may be in display form
	Source       string       `json:"source,omitempty"`
	Status       *StatusInfo  `json:"status,omitempty"`
	Variant      Variant      `json:"variant"`
	Speed        Speed        `json:"speed,omitempty"`
	Perf         string       `json:"perf,omitempty"` // key such as "blitz" or "chess960"
	Rated        bool         `json:"rated"`
	HasMoved     bool         `json:"hasMoved"`
	Opponent     GameOpponent `json:"opponent"`
	IsMyTurn     bool         `json:"isMyTurn"`
	SecondsLeft  *int         `json:"secondsLeft,omitempty"` // nil when the game has no clock
	TournamentID string       `json:"tournamentId,omitempty"`
	Winner       Color        `json:"winner,omitempty"`
	Rating       int          `json:"rating,omitempty"`
	RatingDiff   *int         `json:"ratingDiff,omitempty"`
	Compat       *Compat      `json:"compat,omitempty"`
}

// BotPlayable reports whether the Bot API can play the game: not when the
// server says that it cannot. It is true when the server does not say.
func (g *GameInfo) BotPlayable() bool { return g.Compat == nil || g.Compat.Bot }

// Compat says which APIs a game can be played by.
type Compat struct {
	Bot   bool `json:"bot"`
	Board bool `json:"board"`
}

// GameOpponent is the other side of a GameInfo. The server's own engine has a
// level in AI and no ID; an anonymous player has no ID.
type GameOpponent struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	Rating     int    `json:"rating,omitempty"`
	RatingDiff *int   `json:"ratingDiff,omitempty"`
	AI         int    `json:"ai,omitempty"` // level 1 to 8
}

// MarshalJSON writes a missing id as null, as the server does.
func (o GameOpponent) MarshalJSON() ([]byte, error) {
	type wire GameOpponent
	if o.ID != "" {
		return json.Marshal(wire(o))
	}
	return json.Marshal(struct {
		ID *string `json:"id"`
		wire
	}{nil, wire(o)})
}

// NowPlaying is the list of running games, the most urgent first.
type NowPlaying struct {
	NowPlaying []GameInfo `json:"nowPlaying"`
	NbMyTurn   int        `json:"nbMyTurn"`
}

// AIGame is the reply to a challenge to the server's own engine.
type AIGame struct {
	ID        string     `json:"id"`
	FullID    string     `json:"fullId,omitempty"`
	Variant   Variant    `json:"variant"`
	Speed     Speed      `json:"speed"`
	Perf      string     `json:"perf"`
	Rated     bool       `json:"rated"`
	Source    string     `json:"source,omitempty"`
	CreatedAt int64      `json:"createdAt,omitempty"` // ms since 1970
	FEN       string     `json:"fen,omitempty"`
	Turns     int        `json:"turns"` // plies played
	Status    StatusInfo `json:"status"`
	Player    Color      `json:"player"` // the side to move
}
