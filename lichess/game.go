package lichess

import (
	"encoding/json"
	"math"
	"strings"
	"time"
)

// GameEvent is one event of a game stream: *GameFull, *GameState, *ChatLine,
// *OpponentGone or *Unknown.
type GameEvent interface{ gameEvent() }

// The type names on a game stream.
const (
	TypeGameFull     = "gameFull"
	TypeGameState    = "gameState"
	TypeChatLine     = "chatLine"
	TypeOpponentGone = "opponentGone"
)

// StartPosition is the InitialFEN of a game from the usual position.
const StartPosition = "startpos"

// UnlimitedMillis is the clock value of a game without a clock.
const UnlimitedMillis Millis = math.MaxInt32

// Millis is a duration on the wire, in milliseconds.
type Millis int64

// MillisOf converts a duration, dropping what is finer than a millisecond.
func MillisOf(d time.Duration) Millis { return Millis(d.Milliseconds()) }

// Duration converts to a duration; values out of its range become its
// smallest or greatest value.
func (m Millis) Duration() time.Duration {
	const limit = Millis(math.MaxInt64 / int64(time.Millisecond))
	switch {
	case m > limit:
		return math.MaxInt64
	case m < -limit:
		return math.MinInt64
	}
	return time.Duration(m) * time.Millisecond
}

// Unlimited reports whether the value stands for a game without a clock.
func (m Millis) Unlimited() bool { return m >= UnlimitedMillis }

// GameFull is the first line of a game stream: all that does not change, and
// the state at that moment.
type GameFull struct {
	ID           string     `json:"id"`
	Variant      Variant    `json:"variant"`
	Speed        Speed      `json:"speed"`
	Perf         GamePerf   `json:"perf"`
	Rated        bool       `json:"rated"`
	CreatedAt    int64      `json:"createdAt"` // ms since 1970
	White        GamePlayer `json:"white"`
	Black        GamePlayer `json:"black"`
	InitialFEN   string     `json:"initialFen"`      // "startpos" or X-FEN
	Clock        *GameClock `json:"clock,omitempty"` // nil without a real-time clock
	DaysPerTurn  int        `json:"daysPerTurn,omitempty"`
	TournamentID string     `json:"tournamentId,omitempty"`
	State        GameState  `json:"state"`
}

// ColorOf returns the side that the user plays, "" when he is none of the two.
// Case does not matter.
func (g *GameFull) ColorOf(user string) Color {
	switch id := UserID(user); {
	case id == "":
		return ""
	case UserID(g.White.ID) == id:
		return ColorWhite
	case UserID(g.Black.ID) == id:
		return ColorBlack
	}
	return ""
}

// Player returns the player of the given side.
func (g *GameFull) Player(c Color) *GamePlayer {
	if c == ColorBlack {
		return &g.Black
	}
	return &g.White
}

// GamePerf is the translated name of the rating at stake: for people only.
type GamePerf struct {
	Name string `json:"name"`
}

// GameClock is the clock of a real-time game.
type GameClock struct {
	Initial   Millis `json:"initial"`
	Increment Millis `json:"increment"`
}

// GamePlayer is a side of a game. The server's own engine has only AILevel; an
// anonymous player has neither ID nor Name.
type GamePlayer struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Title       string `json:"title"` // "" when there is none (null on the wire)
	Rating      int    `json:"rating,omitempty"`
	Provisional bool   `json:"provisional,omitempty"`
	AILevel     int    `json:"aiLevel,omitempty"` // 1 to 8, 0 for people and bots
}

// IsBot reports whether the player is a BOT account.
func (p *GamePlayer) IsBot() bool { return p.Title == TitleBot }

// IsAI reports whether the player is the server's own engine.
func (p *GamePlayer) IsAI() bool { return p.AILevel > 0 }

// MarshalJSON writes what the server sends for an account, for its engine and
// for an anonymous player.
func (p GamePlayer) MarshalJSON() ([]byte, error) {
	var title *string
	if p.Title != "" {
		title = &p.Title
	}
	type account struct {
		ID          string  `json:"id"`
		Name        string  `json:"name"`
		Title       *string `json:"title"`
		Rating      int     `json:"rating,omitempty"`
		Provisional bool    `json:"provisional,omitempty"`
	}
	type other struct {
		AILevel     int  `json:"aiLevel,omitempty"`
		Rating      int  `json:"rating,omitempty"`
		Provisional bool `json:"provisional,omitempty"`
	}
	if p.ID != "" {
		return json.Marshal(account{p.ID, p.Name, title, p.Rating, p.Provisional})
	}
	return json.Marshal(other{p.AILevel, p.Rating, p.Provisional})
}

