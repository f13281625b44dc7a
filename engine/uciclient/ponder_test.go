package uciclient

import (
	"context"
	"testing"
	"time"
)

func TestPonder(t *testing.T) {
	e := start(t, fake(t, "castellan"))
	after := Position{Moves: []string{"e2e4", "e7e5"}}
	hit := make(chan struct{})
	infinitely := 0
	r, err := e.Search(t.Context(), after, Limits{MoveTime: 50 * time.Millisecond, Ponder: hit}, func(i Info) {
		// Long after the time of the move the engine goes on, until the reply is there.
		if infinitely == 0 && i.Time > 200*time.Millisecond {
			infinitely++
			close(hit)
		}
	})
	if err != nil || !isMove(r.Move) || infinitely == 0 || r.Elapsed < 200*time.Millisecond {
		t.Errorf("hit: %+v, %v, after %v", r, err, r.Elapsed)
	}
	// A reply that was not expected.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err = e.Search(ctx, after, Limits{MoveTime: time.Millisecond, Ponder: make(chan struct{})}, func(i Info) {
		if i.Time > 50*time.Millisecond {
			cancel()
		}
	})
	if err != nil || !isMove(r.Move) {
		t.Errorf("miss: %+v, %v", r, err)
	}
	// Both at once, in either order, leave the engine in step.
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		hit := make(chan struct{})
		go close(hit)
		go cancel()
		if r, err := e.Search(ctx, after, Limits{MoveTime: time.Hour, Ponder: hit}, nil); err != nil || !isMove(r.Move) {
			t.Errorf("both: %+v, %v", r, err)
		}
	}
	if r, err := e.Search(t.Context(), Position{}, Limits{Depth: 3}, nil); err != nil || r.Info.Depth != 3 {
		t.Errorf("afterwards: %+v, %v", r, err)
	}
}
