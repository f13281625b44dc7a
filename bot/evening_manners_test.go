package bot_test

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"castellan/bot/watch"
	"castellan/engine"
	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Scores, in centipawns from the daemon's side, beyond which the judge's own look at a position contradicts what the daemon does. The
// daemon looks less far than the judge, so there is much between them and the settings, and a position counts as won only when it has
// so many points of men more than the opponent, too: who has not seen a combination is not dishonest.
const (
	eveningAhead     = 2
	eveningWonOffer  = 300
	eveningWonAccept = 450
	eveningNotLost   = -250
)

// eveningLink finds what may be taken for a link.
var eveningLink = regexp.MustCompile(`(?i)https?:|www\.|\w\.(com|org|net|io|dev|gg|tv|me)\b`)

// eveningOpinion finds what the bot tells of its thoughts.
var eveningOpinion = regexp.MustCompile(`at depth|^My last move needed no thought|^There was no time to think|^By the endgame tables`)

// guestAsks takes a request of a guest in a game before the server does.
func (j *eveningJudge) guestAsks(c *eveningCall, g *judgedGame) {
	if g == nil || c.method != http.MethodPost {
		return
	}
	if c.what == "chat" && c.who != g.challenge.opponent() {
		g.onlookers++
	}
	if c.what == "draw/yes" || c.form.Get("offeringDraw") == "true" {
		g.offer = c.at
	}
	if c.what == "takeback/yes" && c.before != nil && !c.before.Over() {
		j.holdsWithdrawn(c, g)
	}
}

// guestAnswered takes the answer to it.
func (j *eveningJudge) guestAnswered(c *eveningCall, g *judgedGame, code int) {
	if strings.HasPrefix(c.what, "move/") && code == http.StatusOK {
		g.guestMoved = c.at
	}
	if c.what == "takeback/yes" && code == http.StatusOK {
		if after, ok := j.server.Game(g.id); ok && lastLine(&after, "Takeback") == "Takeback sent" {
			j.tally.count("takebacks", "proposed to the bot")
		}
	}
}

// lastLine is the last line of the server in the players' chat that has the word in it.
func lastLine(g *sandbox.Game, word string) string {
	for i := len(g.Chat) - 1; i >= 0; i-- {
		if m := g.Chat[i]; m.User == lichess.ChatSystem && strings.Contains(m.Text, word) {
			return m.Text
		}
	}
	return ""
}

// offerStands tells whether the opponent of the daemon offers a draw.
func offerStands(g *sandbox.Game) bool {
	opponent := "White"
	if g.White == eveningDaemon {
		opponent = "Black"
	}
	for i := len(g.Chat) - 1; i >= 0; i-- {
		m := g.Chat[i]
		if m.User != lichess.ChatSystem {
			continue
		}
		switch {
		case m.Text == opponent+" offers draw":
			return true
		case strings.HasSuffix(m.Text, "declines draw") && !strings.HasPrefix(m.Text, opponent), m.Text == "Takeback accepted", m.Text == "Draw offer accepted":
			return false
		}
	}
	return false
}

// daemonAsks takes a request of the daemon in a game before the server does.
func (j *eveningJudge) daemonAsks(c *eveningCall, g *judgedGame) {
	if strings.HasPrefix(c.what, "move/") && c.before == nil && !g.offer.IsZero() {
		j.look(c)
	}
	if c.before == nil || c.before.Over() {
		if c.what == "chat" && c.before != nil {
			j.says(c, g)
		}
		return
	}
	stands := offerStands(c.before)
	switch offering := c.form.Get("offeringDraw") == "true"; {
	case c.what == "draw/yes" || offering:
		if stands {
			j.acceptsDraw(c, g)
		} else {
			j.offersDraw(c, g)
		}
	case c.what == "draw/no" && stands:
		j.declinesDraw(c, g)
	case strings.HasPrefix(c.what, "move/") && stands && !g.offer.After(g.guestMoved):
		j.declinesDraw(c, g)
	case c.what == "resign":
		j.resigns(c, g)
	case c.what == "abort":
		since := g.begun
		if g.moved.After(since) {
			since = g.moved
		}
		turn := whiteToMove(c.before.FEN) != (c.before.White == eveningDaemon)
		j.holds(ruleAborts, j.opts.AbortAfter > 0 && turn && c.at.Sub(since) >= j.opts.AbortAfter-time.Second && len(c.before.Moves) < 2,
			"game %s was aborted after %v of waiting", g.id, c.at.Sub(since))
		j.tally.count("games ended by the bot", "aborted")
	case c.what == "claim-victory":
		g.claims++
		j.tally.count("games ended by the bot", "claimed")
	case c.what == "takeback/no":
		j.holdsWithdrawn(c, g)
		g.proposal = time.Time{}
	case c.what == "chat":
		j.says(c, g)
	}
}

