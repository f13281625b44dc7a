package sources

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"castellan/engine"
	"castellan/engine/book"
	"castellan/engine/chess"
)

// smallBook knows one move after 1 e4 c5, and one after 2 e5 d5.
const smallBook = "../../testdata/books/small.bin"

func openBooks(t *testing.T, path string) *book.Books {
	t.Helper()
	books, err := book.OpenAll([]string{path}, book.Options{MinWeight: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { books.Close() })
	return books
}

// thinking returns what thinks about a game, with these books before it.
func thinking(t *testing.T, books *book.Books) engine.Thinker {
	t.Helper()
	e, err := engine.New(engine.Options{HashMB: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return New(e, Options{Order: []Kind{Book}, Books: map[chess.Color]*book.Books{chess.White: books}}).ForGame("a game")
}

func afterMoves(t *testing.T, moves string) *chess.Game {
	t.Helper()
	g := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	for m := range strings.FieldsSeq(moves) {
		if err := g.PlayUCI(m); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func TestBookBeforeSearch(t *testing.T) {
	e := thinking(t, openBooks(t, smallBook))
	for moves, want := range map[string]string{"e2e4 c7c5": "e4e5", "e2e4 c7c5 e4e5 d7d5": "e5d6"} {
		g := afterMoves(t, moves)
		d, err := e.Think(t.Context(), g, engine.Limits{Depth: 2})
		if err != nil || d.Source != engine.SourceBook || d.Move.String() != want || len(d.PV) != 1 || d.PV[0] != d.Move || d.Depth != 0 || d.Nodes != 0 {
			t.Errorf("after %q: %+v, %v, want %s of the book", moves, d, err, want)
		}
	}
	if d, err := e.Think(t.Context(), afterMoves(t, "h2h4"), engine.Limits{Depth: 2}); err != nil || d.Source != engine.SourceSearch {
		t.Errorf("out of the book: %+v, %v", d, err)
	}
}

// Who wants to know what the search thinks is not answered by a book.
func TestAnalysisLeavesTheBookAside(t *testing.T) {
	e := thinking(t, openBooks(t, smallBook))
	g := afterMoves(t, "e2e4 c7c5")
	g3, err := g.Position().ParseUCI("g2g3")
	if err != nil {
		t.Fatal(err)
	}
	for name, limits := range map[string]engine.Limits{
		"some moves": {Depth: 2, SearchMoves: []chess.Move{g3}},
		"two lines":  {Depth: 2, MultiPV: 2},
		"a mate":     {Depth: 2, Mate: 3},
		"infinite":   {Depth: 2, Infinite: true},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		limits.Report = func(engine.Info) { cancel() }
		if d, err := e.Think(ctx, g, limits); err != nil || d.Source == engine.SourceBook {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		cancel()
	}
}

// On the opponent's time a book move is told when he has moved.
func TestBookWaitsForThePonderHit(t *testing.T) {
	books := openBooks(t, smallBook)
	for _, end := range []string{"hit", "cancel"} {
		synctest.Test(t, func(t *testing.T) {
			e := thinking(t, books)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			hit := make(chan struct{})
			done := make(chan engine.Decision, 1)
			g := afterMoves(t, "e2e4 c7c5")
			go func() {
				d, err := e.Think(ctx, g, engine.Limits{Depth: 2, PonderHit: hit})
				if err != nil {
					t.Error(err)
				}
				done <- d
			}()
			synctest.Wait()
			select {
			case d := <-done:
				t.Errorf("%+v before the opponent moved", d)
			default:
			}
			if end == "hit" {
				close(hit)
			} else {
				cancel()
			}
			if d := <-done; (d.Source == engine.SourceBook) != (end == "hit") {
				t.Errorf("after the %s: %+v", end, d)
			}
		})
	}
}

// A book that breaks while the engine runs costs no move: the search answers, and the error says what happened.
func TestBrokenBook(t *testing.T) {
	text, err := os.ReadFile(smallBook)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "book.bin")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	e := thinking(t, openBooks(t, path))
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	g := afterMoves(t, "e2e4 c7c5")
	d, err := e.Think(t.Context(), g, engine.Limits{Depth: 2})
	if err == nil || !strings.Contains(err.Error(), path) || d.Source != engine.SourceSearch || !g.Position().IsLegal(d.Move) {
		t.Errorf("%+v, %v", d, err)
	}
}
