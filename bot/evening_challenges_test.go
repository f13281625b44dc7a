package bot_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	"castellan/bot"
	"castellan/bot/opponents"
	"castellan/engine/chess"
	"castellan/lichess"
)

// eveningWay is how long the daemon cannot know what has happened on the server.
const eveningWay = 50 * time.Millisecond

// eveningLag is how long it may take the daemon to hear of what has happened on the server and to be done with it.
const eveningLag = 3 * time.Second

// terms says why the settings forbid a challenge whatever else goes on, in the order of docs/opponents.md; "" when they do not. list
// tells that it is by the lists.
func (j *eveningJudge) terms(c *judgedChallenge) (reason lichess.DeclineReason, list bool) {
	a := &j.opts.Accept
	named := func(list []string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return lichess.UserID(name) == c.opponent() })
	}
	if named(a.Block) || len(a.Allow) > 0 && !named(a.Allow) {
		return lichess.DeclineGeneric, true
	}
	t := a.OfHumans
	switch {
	case c.isBot() && !a.Bots:
		return lichess.DeclineNoBot, false
	case !c.isBot() && !a.Humans:
		return lichess.DeclineOnlyBot, false
	case c.isBot():
		t = a.OfBots
	}
	if !slices.Contains(t.Variants, string(c.Variant.Key)) {
		if slices.Equal(t.Variants, []string{"standard"}) {
			return lichess.DeclineStandard, false
		}
		return lichess.DeclineVariant, false
	}
	if c.InitialFEN != "" && c.InitialFEN != lichess.StartPosition {
		if p, err := chess.ParseFEN(c.InitialFEN); err != nil || p.CountMoves() == 0 {
			return lichess.DeclineVariant, false
		}
	}
	switch {
	case c.Rated && !t.Rated:
		return lichess.DeclineCasual, false
	case !c.Rated && !t.Casual:
		return lichess.DeclineRated, false
	}
	if r := clockTerms(&t, c.TimeControl); r != "" {
		return r, false
	}
	r, own := c.Challenger.Rating, c.DestUser.Rating
	if t.RatingMin > 0 && r < t.RatingMin || t.RatingMax > 0 && r > t.RatingMax || t.RatingDifference > 0 && max(r-own, own-r) > t.RatingDifference {
		return lichess.DeclineGeneric, false
	}
	if c.rematch && j.opts.Rematch.Decline {
		return lichess.DeclineGeneric, false
	}
	return "", false
}

// clockTerms is the part of terms about clocks and days.
func clockTerms(t *bot.Terms, tc lichess.TimeControl) lichess.DeclineReason {
	rank := map[string]int{"ultraBullet": 0, "bullet": 1, "blitz": 2, "rapid": 3, "classical": 4, "correspondence": 5}
	asked := string(tc.Speed())
	direction := func(slower, faster bool) lichess.DeclineReason {
		switch {
		case slower && faster:
			return lichess.DeclineTimeControl
		case slower:
			return lichess.DeclineTooFast
		}
		return lichess.DeclineTooSlow
	}
	if !slices.Contains(t.Speeds, asked) {
		var slower, faster bool
		for _, s := range t.Speeds {
			slower, faster = slower || rank[s] > rank[asked], faster || rank[s] < rank[asked]
		}
		return direction(slower, faster)
	}
	base, increment := time.Duration(tc.Limit)*time.Second, time.Duration(tc.Increment)*time.Second
	switch {
	case tc.Type == lichess.TimeControlUnlimited:
		if !t.Unlimited {
			return lichess.DeclineTooSlow
		}
	case tc.Type == lichess.TimeControlCorrespondence:
		if tc.DaysPerTurn < t.DaysMin {
			return lichess.DeclineTooFast
		} else if tc.DaysPerTurn > t.DaysMax {
			return lichess.DeclineTooSlow
		}
	case base < t.BaseMin:
		return lichess.DeclineTooFast
	case base > t.BaseMax:
		return lichess.DeclineTooSlow
	case increment < t.IncMin:
		return lichess.DeclineTooFast
	case increment > t.IncMax:
		return lichess.DeclineTooSlow
	case t.BulletIncrement && asked == "bullet" && increment == 0:
		return lichess.DeclineTooFast
	case len(t.Clocks) > 0 && !slices.Contains(t.Clocks, opponents.Clock{Limit: tc.Limit, Increment: tc.Increment}):
		var slower, faster bool
		for _, c := range t.Clocks {
			more := c.Limit + 40*c.Increment - tc.Limit - 40*tc.Increment
			slower, faster = slower || more >= 0, faster || more <= 0
		}
		return direction(slower, faster)
	}
	return ""
}

