package sandbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestAwaitChallenge(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	deep, mary := client(t, w.Server, "deep"), client(t, w.Server, "mary")
	ask := lichess.ChallengeRequest{TimeControl: lichess.ClockControl(180, 2), Color: lichess.ColorWhite}
	for _, test := range []struct {
		act  func(ctx context.Context, id string) error
		want lichess.ChallengeStatus
	}{
		{mary.AcceptChallenge, lichess.ChallengeAccepted},
		{func(ctx context.Context, id string) error {
			return mary.DeclineChallenge(ctx, id, lichess.DeclineLater)
		}, lichess.ChallengeDeclined},
		{deep.CancelChallenge, lichess.ChallengeCanceled},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		made := 0
		got, err := deep.AwaitChallenge(ctx, "Mary", ask, func(ch *lichess.Challenge) {
			made++
			if ch.URL == "" || ch.DestUser == nil || ch.DestUser.ID != "mary" || ch.TimeControl.Limit != 180 || ch.FinalColor != lichess.ColorWhite {
				t.Errorf("challenge %+v", ch)
			}
			if err := test.act(ctx, ch.ID); err != nil {
				t.Error(err)
			}
		})
		if got != test.want || err != nil || made != 1 {
			t.Errorf("%q %v, want %s; made %d", got, err, test.want, made)
		}
	}
	// Nobody answers.
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	if got, err := deep.AwaitChallenge(ctx, "mary", ask, func(*lichess.Challenge) { cancel(gone) }); got != "" || !errors.Is(err, gone) {
		t.Errorf("after the end of the context: %q %v", got, err)
	}
	// The server refuses, and a request that is not possible is not sent.
	var refused *lichess.APIError
	if got, err := deep.AwaitChallenge(t.Context(), "nobody", ask, nil); got != "" || !errors.As(err, &refused) || refused.Status != 400 {
		t.Errorf("a challenge to nobody: %q %v", got, err)
	}
	if got, err := deep.AwaitChallenge(t.Context(), "mary", lichess.ChallengeRequest{}, nil); got != "" || err == nil {
		t.Errorf("a challenge without a clock: %q %v", got, err)
	}
	// The end of the server is no answer.
	if got, err := deep.AwaitChallenge(t.Context(), "mary", ask, func(*lichess.Challenge) { w.Restart() }); got != "" || err == nil {
		t.Errorf("after a restart: %q %v", got, err)
	}
}
