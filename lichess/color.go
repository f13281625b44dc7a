package lichess

import "strings"

// Color is a side on the wire. In a challenge it is the challenger's wish and
// may be ColorRandom.
type Color string

// The colours that the server uses.
const (
	ColorWhite  Color = "white"
	ColorBlack  Color = "black"
	ColorRandom Color = "random"
)

// Other returns the opposite side; a colour that is neither white nor black
// stays what it is.
func (c Color) Other() Color {
	switch c {
	case ColorWhite:
		return ColorBlack
	case ColorBlack:
		return ColorWhite
	}
	return c
}

// UserID turns a user name into the id by which the server knows it: names
// keep their capitals, ids have none.
func UserID(name string) string { return strings.ToLower(name) }
