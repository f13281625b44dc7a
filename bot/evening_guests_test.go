package bot_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// eveningTemper says what a guest is like. The shares are of 100.
type eveningTemper struct {
	name     string
	kinds    []string // of games
	rated    int      // of challenges
	withdraw int      // … that are taken back
	flood    int      // challenges at once, 0 for one
	sleep    int      // of games: makes no first move
	leave    int      // … goes away without a word
	resign   int      // of moves, after the tenth
	draw     int      // of moves, with an offer
	agrees   int      // of the daemon's draw offers
	takeback int      // of moves that he would rather not have made
	storm    int      // proposals to take back one after the other, 0 for one
	chat     int      // of moves
	chatter  int      // lines at once, 0 for one
	rematch  int      // of games
	random   int      // of moves: any that is legal
	rating   int
}

var eveningTempers = []eveningTemper{
	{name: "sociable", kinds: []string{"clock", "chess960"}, rated: 50, draw: 2, agrees: 50, takeback: 3, chat: 8, rematch: 30, random: 20, rating: 1800},
	{name: "storms of takebacks", kinds: []string{"clock"}, rated: 10, takeback: 40, storm: 4, agrees: 30, random: 30, rating: 1600},
	{name: "floods", kinds: []string{"clock", "fast"}, rated: 50, flood: 6, withdraw: 10, random: 30, resign: 2, rating: 1900},
	{name: "takes challenges back", kinds: []string{"clock", "slow"}, rated: 50, withdraw: 70, random: 30, resign: 3, rating: 1700},
	{name: "walks away", kinds: []string{"clock", "fast"}, rated: 50, leave: 60, random: 20, agrees: 50, rating: 1650},
	{name: "does not begin", kinds: []string{"clock", "chess960"}, rated: 50, sleep: 60, random: 30, resign: 3, rating: 1850},
	{name: "blocked", kinds: []string{"clock"}, rated: 50, random: 30, resign: 5, rematch: 60, rating: 1750},
	{name: "wants a draw", kinds: []string{"drawn", "drawn", "clock"}, draw: 30, agrees: 80, rating: 2000},
	{name: "wants what is not played", kinds: []string{"crazyhouse", "atomic", "ultra", "chess960", "odd"}, rated: 50, random: 40, resign: 5, rating: 1800},
	{name: "has the better position", kinds: []string{"lost", "lost", "level"}, draw: 2, agrees: 20, rematch: 20, rating: 2100},
	{name: "has the worse position", kinds: []string{"won", "level"}, draw: 30, takeback: 10, storm: 2, agrees: 100, random: 30, rating: 1800},
	{name: "by correspondence", kinds: []string{"days", "days", "unlimited"}, rated: 50, draw: 5, takeback: 10, chat: 5, random: 20, rating: 1700},
	{name: "talks", kinds: []string{"clock"}, rated: 50, chat: 60, chatter: 6, draw: 5, agrees: 50, random: 20, resign: 1, rating: 1900},
	{name: "much weaker", kinds: []string{"clock", "fast"}, rated: 50, random: 70, rematch: 70, takeback: 5, chat: 5, rating: 900},
	{name: "much stronger, slow", kinds: []string{"slow", "clock"}, rated: 50, draw: 3, agrees: 50, rematch: 40, rating: 2600},
}

// Positions to start from: drawn ones, those that White has lost, and level ones.
var (
	eveningDrawn = []string{
		"8/5pk1/6p1/8/8/6P1/5PK1/8 w - - 0 30", "4k3/2b2p2/4p3/3p4/3P4/4P3/2B2P2/4K3 w - - 0 40", "8/8/4k3/7r/R7/4K3/8/8 w - - 0 60",
		"6k1/5ppp/4r3/8/8/4R3/5PPP/6K1 w - - 0 35",
	}
	eveningLost = []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 10", "4k3/pppq1ppp/8/8/8/8/PPP2PPP/4K3 w - - 0 20", "6k1/5ppp/3r4/8/8/8/5PPP/6K1 w - - 0 30",
	}
	eveningLevel = []string{"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", "rnbqkb1r/pp2pppp/3p1n2/2p5/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 2 4"}
)

