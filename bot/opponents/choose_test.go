package opponents

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"castellan/lichess"
)

var (
	noon   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	blitz  = Terms{Clock{180, 2}, false, lichess.VariantStandard}
	bullet = Terms{Clock{60, 0}, false, lichess.VariantStandard}
	rapid  = Terms{Clock{600, 5}, false, lichess.VariantStandard}
)

func user(name string, rating int) lichess.User {
	perf := lichess.Perf{Rating: rating}
	return lichess.User{ID: lichess.UserID(name), Username: name, Title: lichess.TitleBot,
		Perfs: map[string]lichess.Perf{"bullet": perf, "blitz": perf, "rapid": perf, "chess960": perf}}
}

func nobody(string) bool { return false }

// TestWhatIsLearnedFromAnAnswer asks an opponent again, some time after it has answered, for the same and for something else.
func TestWhatIsLearnedFromAnAnswer(t *testing.T) {
	rated := func(t Terms) Terms { t.Rated = true; return t }
	random := func(t Terms) Terms { t.Variant = lichess.VariantChess960; return t }
	declined := func(asked Terms, reason lichess.DeclineReason) func(*Book) {
		return func(b *Book) { b.Declined("rob", asked, reason, noon) }
	}
	for _, tt := range []struct {
		name   string
		answer func(*Book)
		after  time.Duration
		asked  Terms
		may    bool
	}{
		{"no answer yet", func(*Book) {}, 0, blitz, true},

		{"generic, at once", declined(blitz, lichess.DeclineGeneric), 0, bullet, false},
		{"generic, before 12 hours", declined(blitz, lichess.DeclineGeneric), 12*time.Hour - 1, blitz, false},
		{"generic, after 12 hours", declined(blitz, lichess.DeclineGeneric), 12 * time.Hour, blitz, true},
		{"only bots, as we are", declined(blitz, lichess.DeclineOnlyBot), 12*time.Hour - 1, blitz, false},
		{"later, before an hour", declined(blitz, lichess.DeclineLater), time.Hour - 1, bullet, false},
		{"later, after an hour", declined(blitz, lichess.DeclineLater), time.Hour, blitz, true},
		{"no bots, before a week", declined(blitz, lichess.DeclineNoBot), 7*Day - 1, bullet, false},
		{"no bots, after a week", declined(blitz, lichess.DeclineNoBot), 7 * Day, blitz, true},

		{"too fast, another kind at once", declined(blitz, lichess.DeclineTooFast), 10*time.Minute - 1, rapid, false},
		{"too fast, a slower one", declined(blitz, lichess.DeclineTooFast), 10 * time.Minute, rapid, true},
		{"too fast, the same", declined(blitz, lichess.DeclineTooFast), 3*Day - 1, blitz, false},
		{"too fast, a faster one", declined(blitz, lichess.DeclineTooFast), 3*Day - 1, bullet, false},
		{"too fast, long ago", declined(blitz, lichess.DeclineTooFast), 3 * Day, bullet, true},
		{"too slow, a faster one", declined(blitz, lichess.DeclineTooSlow), time.Hour, bullet, true},
		{"too slow, the same", declined(blitz, lichess.DeclineTooSlow), time.Hour, blitz, false},
		{"too slow, a slower one", declined(blitz, lichess.DeclineTooSlow), time.Hour, rapid, false},
		{"time control, the same", declined(blitz, lichess.DeclineTimeControl), time.Hour, rated(blitz), false},
		{"time control, another", declined(blitz, lichess.DeclineTimeControl), time.Hour, bullet, true},

		{"wants casual, rated", declined(rated(blitz), lichess.DeclineCasual), time.Hour, rated(rapid), false},
		{"wants casual, casual", declined(rated(blitz), lichess.DeclineCasual), time.Hour, blitz, true},
		{"wants rated, casual", declined(blitz, lichess.DeclineRated), time.Hour, rapid, false},
		{"wants rated, rated", declined(blitz, lichess.DeclineRated), time.Hour, rated(blitz), true},
		{"wants the casual game that it was offered", declined(blitz, lichess.DeclineCasual), 12*time.Hour - 1, rated(blitz), false},

		{"wants standard, Chess960", declined(random(blitz), lichess.DeclineStandard), time.Hour, random(rapid), false},
		{"wants standard, standard", declined(random(blitz), lichess.DeclineStandard), time.Hour, blitz, true},
		{"not this variant, the same", declined(random(blitz), lichess.DeclineVariant), 7*Day - 1, random(rapid), false},
		{"not this variant, another", declined(random(blitz), lichess.DeclineVariant), time.Hour, blitz, true},
		{"not this variant, long ago", declined(random(blitz), lichess.DeclineVariant), 7 * Day, random(blitz), true},

		{"no answer, before an hour", func(b *Book) { b.Unanswered("rob", noon) }, time.Hour - 1, blitz, false},
		{"no answer, after an hour", func(b *Book) { b.Unanswered("rob", noon) }, time.Hour, blitz, true},
		{"no answer twice, before two hours", func(b *Book) { b.Unanswered("rob", noon); b.Unanswered("rob", noon) }, 2*time.Hour - 1, blitz, false},
		{"no answer twice, after two hours", func(b *Book) { b.Unanswered("rob", noon); b.Unanswered("rob", noon) }, 2 * time.Hour, blitz, true},
		{"no answer ten times, after a day", func(b *Book) {
			for range 10 {
				b.Unanswered("rob", noon)
			}
		}, Day, blitz, true},
		{"no answer, accepted, no answer", func(b *Book) { b.Unanswered("rob", noon.Add(-Day)); b.Accepted("rob"); b.Unanswered("rob", noon) }, time.Hour, blitz, true},
		{"its games of the day are played", func(b *Book) { b.LeaveAlone("rob", noon, 5*time.Hour) }, 5*time.Hour - 1, blitz, false},
		{"its day is over", func(b *Book) { b.LeaveAlone("rob", noon, 5*time.Hour) }, 5 * time.Hour, blitz, true},
		{"another has answered", func(b *Book) { b.Declined("rolf", blitz, lichess.DeclineNoBot, noon) }, 0, blitz, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			book := New()
			tt.answer(book)
			wish := &Wish{Clocks: []Clock{tt.asked.Clock}, Variants: []lichess.VariantKey{tt.asked.Variant}, Rated: tt.asked.Rated, Casual: !tt.asked.Rated}
			got, terms, may := book.Choose(wish, []lichess.User{user("Rob", 2000)}, nil, nobody, noon.Add(tt.after), rand.New(rand.NewPCG(1, 1)))
			if may != tt.may {
				t.Errorf("may be challenged: %v, want %v (book %+v)", may, tt.may, book.accounts["rob"])
			}
			if may && (got.Username != "Rob" || terms != tt.asked) {
				t.Errorf("got %s and %v", got.Username, terms)
			}
		})
	}
}