// limits are those on games with one opponent.
func (j *eveningJudge) limits(c *judgedChallenge) (atOnce, day int, pause time.Duration) {
	t := &j.opts.Accept.OfHumans
	if c.isBot() {
		t = &j.opts.Accept.OfBots
	}
	return t.OpponentGames, t.OpponentGamesPerDay, t.OpponentPause
}

// with counts the games with an opponent: those that were running at some time since the moment, and those that began within a day.
func (j *eveningJudge) with(opponent string, since time.Time) (running, day int, lastEnd time.Time) {
	for _, g := range j.order {
		if g.challenge.opponent() != opponent {
			continue
		}
		if g.running() || g.ended.After(since) {
			running++
		}
		if time.Since(g.begun) < opponents.Day {
			day++
		}
		if g.ended.After(lastEnd) {
			lastEnd = g.ended
		}
	}
	return running, day, lastEnd
}

// answers takes the daemon's answer to a challenge, or the withdrawal of its own.
func (j *eveningJudge) answers(c *eveningCall, id, answer string) {
	ch := j.challenges[id]
	if ch == nil {
		return
	}
	if ch.mine() {
		if answer == "cancel" {
			j.holds(ruleMatchmaking, c.at.Sub(ch.seen) < max(j.opts.Match.Wait, j.opts.Rematch.Wait)+eveningLag, "the daemon's challenge %s stood for %v", id, c.at.Sub(ch.seen))
		}
		return
	}
	patience := max(j.opts.Accept.QueueWait, 10*time.Second) + eveningLag
	j.holds(ruleAnswered, c.at.Sub(ch.seen) < patience, "challenge %s of %s was answered after %v", id, ch.opponent(), c.at.Sub(ch.seen))
	withdrawn := !ch.settled.IsZero()
	ch.settled = c.at
	want, list := j.terms(ch)
	who := "challenges of people"
	if ch.isBot() {
		who = "challenges of bots"
	}
	if ch.rematch {
		who = "rematches offered to the bot"
	}
	switch answer {
	case "accept":
		if withdrawn {
			j.tally.count(who, "withdrawn meanwhile")
			return
		}
		j.tally.count(who, "accepted")
		rule := ruleTerms
		if list {
			rule = ruleLists
		}
		j.holds(rule, want == "", "challenge %s of %s was accepted, and should be declined with %s: %v", id, ch.opponent(), want, describeChallenge(ch))
		j.holdsLimits(c, ch)
		if n := len(j.owns); !ch.isBot() && n > 0 && j.owns[n-1].ignored && j.owns[n-1].settled.After(ch.seen) {
			j.tally.tested(ruleMakesWay)
		}
		j.holdsOrder(c, ch)
	case "decline":
		ch.reason = lichess.DeclineReason(c.form.Get("reason"))
		j.tally.count(who, "declined: "+string(ch.reason))
		switch {
		case list:
			j.holds(ruleLists, ch.reason == want, "challenge %s of %s, who is not on the right list, was declined with %s", id, ch.opponent(), ch.reason)
		case want != "":
			j.holds(ruleReason, ch.reason == want, "challenge %s of %s was declined with %s, and the reason is %s: %v", id, ch.opponent(), ch.reason, want, describeChallenge(ch))
		default:
			j.holds(ruleReason, ch.reason == lichess.DeclineLater, "challenge %s of %s was declined with %s, and nothing speaks against it: %v", id, ch.opponent(), ch.reason, describeChallenge(ch))
			if !withdrawn {
				// The place may be one that the daemon has agreed on just now: the server hears of it in a moment.
				time.AfterFunc(2*eveningWay, func() {
					j.mu.Lock()
					defer j.mu.Unlock()
					if !ch.isBot() && ch.timed() && slices.ContainsFunc(j.owns, func(o *judgedChallenge) bool {
						return o.seen.Before(c.at) && (o.settled.IsZero() || o.settled.After(ch.seen))
					}) {
						j.tally.tested(ruleMakesWay)
					}
					j.holds(ruleLater, j.mayBeLater(c, ch), "challenge %s of %s was put off %v after it came, and there was a place: %v; places taken: %v", id, ch.opponent(), c.at.Sub(ch.seen), describeChallenge(ch), j.taken[max(len(j.taken)-5, 0):])
				})
			}
		}
	}
}

