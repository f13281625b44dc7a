package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"castellan/lichess"
)

// ArenaSetup describes an arena tournament.
type ArenaSetup struct {
	Name             string
	Limit, Increment time.Duration
	Rated            bool
	StartsIn, Lasts  time.Duration
	Bots             bool   // they are admitted
	Password         string // "" for none
	Team             string // id of the only team whose members may join; "" for anybody
}

// arena is an arena tournament. Players are paired in the order in which they asked for an opponent, each request counting for a
// minute; there is no ranking.
type arena struct {
	ArenaSetup
	id           string
	starts, ends time.Time
	players      map[string]*entrant // by user id
	asking       []*entrant          // for an opponent, in the order of their first request
}

type entrant struct {
	*account
	paused bool
	until  time.Time // asks for an opponent until then
}

// pairFor is how long a request for an opponent counts.
const pairFor = time.Minute

// AddArena announces an arena and returns its id.
func (s *Server) AddArena(setup ArenaSetup) (id string, err error) {
	if setup.Limit <= 0 && setup.Increment <= 0 || setup.Lasts <= 0 || setup.StartsIn < 0 {
		return "", errors.New("sandbox: an arena needs a clock, a beginning that is not over, and some time to last")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &arena{ArenaSetup: setup, id: s.newID(), starts: s.now().Add(setup.StartsIn), players: map[string]*entrant{}}
	a.ends = a.starts.Add(setup.Lasts)
	s.arenas[a.id] = a
	return a.id, nil
}

// ArenaPlayers lists who plays in an arena and has not left it, by user id.
func (s *Server) ArenaPlayers(id string) (players []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.arenas[id]; a != nil {
		for player, e := range a.players {
			if !e.paused {
				players = append(players, player)
			}
		}
	}
	slices.Sort(players)
	return players
}

// arenaView is an arena as the server tells of it.
type arenaView struct {
	lichess.Arena
	System    string `json:"system"`
	CreatedBy string `json:"createdBy"`
	StartsAt  string `json:"startsAt"`
	Rated     bool   `json:"rated"`
	Variant   string `json:"variant"`
	Clock     struct {
		Limit     int `json:"limit"`
		Increment int `json:"increment"`
	} `json:"clock"`
}

func (s *Server) showArena(c *call) (any, error) {
	a := s.arenas[c.path("id")]
	if a == nil {
		return nil, notFound()
	}
	now := s.now()
	view := arenaView{System: "arena", CreatedBy: "lichess", StartsAt: a.starts.UTC().Format(time.RFC3339), Rated: a.Rated, Variant: "standard"}
	view.Arena = lichess.Arena{
		ID: a.id, FullName: a.Name + " Arena", Minutes: int(a.Lasts / time.Minute), NbPlayers: len(a.players), BotsAllowed: a.Bots,
	}
	view.Clock.Limit, view.Clock.Increment = int(a.Limit/time.Second), int(a.Increment/time.Second)
	switch {
	case now.Before(a.starts):
		view.SecondsToStart = max(int(a.starts.Sub(now)/time.Second), 1)
	case now.Before(a.ends):
		view.SecondsToFinish = max(int(a.ends.Sub(now)/time.Second), 1)
	default:
		view.IsFinished = true
	}
	return view, nil
}

func (s *Server) joinArena(c *call) (any, error) {
	a := s.arenas[c.path("id")]
	if a == nil {
		return nil, badRequest("This tournament no longer exists")
	}
	pair, err := boolParam(c.form, "pairMeAsap", false)
	if err != nil {
		return nil, err
	}
	now := s.now()
	switch e := a.players[c.me.id]; {
	case !now.Before(a.ends):
		return nil, badRequest("This tournament is over")
	case c.me.isBot() && !a.Bots:
		return nil, badRequest("Bots are not allowed in this tournament")
	case e == nil && a.Password != "" && c.form.Get("password") != a.Password:
		return nil, badRequest("Wrong entry code")
	case e == nil && a.Team != "" && c.form.Get("team") != a.Team:
		return nil, badRequest("You must play for a team of this tournament")
	case e == nil:
		a.players[c.me.id] = &entrant{account: c.me}
	default:
		e.paused = false
	}
	if pair && !now.Before(a.starts) {
		e := a.players[c.me.id]
		e.until = now.Add(pairFor)
		if !slices.Contains(a.asking, e) {
			a.asking = append(a.asking, e)
		}
		if err := s.pair(a); err != nil {
			return nil, err
		}
	}
	return ok(nil)
}

func (s *Server) leaveArena(c *call) (any, error) {
	a := s.arenas[c.path("id")]
	if a == nil {
		return nil, badRequest("This tournament no longer exists")
	}
	if !s.now().Before(a.ends) {
		return nil, badRequest("This tournament is over")
	}
	if e := a.players[c.me.id]; e != nil {
		e.paused, e.until = true, time.Time{}
		if s.now().Before(a.starts) {
			delete(a.players, c.me.id)
		}
	}
	return ok(nil)
}

// pair starts a game for each two who ask for one and are in none of the arena.
func (s *Server) pair(a *arena) error {
	now := s.now()
	a.asking = slices.DeleteFunc(a.asking, func(e *entrant) bool {
		return e.paused || !now.Before(e.until) || slices.ContainsFunc(e.running, func(p pov) bool { return p.g.arena == a.id })
	})
	for len(a.asking) >= 2 {
		white, black := a.asking[0], a.asking[1]
		a.asking = a.asking[2:]
		if s.rand.IntN(2) == 0 {
			white, black = black, white
		}
		variant, _ := lichess.VariantByKey(lichess.VariantStandard)
		g, err := s.makeGame(s.newID(), white.account, black.account, gameRules{
			variant: variant, rated: a.Rated, hasClock: true, limit: a.Limit, increment: a.Increment,
		})
		if err != nil {
			return fmt.Errorf("sandbox: arena %s: %w", a.id, err)
		}
		g.arena, g.source, g.botOK = a.id, "arena", true
		s.startGame(g)
		s.awaitFirstMoves(g)
	}
	return nil
}

// awaitFirstMoves ends a game of an arena in which a side does not make its first move in time: it has lost.
func (s *Server) awaitFirstMoves(g *game) {
	wait := 16 * time.Second
	switch g.speed {
	case lichess.SpeedUltraBullet:
		wait = 11 * time.Second
	case lichess.SpeedRapid:
		wait = 25 * time.Second
	case lichess.SpeedClassical, lichess.SpeedCorrespondence:
		wait = 30 * time.Second
	case lichess.SpeedBlitz:
		wait = 21 * time.Second
	}
	plies := g.chess.Ply()
	s.after(wait, func() {
		switch {
		case g.status.Over() || g.bothMoved():
		case g.chess.Ply() > plies:
			s.awaitFirstMoves(g)
		default:
			winner := g.turn().Other()
			s.finish(g, lichess.StatusNoStart, &winner)
		}
	})
}