// GameState is what changes in a game. The server sends it for each move,
// offer, takeback, gift of time and for the end, so that the same moves can
// arrive more than once, and fewer than before after a takeback.
type GameState struct {
	Moves      string      `json:"moves"` // UCI, space-separated, from the initial position
	WTime      Millis      `json:"wtime"` // time left now
	BTime      Millis      `json:"btime"`
	WInc       Millis      `json:"winc"`
	BInc       Millis      `json:"binc"`
	Status     Status      `json:"status"`
	Winner     Color       `json:"winner,omitempty"`
	WDraw      bool        `json:"wdraw,omitempty"` // White offers a draw
	BDraw      bool        `json:"bdraw,omitempty"`
	WTakeback  bool        `json:"wtakeback,omitempty"` // White proposes a takeback
	BTakeback  bool        `json:"btakeback,omitempty"`
	Expiration *Expiration `json:"expiration,omitempty"`
	Rematch    string      `json:"rematch,omitempty"` // id of the accepted rematch
}

// MoveList splits Moves; no moves are an empty list.
func (s *GameState) MoveList() []string { return strings.Fields(s.Moves) }

// Ply returns the number of moves played from the initial position.
func (s *GameState) Ply() int { return len(strings.Fields(s.Moves)) }

// Time returns the time left of a side.
func (s *GameState) Time(c Color) Millis {
	if c == ColorBlack {
		return s.BTime
	}
	return s.WTime
}

// Increment returns the increment of a side.
func (s *GameState) Increment(c Color) Millis {
	if c == ColorBlack {
		return s.BInc
	}
	return s.WInc
}

// DrawOffer reports whether the side has a draw offer standing.
func (s *GameState) DrawOffer(c Color) bool {
	return c == ColorWhite && s.WDraw || c == ColorBlack && s.BDraw
}

// TakebackOffer reports whether the side has a takeback proposal standing.
func (s *GameState) TakebackOffer(c Color) bool {
	return c == ColorWhite && s.WTakeback || c == ColorBlack && s.BTakeback
}

// Expiration is the time for the first move, in milliseconds. Only some kinds
// of games have it, challenges do not.
type Expiration struct {
	IdleMillis   int64 `json:"idleMillis"`
	MillisToMove int64 `json:"millisToMove"`
}

// Room is a chat room of a game.
type Room string

// The chat rooms.
const (
	RoomPlayer    Room = "player"
	RoomSpectator Room = "spectator"
)

// ChatSystem is the user name under which the server itself writes in a chat.
const ChatSystem = "lichess"

// MaxChatText is the greatest length of a chat line, in characters.
const MaxChatText = 140

// ChatLine is a chat line of a game, the own ones included.
type ChatLine struct {
	Room     Room   `json:"room"`
	Username string `json:"username"`
	Text     string `json:"text"`
}

// ChatMessage is a line of the chat as the chat can be read later.
type ChatMessage struct {
	Text string `json:"text"`
	User string `json:"user"`
}

// OpponentGone tells that the opponent has left or come back. While he is gone
// it is repeated; the win can be claimed when ClaimWinInSeconds has come down
// to 0. It may fail to tell that he came back: a move of his tells it as well.
type OpponentGone struct {
	Gone              bool `json:"gone"`
	ClaimWinInSeconds *int `json:"claimWinInSeconds,omitempty"`
}

func (*GameFull) gameEvent()     {}
func (*GameState) gameEvent()    {}
func (*ChatLine) gameEvent()     {}
func (*OpponentGone) gameEvent() {}
func (*Unknown) gameEvent()      {}

// MarshalJSON adds the type.
func (e GameFull) MarshalJSON() ([]byte, error) {
	type wire GameFull
	return marshalTyped(TypeGameFull, wire(e))
}

// MarshalJSON adds the type.
func (e GameState) MarshalJSON() ([]byte, error) {
	type wire GameState
	return marshalTyped(TypeGameState, wire(e))
}

// MarshalJSON adds the type.
func (e ChatLine) MarshalJSON() ([]byte, error) {
	type wire ChatLine
	return marshalTyped(TypeChatLine, wire(e))
}

// MarshalJSON adds the type.
func (e OpponentGone) MarshalJSON() ([]byte, error) {
	type wire OpponentGone
	return marshalTyped(TypeOpponentGone, wire(e))
}
