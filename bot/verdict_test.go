package bot

import (
	"slices"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/search"
)

// thoughts are assessments of these scores, in plies of the bot's own moves, searched 12 plies deep.
func thoughts(cp ...int) (history []assessment) {
	for i, s := range cp {
		history = append(history, assessment{ply: 80 + 2*i, score: search.Score(s), depth: 12, basis: searched})
	}
	return history
}

// changed changes the thoughts at some places, counted from the end.
func changed(history []assessment, change func(*assessment), fromEnd ...int) []assessment {
	history = slices.Clone(history)
	for _, i := range fromEnd {
		change(&history[len(history)-1-i])
	}
	return history
}

func fromBook(a *assessment)      { *a = assessment{ply: a.ply, basis: booked} }
func atAGlance(a *assessment)     { a.depth, a.basis = 0, glance }
func shallow(a *assessment)       { a.depth = 5 }
func forcedShallow(a *assessment) { a.depth, a.only = 4, true }
func byTables(a *assessment)      { a.depth, a.basis = 0, tabled }

// level is the situation in a flat and dead game, and lost the one in a game that is over but for the mate; the bot and its
// opponent are bots of the same rating with time enough.
func level() situation {
	return situation{
		moveNumber: 60, history: thoughts(5, 0, -10), men: 10, quiet: 4, opponentCanMate: true, mayOffer: true,
		rating: 2000, opponentRating: 2000,
		timed: true, clock: time.Minute, opponentClock: time.Minute, opponentTimeForTenMoves: time.Minute,
	}
}

func lost() situation {
	s := level()
	s.history = thoughts(-900, -950, -1000)
	return s
}

func drawPolicy() DrawPolicy {
	return DrawPolicy{
		Offer: true, OfferHumans: true, OfferBots: true, OfferMinRating: 1500, OfferScore: 10, OfferMoves: 3, OfferDepth: 8, OfferFromMove: 40,
		OfferMen: 10, OfferQuiet: 8, Accept: true, AcceptScore: -20, Clock: 10 * time.Second,
	}
}

func resignPolicy() ResignPolicy {
	return ResignPolicy{
		Enabled: true, Humans: true, Bots: true, MinRating: 1500, Score: -900, Moves: 3, Depth: 8, FromMove: 20,
		OpponentClock: 15 * time.Second, Stalemate: true,
	}
}

// verdictCase is a situation, changed from a plain one, with policies that may be changed too.
type verdictCase struct {
	name   string
	change func(s *situation, d *DrawPolicy, r *ResignPolicy)
	want   verdict
}

