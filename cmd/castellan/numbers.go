package main

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// numbersInWords make the parser read numbers itself and tell in plain words which are none: its own say how many bits they have.
var numbersInWords = []kong.Option{
	kong.KindMapper(reflect.Int, kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		n, err := wholeNumber(ctx)
		target.SetInt(int64(n))
		return err
	})),
	kong.KindMapper(reflect.Uint64, kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		text, err := numberText(ctx)
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(text, 10, 64)
		target.SetUint(n)
		return inWords(err, text, "a whole number of 0 or more")
	})),
	kong.KindMapper(reflect.Float64, kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		text, err := numberText(ctx)
		if err != nil {
			return err
		}
		x, err := strconv.ParseFloat(text, 64)
		target.SetFloat(x)
		return inWords(err, text, "a number")
	})),
	kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		text, err := numberText(ctx)
		if err != nil {
			return err
		}
		d, err := time.ParseDuration(text)
		target.SetInt(int64(d))
		return inWords(err, text, "a duration: give a unit, such as 500ms, 3s or 2m")
	})),
}

// numberText takes the next word of the command line, also one that begins with a minus.
func numberText(ctx *kong.DecodeContext) (string, error) {
	token := ctx.Scan.Pop()
	if token.IsEOL() {
		return "", errors.New("a number is missing")
	}
	return fmt.Sprint(token.Value), nil
}

func wholeNumber(ctx *kong.DecodeContext) (int, error) {
	text, err := numberText(ctx)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	return n, inWords(err, text, "a whole number")
}

// inWords says that a text is not what is wanted, when there was an error.
func inWords(err error, text, want string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%q is too large", text)
	}
	return fmt.Errorf("%q is not %s", text, want)
}

// maxGames bounds the games of castellan local, as [match.Options] does those of a match.
const maxGames = 1_000_000

// gameCount is a number of games, 1 to maxGames; 0 when none is given.
type gameCount int

// Decode reads it from the command line.
func (g *gameCount) Decode(ctx *kong.DecodeContext) error {
	n, err := wholeNumber(ctx)
	switch {
	case err != nil:
		return err
	case n < 1 || n > maxGames:
		return fmt.Errorf("%d games: choose 1 to %d", n, maxGames)
	}
	*g = gameCount(n)
	return nil
}

// The parser's own words for what is no matter of numbers, and plainer ones.
var parserWords = []struct {
	pattern *regexp.Regexp
	plain   string
}{
	{regexp.MustCompile(`^unknown flag -\d.*`), "a number here cannot be below 0"},
	{regexp.MustCompile(`^(unknown flag -.), did you mean "-h"\?`), "$1"},
	{regexp.MustCompile(`expected \w+ value but got "EOL" \(<EOL>\)`), "a value is missing"},
	{regexp.MustCompile(`^\[(<\w+>)\]`), "$1"}, // an argument that may be left out
}

// plainly returns the text of a fault of the command line.
func plainly(err error) string {
	text := err.Error()
	for _, words := range parserWords {
		text = words.pattern.ReplaceAllString(text, words.plain)
	}
	return text
}