func describeChallenge(c *judgedChallenge) string {
	return c.TimeControl.String() + " " + string(c.Variant.Key) + map[bool]string{true: " rated", false: " casual"}[c.Rated] + map[bool]string{true: " rematch"}[c.rematch]
}

// holdsLimits looks at a challenge that the daemon accepts: what was played with the opponent must leave room for it.
func (j *eveningJudge) holdsLimits(c *eveningCall, ch *judgedChallenge) {
	atOnce, perDay, pause := j.limits(ch)
	running, day, lastEnd := j.with(ch.opponent(), c.at)
	if atOnce > 0 {
		j.holds(ruleOpponentGames, running < atOnce, "%d games with %s were running, and another was accepted: %s", running, ch.opponent(), ch.ID)
	}
	if perDay > 0 {
		j.holds(ruleOpponentDay, day < perDay, "%d games with %s within a day, and another was accepted: %s", day, ch.opponent(), ch.ID)
	}
	if pause > 0 {
		j.holds(ruleOpponentPause, !ch.rematch && c.sent.Sub(lastEnd) >= pause, "%v after a game with %s another was accepted: %s", c.sent.Sub(lastEnd), ch.opponent(), ch.ID)
	}
	j.holds(ruleNothingOrphaned, j.drainAt.IsZero() || c.sent.Before(j.drainAt.Add(time.Millisecond)), "challenge %s was accepted by a bot that is to take no more games", ch.ID)
}

// holdsOrder looks at a challenge that has waited and is accepted: no other that waits must go before.
func (j *eveningJudge) holdsOrder(c *eveningCall, ch *judgedChallenge) {
	const settled = time.Second // after which a challenge stands in the queue
	if !ch.timed() || c.at.Sub(ch.seen) < settled {
		return
	}
	a := &j.opts.Accept
	now := j.taken[len(j.taken)-1]
	for _, other := range j.challenges {
		if other == ch || other.mine() || !other.timed() || !other.settled.IsZero() || c.sent.Sub(other.seen) < settled {
			continue
		}
		if other.isBot() && now.bots >= j.opts.MaxGames-a.HumanPlaces || c.sent.Sub(other.seen) >= a.QueueWait-2*eveningWay {
			continue // no place for that one, or its time is up
		}
		atOnce, _, _ := j.limits(other)
		if running, _, _ := j.with(other.opponent(), c.sent.Add(-settled)); atOnce > 0 && running >= atOnce {
			continue // it waits for the end of the opponent's own game
		}
		before := other.seen.Before(ch.seen)
		if a.QueueBest {
			before = other.Challenger.Rating > ch.Challenger.Rating
		}
		if other.isBot() != ch.isBot() {
			switch {
			case a.PreferHumans:
				before = !other.isBot()
			case a.PreferBots:
				before = other.isBot()
			}
		}
		j.holds(ruleQueueOrder, !before, "challenge %s of %s got a place before %s of %s", ch.ID, ch.opponent(), other.ID, other.opponent())
	}
}

