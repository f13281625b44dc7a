package external

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"castellan/engine"
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

// TestEngineThatFailedTooOften is asked for no more moves.
func TestEngineThatFailedTooOften(t *testing.T) {
	own, err := engine.New(engine.Options{HashMB: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	s := &seat{Engine: &Engine{closing: context.Background(), opts: Options{Own: own}}, log: slog.New(slog.DiscardHandler)}
	g := chess.NewGame(chess.StartPosition(), chess.LichessBot)
	for n := range maxFaults + 2 {
		if got, want := s.takes(g), n < maxFaults; got != want {
			t.Errorf("after %d failures it is asked: %v, want %v", n, got, want)
		}
		s.failed(errors.New("some failure"))
	}
}
