package sandbox

import (
	"net/http"
	"time"

	"castellan/engine/tablebase"
)

// Options are the settings of a server. The zero value of each field means
// what Lichess does. A negative limit means that there is none.
type Options struct {
	Addr  string // address to listen on, "127.0.0.1:0" by default
	Clock Clock  // real time by default
	Seed  uint64 // of ids, random colours and start positions; 0 takes a random one

	KeepAlive          time.Duration // between blank lines of the event and game streams: 7 s
	ChallengeKeepAlive time.Duration // between blank lines of a keepAliveStream: 50 s
	ChallengeOffline   time.Duration // from the challenger's leaving to status offline, real-time only: 20 s
	GoneWait           time.Duration // until the win can be claimed from a player who left, at blitz or faster: 40 s
	GoneTick           time.Duration // between opponentGone lines: 5 s
	LeaveDelay         time.Duration // from the end of a player's last stream to his leaving: 1 s
	FlagGrace          time.Duration // by which a flag that nobody moves on falls late: 2 s; negative for none
	CloseWait          time.Duration // that Close gives to open requests: 5 s

	EventStreamOpens         int // event streams opened in 10 minutes by one account: 30
	BotGamesPerDay           int // games of a bot against bots in a day: 100
	ChallengePointsPerMinute int // cost of challenges made in a minute, 1 for a bot and 5 for a person: 25
	ChallengePointsPerDay    int // the same in a day: 200

	// KeepGames is how many finished games stay known, the latest; 0 keeps all.
	// A game that is forgotten is one that the server never had.
	KeepGames int

	// Tables are what look-ups of endgames are answered from; without any, all positions are unknown. They stay the caller's to close.
	Tables *tablebase.Tables

	// Pages, when set, answers what is asked for outside /api and is no endpoint: the pages that Lichess has beside its API.
	Pages http.Handler

	// Guard, when set, stands before all that is served and may refuse it.
	Guard func(server http.Handler) http.Handler

	// OnRequest, when set, is told of each request as it arrives. It must not
	// block and must not call the server.
	OnRequest func(method, path string)
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&o.KeepAlive, 7 * time.Second},
		{&o.ChallengeKeepAlive, 50 * time.Second},
		{&o.ChallengeOffline, 20 * time.Second},
		{&o.GoneWait, 40 * time.Second},
		{&o.GoneTick, 5 * time.Second},
		{&o.LeaveDelay, time.Second},
		{&o.CloseWait, 5 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	switch {
	case o.FlagGrace == 0:
		o.FlagGrace = 2 * time.Second
	case o.FlagGrace < 0:
		o.FlagGrace = 0
	}
	for _, l := range []struct {
		field *int
		value int
	}{
		{&o.EventStreamOpens, 30},
		{&o.BotGamesPerDay, 100},
		{&o.ChallengePointsPerMinute, 25},
		{&o.ChallengePointsPerDay, 200},
	} {
		if *l.field == 0 {
			*l.field = l.value
		}
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	return o
}
