package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// challengeAnswer is the time that the server has to take a challenge.
const challengeAnswer = 10 * time.Second

// AwaitChallenge challenges a user, calls made with the challenge, and returns how the user answers: ChallengeAccepted,
// ChallengeDeclined or ChallengeCanceled. It needs no event stream and so takes none away from a bot that plays with the same account.
//
// It waits until ctx ends, and then leaves a challenge behind that the server withdraws after 20 s, or CancelChallenge at once. The
// errors are those of CreateChallenge, and ErrStreamEnded or a *NetworkError when the answer was not heard.
func (c *Client) AwaitChallenge(ctx context.Context, user string, r ChallengeRequest, made func(*Challenge)) (ChallengeStatus, error) {
	if err := errors.Join(checkArg("user name", nameForm, user), r.Check()); err != nil {
		return "", err
	}
	values := r.values()
	values.Set("keepAliveStream", "true")
	req := form(values, user)
	req.costs = c.challengeCosts(&r)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := c.openResponse(withHandling(ctx, &handling{endpoint: epChallenge, answer: challengeAnswer}), epChallenge, req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var challenge *Challenge
	var answer ChallengeStatus
	answered := errors.New("answered")
	err = readLines(resp.Body, func(line []byte) error {
		if len(line) == 0 {
			return nil // keeps the connection alive
		}
		line = c.scrub(line)
		if challenge == nil {
			challenge = new(Challenge)
			if err := errors.Join(json.Unmarshal(line, challenge), challenge.check()); err != nil {
				return fmt.Errorf("the reply is not a challenge: %w", cleanError(err))
			}
			made(challenge)
			return nil
		}
		var last struct {
			Done ChallengeStatus `json:"done"`
		}
		if json.Unmarshal(line, &last) != nil {
			return nil
		}
		switch last.Done {
		case ChallengeAccepted, ChallengeDeclined, ChallengeCanceled:
			answer = last.Done
			return answered
		}
		return nil
	})
	switch {
	case errors.Is(err, answered):
		return answer, nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	}
	return "", c.streamEnd(ctx, epChallenge, err)
}