// holdsWithdrawn wants a takeback that became the daemon's own proposal, since its acceptance came too late, to be withdrawn at once.
func (j *eveningJudge) holdsWithdrawn(c *eveningCall, g *judgedGame) {
	j.holds(ruleTakebacks, g.proposal.IsZero() || c.at.Sub(g.proposal) < time.Second, "game %s: a takeback proposed by the daemon stands for %v", g.id, c.at.Sub(g.proposal))
}

// daemonAnswered takes the answer to it.
func (j *eveningJudge) daemonAnswered(c *eveningCall, g *judgedGame, code int) {
	switch {
	case strings.HasPrefix(c.what, "move/"):
		j.holdsWithdrawn(c, g)
		g.proposal = time.Time{}
		if code == http.StatusOK {
			j.tally.tested(ruleLegalMoves)
			g.moved = c.at
			return
		}
		now, _ := j.server.Game(g.id)
		crossed := now.Over() || c.at.Sub(g.rewound) < time.Second
		ours := whiteToMove(now.FEN) == (now.White == eveningDaemon)
		j.holds(ruleLegalMoves, crossed, "game %s: %s was answered by %d; its turn: %v; moves %v", g.id, c.what, code, ours, now.Moves)
	case c.what == "takeback/yes" && c.before != nil:
		after, _ := j.server.Game(g.id)
		switch {
		case len(after.Moves) < len(c.before.Moves):
			g.takebacks++
			g.rewound = c.at
			j.tally.count("takebacks", "accepted")
			j.holds(ruleTakebacks, g.takebacks <= j.opts.Takebacks && !g.challenge.Rated && !g.challenge.isBot(), "game %s: takeback number %d was accepted", g.id, g.takebacks)
		case !after.Over() && lastLine(&after, "Takeback") == "Takeback sent":
			g.proposal = c.at
			j.tally.count("takebacks", "accepted too late")
		}
	case c.what == "takeback/no" && c.before != nil && !c.before.Over():
		j.tally.count("takebacks", "declined")
		j.tally.tested(ruleTakebacks)
	case c.what == "claim-victory":
		now, _ := j.server.Game(g.id)
		j.holds(ruleClaims, now.Over() || g.claims < 4, "game %s: a win was claimed for the %d. time and the answer was %d", g.id, g.claims, code)
	}
}

// thought is what the daemon thought last, nil for nothing.
func (g *judgedGame) thought(before *sandbox.Game) *watch.Thought {
	for i := len(g.thoughts) - 1; i >= 0; i-- {
		if t := &g.thoughts[i]; t.Ply <= len(before.Moves) {
			return t
		}
	}
	return nil
}

// row tells whether the last n thoughts fulfil a condition.
func (g *judgedGame) row(before *sandbox.Game, n int, is func(*watch.Thought) bool) bool {
	for i := len(g.thoughts) - 1; i >= 0 && n > 0; i-- {
		if t := &g.thoughts[i]; t.Ply <= len(before.Moves) {
			if !is(t) {
				return false
			}
			n--
		}
	}
	return n == 0
}

// worth is what the judge thinks of a position, in centipawns from the daemon's side.
func (j *eveningJudge) worth(before *sandbox.Game) int {
	p, err := chess.ParseFEN(before.FEN)
	if err != nil {
		panic(err)
	}
	d, err := j.mind.Think(context.Background(), chess.NewGame(p, chess.LichessBot), engine.Limits{Nodes: 10000})
	if err != nil {
		panic(err)
	}
	if whiteToMove(before.FEN) == (before.White == eveningDaemon) {
		return d.Score.Centipawns()
	}
	return -d.Score.Centipawns()
}

// ahead is how many points of men the daemon has more than its opponent: 1, 3, 3, 5, 9.
func ahead(before *sandbox.Game) (points int) {
	p := position(before)
	us, them := sides(before)
	for kind, worth := range map[chess.PieceType]int{chess.Pawn: 1, chess.Knight: 3, chess.Bishop: 3, chess.Rook: 5, chess.Queen: 9} {
		points += worth * (p.Pieces(us, kind).Count() - p.Pieces(them, kind).Count())
	}
	return points
}

