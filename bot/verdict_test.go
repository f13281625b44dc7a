package bot

import (
	"testing"

	"castellan/engine/search"
)

func TestJudge(t *testing.T) {
	draw := DrawPolicy{Offer: true, OfferScore: 10, OfferMoves: 3, OfferFromMove: 40, Accept: true, AcceptScore: -20}
	res := ResignPolicy{Enabled: true, Score: -900, Moves: 3, FromMove: 20}
	scores := func(cp ...int) (history []assessment) {
		for i, s := range cp {
			history = append(history, assessment{ply: 2 * i, score: search.Score(s), depth: 8})
		}
		return history
	}
	shallow := func(history []assessment) []assessment {
		history[len(history)-1].depth = 0
		return history
	}
	// book puts book moves at the given places.
	book := func(history []assessment, places ...int) []assessment {
		for _, i := range places {
			history[i].score, history[i].depth, history[i].book = 0, 0, true
		}
		return history
	}
	level := situation{moveNumber: 60, opponentCanMate: true, mayOffer: true}
	with := func(s situation, history []assessment, change func(*situation)) situation {
		s.history = history
		if change != nil {
			change(&s)
		}
		return s
	}
	offered := func(s *situation) { s.opponentOffers = true }

	for _, tt := range []struct {
		name string
		s    situation
		want verdict
	}{
		{"nothing thought yet", with(level, nil, offered), goOn},
		{"level for long", with(level, scores(5, 0, -10), nil), offerDraw},
		{"level for too short", with(level, scores(50, 0, -10), nil), goOn},
		{"history too short", with(level, scores(0, 0), nil), goOn},
		{"too early", with(level, scores(0, 0, 0), func(s *situation) { s.moveNumber = 39 }), goOn},
		{"just offered", with(level, scores(0, 0, 0), func(s *situation) { s.mayOffer = false }), goOn},
		{"an offer would end a won game", with(level, scores(0, 0, 0), func(s *situation) { s.opponentCanMate = false }), goOn},
		{"no time to look", with(level, shallow(scores(0, 0, 0)), nil), goOn},
		{"better", with(level, scores(0, 0, 60), nil), goOn},

		{"offered and not better", with(level, scores(0, 0, -20), offered), acceptDraw},
		{"offered and a little better", with(level, scores(0, 0, -19), offered), goOn},
		{"offered and lost", with(level, scores(-2000, -2000, -2000), offered), acceptDraw},
		{"offered and no time to look", with(level, shallow(scores(-300, -300, -300)), offered), goOn},
		{"offered, early", with(level, scores(-300), func(s *situation) { s.opponentOffers, s.moveNumber = true, 3 }), acceptDraw},

		{"lost for long", with(level, scores(-900, -950, -1000), nil), resign},
		{"to be mated", with(level, scores(-900, -950, int(-search.Score(31990))), nil), resign},
		{"lost, but not all the time", with(level, scores(-900, -899, -1000), nil), goOn},
		{"lost, too early", with(level, scores(-900, -950, -1000), func(s *situation) { s.moveNumber = 19 }), goOn},
		{"lost, no time to look", with(level, shallow(scores(-900, -950, -1000)), nil), goOn},
		{"lost, with book moves between", with(level, book(scores(-900, -950, 0, 0, -1000), 2, 3), nil), resign},
		{"lost, but not all the time, with book moves", with(level, book(scores(-900, -899, 0, -1000, -1000), 2), nil), goOn},
		{"lost, the move from a book", with(level, book(scores(-900, -950, -1000, 0), 3), nil), goOn},
		{"level, with book moves between", with(level, book(scores(5, 0, 0, -10), 1), nil), offerDraw},
		{"level for too short, the others from a book", with(level, book(scores(0, 0, 0, 0), 0, 2), nil), goOn},
		{"level, the move from a book", with(level, book(scores(0, 0, 0, 0), 3), nil), goOn},
		{"offered, the move from a book", with(level, book(scores(-300, -300, -300, 0), 3), offered), goOn},
		{"nothing but book moves", with(level, book(scores(0, 0, 0), 0, 1, 2), offered), goOn},

		{"winning", with(level, scores(900, 950, 1000), nil), goOn},
	} {
		if got := judge(tt.s, &draw, &res); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}

	lost := with(level, scores(-2000, -2000, -2000), offered)
	if got := judge(lost, &DrawPolicy{}, &ResignPolicy{}); got != goOn {
		t.Errorf("all switched off: got %v", got)
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
