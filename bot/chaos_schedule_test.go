package bot_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A chaosFault is a kind of fault that the chaos suite injects.
type chaosFault uint8

const (
	connReset       chaosFault = iota // a connection breaks
	connStall                         // a connection carries nothing any more, and nobody is told
	slowDrip                          // a connection carries a byte at a time
	halfLine                          // a stream ends in the middle of a line
	doubledLine                       // a line comes twice
	lateLine                          // a stream falls behind the others: what it says comes after what they say later
	lostLines                         // the server's queue for a stream runs over: the oldest lines are lost
	damagedLine                       // a byte of a game's line is another one
	limitSeconds                      // 429 with ratelimit.seconds in its body
	limitRetryAfter                   // 429 with a Retry-After header, in seconds or as a date
	limitBare                         // 429 that does not say for how long
	error500
	error502
	error504
	noReply       // the server carries the request out and does not answer
	strayRefusal  // 401, 403 or 404 with a web page, once, to a move or a game's stream that had been opened before
	tlsFailure    // no handshake succeeds: cut off, not TLS at all, or another one's certificate
	dnsFailure    // the name is not found, or the name server is silent
	clockJump     // the server's clock leaps, forward or back
	serverRestart // all connections break, the port is closed for a while, then 20 s more on the clocks
	chaosFaults   // their number
)

var chaosFaultNames = [chaosFaults]string{
	"connection reset", "stall without FIN", "slow drip", "half line", "doubled line", "line late behind other streams",
	"lines lost at queue overflow", "damaged line", "429 ratelimit.seconds", "429 Retry-After", "429 bare", "500 HTML", "502 HTML", "504 HTML",
	"no reply to what was done", "stray 401, 403, 404 HTML", "TLS failure", "DNS failure", "clock jump", "server restart",
}

func (f chaosFault) String() string { return chaosFaultNames[f] }

// onLines tells whether the fault spoils a line of a stream.
func (f chaosFault) onLines() bool { return f >= halfLine && f <= damagedLine }

// onRequests tells whether the fault spoils a request.
func (f chaosFault) onRequests() bool { return f >= limitSeconds && f <= strayRefusal }

// chaosAim says what a fault of a request or of a stream's line is to hit.
type chaosAim uint8

const (
	aimMove  chaosAim = iota // the request of a move
	aimGame                  // a game's stream: its opening, or a line with a state
	aimEvent                 // the event stream: its opening, or a line
	aimOther                 // any other request
)

// chaosStrike is one fault of a schedule.
type chaosStrike struct {
	fault  chaosFault
	after  time.Duration // since the strike before, when chaosAtOnce games run; longer when there are fewer
	length time.Duration // of the outage, for a fault that has one
	aim    chaosAim
	chance uint32 // decides what else there is to choose
}

// chaosSchedule deals strikes without end: which, when and how long depends on the seed alone.
type chaosSchedule struct {
	rand *rand.Rand
	deck []chaosFault
}

// chaosPause is the mean time between two strikes while as many games run as a world has at once.
const chaosPause = 2 * time.Second

func newChaosSchedule(seed, world uint64) *chaosSchedule {
	return &chaosSchedule{rand: rand.New(rand.NewPCG(seed, world))}
}

// next deals a strike. Each round has every fault at least once.
func (s *chaosSchedule) next() chaosStrike {
	if len(s.deck) == 0 {
		for f := range chaosFaults {
			s.deck = append(s.deck, f)
		}
		s.deck = append(s.deck, connReset, connStall, halfLine, doubledLine, lateLine, lostLines, error502, noReply, noReply)
		s.rand.Shuffle(len(s.deck), func(i, j int) { s.deck[i], s.deck[j] = s.deck[j], s.deck[i] })
	}
	strike := chaosStrike{fault: s.deck[0], chance: s.rand.Uint32()}
	s.deck = s.deck[1:]
	strike.after = time.Duration(min(s.rand.ExpFloat64(), 5) * float64(chaosPause))
	within := func(low, high time.Duration) time.Duration {
		return low + time.Duration(s.rand.Int64N(int64(high-low)))
	}
	strike.length = within(500*time.Millisecond, 6*time.Second)
	switch strike.fault {
	case serverRestart:
		strike.length = within(2*time.Second, 15*time.Second)
	case clockJump:
		strike.length = within(time.Second, 5*time.Second)
	case limitSeconds, limitRetryAfter:
		strike.length = strike.length.Round(time.Second) + time.Second // they are told in whole seconds
	}
	switch aim := s.rand.IntN(10); {
	case strike.fault.onLines():
		strike.aim = aimGame
		if aim < 3 {
			strike.aim = aimEvent
		}
	case aim < 6:
		strike.aim = aimMove
	case aim < 8 || strike.fault == strayRefusal:
		strike.aim = aimGame
	case aim < 9:
		strike.aim = aimOther
	default:
		strike.aim = aimEvent
	}
	return strike
}

func TestChaosScheduleDependsOnTheSeedAlone(t *testing.T) {
	deal := func(seed, world uint64) (all []chaosStrike) {
		s := newChaosSchedule(seed, world)
		for range 100 {
			all = append(all, s.next())
		}
		return all
	}
	if !slices.Equal(deal(1, 2), deal(1, 2)) {
		t.Error("the same seed gives another schedule")
	}
	if slices.Equal(deal(1, 2), deal(2, 2)) || slices.Equal(deal(1, 2), deal(1, 3)) {
		t.Error("another seed, or another world, gives the same schedule")
	}
	dealt := map[chaosFault]bool{}
	for _, strike := range deal(1, 2)[:29] {
		dealt[strike.fault] = true
	}
	if len(dealt) != int(chaosFaults) {
		t.Errorf("a round has %d faults of %d", len(dealt), chaosFaults)
	}
}