func position(before *sandbox.Game) chess.Position {
	p, err := chess.ParseFEN(before.FEN)
	if err != nil {
		panic(err)
	}
	return p
}

// sides are the daemon's and its opponent's.
func sides(before *sandbox.Game) (us, them chess.Color) {
	if before.White == eveningDaemon {
		return chess.White, chess.Black
	}
	return chess.Black, chess.White
}

func (j *eveningJudge) guestRating(g *judgedGame) int {
	if u := g.challenge.Challenger; u.Name != eveningDaemon {
		return u.Rating
	}
	return g.challenge.DestUser.Rating
}

func (j *eveningJudge) offersDraw(c *eveningCall, g *judgedGame) {
	d, ply, p := &j.opts.Draw, len(c.before.Moves), position(c.before)
	j.tally.count("draws offered by the bot", "made")
	kind := d.OfferHumans
	if g.challenge.isBot() {
		kind = d.OfferBots
	}
	j.holds(ruleDrawOffers, d.Offer && kind && j.guestRating(g) >= d.OfferMinRating, "game %s: a draw offer against the settings", g.id)
	j.holds(ruleDrawOffers, c.what != "draw/yes", "game %s: an answer to a draw offer came too late and is an offer", g.id)
	j.holds(ruleDrawOffers, p.FullmoveNumber() >= d.OfferFromMove, "game %s: a draw offer at move %d", g.id, p.FullmoveNumber())
	j.holds(ruleDrawDistance, g.offeredAt < 0 || ply-g.offeredAt > 20 || ply < g.offeredAt, "game %s: a draw offer at ply %d, the last was at ply %d", g.id, ply, g.offeredAt)
	g.offeredAt = ply
	_, them := sides(c.before)
	j.holds(ruleDrawOffers, p.CanMate(them), "game %s: a draw offer to one who cannot mate", g.id)
	level := func(t *watch.Thought) bool {
		gain := t.Score.Centipawns() + d.Contempt
		return -d.OfferScore <= gain && gain <= d.OfferScore
	}
	j.holds(ruleDrawOffers, g.row(c.before, d.OfferMoves, level), "game %s: a draw offer, and the last scores were not level: %v", g.id, scores(g))
	worth := j.worth(c.before)
	j.holds(ruleDrawWon, worth <= eveningWonOffer || ahead(c.before) < eveningAhead, "game %s: a draw offer in a won position, %d: %s", g.id, worth, c.before.FEN)
}

func scores(g *judgedGame) (list []string) {
	for _, t := range g.thoughts[max(len(g.thoughts)-8, 0):] {
		list = append(list, t.Score.String()+"/"+itoa(t.Depth))
	}
	return list
}

func (j *eveningJudge) acceptsDraw(c *eveningCall, g *judgedGame) {
	d, t := &j.opts.Draw, g.thought(c.before)
	j.tally.count("draws offered to the bot", "accepted")
	j.holds(ruleDrawAnswers, d.Accept && t != nil && t.Depth > 0 && t.Score.Centipawns()+d.Contempt <= d.AcceptScore, "game %s: a draw was accepted with the scores %v", g.id, scores(g))
	worth := j.worth(c.before)
	j.holds(ruleDrawWon, worth <= eveningWonAccept || ahead(c.before) < eveningAhead, "game %s: a draw was accepted in a won position, %d: %s; scores %v", g.id, worth, c.before.FEN, scores(g))
}

func (j *eveningJudge) declinesDraw(c *eveningCall, g *judgedGame) {
	d, t := &j.opts.Draw, g.thought(c.before)
	j.tally.count("draws offered to the bot", "declined")
	j.holds(ruleDrawAnswers, !d.Accept || t == nil || t.Depth == 0 || t.Score.Centipawns()+d.Contempt > d.AcceptScore, "game %s: a draw was declined with the scores %v", g.id, scores(g))
}

