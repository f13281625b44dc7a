package bot_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"castellan/bot"
	"castellan/bot/sources"
	"castellan/engine/book"
	"castellan/engine/chess"
	"castellan/lichess/sandbox"
)

// bookEntry is a move of an opening book, after some moves from a position.
type bookEntry struct {
	fen, after string // the usual start when fen is ""
	move       string
	weight     uint16
}

// writeBook writes entries in the Polyglot format: key, move, weight and four bytes that mean nothing, sorted by key.
func writeBook(t *testing.T, entries ...bookEntry) (path string) {
	t.Helper()
	var rows [][]byte
	for _, e := range entries {
		start := chess.StartPosition()
		if e.fen != "" {
			var err error
			if start, err = chess.ParseFEN(e.fen); err != nil {
				t.Fatal(err)
			}
		}
		g := chess.NewGame(start, chess.LichessBot)
		for _, m := range strings.Fields(e.after) {
			if err := g.PlayUCI(m); err != nil {
				t.Fatal(err)
			}
		}
		square := func(s string) uint16 { return uint16(s[1]-'1')<<3 | uint16(s[0]-'a') }
		row := binary.BigEndian.AppendUint64(nil, book.GameKey(g))
		row = binary.BigEndian.AppendUint16(row, square(e.move[:2])<<6|square(e.move[2:]))
		row = binary.BigEndian.AppendUint16(row, e.weight)
		rows = append(rows, append(row, 0, 0, 0, 0))
	}
	for i := range rows {
		for j := i; j > 0 && bytes.Compare(rows[j][:8], rows[j-1][:8]) < 0; j-- {
			rows[j], rows[j-1] = rows[j-1], rows[j]
		}
	}
	path = filepath.Join(t.TempDir(), "book.bin")
	if err := os.WriteFile(path, bytes.Join(rows, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// startWithBook runs a bot with that opening book.
func (a arena) startWithBook(url, path string) *daemon {
	a.t.Helper()
	return a.startWithBookAnd(url, path, quick())
}

func (a arena) startWithBookAnd(url, path string, opts bot.Options) *daemon {
	a.t.Helper()
	books, err := book.OpenAll([]string{path}, book.Options{Choice: book.Best, Depth: 100, MinWeight: 1})
	if err != nil {
		a.t.Fatal(err)
	}
	d := a.startBehind(url, opts, sources.Options{
		Order: []sources.Kind{sources.Book}, Books: map[chess.Color]*book.Books{chess.White: books, chess.Black: books},
	})
	a.t.Cleanup(func() {
		d.kill()
		books.Close()
	})
	return d
}

// TestBookMovesAreLegal gives the bot a book with moves that mean nothing in their positions, and one that is right.
func TestBookMovesAreLegal(t *testing.T) {
	t.Parallel()
	const (
		queen   = "4k3/4p3/8/8/8/8/8/R3Q1K1 w - - 0 1" // e1a1 would be the queen taking her own rook
		castles = "4k3/4p3/8/8/8/8/8/R3K3 w Q - 0 1"   // here it is castling, in the spelling of the format
		inner   = "4k3/4p3/8/8/8/8/8/RR2K3 w B - 0 1"  // Chess960, where only the rook on b1 may castle: the key does not tell
	)
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{})
	d := a.startWithBook(n.URL, writeBook(t,
		bookEntry{fen: queen, move: "e1a1", weight: 9}, bookEntry{fen: queen, move: "e1h7", weight: 9}, bookEntry{fen: queen, move: "a1a7", weight: 0},
		bookEntry{fen: castles, move: "e1a1", weight: 9},
		bookEntry{fen: inner, move: "e1a1", weight: 9},
	))
	for _, fen := range []string{queen, castles, inner} {
		id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute, FEN: fen})
		a.plies(id, 1)
		if move := a.game(id).Moves[0]; fen == castles && move != "e1a1" {
			t.Errorf("the book's castling was not played but %s", move)
		}
	}
	if d.log.has("the move was not taken") || n.count("/move/") != 3 {
		t.Errorf("moves that the server refused: %q", n.requests("/move/"))
	}
}

func TestBookMoveThatWouldRepeatAPositionIsNotPlayed(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	a.startWithBook(a.URL, writeBook(t,
		bookEntry{after: "g1f3", move: "g8f6", weight: 9},
		bookEntry{after: "g1f3 g8f6 f3g1", move: "f6g8", weight: 9},
	))
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute})
	for i, move := range []string{"g1f3", "f3g1"} {
		a.move(id, move)
		a.plies(id, 2*i+2)
	}
	g := a.game(id)
	if got := strings.Join(g.Moves[:3], " "); got != "g1f3 g8f6 f3g1" || g.Moves[3] == "f6g8" || g.Status.Over() {
		t.Errorf("the moves are %v, the status is %s", g.Moves, g.Status)
	}
}

// TestFaultOfTheEngineStillMakesAMove breaks the book while the bot plays by it.
func TestFaultOfTheEngineStillMakesAMove(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	path := writeBook(t, bookEntry{move: "e2e4", weight: 1}, bookEntry{after: "e2e4 e7e5", move: "g1f3", weight: 1})
	d := a.startWithBook(a.URL, path)
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	a.move(id, "e7e5")
	a.plies(id, 3)
	if !d.log.has(`level=ERROR msg="the search failed"`) {
		t.Error("the fault is not in the log")
	}
	a.move(id, "b8c6")
	a.plies(id, 5)
}
