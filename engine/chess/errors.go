package chess

import "fmt"

// SyntaxError says that a text is not of the notation it should be. The text may come from outside: it is quoted, and cut
// when it is long.
type SyntaxError struct {
	Notation string // what was read, such as "SAN" or "FEN board"
	Text     string // the text at fault
	Reason   string // what is wrong with it
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Notation, quote(e.Text), e.Reason)
}

// IllegalMoveError says that a text names a move that is not legal in the position.
type IllegalMoveError struct {
	Text string // the move as given
	FEN  string // the position
}

func (e *IllegalMoveError) Error() string {
	return fmt.Sprintf("move %s is not legal in %s", quote(e.Text), e.FEN)
}

// AmbiguousMoveError says that a SAN text fits more than one legal move.
type AmbiguousMoveError struct {
	Text  string
	FEN   string
	Moves []Move // those it fits
}

func (e *AmbiguousMoveError) Error() string {
	return fmt.Sprintf("move %s is ambiguous in %s: it fits %v", quote(e.Text), e.FEN, e.Moves)
}

// quote makes a text from outside fit for an error line.
func quote(text string) string {
	if len(text) > 60 {
		return fmt.Sprintf("%q…", text[:60])
	}
	return fmt.Sprintf("%q", text)
}
