package lichess

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Scrub replaces a secret of letters, digits and underscores in a text by
// Masked. It finds it also where JSON has escaped some of it, or where
// characters lie within that CleanText will remove: it must not come together
// after this.
func Scrub(text []byte, secret string) []byte {
	if bytes.Contains(text, []byte(secret)) {
		text = bytes.ReplaceAll(text, []byte(secret), []byte(Masked))
	}
	if !bytes.ContainsFunc(text, func(r rune) bool { return r == '\\' || dropped(r) }) {
		return text // nothing can hide it
	}
	shown := make([]byte, 0, len(text)) // what will be shown in the end, as far as a secret can be made of it
	from := make([]int, 0, len(text)+1) // where in the text each byte of it begins …
	to := make([]int, 0, len(text))     // … and ends
	for at := 0; at < len(text); {
		r, size := character(text[at:])
		if !dropped(r) {
			if r >= utf8.RuneSelf {
				r = ' '
			}
			shown, from, to = append(shown, byte(r)), append(from, at), append(to, at+size)
		}
		at += size
	}
	var clean []byte
	copied := 0
	for begin := 0; ; {
		i := bytes.Index(shown[begin:], []byte(secret))
		if i < 0 {
			return append(clean, text[copied:]...)
		}
		first := begin + i
		begin = first + len(secret)
		clean = append(append(clean, text[copied:from[first]]...), Masked...)
		copied = to[begin-1]
	}
}

// dropped reports whether CleanText removes the character.
func dropped(r rune) bool {
	return r == utf8.RuneError || !unicode.IsSpace(r) && unicode.Is(unicode.C, r)
}

// character returns the first character of a text, read as JSON reads it within
// a string, and the number of bytes that it takes.
func character(text []byte) (rune, int) {
	if high, ok := escaped(text); ok {
		if low, ok := escaped(text[6:]); ok && utf16.IsSurrogate(high) {
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return r, 12
			}
		}
		if utf16.IsSurrogate(high) {
			return utf8.RuneError, 6
		}
		return high, 6
	}
	if text[0] == '\\' && len(text) > 1 {
		if text[1] == 'b' {
			return '\b', 2
		}
		if bytes.IndexByte([]byte(`"\/fnrt`), text[1]) >= 0 {
			return ' ', 2 // no part of a secret, and not dropped
		}
	}
	return utf8.DecodeRune(text)
}

// escaped returns the code unit of a \u escape at the beginning of a text.
func escaped(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit), err == nil
}
