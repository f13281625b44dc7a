package sandbox

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"castellan/lichess"
)

// TakebackPref says in which games an account takes part in takebacks.
type TakebackPref int

// The preferences. TakebacksDefault is TakebacksNever for BOT accounts, as
// the upgrade sets it, and TakebacksAlways for others.
const (
	TakebacksDefault TakebackPref = iota
	TakebacksNever
	TakebacksCasual
	TakebacksAlways
)

// Account describes an account of the server.
type Account struct {
	Name   string   // 2 to 30 letters, digits, - and _; its id is the name in lower case
	Title  string   // "BOT", "GM", …, or "" for none
	Token  string   // that its owner sends; letters, digits and _; "" for none
	Scopes []string // of the token; nil is bot:play for a BOT, else board:play, challenge:read and challenge:write

	Rating    int            // 1500 when 0
	Ratings   map[string]int // by perf key such as "blitz", where other than Rating
	Takebacks TakebackPref

	NoChallenges bool     // does not accept challenges
	Blocks       []string // names of accounts that cannot challenge this one
	Closed       bool     // the token does not work, the profile says so
	TosViolation bool     // marked for breaking the terms of service
}

// account is an account with its state.
type account struct {
	Account
	id      string
	created time.Time
	seen    time.Time
	ratings map[string]int
	events  *stream // the open event stream, or nil
	running []pov   // games in play, oldest first

	opens           window // event streams
	pointsPerMinute window // challenges made
	pointsPerDay    window
	botGames        window // games started against bots, by a bot

	played map[string]int // finished games by perf key
	count  lichess.GameCount
}

