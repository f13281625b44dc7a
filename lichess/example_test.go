package lichess_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"castellan/lichess"
)

// Follow the account's events, and accept what comes.
func ExampleClient_EventStream() {
	client, err := lichess.New(lichess.Options{Token: lichess.Token(os.Getenv("LICHESS_TOKEN")), Version: "1.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	ctx := context.Background()
	me, err := client.Account(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, err := range client.EventStream(ctx) {
		switch e := event.(type) {
		case *lichess.ChallengeEvent:
			if by := e.Challenge.Challenger; by != nil && by.ID != me.ID {
				err = client.AcceptChallenge(ctx, e.Challenge.ID)
			}
		case *lichess.GameStart:
			go follow(ctx, client, e.Game.GameID)
		case *lichess.Disconnected:
			fmt.Println("lost:", e.Err, "- next try in", e.Wait)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
}

// follow prints the moves of a game until it is over.
func follow(ctx context.Context, client *lichess.Client, id string) {
	for event, err := range client.GameStream(ctx, id) {
		switch e := event.(type) {
		case *lichess.GameFull: // at the start, and again after a lost connection
			fmt.Println(id, "from", e.InitialFEN, e.State.MoveList())
		case *lichess.GameState:
			fmt.Println(id, e.MoveList())
		}
		if err != nil && !errors.Is(err, lichess.ErrGameOver) {
			fmt.Println(id, err)
		}
	}
}
