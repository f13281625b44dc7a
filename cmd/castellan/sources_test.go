package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// TestDaemonAsksItsSources plays with a book for White alone and the explorer behind it, by the settings: Black has no book.
func TestDaemonAsksItsSources(t *testing.T) {
	const token = "lip_xOfTheExplorerAlone"
	server := startSandbox(t)
	if err := server.AddAccount(sandbox.Account{Name: "Reader", Token: token, Scopes: []string{}}); err != nil {
		t.Fatal(err)
	}
	for fen, move := range map[string]string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1":     "e2e4",
		"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1":   "c7c5",
		"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2": "a2a3",
	} {
		if err := server.SetOpening(fen, lichess.ExplorerMove{UCI: move, White: 30}); err != nil {
			t.Fatal(err)
		}
	}
	book, err := filepath.Abs("../../testdata/books/small.bin") // its best move is 1 e4, and it knows 2 e5 after 1 ... c5
	if err != nil {
		t.Fatal(err)
	}
	sources := []string{"CASTELLAN_SOURCES=book,explorer", "CASTELLAN_EXPLORER_URL=" + server.URL, "CASTELLAN_EXPLORER_TOKEN=" + token, "CASTELLAN_LOG_LEVEL=debug"}
	white := startProcess(t, server.URL, "lip_castellan", append(sources, "CASTELLAN_BOOK_WHITE="+book, "CASTELLAN_BOOK_CHOICE=best")...)
	black := startProcess(t, server.URL, "lip_rival", sources...)
	id, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for g, _ := server.Game(id); len(g.Moves) < 3; g, _ = server.Game(id) {
		time.Sleep(time.Millisecond)
	}
	if g, _ := server.Game(id); strings.Join(g.Moves[:3], " ") != "e2e4 c7c5 e4e5" {
		t.Errorf("the moves are %v", g.Moves)
	}
	for p, source := range map[*process]string{white: "book", black: "explorer"} {
		p.Process.Kill()
		_, log := p.ended()
		if strings.Contains(log, token) || !strings.Contains(log, `"source":"`+source+`"`) {
			t.Errorf("the log has the token or no move of the %s", source)
		}
		if t.Failed() {
			t.Logf("the log of the one that has a %s:\n%s", source, log)
		}
	}
}
