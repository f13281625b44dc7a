package bot_test

import (
	"time"

	"castellan/bot"
	"castellan/bot/opponents"
	"castellan/lichess"
)

// eveningKinds is the number of kinds of evenings, each with settings of its own.
const eveningKinds = 5

// eveningOptions are the settings of an evening. They are what the daemon goes by and the judge holds it to.
func eveningOptions(number uint64) *bot.Options {
	opts := quick()
	opts.AbortAfter = 30 * time.Second
	opts.MaxCorrespondence = 4
	opts.CorrespondenceRest = 10 * time.Minute
	opts.Draw = bot.DrawPolicy{
		Offer: true, OfferHumans: true, OfferBots: true, OfferScore: 25, OfferMoves: 4, OfferFromMove: 20, OfferMen: 12, OfferQuiet: 8,
		Accept: true, AcceptScore: -30,
	}
	opts.Resign = bot.ResignPolicy{Enabled: true, Humans: true, Bots: true, Score: -700, Moves: 3, FromMove: 10, Stalemate: true}
	opts.Takebacks = 1
	opts.Ponder = true
	opts.Chat = bot.Chat{
		Greeting: "Good luck, {opponent}!", GreetingSpectators: "Welcome, all who watch {me}.", Farewell: "Thanks, {opponent}.",
		FarewellSpectators: "That was {me} with {engine} {version}.", Commands: true, Engine: "Castellan", Version: "1.0",
	}
	opts.Accept.OfHumans.OpponentGames, opts.Accept.OfBots.OpponentGames = 1, 1
	opts.Accept.HumanPlaces, opts.Accept.Queue, opts.Accept.QueueWait, opts.Accept.PreferHumans = 1, 4, 20*time.Second, true
	opts.Accept.Block = []string{"person07", "Bot07"}
	opts.Match = bot.MatchPolicy{
		Enabled: true, Idle: 20 * time.Second, Interval: 30 * time.Second, Wait: 30 * time.Second, Games: 4, GamesPerDay: 30, ChallengesPerDay: 60,
		Wish: opponents.Wish{
			Clocks:   []opponents.Clock{{Limit: 60, Increment: 1}, {Limit: 180, Increment: 2}},
			Variants: []lichess.VariantKey{lichess.VariantStandard, lichess.VariantChess960}, Rated: true, Casual: true,
			RatingDifference: 300, OpponentGamesPerDay: 2, Prefer: opponents.PreferNear,
		},
	}
	people, bots := &opts.Accept.OfHumans, &opts.Accept.OfBots
	switch number % eveningKinds {
	case 0: // open to all, and asks for rematches
		opts.Match.GamesPerDay, opts.Match.ChallengesPerDay = 10, 20
		opts.Rematch = bot.RematchPolicy{Offer: true, Humans: true, Bots: true, Games: 2, Wait: 20 * time.Second}
	case 1: // by narrow terms
		people.Speeds = []string{"blitz", "rapid", "correspondence"}
		people.Rated, people.BulletIncrement, people.DaysMin, people.DaysMax, people.Unlimited = false, true, 2, 7, false
		people.OpponentPause = time.Minute
		bots.Speeds = []string{"bullet", "blitz", "rapid"}
		bots.Clocks = []opponents.Clock{{Limit: 60, Increment: 1}, {Limit: 180, Increment: 2}, {Limit: 300, Increment: 3}, {Limit: 600, Increment: 5}}
		bots.RatingMin, bots.RatingDifference, bots.OpponentGamesPerDay = 1600, 300, 1
		opts.Accept.Queue, opts.Takebacks, opts.Rematch.Decline = 0, 0, true
		opts.Draw.AcceptScore, opts.Draw.OfferMinRating, opts.Resign.MinRating = 0, 1700, 1700
	case 2: // for people
		opts.Accept.Bots = false
		people.OpponentGames, people.OpponentGamesPerDay = 2, 2
		people.BaseMin, people.BaseMax, people.IncMax = time.Minute, 15*time.Minute, 10*time.Second
		opts.Accept.QueueBest, opts.Accept.PreferHumans = true, false
		opts.Takebacks, opts.Match.Enabled = 3, false
		opts.Rematch = bot.RematchPolicy{Offer: true, Humans: true, Lost: true, Games: 3, Wait: 20 * time.Second}
	case 3: // for bots
		opts.Accept.Humans = false
		opts.Accept.HumanPlaces, opts.MaxGames, opts.Match.Games = 0, 3, 3
		opts.Match.ChallengesPerDay, opts.Match.Idle, opts.Match.Interval, opts.Match.Wish.RatingDifference = 150, 5*time.Second, 10*time.Second, 200
		bots.Casual = false
		bots.OpponentPause = 2 * time.Minute
		opts.Chat.Bots = true
		opts.Resign.Enabled, opts.Draw.Contempt = false, 15
	case 4: // by a list, standard chess, and no way to end a game early
		opts.Accept.Allow = []string{"person01", "PERSON02", "person03", "person04", "person05", "person06", "person07", "person08", "person11", "bot01", "bot02", "bot03", "bot04", "bot05", "bot06"}
		people.Variants, bots.Variants = []string{"standard"}, []string{"standard"}
		opts.Draw.Offer, opts.Draw.Accept = false, false
		opts.Resign.Humans, opts.Chat.Commands = false, false
		opts.AbortAfter = 0
		opts.Accept.PreferHumans, opts.Accept.PreferBots = false, true
	}
	return &opts
}
