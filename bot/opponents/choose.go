package opponents

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"

	"castellan/lichess"
)

// Clock is a chess clock, in seconds.
type Clock struct{ Limit, Increment int }

// Estimate is the time by which the server classes clocks, in seconds: see lichess.EstimatedSeconds.
func (c Clock) Estimate() int { return lichess.EstimatedSeconds(c.Limit, c.Increment) }

// Terms are what a challenge asks for.
type Terms struct {
	Clock   Clock
	Rated   bool
	Variant lichess.VariantKey
}

// Perf is the key of the rating that counts for such a game.
func (t Terms) Perf() string {
	if t.Variant != lichess.VariantStandard {
		return string(t.Variant)
	}
	return string(lichess.SpeedOf(t.Clock.Limit, t.Clock.Increment))
}

// String is the terms for the log.
func (t Terms) String() string {
	mode := "casual"
	if t.Rated {
		mode = "rated"
	}
	return fmt.Sprintf("%s %s %s", lichess.ShowClock(t.Clock.Limit, t.Clock.Increment), mode, t.Variant)
}

// What of terms an opponent may not play. A bound on the clock is on its estimate.
const (
	kindRated    = "rated"
	kindCasual   = "casual"
	kindVariants = "variants" // all but standard chess
	kindVariant  = "variant "
	kindClock    = "clock "
	kindFaster   = "clocks up to "
	kindSlower   = "clocks from "
)

// refuses tells whether terms are among what the account does not play.
func (a *account) refuses(t Terms, now time.Time) bool {
	for kind, until := range a.Refused {
		if now.Before(until) && t.is(kind) {
			return true
		}
	}
	return false
}

// is tells whether the terms are of a kind.
func (t Terms) is(kind string) bool {
	var estimate int
	switch {
	case kind == kindRated:
		return t.Rated
	case kind == kindCasual:
		return !t.Rated
	case kind == kindVariants:
		return t.Variant != lichess.VariantStandard
	case kind == kindVariant+string(t.Variant), kind == kindClock+lichess.ShowClock(t.Clock.Limit, t.Clock.Increment):
		return true
	case scan(kind, kindFaster+"%d", &estimate):
		return t.Clock.Estimate() <= estimate
	case scan(kind, kindSlower+"%d", &estimate):
		return t.Clock.Estimate() >= estimate
	}
	return false
}

func scan(text, form string, value *int) bool {
	n, err := fmt.Sscanf(text, form, value)
	return n == 1 && err == nil
}

// Wish says which opponents and what games are wanted.
type Wish struct {
	Clocks   []Clock
	Variants []lichess.VariantKey
	Rated    bool
	Casual   bool

	RatingMin        int // bounds of the opponent's rating, inclusive; 0 is none
	RatingMax        int
	RatingDifference int // from the own rating; 0 is any
	// OpponentGamesPerDay is how many games with one opponent may begin within a day; 0 is any number.
	OpponentGamesPerDay int
	// Prefer chooses among those that were played least.
	Prefer Preference
}

// Preference says who comes first among opponents that were played alike.
type Preference int

// The preferences.
const (
	PreferAny Preference = iota
	PreferNear
	PreferStrong
	PreferWeak
)

// all lists every kind of game that is wanted.
func (w *Wish) all() (all []Terms) {
	for _, clock := range w.Clocks {
		for _, variant := range w.Variants {
			if w.Rated {
				all = append(all, Terms{clock, true, variant})
			}
			if w.Casual {
				all = append(all, Terms{clock, false, variant})
			}
		}
	}
	return all
}

// Choose picks an opponent and what to ask him for, of the bots given; false when there is none. The kind of game is left to
// chance, the opponent is the one who was played least in the last week, and among those the preferred one. own are the ratings
// of the bot itself by perf key, skip tells who is out of the question.
func (b *Book) Choose(w *Wish, bots []lichess.User, own map[string]lichess.Perf, skip func(id string) bool, now time.Time, random *rand.Rand) (*lichess.User, Terms, bool) {
	kinds := w.all()
	random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	order := random.Perm(len(bots)) // so that equals come by chance
	for _, terms := range kinds {
		var best *lichess.User
		for _, i := range order {
			u := &bots[i]
			if u.Disabled || u.TosViolation || skip(lichess.UserID(u.ID)) || b.fit(w, u, terms, own, now) != suitable {
				continue
			}
			if best == nil || b.compare(w, u, best, terms.Perf(), own, now) < 0 {
				best = u
			}
		}
		if best != nil {
			return best, terms, true
		}
	}
	return nil, Terms{}, false
}

// LeftOut counts the bots that may not be asked for any game that is wanted, by what is in the way.
type LeftOut struct {
	Skipped int // out of the question for the caller, or closed
	Alone   int // left alone for what they answered, or not asked again for such a game yet
	Played  int // as often within a day as is wanted
	Rated   int // with a rating out of bounds, or with none
}

// LeftOut tells why [Book.Choose] has found nobody among the bots given, by the same arguments. A bot with several reasons counts once.
func (b *Book) LeftOut(w *Wish, bots []lichess.User, own map[string]lichess.Perf, skip func(id string) bool, now time.Time) (n LeftOut) {
	kinds := w.all()
	for i := range bots {
		u := &bots[i]
		if u.Disabled || u.TosViolation || skip(lichess.UserID(u.ID)) {
			n.Skipped++
			continue
		}
		fit := suitable
		for _, terms := range kinds {
			if fit = b.fit(w, u, terms, own, now); fit == suitable {
				break
			}
		}
		switch fit {
		case leftAlone:
			n.Alone++
		case playedEnough:
			n.Played++
		case outOfRating:
			n.Rated++
		}
	}
	return n
}

