package search

import (
	"context"
	"testing"

	"castellan/engine/chess"
	"castellan/engine/eval"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func position(t testing.TB, fen string) chess.Position {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newThreads(t testing.TB, n int) []*Thread {
	t.Helper()
	table, err := NewTable(8)
	if err != nil {
		t.Fatal(err)
	}
	var threads []*Thread
	for range n {
		threads = append(threads, NewThread(table, eval.New()))
	}
	return threads
}

// think searches a position with one fresh thread.
func think(t testing.TB, fen string, limits Limits) Result {
	t.Helper()
	return thinkGame(t, chess.NewGame(position(t, fen), chess.FIDE), limits)
}

func thinkGame(t testing.TB, g *chess.Game, limits Limits) Result {
	t.Helper()
	keys := g.Keys()
	job := Job{Position: *g.Position(), Past: keys[:len(keys)-1], Limits: limits}
	r, err := Run(context.Background(), newThreads(t, 1), job, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