// mayBeLater tells whether there is, or was while the challenge waited, a reason to put it off.
func (j *eveningJudge) mayBeLater(c *eveningCall, ch *judgedChallenge) bool {
	since := ch.seen.Add(-eveningLag)
	atOnce, perDay, pause := j.limits(ch)
	running, day, lastEnd := j.with(ch.opponent(), since)
	switch {
	case !j.drainAt.IsZero(),
		atOnce > 0 && running >= atOnce, perDay > 0 && day >= perDay, pause > 0 && (ch.rematch || c.sent.Sub(lastEnd) < pause+eveningLag):
		return true
	}
	for _, own := range j.owns {
		if own.opponent() == ch.opponent() && (own.settled.IsZero() || own.settled.After(since)) {
			return true
		}
	}
	for _, other := range j.challenges {
		if other != ch && !other.mine() && other.opponent() == ch.opponent() && !other.seen.After(c.at) && (other.settled.IsZero() || other.settled.After(since)) {
			return true // one waits, or is about to become a game
		}
	}
	waiting := 0
	for _, other := range j.challenges {
		if other != ch && !other.mine() && other.timed() && !other.seen.After(c.at) && (other.settled.IsZero() || other.settled.After(ch.seen)) {
			waiting++
		}
	}
	for i, o := range j.taken {
		if i+1 < len(j.taken) && j.taken[i+1].at.Before(since) {
			continue
		}
		if !ch.isBot() && waiting < max(j.opts.Accept.Queue, 1) {
			o.timed -= o.own // which has to make way
		}
		switch {
		case !ch.timed():
			if o.days >= j.opts.MaxCorrespondence {
				return true
			}
		case o.timed >= j.opts.MaxGames, ch.isBot() && o.bots >= j.opts.MaxGames-j.opts.Accept.HumanPlaces:
			return true
		}
	}
	return false
}

// rematchOf is the game of which a challenge of the daemon's is the rematch, nil for none: matchmaking waits longer than that after
// a game.
func (j *eveningJudge) rematchOf(opponent string, at time.Time) (last *judgedGame) {
	for _, g := range j.order {
		if g.challenge.opponent() == opponent && !g.running() && at.Sub(g.ended) < 4*time.Second && (last == nil || g.ended.After(last.ended)) {
			last = g
		}
	}
	return last
}

// waitsStill asks the server whether a challenge of the daemon's waits for its answer: it can also end without one, by a challenge the
// other way or because somebody is gone.
func (j *eveningJudge) waitsStill(ch *judgedChallenge) bool {
	r := httptest.NewRequest(http.MethodGet, "/api/challenge/"+ch.ID+"/show", nil)
	r.Header.Set("Authorization", "Bearer lip_x"+lichess.UserID(eveningDaemon))
	w := httptest.NewRecorder()
	j.server.ServeHTTP(w, r)
	var shown struct{ Status string }
	return w.Code == http.StatusOK && json.Unmarshal(w.Body.Bytes(), &shown) == nil && shown.Status == "created"
}

// asks takes a challenge of the daemon's before it is made.
func (j *eveningJudge) asks(c *eveningCall, name string) {
	opponent := lichess.UserID(name)
	j.holds(ruleMatchmaking, j.own == nil || !j.waitsStill(j.own), "a challenge to %s while another waits for its answer: %+v", name, j.own)
	j.holds(ruleLists, !slices.ContainsFunc(j.opts.Accept.Block, func(n string) bool { return lichess.UserID(n) == opponent }), "a challenge to %s, who is on the block list", name)
	if old := j.rematchOf(opponent, c.sent); old != nil {
		j.asksRematch(c, name, old)
		return
	}
	m := &j.opts.Match
	j.holds(ruleMatchmaking, m.Enabled && isBotName(opponent), "a challenge to %s", name)
	now := j.taken[len(j.taken)-1]
	j.holds(ruleMatchmaking, now.timed < m.Games, "a challenge to %s with %d games running, %d are wanted", name, now.timed, m.Games)
	botGames, challenges := 0, 0
	for _, g := range j.order {
		if g.challenge.isBot() && c.at.Sub(g.begun) < opponents.Day {
			botGames++
		}
		if g.challenge.timed() {
			idle := func(at time.Time) bool { since := c.sent.Sub(at); return since >= m.Idle || since < eveningWay }
			j.holds(ruleMatchmaking, idle(g.begun) && (g.running() || idle(g.ended)), "a challenge to %s and a game had just begun or ended: %s", name, g.id)
		}
	}
	for _, o := range j.owns {
		if c.at.Sub(o.seen) < opponents.Day {
			challenges++
		}
		j.holds(ruleMatchmaking, c.sent.Sub(o.settled) >= m.Interval-eveningLag, "a challenge to %s %v after the last", name, c.sent.Sub(o.settled))
		if o.opponent() == opponent {
			j.holds(ruleLearns, !j.learned(o, c), "%s was asked again %v after it had answered %q to %s", name, c.sent.Sub(o.settled), o.reason, describeChallenge(o))
		}
	}
	j.holds(ruleDayOfBots, botGames < m.GamesPerDay && challenges < m.ChallengesPerDay, "a challenge to %s after %d games with bots and %d challenges", name, botGames, challenges)
	_, day, _ := j.with(opponent, c.at)
	j.holds(ruleDayOfBots, day < m.Wish.OpponentGamesPerDay, "a challenge to %s after %d games with it", name, day)
	clock := c.form.Get("clock.limit") + "+" + c.form.Get("clock.increment")
	j.holds(ruleMatchmaking, clock == "60+1" || clock == "180+2", "a challenge to %s by %s", name, clock)
}

