package bot_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// chaosRecord is what the proxy has seen pass: the moves that the daemon sent and what became of them, the time each side
// took, and the outages that were injected. It judges them when a game is over.
type chaosRecord struct {
	server *sandbox.Server

	mu      sync.Mutex
	games   map[string]*chaosGame
	outages []chaosOutageOf // of all games
	faults  [chaosFaults]int
	illegal []chaosMove
	doubled []chaosMove
	sent    int // moves that came from the daemon
	late    int // … and had been given up by then: a stall had held them up
}

// chaosMove is a move that should not have been sent.
type chaosMove struct {
	at         time.Time
	game, move string
	why        string
}

func (m chaosMove) String() string {
	return fmt.Sprintf("%s: game %s: %s: %s", m.at.Format("15:04:05.000"), m.game, m.move, m.why)
}

// chaosGame is what is known of one game.
type chaosGame struct {
	turns    []chaosTurn
	outages  []chaosOutageOf
	shown    int             // the most moves that a line on the daemon's streams showed
	taken    map[string]bool // the daemon's moves that were taken
	last     string          // … the last of them …
	lastPly  int             // … and its ply …
	lastLate bool            // … and whether the network had held it up: then it may have been sent again before it came
	lines    bool            // a line went there
	damaged  bool            // the last line was not what the server wrote: what the daemon knows of the game may be wrong
	takeback bool            // one was granted: the number of moves says no more what was shown
}

// chaosTurn is a moment at which the turn may have passed.
type chaosTurn struct {
	at    time.Time
	white bool // to move
	plies int
}

type chaosInterval struct{ from, to time.Time }

// chaosOutageOf is an interval for which a fault excuses the daemon.
type chaosOutageOf struct {
	chaosInterval
	fault chaosFault
}

func (o chaosOutageOf) String() string {
	return fmt.Sprintf("%s+%v %s", o.from.Format("15:04:05.000"), o.to.Sub(o.from).Round(time.Millisecond), o.fault)
}

func newChaosRecord(server *sandbox.Server) *chaosRecord {
	return &chaosRecord{server: server, games: map[string]*chaosGame{}}
}

func (r *chaosRecord) game(id string) *chaosGame {
	g := r.games[id]
	if g == nil {
		g = &chaosGame{lastPly: -1, taken: map[string]bool{}}
		r.games[id] = g
	}
	return g
}

// injected counts a fault and notes how long it excuses the daemon: the outage itself and what chaosRecovery grants to get over
// it. With no games given it is about all of them.
func (r *chaosRecord) injected(fault chaosFault, outage time.Duration, games ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[fault]++
	now := time.Now()
	excuse := chaosOutageOf{chaosInterval{now, now.Add(outage + chaosRecovery(fault, outage))}, fault}
	if games == nil {
		r.outages = append(r.outages, excuse)
	}
	for _, id := range games {
		r.game(id).outages = append(r.game(id).outages, excuse)
	}
}

// showed notes that a line with so many moves went to the daemon.
func (r *chaosRecord) showed(id string, plies int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.game(id).lines = true
	r.game(id).shown = max(r.game(id).shown, plies)
}

// damaged notes that a line of a game goes to the daemon with a fault in it, and sound that one goes without.
func (r *chaosRecord) damaged(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.game(id).damaged = true
}

func (r *chaosRecord) sound(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.game(id).damaged = false
}

// opened tells whether a line of a game's stream went to the daemon before.
func (r *chaosRecord) opened(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.games[id] != nil && r.games[id].lines
}

// turn notes how a game stands after a request was carried out.
func (r *chaosRecord) turn(id string) {
	g, ok := r.server.Game(id)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.game(id).turns = append(r.game(id).turns, chaosTurn{time.Now(), whiteToMove(g.FEN), len(g.Moves)})
}

func whiteToMove(fen string) bool { return strings.Fields(fen)[1] == "w" }

// moveSent judges a move that has come from the daemon, before the server gets it. It is a duplicate when the server has taken
// a move of the daemon in its place already. Where the network has held the request up, so that it arrives after the daemon gave
// it up and looked at the game, nothing is judged.
func (r *chaosRecord) moveSent(id, move string, late bool) {
	g, ok := r.server.Game(id)
	if !ok || g.Over() {
		return // it crossed with the end of the game
	}
	ours := whiteToMove(g.FEN) == (g.White == chaosDaemon)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent++
	seen, plies := r.game(id), len(g.Moves)
	why := ""
	switch {
	case seen.takeback, seen.damaged:
	case !ours:
		why = fmt.Sprintf("sent at ply %d, in the opponent's turn", plies)
	case seen.shown < plies:
		why = fmt.Sprintf("sent at ply %d, when only %d were shown", plies, seen.shown)
	case seen.last == move && seen.lastPly == plies-2 && !chaosCastled(g.PGN):
		why = fmt.Sprintf("sent a second time at ply %d", plies)
	}
	switch {
	case why == "":
	case late, seen.last == move && seen.lastLate:
		r.late++
	default:
		r.doubled = append(r.doubled, chaosMove{time.Now(), id, move, why})
	}
}

// chaosCastled tells whether a game has a castling in it: in Chess960 the same text can then be a king's step.
func chaosCastled(pgn string) bool { return strings.Contains(pgn, "O-O") }