// obstacle is what is in the way of asking a bot for a game.
type obstacle int

// The obstacles.
const (
	suitable obstacle = iota // there is none
	leftAlone
	playedEnough
	outOfRating
)

// fit tells whether a bot may be asked for a game.
func (b *Book) fit(w *Wish, u *lichess.User, t Terms, own map[string]lichess.Perf, now time.Time) obstacle {
	id := lichess.UserID(u.ID)
	if a := b.accounts[id]; a != nil {
		switch {
		case now.Before(a.Away) || a.refuses(t, now):
			return leftAlone
		case w.OpponentGamesPerDay > 0 && b.Games(id, now, Day) >= w.OpponentGamesPerDay:
			return playedEnough
		}
	}
	rating, known := u.Rating(t.Perf())
	mine, mineKnown := own[t.Perf()]
	switch {
	case w.RatingMin > 0 && (!known || rating < w.RatingMin), w.RatingMax > 0 && (!known || rating > w.RatingMax):
		return outOfRating
	case w.RatingDifference > 0 && mineKnown && (!known || distance(rating, mine.Rating) > w.RatingDifference):
		return outOfRating
	}
	return suitable
}

// compare is negative when x is to be asked before y.
func (b *Book) compare(w *Wish, x, y *lichess.User, perf string, own map[string]lichess.Perf, now time.Time) int {
	if order := cmp.Compare(b.Games(lichess.UserID(x.ID), now, Recent), b.Games(lichess.UserID(y.ID), now, Recent)); order != 0 {
		return order
	}
	first, _ := x.Rating(perf)
	second, _ := y.Rating(perf)
	switch w.Prefer {
	case PreferStrong:
		return cmp.Compare(second, first)
	case PreferWeak:
		return cmp.Compare(first, second)
	case PreferNear:
		return cmp.Compare(distance(first, own[perf].Rating), distance(second, own[perf].Rating))
	}
	return 0
}

func distance(x, y int) int { return max(x-y, y-x) }

// How long an opponent is left alone. What it says about a kind of game is held to for longer than that it has no time.
const (
	shortly      = 10 * time.Minute // to be asked for something else
	anHour       = time.Hour        // doubled with each challenge in a row that came to nothing …
	longestAway  = Day              // … up to this
	generalAway  = Day / 2
	refusedFor   = 3 * Day
	variantFor   = 7 * Day
	noBotsFor    = 7 * Day
	noReasonMost = 5 // doublings
)

// Challenged counts a challenge, which costs so many of the server's points.
func (b *Book) Challenged(now time.Time, points int) {
	b.challenges = append(b.challenges, lichess.ChallengeUse{At: now, Points: points})
	b.changed = true
}

// Accepted takes note of a challenge that was accepted.
func (b *Book) Accepted(id string) { b.of(id).Misses = 0 }

// Unanswered takes note of a challenge that nobody answered.
func (b *Book) Unanswered(id string, now time.Time) { b.of(id).missed(now) }

// missed leaves an account alone for an hour, and for longer each time.
func (a *account) missed(now time.Time) {
	a.stayAway(now, min(anHour<<min(a.Misses, noReasonMost), longestAway))
	a.Misses++
}

// LeaveAlone keeps an account from being challenged for some time.
func (b *Book) LeaveAlone(id string, now time.Time, d time.Duration) { b.of(id).stayAway(now, d) }

func (a *account) stayAway(now time.Time, d time.Duration) {
	if until := now.Add(min(d, furthest-Day)); until.After(a.Away) {
		a.Away = until
	}
}

// LeftAlone tells until when an account is not challenged; a time in the past when it may be.
func (b *Book) LeftAlone(id string) time.Time {
	if a := b.accounts[id]; a != nil {
		return a.Away
	}
	return time.Time{}
}

// Declined learns from the reason for which a challenge was declined. It says what is concluded, for the log.
func (b *Book) Declined(id string, t Terms, reason lichess.DeclineReason, now time.Time) string {
	a := b.of(id)
	refuses := func(kind string, d time.Duration) string {
		if !t.is(kind) { // it asks for what it was offered
			a.stayAway(now, generalAway)
			return "does not want to play"
		}
		if a.Refused == nil {
			a.Refused = map[string]time.Time{}
		}
		a.Refused[kind] = now.Add(d)
		a.stayAway(now, shortly)
		return "does not play " + kind
	}
	switch reason {
	case lichess.DeclineLater:
		a.missed(now)
		return "has no time"
	case lichess.DeclineNoBot:
		a.stayAway(now, noBotsFor)
		return "does not play bots"
	case lichess.DeclineTooFast:
		return refuses(fmt.Sprint(kindFaster, t.Clock.Estimate()), refusedFor)
	case lichess.DeclineTooSlow:
		return refuses(fmt.Sprint(kindSlower, t.Clock.Estimate()), refusedFor)
	case lichess.DeclineTimeControl:
		return refuses(kindClock+lichess.ShowClock(t.Clock.Limit, t.Clock.Increment), refusedFor)
	case lichess.DeclineCasual: // it wants a casual game
		return refuses(kindRated, refusedFor)
	case lichess.DeclineRated:
		return refuses(kindCasual, refusedFor)
	case lichess.DeclineStandard:
		return refuses(kindVariants, variantFor)
	case lichess.DeclineVariant:
		return refuses(kindVariant+string(t.Variant), variantFor)
	}
	a.stayAway(now, generalAway)
	return "does not want to play"
}
