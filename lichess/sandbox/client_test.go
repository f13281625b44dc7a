package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// client returns a client of the package lichess on an account of a server.
func client(t *testing.T, s *sandbox.Server, token string) *lichess.Client {
	t.Helper()
	c, err := lichess.New(lichess.Options{URL: s.URL, Token: lichess.Token(token)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// playOut plays random moves for one account until its game is over.
func playOut(ctx context.Context, c *lichess.Client, me, id string) error {
	var full *lichess.GameFull
	r := rand.New(rand.NewPCG(1, uint64(len(me))))
	moved := -1 // ply of the last own move: a state can come twice
	for event, err := range c.Game(ctx, id) {
		var state *lichess.GameState
		switch e := event.(type) {
		case *lichess.GameFull:
			full, state = e, &e.State
		case *lichess.GameState:
			state = e
		}
		switch {
		case state != nil && state.Status.Over():
			return nil
		case err != nil:
			return err
		case state == nil:
			continue
		}
		start := chess.StartPosition()
		if full.InitialFEN != lichess.StartPosition {
			if start, err = chess.ParseFEN(full.InitialFEN); err != nil {
				return err
			}
		}
		g := chess.NewGame(start, chess.LichessBot)
		for _, m := range state.MoveList() {
			if err := g.PlayUCI(m); err != nil {
				return err
			}
		}
		if lichess.Color(g.Position().SideToMove().String()) != full.ColorOf(me) || g.Ply() <= moved {
			continue
		}
		moved = g.Ply()
		var legal chess.MoveList
		g.Position().LegalMoves(&legal)
		m := legal.At(r.IntN(legal.Len()))
		if err := c.Move(ctx, id, m.String(), r.IntN(10) == 0); err != nil {
			// The other side may have accepted a draw in this moment.
			var refusal *lichess.APIError
			if errors.As(err, &refusal) && strings.Contains(err.Error(), "already over") {
				continue
			}
			return fmt.Errorf("%s plays %s in %s: %w", me, m, g.Position().FEN(), err)
		}
	}
	return errors.New("the stream ended without a final state")
}

// Two clients challenge, accept and play games of every playable variant to
// their ends at the same time, in real time.
func TestClientsPlayGames(t *testing.T) {
	s := sandbox.New(sandbox.Options{BotGamesPerDay: -1, ChallengePointsPerMinute: -1, ChallengePointsPerDay: -1})
	for _, name := range []string{"Deep", "Fritz"} {
		err := s.AddAccount(sandbox.Account{Name: name, Title: "BOT", Token: "lip_" + name})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	deep, fritz := client(t, s, "lip_Deep"), client(t, s, "lip_Fritz")
	var playing sync.WaitGroup
	defer playing.Wait()
	defer cancel()
	if me, err := deep.Account(ctx); err != nil || !me.IsBot() {
		t.Fatalf("%+v, %v", me, err)
	}

	const games = 12
	finished := make(chan string, games)
	attend := func(c *lichess.Client, name string) {
		playing.Go(func() {
			for event, err := range c.Events(ctx) {
				switch e := event.(type) {
				case *lichess.ChallengeEvent:
					if e.Challenge.DestUser.ID == lichess.UserID(name) {
						if err := c.AcceptChallenge(ctx, e.Challenge.ID); err != nil {
							t.Error(err)
						}
					}
				case *lichess.GameStart:
					playing.Go(func() {
						if err := playOut(ctx, c, name, e.Game.GameID); err != nil {
							t.Error(err)
							cancel()
						}
					})
				case *lichess.GameFinish:
					if name == "Deep" {
						finished <- e.Game.GameID
					}
				}
				if err != nil {
					return
				}
			}
		})
	}
	attend(deep, "Deep")
	attend(fritz, "Fritz")
	for i := range games {
		r := lichess.ChallengeRequest{TimeControl: lichess.ClockControl(180, 2)}
		switch i % 3 {
		case 1:
			r.Variant = lichess.VariantChess960
		case 2:
			r.FEN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
		}
		if _, err := deep.CreateChallenge(ctx, "Fritz", r); err != nil {
			t.Fatal(err)
		}
	}
	for n := range games {
		select {
		case <-finished:
		case <-ctx.Done():
			t.Fatalf("only %d of %d games have ended in time", n, games)
		}
	}
	for _, g := range s.Games() {
		if !g.Over() || g.Status == lichess.StatusAborted {
			t.Errorf("game %s: %s", g.ID, g.Status)
		}
		if pgn, err := deep.ExportPGN(ctx, g.ID); err != nil || pgn != g.PGN {
			t.Errorf("%v in %s", err, pgn)
		}
	}
}