func TestWhoIsChosen(t *testing.T) {
	bots := []lichess.User{user("Rob", 2000), user("Rolf", 2300), user("Ron", 1500), user("Rose", 2040)}
	own := map[string]lichess.Perf{"blitz": {Rating: 2050}}
	had := func(b *Book, id string, ago ...time.Duration) {
		for i, d := range ago {
			b.Began(id, fmt.Sprint(id, i), true, noon.Add(-d))
		}
	}
	for _, tt := range []struct {
		name   string
		wish   func(*Wish)
		before func(*Book)
		skip   string
		want   string
	}{
		{"nearest", func(w *Wish) { w.Prefer = PreferNear }, nil, "", "Rose"},
		{"strongest", func(w *Wish) { w.Prefer = PreferStrong }, nil, "", "Rolf"},
		{"weakest", func(w *Wish) { w.Prefer = PreferWeak }, nil, "", "Ron"},
		{"fewest games before preference", func(w *Wish) { w.Prefer = PreferStrong }, func(b *Book) { had(b, "rolf", time.Hour) }, "", "Rose"},
		{"fewest games of the week", func(w *Wish) { w.Prefer = PreferStrong }, func(b *Book) {
			had(b, "rolf", time.Hour)
			had(b, "rose", time.Hour, 2*Day)
			had(b, "rob", 5*Day, 6*Day)
			had(b, "ron", 5*Day, 6*Day)
		}, "", "Rolf"},
		{"games of last month do not count", func(w *Wish) { w.Prefer = PreferStrong }, func(b *Book) { had(b, "rolf", 8*Day, 9*Day) }, "", "Rolf"},
		{"enough of one for today", func(w *Wish) { w.Prefer, w.OpponentGamesPerDay, w.RatingMin = PreferStrong, 1, 2200 }, func(b *Book) { had(b, "rolf", time.Hour) }, "", ""},
		{"rating too low", func(w *Wish) { w.Prefer, w.RatingMin = PreferWeak, 1600 }, nil, "", "Rob"},
		{"rating too high", func(w *Wish) { w.Prefer, w.RatingMax = PreferStrong, 2200 }, nil, "", "Rose"},
		{"ratings too far apart", func(w *Wish) { w.Prefer, w.RatingDifference = PreferStrong, 200 }, nil, "", "Rose"},
		{"nobody near enough", func(w *Wish) { w.RatingDifference = 9 }, nil, "", ""},
		{"skipped", func(w *Wish) { w.Prefer = PreferStrong }, nil, "rolf", "Rose"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			book, wish := New(), &Wish{Clocks: []Clock{{180, 2}}, Variants: []lichess.VariantKey{lichess.VariantStandard}, Casual: true}
			tt.wish(wish)
			if tt.before != nil {
				tt.before(book)
			}
			for seed := range uint64(20) {
				got, _, found := book.Choose(wish, bots, own, func(id string) bool { return id == tt.skip }, noon, rand.New(rand.NewPCG(seed, 1)))
				name := ""
				if found {
					name = got.Username
				}
				if name != tt.want {
					t.Fatalf("got %q, want %q", name, tt.want)
				}
			}
		})
	}
}