// guest is a person or a bot.
type guest struct {
	e      *evening
	name   string
	bot    bool
	temper *eveningTemper
	answer *temper // what a bot says to the daemon's challenges

	mu      sync.Mutex
	rand    *rand.Rand
	playing map[string]bool // games, also those before
	doing   sync.WaitGroup
}

// newGuests are the thirty people and thirty bots of an evening: each temper four times.
func newGuests(e *evening, seed, number uint64) (all []*guest) {
	r := rand.New(rand.NewPCG(seed^0xe7e9, number))
	for i := range eveningPeople + eveningBots {
		g := &guest{
			e: e, name: fmt.Sprintf("person%02d", i%eveningPeople+1), bot: i >= eveningPeople, temper: &eveningTempers[i%len(eveningTempers)],
			rand: rand.New(rand.NewPCG(r.Uint64(), r.Uint64())), playing: map[string]bool{},
		}
		a := sandbox.Account{Rating: g.temper.rating + i%3*20}
		if g.bot {
			g.name, a.Title = fmt.Sprintf("bot%02d", i-eveningPeople+1), lichess.TitleBot
			g.answer = &tempers[i%9]
		} else {
			a.Takebacks = sandbox.TakebacksAlways
		}
		a.Name, a.Token = g.name, "lip_x"+g.name
		e.add(a)
		all = append(all, g)
	}
	return all
}

// chance is true so often of a hundred.
func (g *guest) chance(of100 int) bool { return g.number(100) < of100 }

func (g *guest) number(below int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rand.IntN(below)
}

func pick[T any](g *guest, of []T) T { return of[g.number(len(of))] }

// between is a time of at least the one length and at most the other.
func (g *guest) between(least, most time.Duration) time.Duration {
	return least + time.Duration(g.number(1000))*(most-least)/1000
}

// come spends the evening: challenges and plays until the context ends.
func (g *guest) come(ctx context.Context) {
	defer g.doing.Wait()
	g.doing.Go(func() {
		g.listen(ctx)
	})
	for wait(ctx, g.between(5*time.Second, 8*time.Minute)); ctx.Err() == nil && !g.e.closed(); wait(ctx, g.between(2*time.Minute, 12*time.Minute)) {
		for range max(g.temper.flood, 1) {
			g.challenge(ctx)
		}
	}
}

// challenge challenges the daemon, and takes it back when it thinks better of it, or when there is no answer.
func (g *guest) challenge(ctx context.Context) {
	code, body := g.post(ctx, "/api/challenge/"+eveningDaemon, g.terms())
	var c lichess.Challenge
	if code != http.StatusOK || json.Unmarshal(body, &c) != nil || c.ID == "" {
		return
	}
	patience := 3 * time.Minute
	if g.chance(g.temper.withdraw) {
		patience = g.between(0, 3*time.Second)
	} else if g.temper.flood > 0 {
		g.doing.Go(func() { wait(ctx, patience); g.giveUp(ctx, c.ID) })
		return
	}
	wait(ctx, patience)
	g.giveUp(ctx, c.ID)
}

// giveUp takes a challenge back that is no game yet.
func (g *guest) giveUp(ctx context.Context, id string) {
	g.mu.Lock()
	playing := g.playing[id]
	g.mu.Unlock()
	if !playing {
		g.post(ctx, "/api/challenge/"+id+"/cancel", nil)
	}
}

