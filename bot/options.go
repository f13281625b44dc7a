package bot

import (
	"log/slog"
	"time"

	"castellan/bot/opponents"
	"castellan/bot/watch"
)

// Options says how the bot behaves. Whoever makes the bot fills it in completely: the zero value accepts nothing.
type Options struct {
	// MaxGames is the number of games with a clock that the bot takes on at once. Games without one do not count: they need
	// no attention for days.
	MaxGames int
	// MaxCorrespondence is the number of games without one that the bot takes on at once.
	MaxCorrespondence int
	// CorrespondenceRest is the time without a move of the opponent after which the stream of a game without a clock is closed
	// until it is the bot's turn; 0 leaves it open.
	CorrespondenceRest time.Duration
	// Accept says which challenges the bot takes.
	Accept Acceptance
	// Match says whether and whom the bot challenges by itself.
	Match MatchPolicy
	// Arenas are those to play in from the start on.
	Arenas []Arena
	// Opponents is what is known of opponents from before; nil is nothing. The bot writes what it learns into StateDir; "" keeps it
	// in memory alone.
	Opponents *opponents.Book
	StateDir  string
	// Draw and Resign say when the bot ends a game early.
	Draw   DrawPolicy
	Resign ResignPolicy
	// Rematch says what comes after a game.
	Rematch RematchPolicy
	// Takebacks is how many takebacks the bot grants a person in a casual game.
	Takebacks int
	// AbortAfter is how long the bot waits for the opponent's first move in a game with a clock before it aborts the game;
	// 0 waits for ever.
	AbortAfter time.Duration
	// ClaimWhenGone makes the bot claim the win when the opponent has left and the server allows it.
	ClaimWhenGone bool
	// CorrespondenceThink is how long the bot thinks about a move in a game without a clock.
	CorrespondenceThink time.Duration
	// Ponder makes the bot think on the opponent's time too.
	Ponder bool
	// Chat is what the bot says.
	Chat Chat
	// Log gets what happens; nil discards it.
	Log *slog.Logger
	// Watch is told what happens, in values, by the goroutines that it happens in: it must come back at once. nil is nobody.
	Watch func(watch.Event)
}

// Acceptance says which challenges the bot takes. Its zero value takes none.
type Acceptance struct {
	Humans   bool  // people may challenge …
	OfHumans Terms // … to this
	Bots     bool
	OfBots   Terms
	Allow    []string // user names; when there are any, nobody else is accepted
	Block    []string // user names that are never accepted, nor challenged

	// HumanPlaces is how many of the MaxGames are kept for people.
	HumanPlaces int
	// Queue is how many challenges wait for a place, for QueueWait at most; the others are declined at once.
	Queue     int
	QueueWait time.Duration
	// QueueBest gives a place to the challenger with the highest rating, not to the one that waits longest.
	QueueBest bool
	// PreferHumans and PreferBots let the challenges of one kind go before all others that wait.
	PreferHumans bool
	PreferBots   bool
}

// Terms says what games the bot takes. A list that is empty accepts nothing of its kind, but for Clocks.
type Terms struct {
	Variants        []string          // of standard, chess960 and fromPosition
	Speeds          []string          // of bullet, blitz, rapid, classical, correspondence
	Clocks          []opponents.Clock // when there are any, no other clock is accepted
	Rated           bool
	Casual          bool
	BaseMin         time.Duration // bounds of the clock at the start and of the increment a move, both inclusive
	BaseMax         time.Duration
	IncMin          time.Duration
	IncMax          time.Duration
	BulletIncrement bool // bullet only with an increment
	DaysMin         int  // bounds of the days a move in correspondence games, inclusive
	DaysMax         int
	Unlimited       bool // games without any clock

	RatingMin        int // bounds of the challenger's rating, inclusive; 0 is none
	RatingMax        int
	RatingDifference int // from the bot's own; 0 is any

	OpponentGames       int           // at once with one opponent; 0 is any number
	OpponentGamesPerDay int           // with one opponent within 24 hours; 0 is any number
	OpponentPause       time.Duration // after a game with the same opponent
}