// TestWhyNobodyIsChosen counts those who are left out, each once.
func TestWhyNobodyIsChosen(t *testing.T) {
	bots := []lichess.User{user("Rob", 2000), user("Rolf", 2300), user("Ron", 1500), user("Rose", 2000), user("Ruth", 2000), user("Roy", 2000), user("Rita", 2600)}
	bots[5].Disabled = true
	book := New()
	book.Began("rob", "game", true, noon)
	book.Declined("ruth", Terms{Clock{180, 2}, false, lichess.VariantStandard}, lichess.DeclineNoBot, noon)
	wish := &Wish{
		Clocks: []Clock{{180, 2}, {60, 1}}, Variants: []lichess.VariantKey{lichess.VariantStandard}, Casual: true,
		OpponentGamesPerDay: 1, RatingMin: 1900, RatingMax: 2200,
	}
	skip := func(id string) bool { return id == "rose" }
	want := LeftOut{Skipped: 2, Alone: 1, Played: 1, Rated: 3}
	if _, _, found := book.Choose(wish, bots, nil, skip, noon, rand.New(rand.NewPCG(1, 1))); found {
		t.Fatal("there is somebody")
	}
	if got := book.LeftOut(wish, bots, nil, skip, noon); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestUnratedAreNotNear: of who has no rating nobody knows how far it is away, however far it may be.
func TestUnratedAreNotNear(t *testing.T) {
	unrated := user("Ruth", 0)
	unrated.Perfs = nil
	wish := &Wish{Clocks: []Clock{{180, 2}}, Variants: []lichess.VariantKey{lichess.VariantStandard}, Casual: true}
	for difference, want := range map[int]bool{0: true, 4000: false} {
		wish.RatingDifference = difference
		_, _, found := New().Choose(wish, []lichess.User{unrated}, map[string]lichess.Perf{"blitz": {Rating: 2050}}, nobody, noon, rand.New(rand.NewPCG(1, 1)))
		if found != want {
			t.Errorf("with a difference of %d she is chosen: %v, want %v", difference, found, want)
		}
	}
}

func TestClosedAccountsAreNotChosen(t *testing.T) {
	closed, marked := user("Rob", 2000), user("Rolf", 2000)
	closed.Disabled, marked.TosViolation = true, true
	wish := &Wish{Clocks: []Clock{{180, 2}}, Variants: []lichess.VariantKey{lichess.VariantStandard}, Casual: true}
	if got, _, found := New().Choose(wish, []lichess.User{closed, marked}, nil, nobody, noon, rand.New(rand.NewPCG(1, 1))); found {
		t.Errorf("got %s", got.Username)
	}
}

// TestKindsAreVaried wants every kind of game that is asked for to come, and equals to come by chance.
func TestKindsAreVaried(t *testing.T) {
	wish := &Wish{Clocks: []Clock{{60, 1}, {180, 2}}, Variants: []lichess.VariantKey{lichess.VariantStandard, lichess.VariantChess960}, Rated: true, Casual: true}
	bots := []lichess.User{user("Rob", 2000), user("Rolf", 2000), user("Ron", 2000)}
	random := rand.New(rand.NewPCG(7, 7))
	kinds, names := map[Terms]int{}, map[string]int{}
	for range 800 {
		got, terms, _ := New().Choose(wish, bots, nil, nobody, noon, random)
		kinds[terms]++
		names[got.Username]++
	}
	if len(kinds) != 8 || len(names) != 3 {
		t.Fatalf("%d kinds of 8, %d opponents of 3", len(kinds), len(names))
	}
	for kind, n := range kinds {
		if n < 50 {
			t.Errorf("%v came %d times of 800", kind, n)
		}
	}
	for name, n := range names {
		if n < 150 {
			t.Errorf("%s came %d times of 800", name, n)
		}
	}
}
