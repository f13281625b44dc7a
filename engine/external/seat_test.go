package external

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"castellan/engine/chess"
	"castellan/engine/uciclient"
)

// TestGoodMovesMakeUpForFailures counts failures and good moves without an engine.
func TestGoodMovesMakeUpForFailures(t *testing.T) {
	s := &seat{Engine: &Engine{closing: context.Background()}, log: slog.New(slog.DiscardHandler)}
	g := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	good := func(n int) {
		t.Helper()
		for range n {
			if _, ok := s.read(g, answer{result: uciclient.Result{Move: "e2e4"}}); !ok {
				t.Fatal("a good move was not taken")
			}
		}
	}
	fail := func() { s.failed(errors.New("some failure")) }
	want := func(n int32) {
		t.Helper()
		if got := s.faults.Load(); got != n {
			t.Errorf("%d failures, want %d", got, n)
		}
	}
	fail()
	fail()
	good(forgivenAfter - 1)
	want(2)
	good(1)
	want(1)
	good(forgivenAfter - 1)
	fail() // begins the row anew
	good(forgivenAfter - 1)
	want(2)
	s.read(g, answer{result: uciclient.Result{Move: "e2e5"}})
	want(maxFaults)
	good(5 * forgivenAfter)
	want(maxFaults)
}