// moveAnswered notes what the server said to a move of the daemon. One that the network has held up was legal when it was sent: it
// may come when it has been sent again and played, and the game gone on by several moves, or when the game has been taken back. A
// request that the daemon has given up it cannot call back: on a shared connection that stalls, its end waits behind it.
func (r *chaosRecord) moveAnswered(id, move string, late bool, status int, body string) {
	g, _ := r.server.Game(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case status == http.StatusOK:
		if n := len(g.Moves); n > 0 && g.Moves[n-1] == move {
			r.game(id).last, r.game(id).lastPly, r.game(id).lastLate = move, n-1, late
			r.game(id).taken[move] = true
		}
	case status == http.StatusBadRequest && !strings.Contains(body, "Not your turn") && !r.game(id).damaged && !(late && (r.game(id).takeback || r.game(id).taken[move])):
		r.illegal = append(r.illegal, chaosMove{time.Now(), id, move, fmt.Sprintf("%s, held up: %t", body, late)})
	}
}

func (r *chaosRecord) takenBack(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.game(id).takeback = true
}

// lostOnTime tells whether the daemon lost a game on time, and why that is its own fault, "" when it is not.
//
// A loss on time is the daemon's own unless the injected outages alone ate the clock. Its turns in which its clock ran are cut
// into what lies inside the outages of that game, each lengthened by what chaosRecovery grants, and what lies outside. Outside
// it may have used no more than chaosMoveTime for each of its moves and chaosMoveTime once more: what a move needs on its way
// through a network in order, since the daemon's thinking takes no time here. A loss with more than that is its own.
func (r *chaosRecord) lostOnTime(g sandbox.Game) (lost bool, ours string) {
	white := g.White == chaosDaemon
	if g.Status != lichess.StatusOutOfTime || whiteToMove(g.FEN) != white {
		return false, ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.game(g.ID)
	outages := append(slices.Clone(r.outages), seen.outages...)
	excused := merged(outages)
	began := time.Now() // the first of the turns
	var used, excusedUse time.Duration
	var own []string // the intervals outside outages, for the report
	moves := 1
	for i, turn := range seen.turns {
		if turn.plies < 2 || turn.white != white {
			continue
		}
		if moves++; turn.at.Before(began) {
			began = turn.at
		}
		end := time.Now()
		if i+1 < len(seen.turns) {
			end = seen.turns[i+1].at
		}
		used += end.Sub(turn.at)
		excusedUse += overlap(chaosInterval{turn.at, end}, excused)
		for _, gap := range outside(chaosInterval{turn.at, end}, excused) {
			own = append(own, fmt.Sprintf("%s+%v", gap.from.Format("15:04:05.000"), gap.to.Sub(gap.from).Round(time.Millisecond)))
		}
	}
	if lost, allowed := used-excusedUse, time.Duration(moves)*chaosMoveTime; lost > allowed {
		outages = slices.DeleteFunc(outages, func(o chaosOutageOf) bool { return o.to.Before(began.Add(-chaosBefore)) })
		return true, fmt.Sprintf("game %s lost on time: %v on the clock, %v of it in outages, %v by itself; %d moves may take %v; outside of outages: %s; outages: %v",
			g.ID, used, excusedUse, lost, moves, allowed, strings.Join(own, ", "), outages)
	}
	return true, ""
}

// chaosBefore is how far before the first of its turns the report of a loss lists outages.
const chaosBefore = 20 * time.Second

// chaosMoveTime is the longest way of a move: the line to the daemon, its request to the server, and a handshake where the
// connection is new.
const chaosMoveTime = 6 * chaosFarthest

// chaosRecovery is how much longer than the outage itself a fault excuses the daemon.
func chaosRecovery(fault chaosFault, outage time.Duration) time.Duration {
	switch fault {
	case connStall:
		// Silence is no proof before the idle timeout of a stream, or the time that a move's request is given.
		return lichess.DefaultIdleTimeout + time.Second
	case noReply:
		return 9 * time.Second // the longest that a move's request is given, and a second
	case tlsFailure, dnsFailure, serverRestart, limitBare, error500, error502, error504:
		// Tries are farther apart the longer it lasts: the next may come as much later again. With a clock that can be lost they are
		// never more than 2 s apart.
		return min(outage, 2*time.Second) + time.Second
	case damagedLine, strayRefusal:
		return 3 * time.Second // the least pause before a stream is opened to be on the safe side, and a new connection
	case clockJump, doubledLine:
		return 0
	}
	return time.Second // a new connection
}

// merged puts outages in order and joins those that overlap.
func merged(outages []chaosOutageOf) (joined []chaosInterval) {
	slices.SortFunc(outages, func(a, b chaosOutageOf) int { return a.from.Compare(b.from) })
	for _, outage := range outages {
		next := outage.chaosInterval
		if n := len(joined); n > 0 && !next.from.After(joined[n-1].to) {
			if next.to.After(joined[n-1].to) {
				joined[n-1].to = next.to
			}
			continue
		}
		joined = append(joined, next)
	}
	return joined
}

// overlap returns how much of an interval the others cover; they do not overlap each other.
func overlap(of chaosInterval, by []chaosInterval) (sum time.Duration) {
	for _, other := range by {
		from, to := other.from, other.to
		if from.Before(of.from) {
			from = of.from
		}
		if to.After(of.to) {
			to = of.to
		}
		sum += max(to.Sub(from), 0)
	}
	return sum
}

// outside returns the parts of an interval that the others do not cover; they are in order and do not overlap each other.
func outside(of chaosInterval, by []chaosInterval) (gaps []chaosInterval) {
	for _, other := range by {
		if other.from.After(of.from) && of.from.Before(of.to) {
			to := other.from
			if to.After(of.to) {
				to = of.to
			}
			gaps = append(gaps, chaosInterval{of.from, to})
		}
		if other.to.After(of.from) {
			of.from = other.to
		}
	}
	if of.from.Before(of.to) {
		gaps = append(gaps, of)
	}
	return gaps
}