// terms are what a challenge asks for.
func (g *guest) terms() url.Values {
	form := url.Values{}
	clock := func(clocks ...[2]int) {
		c := pick(g, clocks)
		form.Set("clock.limit", strconv.Itoa(c[0]))
		form.Set("clock.increment", strconv.Itoa(c[1]))
	}
	rated := g.chance(g.temper.rated)
	position := func(of []string, mine string) {
		clock([2]int{60, 1}, [2]int{180, 2}, [2]int{300, 3}, [2]int{600, 5})
		form.Set("variant", string(lichess.VariantFromPosition))
		form.Set("fen", pick(g, of))
		form.Set("color", mine)
		rated = false
	}
	usual := [][2]int{{60, 0}, {60, 1}, {120, 1}, {180, 0}, {180, 2}, {300, 0}, {300, 3}, {600, 0}, {600, 5}, {900, 10}}
	switch kind := pick(g, g.temper.kinds); kind {
	case "clock":
		clock(usual...)
	case "fast":
		clock([2]int{60, 0}, [2]int{30, 0}, [2]int{0, 1}, [2]int{60, 1})
	case "slow":
		clock([2]int{1800, 0}, [2]int{1800, 20}, [2]int{1200, 10}, [2]int{3600, 60})
	case "ultra":
		clock([2]int{15, 0})
	case "chess960":
		clock(usual...)
		form.Set("variant", string(lichess.VariantChess960))
	case "crazyhouse", "atomic":
		clock(usual...)
		form.Set("variant", kind)
	case "odd":
		position([]string{"QQQQKQQQ/8/8/8/8/8/8/1k6 w - - 0 1", "8/8/8/8/8/8/PPPPPPPP/k6K w - - 99 80"}, "black")
	case "drawn":
		position(eveningDrawn, "random")
	case "lost":
		position(eveningLost, "black")
	case "won":
		position(eveningLost, "white")
	case "level":
		position(eveningLevel, "random")
	case "days":
		form.Set("days", strconv.Itoa(pick(g, []int{1, 2, 3, 5, 7, 14})))
	}
	form.Set("rated", strconv.FormatBool(rated))
	return form
}

// listen hears of games and challenges until the context ends.
func (g *guest) listen(ctx context.Context) {
	for ctx.Err() == nil {
		g.lines(ctx, "/api/stream/event", func(line []byte) bool {
			switch e := lichess.DecodeEvent(line).(type) {
			case *lichess.GameStart:
				g.mu.Lock()
				before := g.playing[e.Game.GameID]
				g.playing[e.Game.GameID] = true
				g.mu.Unlock()
				if !before {
					g.doing.Go(func() { g.play(ctx, &e.Game) })
				}
			case *lichess.ChallengeEvent:
				if e.Challenge.Challenger != nil && e.Challenge.Challenger.Name == eveningDaemon {
					g.doing.Go(func() { g.hear(ctx, &e.Challenge) })
				}
			}
			return true
		})
		wait(ctx, time.Second)
	}
}

// hear answers a challenge of the daemon's.
func (g *guest) hear(ctx context.Context, c *lichess.Challenge) {
	answer := accepts
	if g.bot {
		answer = g.answer.answers(c, time.Now())
	} else if g.chance(30) {
		answer = ignores
	}
	wait(ctx, g.between(50*time.Millisecond, 8*time.Second))
	switch {
	case answer == ignores || ctx.Err() != nil || g.e.closed():
	case answer == accepts:
		g.post(ctx, "/api/challenge/"+c.ID+"/accept", nil)
	default:
		g.post(ctx, "/api/challenge/"+c.ID+"/decline", url.Values{"reason": {string(answer)}})
	}
}

// api is the API that the guest plays by.
func (g *guest) api() string {
	if g.bot {
		return "bot"
	}
	return "board"
}

// post is a request of the guest's; code is 0 when there was no answer.
func (g *guest) post(ctx context.Context, path string, form url.Values) (code int, body []byte) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, eveningURL+path, strings.NewReader(form.Encode()))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer lip_x"+g.name)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := g.e.client.Do(r)
	if err != nil {
		return 0, nil
	}
	defer reply.Body.Close()
	body, _ = io.ReadAll(reply.Body)
	return reply.StatusCode, body
}

// lines hands the lines of a stream over until there are no more or they are not wanted.
func (g *guest) lines(ctx context.Context, path string, on func(line []byte) (more bool)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, eveningURL+path, nil)
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer lip_x"+g.name)
	reply, err := g.e.client.Do(r)
	if err != nil {
		return
	}
	defer reply.Body.Close()
	lines := bufio.NewScanner(reply.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 && !on(bytes.Clone(line)) {
			return
		}
	}
}
