package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"castellan/bot"
	"castellan/config"
)

// TestMannersAreSet gives every setting about behaviour in a game a value of its own and looks where it ends up.
func TestMannersAreSet(t *testing.T) {
	for name, value := range map[string]string{
		"DRAW_OFFER": "no", "DRAW_OFFER_OPPONENTS": "bot", "DRAW_OFFER_MIN_RATING": "1801", "DRAW_OFFER_SCORE": "21", "DRAW_OFFER_MOVES": "6",
		"DRAW_OFFER_DEPTH": "13", "DRAW_OFFER_FROM_MOVE": "31", "DRAW_OFFER_MEN": "9", "DRAW_OFFER_QUIET_MOVES": "7", "DRAW_ACCEPT": "no",
		"DRAW_ACCEPT_SCORE": "-51", "DRAW_CLOCK": "22s", "DRAW_CONTEMPT": "33", "DRAW_CONTEMPT_BY_RATING": "5",
		"RESIGN_ENABLED": "no", "RESIGN_OPPONENTS": "human", "RESIGN_MIN_RATING": "2001", "RESIGN_SCORE": "-801", "RESIGN_MOVES": "8",
		"RESIGN_DEPTH": "14", "RESIGN_FROM_MOVE": "32", "RESIGN_OPPONENT_CLOCK": "44s", "RESIGN_STALEMATE": "no",
		"REMATCH_OFFER": "lost", "REMATCH_OPPONENTS": "bot", "REMATCH_GAMES": "4", "REMATCH_WAIT": "55s", "REMATCH_ACCEPT": "no",
		"TAKEBACKS":     "3",
		"CHAT_GREETING": "a", "CHAT_GREETING_SPECTATORS": "b", "CHAT_FAREWELL": "c", "CHAT_FAREWELL_SPECTATORS": "d",
		"CHAT_COMMANDS": "no", "CHAT_BOTS": "yes",
	} {
		t.Setenv("CASTELLAN_"+name, value)
	}
	cfg, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	got := botOptions(&cfg, nil)
	for _, diff := range []string{
		cmp.Diff(bot.DrawPolicy{
			OfferBots: true, OfferMinRating: 1801, OfferScore: 21, OfferMoves: 6, OfferDepth: 13, OfferFromMove: 31, OfferMen: 9, OfferQuiet: 7,
			AcceptScore: -51, Clock: 22 * time.Second, Contempt: 33, ContemptByRating: 5,
		}, got.Draw),
		cmp.Diff(bot.ResignPolicy{
			Humans: true, MinRating: 2001, Score: -801, Moves: 8, Depth: 14, FromMove: 32, OpponentClock: 44 * time.Second,
		}, got.Resign),
		cmp.Diff(bot.RematchPolicy{Offer: true, Lost: true, Bots: true, Games: 4, Wait: 55 * time.Second, Decline: true}, got.Rematch),
		cmp.Diff(bot.Chat{
			Greeting: "a", GreetingSpectators: "b", Farewell: "c", FarewellSpectators: "d", Bots: true, Engine: engineName, Version: buildVersion(),
		}, got.Chat),
		cmp.Diff(3, got.Takebacks),
	} {
		if diff != "" {
			t.Error(diff)
		}
	}
}

// TestMannersByDefault: draws and resignation are on, talk is for people, and nobody is asked for a rematch.
func TestMannersByDefault(t *testing.T) {
	cfg, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	got := botOptions(&cfg, nil)
	if !got.Draw.Offer || !got.Draw.Accept || !got.Resign.Enabled || !got.Resign.Humans || !got.Resign.Bots || !got.Resign.Stalemate {
		t.Errorf("draws %+v, resignation %+v", got.Draw, got.Resign)
	}
	if got.Rematch.Offer || got.Rematch.Decline || got.Chat.Bots || !got.Chat.Commands || got.Chat.Greeting != "" {
		t.Errorf("rematches %+v, chat %+v", got.Rematch, got.Chat)
	}
}
