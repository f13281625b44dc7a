package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"castellan/engine/chess"
)

// Grouping says which games share a file.
type Grouping string

// The groupings.
const (
	ByGame     Grouping = "game"     // each game has a file of its own
	ByOpponent Grouping = "opponent" // all games with one opponent
	ByDay      Grouping = "day"      // all games that began on one day, UTC
	Together   Grouping = "all"      // all games
)

const (
	unfinished = "unfinished" // folder of the games in play
	tempMark   = ".writing-"  // begins the name of a file that is being written
	// sideTag tells in a file of a game in play which side is the bot's.
	sideTag = "BotSide"
	// tailSize bounds how far from the end of a file the last game is looked for: more than any game takes.
	tailSize = 4 << 20
)

// file is the name of the file that a game belongs into. Names of players come from the network: only letters, digits, - and _ of
// them are kept.
func (by Grouping) file(g *chess.PGNGame, us chess.Color) string {
	opponent := safe(g.Tag([2]string{chess.White: "Black", chess.Black: "White"}[us]))
	date := safe(strings.ReplaceAll(g.Tag("Date"), ".", "-"))
	switch by {
	case ByOpponent:
		return "vs-" + strings.ToLower(opponent) + ".pgn"
	case ByDay:
		return date + ".pgn"
	case Together:
		return "games.pgn"
	}
	return fmt.Sprintf("%s_%s-%s_%s.pgn", date, safe(g.Tag("White")), safe(g.Tag("Black")), safe(g.Tag("GameId")))
}

func safe(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, text)
	if text == "" {
		return "unknown"
	}
	return text[:min(len(text), 60)]
}

// place puts a game into the file that it belongs into.
func place(dir string, by Grouping, g *chess.PGNGame, us chess.Color) error {
	text, err := encode(g)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, by.file(g, us))
	if by == ByGame {
		return writeWhole(path, text, true)
	}
	return appendGame(path, text, g.Tag("GameId"))
}

func encode(g *chess.PGNGame) ([]byte, error) {
	var b bytes.Buffer
	err := chess.WritePGN(&b, g)
	return b.Bytes(), err
}

// writeWhole writes a file that is there as a whole or not at all, whatever becomes of the process; with safe, whatever becomes of
// the machine.
func writeWhole(path string, text []byte, safe bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), tempMark+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644))
	if safe {
		err = errors.Join(err, f.Sync())
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// appendGame adds a game to the end of a file, or takes the file back to what it was. When the file ends with a game of the same
// id this one takes its place, and so it does with what a crash has left of one that is put there anew at the start.
func appendGame(path string, text []byte, id string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	waits := func(other string) bool {
		draft, _, err := readDraft(draftPath(filepath.Dir(path), other))
		return err == nil && draft != nil && draft.Result != "*"
	}
	at, torn, err := lastGame(f, end, id, waits)
	if err != nil {
		return err
	}
	if at < end {
		if err := f.Truncate(at); err != nil {
			return err
		}
	}
	if torn {
		text = append([]byte("\n\n"), text...) // of another game: what is left of it stays, and does not take this one with it
	}
	if _, err = f.WriteAt(text, at); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(at))
	}
	return nil
}

// lastGame returns where a game with the id given goes: the end, or where the last game begins if that has the id, is torn before its
// first move, or waits to be written again, whole or torn. torn tells that what is before does not end with the end of a game.
func lastGame(f io.ReaderAt, end int64, id string, waits func(id string) bool) (at int64, torn bool, err error) {
	from := max(end-tailSize, 0)
	tail := make([]byte, end-from)
	if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
		return 0, false, err
	}
	begin := lastTags(tail)
	if begin < 0 {
		return end, len(tail) > 0 && !bytes.HasSuffix(tail, []byte("\n\n")), nil
	}
	last := tail[begin:]
	tagged := gameIDTag.FindSubmatch(last)
	if !bytes.Contains(last, []byte("\n\n")) || tagged != nil && (string(tagged[1]) == id || waits(string(tagged[1]))) {
		return from + int64(begin), false, nil
	}
	return end, !bytes.HasSuffix(tail, []byte("\n\n")), nil
}

var gameIDTag = regexp.MustCompile(`(?m)^\[GameId "([^"\n]*)"\]$`)

// lastTags returns where the last tags begin, whole or torn, -1 when there are none: after an empty line or at the beginning. The first
// of them begins with Event, or with as much as there is of that.
func lastTags(text []byte) int {
	for end := len(text); ; {
		i := bytes.LastIndexByte(text[:end], '[')
		if i < 0 {
			return -1
		}
		const first = "[Event "
		if n := min(len(text)-i, len(first)); string(text[i:i+n]) == first[:n] && (i == 0 || bytes.HasSuffix(text[:i], []byte("\n\n"))) {
			return i
		}
		end = i
	}
}

func draftPath(dir, id string) string { return filepath.Join(dir, unfinished, safe(id)+".pgn") }

// writeDraft keeps a game in play, or one whose place is not known to have it yet.
func writeDraft(dir, id string, g *chess.PGNGame, us chess.Color) error {
	draft := *g
	draft.Tags = append(append([]chess.Tag(nil), g.Tags...), chess.Tag{Name: sideTag, Value: us.String()})
	text, err := encode(&draft)
	if err != nil {
		return err
	}
	return writeWhole(draftPath(dir, id), text, false) // it is written again and again, and a loss costs some clocks and scores
}

// readDraft returns what is kept of a game and the bot's side in it; nil without an error when there is nothing.
func readDraft(path string) (g *chess.PGNGame, us chess.Color, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, us, nil
	}
	if err != nil {
		return nil, us, err
	}
	defer f.Close()
	g, err = chess.NewPGNReader(f).Read()
	if err != nil {
		return nil, us, fmt.Errorf("%s: %w", path, err)
	}
	if g.Tag(sideTag) == chess.Black.String() {
		us = chess.Black
	}
	g.Tags = withoutTag(g.Tags, sideTag)
	return g, us, nil
}

func withoutTag(tags []chess.Tag, name string) (rest []chess.Tag) {
	for _, t := range tags {
		if t.Name != name {
			rest = append(rest, t)
		}
	}
	return rest
}