// learned tells whether an opponent's answer forbids a challenge.
func (j *eveningJudge) learned(o *judgedChallenge, c *eveningCall) bool {
	since := c.sent.Sub(o.settled) + eveningLag
	rated, variant := c.form.Get("rated") == "true", c.form.Get("variant")
	if variant == "" {
		variant = "standard"
	}
	switch {
	case o.accepted || o.settled.IsZero() || o.rematch:
		return false
	case o.ignored, o.reason == lichess.DeclineLater:
		return o.ignored && o.settled.Sub(o.seen) >= j.opts.Match.Wait && since < time.Hour || o.reason == lichess.DeclineLater && since < time.Hour
	}
	if since < 10*time.Minute {
		return true
	}
	switch o.reason {
	case lichess.DeclineGeneric, lichess.DeclineNoBot, lichess.DeclineOnlyBot:
		return since < 12*time.Hour
	case lichess.DeclineCasual:
		return rated
	case lichess.DeclineRated:
		return !rated
	case lichess.DeclineStandard:
		return variant != "standard"
	case lichess.DeclineTooFast:
		return c.form.Get("clock.limit") == "60" || o.TimeControl.Limit == 180
	}
	return false
}

// asksRematch takes the daemon's wish for a rematch.
func (j *eveningJudge) asksRematch(c *eveningCall, name string, old *judgedGame) {
	r, game := &j.opts.Rematch, old.final
	kind := r.Humans
	if old.challenge.isBot() {
		kind = r.Bots
	}
	j.holds(ruleRematches, r.Offer && kind, "a rematch is asked for, of %s", name)
	row, newest := 1, old
	for i := len(j.order) - 1; i >= 0; i-- {
		if g := j.order[i]; g != newest && g.challenge.opponent() == old.challenge.opponent() && !g.running() && g.begun.Before(newest.begun) {
			if newest.begun.Sub(g.ended) >= 2*time.Minute {
				break
			}
			row, newest = row+1, g
		}
	}
	j.holds(ruleRematches, row < r.Games, "a rematch is asked for, of %s, after %d games in a row", name, row)
	j.holds(ruleRematches, len(game.Moves) >= 2 && game.Status != lichess.StatusAborted && game.Status != lichess.StatusTimeout && old.challenge.timed(), "a rematch is asked for, of %s, after a game that ended by %s", name, game.Status)
	won := game.Winner == lichess.ColorWhite && old.white || game.Winner == lichess.ColorBlack && !old.white
	j.holds(ruleRematches, !r.Lost || !won, "a rematch is asked for, of %s, after a game won", name)
	want := "white"
	if old.white {
		want = "black"
	}
	j.holds(ruleRematches, c.form.Get("color") == want, "a rematch is asked for, of %s, with the same colour", name)
	tc := old.challenge.TimeControl
	j.holds(ruleRematches, c.form.Get("clock.limit") == itoa(tc.Limit) && c.form.Get("clock.increment") == itoa(tc.Increment) && (c.form.Get("rated") == "true") == old.challenge.Rated,
		"a rematch is asked for, of %s, on other terms: %v", name, c.form)
	now := j.taken[len(j.taken)-1]
	j.holds(ruleRematches, now.timed < j.opts.MaxGames, "a rematch is asked for, of %s, and there is no place", name)
}