func (j *eveningJudge) resigns(c *eveningCall, g *judgedGame) {
	r, p := &j.opts.Resign, position(c.before)
	j.tally.count("games ended by the bot", "resigned")
	kind := r.Humans
	if g.challenge.isBot() {
		kind = r.Bots
	}
	j.holds(ruleResignations, r.Enabled && kind && j.guestRating(g) >= r.MinRating, "game %s: resigned against the settings", g.id)
	j.holds(ruleResignations, p.FullmoveNumber() >= r.FromMove, "game %s: resigned at move %d", g.id, p.FullmoveNumber())
	j.holds(ruleResignations, g.row(c.before, r.Moves, func(t *watch.Thought) bool { return t.Score.Centipawns() <= r.Score }), "game %s: resigned with the scores %v", g.id, scores(g))
	us, them := sides(c.before)
	j.holds(ruleResignations, p.CanMate(them), "game %s: resigned to one who cannot mate", g.id)
	if r.Stalemate && p.SideToMove() == us {
		var legal chess.MoveList
		p.LegalMoves(&legal)
		others := false
		for _, m := range legal.Slice() {
			others = others || p.PieceOn(m.From()).Type() != chess.King
		}
		j.holds(ruleResignations, others, "game %s: resigned with nothing but king moves: %s", g.id, c.before.FEN)
	}
	worth := j.worth(c.before)
	j.holds(ruleResignations, worth <= eveningNotLost || ahead(c.before) <= -eveningAhead, "game %s: resigned a position that is not lost, %d: %s", g.id, worth, c.before.FEN)
}

// says takes a chat line of the daemon's.
func (j *eveningJudge) says(c *eveningCall, g *judgedGame) {
	room, text := c.form.Get("room"), c.form.Get("text")
	chat, opponent := &j.opts.Chat, g.challenge.opponent()
	j.tally.count("chat lines of the bot", "to the "+room)
	j.holds(ruleChat, utf8.RuneCountInString(text) <= 140 && text != "", "game %s: a chat line of %d characters", g.id, utf8.RuneCountInString(text))
	j.holds(ruleChat, !eveningLink.MatchString(text), "game %s: a link in the chat: %s", g.id, text)
	start := func(template string) string { before, _, _ := strings.Cut(template, "{"); return before }
	answer := true
	for _, template := range []string{chat.Greeting, chat.GreetingSpectators, chat.Farewell, chat.FarewellSpectators} {
		answer = answer && !strings.HasPrefix(text, start(template))
	}
	// What nobody else has asked for, in either room, is for the opponent.
	toOpponent := room == "player" || answer && g.onlookers == 0
	j.holds(ruleChat, !toOpponent || !g.challenge.isBot() || chat.Bots, "game %s: a word to a bot: %s", g.id, text)
	j.holds(ruleChat, !toOpponent || c.before.Over() || !eveningOpinion.MatchString(text), "game %s: the opponent is told what the bot thinks: %s", g.id, text)
	spoken := func(who string, most float64, each time.Duration) bool {
		b := j.speech[room+" "+who]
		if b == nil {
			b = &bucket{}
			j.speech[room+" "+who] = b
		}
		return b.take(c.sent, most, each)
	}
	j.holds(ruleChatRate, spoken(opponent, 4.1, 15*time.Second), "game %s: too many lines to %s", g.id, opponent)
	j.holds(ruleChatRate, spoken("", 20.1, 2*time.Second), "game %s: too many lines", g.id)
	if room != "player" {
		return
	}
	switch {
	case strings.HasPrefix(text, start(chat.Greeting)):
		g.greetings++
		j.holds(ruleGreetings, g.greetings == 1 && len(c.before.Moves) <= 4, "game %s: greeting number %d after %d plies", g.id, g.greetings, len(c.before.Moves))
		j.holds(ruleGreetings, strings.Contains(text, opponent), "game %s: a greeting to somebody else: %s", g.id, text)
	case strings.HasPrefix(text, start(chat.Farewell)):
		g.farewells++
		j.holds(ruleGreetings, g.farewells == 1 && c.before.Over(), "game %s: farewell number %d, game over: %v", g.id, g.farewells, c.before.Over())
	}
}

// over judges a game that has ended.
func (j *eveningJudge) over(g *judgedGame) {
	status, winner := g.final.Status, g.final.Winner
	lost := winner != "" && (winner == lichess.ColorWhite) != g.white
	j.holds(ruleNoTimeLosses, !lost || status != lichess.StatusOutOfTime && status != lichess.StatusTimeout, "game %s was lost by %s", g.id, status)
	if len(g.final.Moves) < 2 && g.challenge.timed() && j.opts.AbortAfter > 0 {
		j.holds(ruleAborts, g.ended.Sub(g.begun) <= 2*j.opts.AbortAfter+eveningLag, "game %s stood without moves for %v", g.id, g.ended.Sub(g.begun))
	}
	if !g.proposal.IsZero() {
		j.holds(ruleTakebacks, g.ended.Sub(g.proposal) < eveningLag, "game %s: a takeback proposed by the daemon stood to the end", g.id)
	}
	j.tally.game(g, lost)
}
