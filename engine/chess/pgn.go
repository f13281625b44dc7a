package chess

import (
	"fmt"
	"time"
)

// Tag is a tag pair of a PGN game, such as White "Morphy, Paul". The name consists of letters, digits and underscores.
type Tag struct{ Name, Value string }

// PGNGame is a game as Portable Game Notation holds it (S. J. Edwards, "Standard: Portable Game Notation Specification and
// Implementation Guide", 1994).
type PGNGame struct {
	// Tags in the order of the file. WritePGN supplies those of the Seven Tag Roster that are missing.
	Tags []Tag
	// Game is the start position and the moves of the main line. A game that was read goes by the ruleset FIDE.
	Game *Game
	// Notes holds what is said before the first move at index 0 and after the i-th ply at index i. It may be shorter than
	// the game.
	Notes []Note
	// Result is "1-0", "0-1", "1/2-1/2" or "*". In a game that was read it is the one at the end of the moves, or that of
	// the Result tag when the moves end without one.
	Result string
}

// Note is what a PGN says about a move, or about the position before the first.
type Note struct {
	Comment    string         // text without the commands below; spaces and line ends count as one space
	NAGs       []int          // Numeric Annotation Glyphs, 0 to 255: 1 is "!", 2 "?", 3 "!!", 4 "??", 5 "!?", 6 "?!"
	Clock      *time.Duration // [%clk]: time left to the player who moved, or nil
	Eval       *Eval          // [%eval]: an engine's score, or nil
	Variations []Variation    // played instead of this move; a note before the first move has none
}

// Variation is a line that was not played. A null move in it is NoMove.
type Variation struct {
	Moves []Move
	Notes []Note // as in PGNGame
}

// Eval is an engine's score in a PGN, from White's point of view.
type Eval struct {
	Mate  bool // Value is in moves to mate, not in centipawns
	Value int  // positive when White stands better or mates
	Depth int  // of the search in plies; 0 when not given
}

// sevenTagRoster is the names and the default values of the tags that every PGN game has, in their order.
var sevenTagRoster = [...]Tag{
	{"Event", "?"}, {"Site", "?"}, {"Date", "????.??.??"}, {"Round", "?"}, {"White", "?"}, {"Black", "?"}, {"Result", "*"},
}

// Tag returns the value of the first tag of that name. A missing tag of the Seven Tag Roster reads as unknown ("?",
// "????.??.??" for Date, "*" for Result), any other as "".
func (g *PGNGame) Tag(name string) string {
	for _, t := range g.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	for _, t := range sevenTagRoster {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// NoteAt returns the note after a number of plies, or an empty one.
func (g *PGNGame) NoteAt(ply int) Note {
	if ply < 0 || ply >= len(g.Notes) {
		return Note{}
	}
	return g.Notes[ply]
}

// PGNError says what is wrong in a PGN text and where. Err may be a *SyntaxError, an *IllegalMoveError or an
// *AmbiguousMoveError.
type PGNError struct {
	Line   int // from 1
	Column int // from 1, in characters
	Err    error
}

func (e *PGNError) Error() string {
	return fmt.Sprintf("PGN line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *PGNError) Unwrap() error { return e.Err }

// isPGNResult tells whether a word ends a game, written as the standard wants it.
func isPGNResult(word string) bool {
	switch word {
	case "1-0", "0-1", "1/2-1/2", "*":
		return true
	}
	return false
}

// pgnResult returns the result that a word stands for, or "" when it is none. Some files shorten a draw.
func pgnResult(word string) string {
	switch {
	case word == "1/2", word == "½-½":
		return "1/2-1/2"
	case isPGNResult(word):
		return word
	}
	return ""
}
