package main

import (
	"slices"
	"testing"
)

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                             nil,
		"  \t ":                        nil,
		"/usr/games/stockfish":         {"/usr/games/stockfish"},
		" a  bc\td\n":                  {"a", "bc", "d"},
		`"/opt/my engine/e" --net 'x'`: {"/opt/my engine/e", "--net", "x"},
		`a"b 'c"d ''`:                  {"ab 'cd", ""},
		`c:\engines\e.exe`:             {`c:\engines\e.exe`},
	} {
		if got, err := splitWords(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{`"`, `a 'b`, `'a"`} {
		if got, err := splitWords(text); err == nil {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