func checkVerdicts(t *testing.T, plain func() situation, cases []verdictCase) {
	t.Helper()
	for _, tt := range cases {
		s, d, r := plain(), drawPolicy(), resignPolicy()
		if tt.change != nil {
			tt.change(&s, &d, &r)
		}
		if got := judge(&s, &d, &r); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestDrawsAreOfferedInFlatAndDeadGames(t *testing.T) {
	type s = *situation
	type d = *DrawPolicy
	type r = *ResignPolicy
	checkVerdicts(t, level, []verdictCase{
		{"level for long", nil, offerDraw},
		{"switched off", func(_ s, d d, _ r) { d.Offer = false }, goOn},
		{"nothing thought yet", func(s s, _ d, _ r) { s.history = nil }, goOn},
		{"level for too short", func(s s, _ d, _ r) { s.history = thoughts(50, 0, -10) }, goOn},
		{"worse for a moment", func(s s, _ d, _ r) { s.history = thoughts(0, -11, 0) }, goOn},
		{"history too short", func(s s, _ d, _ r) { s.history = thoughts(0, 0) }, goOn},
		{"better now", func(s s, _ d, _ r) { s.history = thoughts(0, 0, 11) }, goOn},
		{"won", func(s s, _ d, _ r) { s.history = thoughts(900, 950, 1000) }, goOn},
		{"too early", func(s s, _ d, _ r) { s.moveNumber = 39 }, goOn},
		{"just in time", func(s s, _ d, _ r) { s.moveNumber = 40 }, offerDraw},
		{"just offered, or against the server's engine", func(s s, _ d, _ r) { s.mayOffer = false }, goOn},
		{"an offer would end a won game", func(s s, _ d, _ r) { s.opponentCanMate = false }, goOn},
		{"the opponent has left", func(s s, _ d, _ r) { s.opponentGone = true }, goOn},

		{"no time to look", func(s s, _ d, _ r) { s.history = changed(s.history, atAGlance, 0) }, goOn},
		{"no time to look before", func(s s, _ d, _ r) { s.history = changed(s.history, atAGlance, 1) }, goOn},
		{"not deep enough", func(s s, _ d, _ r) { s.history = changed(s.history, shallow, 1) }, goOn},
		{"forced moves between", func(s s, _ d, _ r) { s.history = changed(thoughts(0, 0, 0, 0), forcedShallow, 1) }, offerDraw},
		{"forced moves do not count", func(s s, _ d, _ r) { s.history = changed(s.history, forcedShallow, 1) }, goOn},
		{"a forced move now", func(s s, _ d, _ r) { s.history = changed(thoughts(0, 0, 0, 0), forcedShallow, 0) }, goOn},
		{"book moves between", func(s s, _ d, _ r) { s.history = changed(thoughts(5, 0, 0, -10), fromBook, 2) }, offerDraw},
		{"book moves do not count", func(s s, _ d, _ r) { s.history = changed(thoughts(0, 0, 0, 0), fromBook, 1, 3) }, goOn},
		{"a book move now", func(s s, _ d, _ r) { s.history = changed(thoughts(0, 0, 0, 0), fromBook, 0) }, goOn},
		{"nothing but book moves", func(s s, _ d, _ r) { s.history = changed(s.history, fromBook, 0, 1, 2) }, goOn},

		{"many men and something going on", func(s s, _ d, _ r) { s.men = 11 }, goOn},
		{"many men and nothing going on", func(s s, _ d, _ r) { s.men, s.quiet = 30, 16 }, offerDraw},
		{"many men and nothing going on for too short", func(s s, _ d, _ r) { s.men, s.quiet = 30, 15 }, goOn},
		{"many men and a repetition", func(s s, _ d, _ r) { s.men, s.repeated = 30, true }, offerDraw},
		{"drawn by the tables", func(s s, _ d, _ r) { s.men, s.history = 11, changed(s.history, byTables, 0, 1, 2) }, goOn},
		{"drawn by the tables, with scores of draws", func(s s, _ d, _ r) {
			s.men, s.history = 11, changed(thoughts(0, 1, -1), byTables, 0, 1, 2)
		}, offerDraw},
		{"drawn by the tables since now", func(s s, _ d, _ r) { s.history = changed(thoughts(60, 30, 0), byTables, 0) }, goOn},
		{"won by the tables", func(s s, _ d, _ r) { s.history = changed(thoughts(0, 0, int(search.TableWin)), byTables, 0) }, goOn},

		{"a person", func(s s, _ d, _ r) { s.human = true }, offerDraw},
		{"no offers to people", func(s s, d d, _ r) { s.human, d.OfferHumans = true, false }, goOn},
		{"no offers to bots", func(s s, d d, _ r) { d.OfferBots = false }, goOn},
		{"a weak opponent", func(s s, _ d, _ r) { s.opponentRating = 1499 }, goOn},
		{"an opponent without a rating", func(s s, _ d, _ r) { s.opponentRating = 0 }, offerDraw},

		{"the opponent is in time trouble", func(s s, _ d, _ r) { s.opponentClock = 9 * time.Second }, goOn},
		{"both are in time trouble", func(s s, _ d, _ r) { s.opponentClock, s.clock = 9*time.Second, 8*time.Second }, offerDraw},
		{"by correspondence, a clock about to end", func(s s, _ d, _ r) { s.timed, s.opponentClock = false, time.Second }, offerDraw},

		{"contempt", func(s s, d d, _ r) { d.Contempt = 30 }, goOn},
		{"contempt and a score as far below", func(s s, d d, _ r) { d.Contempt, s.history = 30, thoughts(-25, -30, -40) }, offerDraw},
		{"respect", func(s s, d d, _ r) { d.Contempt, s.history = -30, thoughts(25, 30, 40) }, offerDraw},
		{"contempt for a lower rating", func(s s, d d, _ r) { d.ContemptByRating, s.opponentRating = 5, 1600 }, goOn},
		{"contempt for a lower rating, unknown", func(s s, d d, _ r) { d.ContemptByRating, s.opponentRating = 5, 0 }, offerDraw},
		{"respect for a higher rating", func(s s, d d, _ r) {
			d.ContemptByRating, s.opponentRating, s.history = 5, 2400, thoughts(15, 20, 25)
		}, offerDraw},
		{"contempt in a game drawn by the tables", func(s s, d d, _ r) {
			d.Contempt, s.history = 30, changed(thoughts(0, 0, 0), byTables, 0, 1, 2)
		}, goOn},
	})
}

func TestDrawOffersAreAnsweredHonestly(t *testing.T) {
	type s = *situation
	type d = *DrawPolicy
	type r = *ResignPolicy
	offered := func() situation {
		s := level()
		s.opponentOffers = true
		return s
	}
	checkVerdicts(t, offered, []verdictCase{
		{"not better", func(s s, _ d, _ r) { s.history = thoughts(0, 0, -20) }, acceptDraw},
		{"a little better", func(s s, _ d, _ r) { s.history = thoughts(0, 0, -19) }, goOn},
		{"not better any more", func(s s, _ d, _ r) { s.history = thoughts(900, 900, -20) }, acceptDraw},
		{"better since now", func(s s, _ d, _ r) { s.history = thoughts(-900, -900, 300) }, goOn},
		{"winning", func(s s, _ d, _ r) { s.history = thoughts(900, 900, 900) }, goOn},
		{"about to mate", func(s s, _ d, _ r) { s.history = thoughts(900, 900, int(search.MateIn(3))) }, goOn},
		{"losing", func(s s, _ d, _ r) { s.history = thoughts(-300) }, acceptDraw},
		{"lost: a draw rather than resigning", func(s s, _ d, _ r) { s.history = thoughts(-2000, -2000, -2000) }, acceptDraw},
		{"about to be mated", func(s s, _ d, _ r) { s.history = thoughts(int(search.MateIn(-2))) }, acceptDraw},
		{"early", func(s s, _ d, _ r) { s.history, s.moveNumber = thoughts(-300), 3 }, acceptDraw},
		{"switched off", func(s s, d d, _ r) { s.history, d.Accept = thoughts(-300), false }, goOn},
		{"switched off, and lost", func(s s, d d, _ r) { s.history, d.Accept = thoughts(-2000, -2000, -2000), false }, resign},
		{"no time to look", func(s s, _ d, _ r) { s.history = changed(thoughts(-300), atAGlance, 0) }, goOn},
		{"a book move", func(s s, _ d, _ r) { s.history = changed(thoughts(-300, -300), fromBook, 0) }, goOn},
		{"a short look will do", func(s s, _ d, _ r) { s.history = changed(thoughts(-300), shallow, 0) }, acceptDraw},
		{"nothing thought yet", func(s s, _ d, _ r) { s.history = nil }, goOn},

		{"drawn by the tables", func(s s, _ d, _ r) { s.history = changed(thoughts(0), byTables, 0) }, acceptDraw},
		{"a win that the 50-move rule takes away", func(s s, _ d, _ r) { s.history = changed(thoughts(1), byTables, 0) }, acceptDraw},
		{"drawn by the tables, with contempt", func(s s, d d, _ r) { d.Contempt, s.history = 500, changed(thoughts(0), byTables, 0) }, acceptDraw},
		{"won by the tables", func(s s, _ d, _ r) { s.history = changed(thoughts(int(search.TableWin)), byTables, 0) }, goOn},
		{"lost by the tables", func(s s, _ d, _ r) { s.history = changed(thoughts(-int(search.TableWin)), byTables, 0) }, acceptDraw},

		{"contempt", func(s s, d d, _ r) { d.Contempt, s.history = 30, thoughts(-49) }, goOn},
		{"contempt, and worse than that", func(s s, d d, _ r) { d.Contempt, s.history = 30, thoughts(-50) }, acceptDraw},
		{"respect for a higher rating", func(s s, d d, _ r) { d.ContemptByRating, s.opponentRating, s.history = 5, 2800, thoughts(20) }, acceptDraw},

		{"level, in time trouble", func(s s, _ d, _ r) { s.history, s.clock = thoughts(10), 9*time.Second }, acceptDraw},
		{"better, in time trouble", func(s s, _ d, _ r) { s.history, s.clock = thoughts(11), 9*time.Second }, goOn},
		{"level, both in time trouble", func(s s, _ d, _ r) {
			s.history, s.clock, s.opponentClock = thoughts(10), 9*time.Second, 8*time.Second
		}, goOn},
		{"a weak opponent", func(s s, _ d, _ r) { s.history, s.opponentRating, s.human = thoughts(-300), 800, true }, acceptDraw},
	})
}

func TestLostGamesAreResignedWithCare(t *testing.T) {
	type s = *situation
	type d = *DrawPolicy
	type r = *ResignPolicy
	checkVerdicts(t, lost, []verdictCase{
		{"lost for long", nil, resign},
		{"switched off", func(_ s, _ d, r r) { r.Enabled = false }, goOn},
		{"lost, but not all the time", func(s s, _ d, _ r) { s.history = thoughts(-900, -899, -1000) }, goOn},
		{"lost for too short", func(s s, _ d, _ r) { s.history = thoughts(-950, -1000) }, goOn},
		{"a way out", func(s s, _ d, _ r) { s.history = thoughts(-900, -950, 0) }, goOn},
		{"to be mated", func(s s, _ d, _ r) { s.history = thoughts(-900, -950, int(search.MateIn(-5))) }, resign},
		{"to be mated, seen at a small depth", func(s s, _ d, _ r) {
			s.history = changed(thoughts(-900, -950, int(search.MateIn(-1))), shallow, 0)
		}, resign},
		{"too early", func(s s, _ d, _ r) { s.moveNumber = 19 }, goOn},
		{"just in time", func(s s, _ d, _ r) { s.moveNumber = 20 }, resign},

		{"no time to look", func(s s, _ d, _ r) { s.history = changed(s.history, atAGlance, 0) }, goOn},
		{"no time to look before", func(s s, _ d, _ r) { s.history = changed(s.history, atAGlance, 1) }, goOn},
		{"not deep enough", func(s s, _ d, _ r) { s.history = changed(s.history, shallow, 2) }, goOn},
		{"forced moves between", func(s s, _ d, _ r) { s.history = changed(thoughts(-900, -900, 0, -900), forcedShallow, 1) }, resign},
		{"forced moves do not count", func(s s, _ d, _ r) { s.history = changed(s.history, forcedShallow, 1) }, goOn},
		{"book moves between", func(s s, _ d, _ r) { s.history = changed(thoughts(-900, -950, 0, 0, -1000), fromBook, 1, 2) }, resign},
		{"not all the time, with book moves", func(s s, _ d, _ r) {
			s.history = changed(thoughts(-900, -899, 0, -1000, -1000), fromBook, 2)
		}, goOn},
		{"a book move now", func(s s, _ d, _ r) { s.history = changed(thoughts(-900, -950, -1000, 0), fromBook, 0) }, goOn},

		{"lost by the tables", func(s s, _ d, _ r) {
			s.history = changed(thoughts(-900, -900, -int(search.TableWin)), byTables, 0)
		}, resign},
		{"lost by the tables, whatever the depth", func(s s, _ d, _ r) {
			n := -int(search.TableWin)
			s.history = changed(thoughts(n, n, n), byTables, 0, 1, 2)
		}, resign},
		{"a loss that the 50-move rule saves", func(s s, _ d, _ r) { s.history = changed(thoughts(-900, -900, -1), byTables, 0) }, goOn},
		{"a draw by the tables before", func(s s, _ d, _ r) {
			s.history = changed(thoughts(-900, 0, -int(search.TableWin)), byTables, 0, 1)
		}, goOn},

		{"to a person", func(s s, _ d, _ r) { s.human = true }, resign},
		{"not to people", func(s s, _ d, r r) { s.human, r.Humans = true, false }, goOn},
		{"to a bot, not to people", func(_ s, _ d, r r) { r.Humans = false }, resign},
		{"not to bots", func(_ s, _ d, r r) { r.Bots = false }, goOn},
		{"a weak opponent", func(s s, _ d, _ r) { s.opponentRating = 1499 }, goOn},
		{"an opponent without a rating", func(s s, _ d, _ r) { s.opponentRating = 0 }, resign},

		{"the opponent is short of time", func(s s, _ d, _ r) { s.opponentTimeForTenMoves = 14 * time.Second }, goOn},
		{"by correspondence, a clock about to end", func(s s, _ d, _ r) { s.timed, s.opponentTimeForTenMoves = false, 0 }, resign},
		{"the opponent has left", func(s s, _ d, _ r) { s.opponentGone = true }, goOn},
		{"the opponent cannot mate", func(s s, _ d, _ r) { s.opponentCanMate = false }, goOn},
		{"stalemate is near", func(s s, _ d, _ r) { s.kingOnly = true }, goOn},
		{"stalemate is near and not hoped for", func(s s, _ d, r r) { s.kingOnly, r.Stalemate = true, false }, resign},
		{"winning", func(s s, _ d, _ r) { s.history = thoughts(900, 950, 1000) }, goOn},
	})
}

func TestAssessmentsRestOnTheSourceOfTheMove(t *testing.T) {
	for source, want := range map[engine.Source]basis{
		engine.SourceNone: glance, engine.SourceFallback: glance, engine.SourceSearch: searched, engine.SourceTablebase: tabled, engine.SourceBook: booked,
	} {
		d := engine.Decision{Source: source, Score: 17, Depth: 9}
		if got := assess(40, &d, true); got != (assessment{ply: 40, score: 17, depth: 9, basis: want, only: true}) {
			t.Errorf("a move from %v: %+v", source, got)
		}
	}
}

func TestOfferFlag(t *testing.T) {
	type step struct {
		flag                bool
		ply                 int
		wantNew, wantStands bool
	}
	for name, steps := range map[string][]step{
		"offered and repeated":       {{false, 10, false, false}, {true, 10, true, true}, {true, 10, false, true}},
		"up at first sight":          {{true, 10, true, true}},
		"left up after the move":     {{true, 10, true, true}, {true, 11, false, false}, {true, 12, false, false}},
		"withdrawn and made anew":    {{true, 10, true, true}, {false, 11, false, false}, {true, 12, true, true}},
		"nothing comes of nothing":   {{false, 1, false, false}, {false, 2, false, false}},
		"down within the same state": {{true, 10, true, true}, {false, 10, false, false}},
	} {
		var o offer
		for i, s := range steps {
			if isNew := o.note(s.flag, s.ply); isNew != s.wantNew || o.standing != s.wantStands {
				t.Errorf("%s, step %d: new %v, standing %v, want %v, %v", name, i, isNew, o.standing, s.wantNew, s.wantStands)
			}
		}
	}
}

func TestOwnOffersKeepTheirDistance(t *testing.T) {
	o := offers{madeAt: 40}
	for ply, want := range map[int]bool{41: false, 60: false, 61: true} {
		if got := o.mayOffer(ply); got != want {
			t.Errorf("ply %d: got %v, want %v", ply, got, want)
		}
	}
}
