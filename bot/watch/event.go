package watch

import (
	"time"

	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
)

// Event is one of *Online, *Draining, *Stream, *Challenge, *Own, *Queue, *Game, *Decided, *Echo, *Left and *Rated.
type Event interface{ event() }

// Online tells that the bot has signed in.
type Online struct {
	Account string // name
	URL     string // of the server
}

// Draining tells that the bot takes no more games.
type Draining struct{}

// Stream tells that a stream has been opened or lost.
type Stream struct {
	Game string // id of the game that the stream is about, "" for the event stream
	Err  error  // why it was lost, or could not be opened; nil when it is open
}

// Challenge tells how a challenge was answered.
type Challenge struct {
	ID     string
	From   string                // name, "" when there is none
	Terms  string                // in words, such as "rated blitz 3+2"
	Reason lichess.DeclineReason // "" when it was accepted
	Why    string                // in words, "" when it was accepted
}

// Own tells which challenge of the bot's waits for its answer: none when To is "".
type Own struct {
	To    string // name
	Terms string // in words
	Since time.Time
}

// Queue tells which challenges wait for a place, the next one first.
type Queue struct{ Waiting []Waiting }

// Waiting is a challenge that waits for a place.
type Waiting struct {
	ID     string
	From   string // name
	Rating int    // 0 when there is none
	Terms  string // in words
	Until  time.Time
}

// Game is a game as it stands after a line of its stream or a thought of the bot's.
type Game struct {
	ID      string
	URL     string      // of the game on the server
	Us      chess.Color // the bot's side
	Full    *lichess.GameFull
	State   *lichess.GameState // the latest one
	SeenAt  time.Time          // when State came: its clocks were right then
	Board   *chess.Game        // never changed
	Ended   bool               // the bot takes State for the last word: a status that it does not know may be none
	Moved   bool               // State brought moves that were not known before, or took some back
	Notes   []Note             // after the i-th ply at index i; as many as plies and one more
	Thought *Thought           // the latest one, nil before the first
}

// Note is what the bot knows of a move that was played.
type Note struct {
	Clock   *time.Duration // left to the player who moved, after the move; nil when the bot did not see it
	Thought *Thought       // with which the bot found it; nil for the opponent's
}

// Thought is how the bot found a move.
type Thought struct {
	Ply int // number of moves before it
	engine.Decision
}

// Decided tells that a move was found.
type Decided struct {
	Game  string
	Speed lichess.Speed
	*Thought
}

// Echo tells that a move that was sent came back on the game's stream.
type Echo struct {
	Game string
	Took time.Duration // from sending it
}

// Left tells that the bot plays a game no more: it has ended, was given up, or the bot goes. It is the last event of a game but
// for Rated, unless the game is taken up again.
type Left struct{ Game string }

// Rated tells what a game that has ended did to the ratings.
type Rated struct {
	Game         string
	Ours, Theirs int // difference to the rating before
}

func (*Online) event()    {}
func (*Draining) event()  {}
func (*Stream) event()    {}
func (*Challenge) event() {}
func (*Own) event()       {}
func (*Queue) event()     {}
func (*Game) event()      {}
func (*Decided) event()   {}
func (*Echo) event()      {}
func (*Left) event()      {}
func (*Rated) event()     {}