var (
	validName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{1,29}$`)
	validToken = regexp.MustCompile(`^[A-Za-z0-9_]{1,512}$`)
)

// AddAccount adds an account, before or after Start. It fails on a name or
// token that is malformed or taken.
func (s *Server) AddAccount(a Account) error {
	if !validName.MatchString(a.Name) {
		return fmt.Errorf("sandbox: account name %q: must be 2 to 30 letters, digits, - or _", a.Name)
	}
	if a.Token != "" && !validToken.MatchString(a.Token) {
		return errors.New("sandbox: account " + a.Name + ": the token must be 1 to 512 letters, digits or _")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := lichess.UserID(a.Name)
	if s.accounts[id] != nil {
		return fmt.Errorf("sandbox: account %s exists already", a.Name)
	}
	if a.Token != "" && s.tokens[a.Token] != nil {
		return fmt.Errorf("sandbox: account %s: its token belongs to %s", a.Name, s.tokens[a.Token].Name)
	}
	if a.Scopes == nil {
		a.Scopes = []string{scopeBoard, scopeChallengeRead, scopeChallengeWrite}
		if a.Title == lichess.TitleBot {
			a.Scopes = []string{scopeBot}
		}
	}
	if a.Rating == 0 {
		a.Rating = 1500
	}
	now := s.now()
	acct := &account{
		Account: a, id: id, created: now, seen: now,
		ratings:         map[string]int{},
		played:          map[string]int{},
		opens:           window{period: 10 * time.Minute, limit: s.opts.EventStreamOpens},
		pointsPerMinute: window{period: time.Minute, limit: s.opts.ChallengePointsPerMinute},
		pointsPerDay:    window{period: 24 * time.Hour, limit: s.opts.ChallengePointsPerDay},
		botGames:        window{period: 24 * time.Hour, limit: s.opts.BotGamesPerDay},
	}
	for perf, rating := range a.Ratings {
		acct.ratings[perf] = rating
	}
	s.accounts[id] = acct
	if a.Token != "" {
		s.tokens[a.Token] = acct
	}
	return nil
}

func (a *account) isBot() bool { return a.Title == lichess.TitleBot }

func (a *account) hasScope(oneOf []string) bool {
	return slices.ContainsFunc(a.Scopes, func(have string) bool { return slices.Contains(oneOf, have) })
}

func (a *account) rating(perf string) int {
	if r, ok := a.ratings[perf]; ok {
		return r
	}
	return a.Rating
}

func (a *account) takebacks() TakebackPref {
	switch {
	case a.Takebacks != TakebacksDefault:
		return a.Takebacks
	case a.isBot():
		return TakebacksNever
	}
	return TakebacksAlways
}

func (a *account) blocks(other *account) bool {
	return slices.ContainsFunc(a.Blocks, func(name string) bool { return lichess.UserID(name) == other.id })
}

// online reports whether the account has an event or game stream open.
func (a *account) online() bool {
	if a.events != nil {
		return true
	}
	return slices.ContainsFunc(a.running, func(p pov) bool { return len(p.player().streams) > 0 })
}

// profilePerfs are the kinds of games of which a profile shows the rating.
var profilePerfs = []string{
	"ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence", "chess960",
}

// profile returns the account as others see it.
func (s *Server) profile(a *account) lichess.User {
	u := lichess.User{
		ID: a.id, Username: a.Name, Title: a.Title,
		CreatedAt: a.created.UnixMilli(), SeenAt: a.seen.UnixMilli(),
		Perfs:        map[string]lichess.Perf{},
		PlayTime:     &lichess.PlayTime{},
		URL:          s.URL + "/@/" + a.Name,
		Disabled:     a.Closed,
		TosViolation: a.TosViolation,
	}
	for _, perf := range profilePerfs {
		u.Perfs[perf] = lichess.Perf{Games: a.played[perf], Rating: a.rating(perf), RD: 60}
	}
	count := a.count
	running := a.running
	count.Playing = len(running)
	u.Count = &count
	if len(running) > 0 {
		u.Playing = s.URL + "/" + running[0].g.id + "/" + running[0].c.String()
	}
	return u
}

func (s *Server) ownAccount(c *call) (any, error) { return s.profile(c.me), nil }

func (s *Server) userByName(c *call) (any, error) {
	a := s.accounts[lichess.UserID(c.path("name"))]
	if a == nil {
		return nil, notFound()
	}
	return s.profile(a), nil
}

func (s *Server) upgrade(c *call) (any, error) {
	switch {
	case c.me.isBot():
		return nil, badRequest("This account is a bot already")
	case c.me.count.All > 0 || len(c.me.running) > 0:
		return nil, badRequest("You already have games played. Make a new account.")
	}
	c.me.Title = lichess.TitleBot
	c.me.Takebacks = TakebacksNever
	return lichess.OK{OK: true}, nil
}

// testTokens answers for each token of a comma-separated list.
func (s *Server) testTokens(c *call) (any, error) {
	const most = 1000
	tokens := strings.Split(string(c.body), ",")
	if len(tokens) > most {
		return nil, badRequest("At most %d tokens can be tested at once", most)
	}
	reply := map[string]*lichess.TokenInfo{}
	for _, token := range tokens {
		token = strings.TrimSpace(token)
		if token == "" {
			continue
		}
		reply[token] = nil
		if a := s.tokens[token]; a != nil && !a.Closed {
			reply[token] = &lichess.TokenInfo{UserID: a.id, Scopes: strings.Join(a.Scopes, ",")}
		}
	}
	return reply, nil
}

func (s *Server) onlineBots(c *call) (any, error) {
	most, err := intParam(c.form, "nb", 100, 1, 512)
	if err != nil {
		return nil, err
	}
	var ids []string
	for id, a := range s.accounts {
		if a.isBot() && !a.Closed && a.online() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	lines := s.newStream(0, nil)
	for _, id := range ids[:min(len(ids), most)] {
		bot := s.profile(s.accounts[id])
		bot.URL, bot.Count, bot.Playing = "", nil, "" // told of single accounts only
		lines.first = append(lines.first, encode(bot))
	}
	lines.close()
	return lines, nil
}

// userStatus is one entry of the reply to /api/users/status.
type userStatus struct {
	Name      string `json:"name"`
	ID        string `json:"id"`
	Title     string `json:"title,omitempty"`
	Online    bool   `json:"online,omitempty"`
	Playing   bool   `json:"playing,omitempty"`
	PlayingID string `json:"playingId,omitempty"`
}

func (s *Server) usersStatus(c *call) (any, error) {
	const most = 100
	ids := strings.Split(c.form.Get("ids"), ",")
	if len(ids) > most {
		return nil, badRequest("At most %d users can be asked for at once", most)
	}
	withIDs, err := boolParam(c.form, "withGameIds", false)
	if err != nil {
		return nil, err
	}
	reply := []userStatus{}
	for _, id := range ids {
		a := s.accounts[lichess.UserID(strings.TrimSpace(id))]
		if a == nil || a.Closed {
			continue
		}
		status := userStatus{Name: a.Name, ID: a.id, Title: a.Title, Online: a.online()}
		if running := a.running; len(running) > 0 {
			status.Playing = true
			if withIDs {
				status.PlayingID = running[0].g.id
			}
		}
		reply = append(reply, status)
	}
	return reply, nil
}
