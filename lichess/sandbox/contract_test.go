package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// stage is a server with real clients on it, whose every word is checked on
// its way. Castle is a bot with all that a token can allow, Rival another one.
type stage struct {
	*world
	url string // of the proxy

	mu    sync.Mutex
	asked map[string]bool // operations, since the last takeAsked
	again chan struct{}   // closed with the next one
}

func newStage(t *testing.T) *stage {
	t.Helper()
	scopes := []string{"bot:play", "challenge:read", "challenge:write", lichess.ScopeTournament}
	s := &stage{asked: map[string]bool{}, again: make(chan struct{})}
	s.world = newWorld(t, sandbox.Options{
		EventStreamOpens: -1, ChallengePointsPerMinute: -1, ChallengePointsPerDay: -1, BotGamesPerDay: -1,
	},
		sandbox.Account{Name: "Castle", Title: "BOT", Token: "lip_xCastle", Scopes: scopes},
		sandbox.Account{Name: "Rival", Title: "BOT", Token: "lip_xRival", Scopes: scopes, Takebacks: sandbox.TakebacksAlways},
		sandbox.Account{Name: "Pupil", Token: "lip_xPupil", Scopes: scopes})
	s.url = checkedProxy(t, s.Server, func(operation string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[operation] = true
		close(s.again)
		s.again = make(chan struct{})
	})
	return s
}

// client returns a new client, which knows of no limits yet.
func (s *stage) client(token string) *lichess.Client {
	s.t.Helper()
	c, err := lichess.New(lichess.Options{URL: s.url, Token: lichess.Token(token)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

func (s *stage) castle() *lichess.Client { return s.client("lip_xCastle") }

// takeAsked returns the operations that were asked for since it was called last.
func (s *stage) takeAsked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer clear(s.asked)
	return slices.Sorted(maps.Keys(s.asked))
}

// awaitAsked waits until an operation is asked for, false when ctx ends before.
func (s *stage) awaitAsked(ctx context.Context, operation string) bool {
	s.t.Helper()
	for ctx.Err() == nil {
		s.mu.Lock()
		asked, again := s.asked[operation], s.again
		s.mu.Unlock()
		if asked {
			return true
		}
		select {
		case <-again:
		case <-ctx.Done():
		}
	}
	s.t.Errorf("%s was not asked for", operation)
	return false
}

// game starts a game of Castle with the white men against Rival.
func (s *stage) game(moves string) (id string) {
	s.t.Helper()
	id = s.start("Castle", "Rival", sandbox.GameSetup{})
	for i, m := range strings.Fields(moves) {
		token := []string{"lip_xCastle", "lip_xRival"}[i%2]
		s.ok(token, "/api/bot/game/"+id+"/move/"+m, "")
	}
	return id
}

// challenged has Rival challenge Castle and returns the id of the challenge.
func (s *stage) challenged() string {
	s.t.Helper()
	id, err := s.Challenge("Rival", "Castle", sandbox.ChallengeSetup{HasClock: true, Limit: 180, Increment: 2})
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// arena adds an arena.
func (s *stage) arena(setup sandbox.ArenaSetup) string {
	s.t.Helper()
	setup.Name, setup.Limit, setup.Lasts = "Test", 3*time.Minute, time.Hour
	id, err := s.AddArena(setup)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// fine fails the test on an error.
func (s *stage) fine(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Error(err)
	}
}

// answered fails the test when a call did not even get an answer. Whether the
// server likes what it was asked for is not the question here.
func (s *stage) answered(err error) {
	s.t.Helper()
	var refusal *lichess.APIError
	if err != nil && !errors.As(err, &refusal) {
		s.t.Error(err)
	}
}

// first takes the first event of a stream.
func first[E any](s *stage, stream iter.Seq2[E, error]) {
	s.t.Helper()
	for event, err := range stream {
		if err != nil {
			s.t.Error(err)
		}
		if _, isConnected := any(event).(*lichess.Connected); !isConnected {
			return
		}
	}
	s.t.Error("no event")
}

var timeControls = func() (all []lichess.TimeControl) {
	for _, limit := range []int{0, 15, 30, 45, 60, 90, 120, 180, 10800} {
		for _, increment := range []int{0, 1, 60} {
			all = append(all, lichess.ClockControl(limit, increment))
		}
	}
	for _, days := range []int{1, 2, 3, 5, 7, 10, 14} {
		all = append(all, lichess.CorrespondenceControl(days))
	}
	return append(all, lichess.UnlimitedControl())
}()

const ending = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"

// challengeRequests are all kinds of challenges that a client can make.
var challengeRequests = func() (all []lichess.ChallengeRequest) {
	threeTwo := lichess.ClockControl(180, 2)
	for _, tc := range timeControls {
		all = append(all, lichess.ChallengeRequest{TimeControl: tc})
	}
	for _, key := range []lichess.VariantKey{
		"", lichess.VariantStandard, lichess.VariantChess960, lichess.VariantCrazyhouse, lichess.VariantAntichess, lichess.VariantAtomic,
		lichess.VariantHorde, lichess.VariantKingOfTheHill, lichess.VariantRacingKings, lichess.VariantThreeCheck,
	} {
		all = append(all, lichess.ChallengeRequest{TimeControl: threeTwo, Variant: key, Rated: true})
	}
	for _, color := range []lichess.Color{lichess.ColorWhite, lichess.ColorBlack, lichess.ColorRandom} {
		all = append(all, lichess.ChallengeRequest{TimeControl: threeTwo, Color: color})
	}
	return append(all,
		lichess.ChallengeRequest{TimeControl: threeTwo, FEN: ending},
		lichess.ChallengeRequest{TimeControl: threeTwo, FEN: ending, Variant: lichess.VariantFromPosition},
		lichess.ChallengeRequest{TimeControl: threeTwo, FEN: "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", Variant: lichess.VariantChess960})
}()

// clientCalls exercises each method of the client that asks the server for
// something, with all that it can be given.
var clientCalls = map[string]func(ctx context.Context, s *stage){
	"Arena": func(ctx context.Context, s *stage) {
		for _, wait := range []time.Duration{0, time.Hour} {
			_, err := s.castle().Arena(ctx, s.arena(sandbox.ArenaSetup{StartsIn: wait}))
			s.fine(err)
		}
	},
	"JoinArena": func(ctx context.Context, s *stage) {
		id := s.arena(sandbox.ArenaSetup{Bots: true, Password: "sesame", Team: "knights"})
		s.answered(s.castle().JoinArena(ctx, id, lichess.ArenaEntry{}))
		s.fine(s.castle().JoinArena(ctx, id, lichess.ArenaEntry{Password: "sesame", Team: "knights", PairNow: true}))
		s.answered(s.castle().JoinArena(ctx, "00000000", lichess.ArenaEntry{}))
	},
	"LeaveArena": func(ctx context.Context, s *stage) {
		s.fine(s.castle().LeaveArena(ctx, s.arena(sandbox.ArenaSetup{})))
		s.answered(s.castle().LeaveArena(ctx, "00000000"))
	},
	"Account":   func(ctx context.Context, s *stage) { _, err := s.castle().Account(ctx); s.fine(err) },
	"TestToken": func(ctx context.Context, s *stage) { _, err := s.castle().TestToken(ctx); s.fine(err) },
	"UpgradeAccount": func(ctx context.Context, s *stage) {
		s.fine(s.client("lip_xPupil").UpgradeAccount(ctx))
		s.answered(s.castle().UpgradeAccount(ctx))
	},
	"Playing": func(ctx context.Context, s *stage) {
		s.game("e2e4")
		s.start("Castle", "Pupil", sandbox.GameSetup{Days: 3})
		s.fine(s.unlimited())
		for _, n := range []int{-1, 1, 9, 50, 1000} {
			_, err := s.castle().Playing(ctx, n)
			s.fine(err)
		}
	},
	"OnlineBots": func(ctx context.Context, s *stage) {
		s.open("lip_xRival", "/api/stream/event")
		for _, n := range []int{-1, 1, 100, 512, 1000} {
			bots, err := s.castle().OnlineBots(ctx, n)
			s.fine(err)
			if len(bots) != 1 {
				s.t.Errorf("online: %+v", bots)
			}
		}
	},

	"Events": func(ctx context.Context, s *stage) { s.challenged(); first(s, s.castle().Events(ctx)) },
	"EventStream": func(ctx context.Context, s *stage) {
		s.game("e2e4 e7e5")
		first(s, s.castle().EventStream(ctx))
	},
	"Game": func(ctx context.Context, s *stage) { first(s, s.castle().Game(ctx, s.game("e2e4"))) },
	"GameStream": func(ctx context.Context, s *stage) {
		// While a game is on, a connection is kept warm by a call of its own.
		for _, err := range s.castle().GameStream(ctx, s.game("")) {
			s.fine(err)
			if s.awaitAsked(ctx, "GET /api/users/status") {
				break
			}
		}
	},

	"Move": func(ctx context.Context, s *stage) {
		s.fine(s.castle().Move(ctx, s.game(""), "e2e4", false))
		s.fine(s.castle().Move(ctx, s.game("e2e4 e7e5"), "g1f3", true))
		for _, m := range []string{"e1h1", "a7a8q", "Q@e4", "e2e5"} {
			s.answered(s.castle().Move(ctx, s.game("e2e4 e7e5"), m, false))
		}
		s.answered(s.castle().Move(ctx, "nosuchid", "e2e4", false))
	},
	"Abort": func(ctx context.Context, s *stage) {
		s.fine(s.castle().Abort(ctx, s.game("")))
		s.answered(s.castle().Abort(ctx, s.game("e2e4 e7e5")))
	},
	"Resign": func(ctx context.Context, s *stage) {
		id := s.game("e2e4 e7e5")
		s.fine(s.castle().Resign(ctx, id))
		s.answered(s.castle().Resign(ctx, id))
	},
	"Draw": func(ctx context.Context, s *stage) {
		for _, yes := range []bool{true, false} {
			s.fine(s.castle().Draw(ctx, s.game("e2e4 e7e5"), yes))
		}
	},
	"Takeback": func(ctx context.Context, s *stage) {
		for _, yes := range []bool{true, false} {
			s.fine(s.castle().Takeback(ctx, s.game("e2e4 e7e5"), yes))
		}
	},
	"ClaimVictory": func(ctx context.Context, s *stage) {
		s.fine(s.castle().ClaimVictory(ctx, s.game("e2e4 e7e5")))
		s.answered(s.castle().ClaimVictory(ctx, s.game("e2e4 e7e5 g1f3")))
	},
	"ClaimDraw": func(ctx context.Context, s *stage) {
		s.fine(s.castle().ClaimDraw(ctx, s.game("e2e4 e7e5")))
		s.answered(s.castle().ClaimDraw(ctx, s.game("e2e4 e7e5 g1f3")))
	},
	"Chat": func(ctx context.Context, s *stage) {
		id := s.game("e2e4")
		for _, text := range []string{"good luck", "½ & 1 = 100% + more?", "♞ 😀", strings.Repeat("a", lichess.MaxChatText)} {
			s.fine(s.castle().Chat(ctx, id, lichess.RoomPlayer, text))
			s.fine(s.castle().Chat(ctx, id, lichess.RoomSpectator, text))
		}
	},
	"ReadChat": func(ctx context.Context, s *stage) {
		id := s.game("e2e4 e7e5")
		s.fine(s.castle().Chat(ctx, id, lichess.RoomPlayer, "hello"))
		chat, err := s.castle().ReadChat(ctx, id)
		s.fine(err)
		if len(chat) != 1 {
			s.t.Errorf("chat: %+v", chat)
		}
	},
	"ExportPGN": func(ctx context.Context, s *stage) {
		_, err := s.castle().ExportPGN(ctx, s.game("e2e4 e7e5"))
		s.fine(err)
		_, err = s.castle().ExportPGN(ctx, "nosuchid")
		s.answered(err)
	},

	"CreateChallenge": func(ctx context.Context, s *stage) {
		for _, r := range challengeRequests {
			_, err := s.castle().CreateChallenge(ctx, "Rival", r)
			s.answered(err)
			if possible := r.TimeControl.Speed().BotPlayable(); possible != (err == nil) {
				s.t.Errorf("%+v: %v", r, err)
			}
		}
		_, err := s.castle().CreateChallenge(ctx, "nobody-of-that-name", challengeRequests[8])
		s.answered(err)
	},
	"AwaitChallenge": func(ctx context.Context, s *stage) {
		for _, r := range challengeRequests {
			ctx, cancel := context.WithCancel(ctx)
			_, err := s.castle().AwaitChallenge(ctx, "Rival", r, func(*lichess.Challenge) { cancel() })
			cancel()
			if possible := r.TimeControl.Speed().BotPlayable(); possible != errors.Is(err, context.Canceled) {
				s.t.Errorf("%+v: %v", r, err)
			}
		}
	},
	"ChallengeAI": func(ctx context.Context, s *stage) {
		for i, r := range challengeRequests {
			_, err := s.castle().ChallengeAI(ctx, i%8+1, r)
			s.answered(err) // this server has no engine of its own and refuses
		}
	},
	"AcceptChallenge": func(ctx context.Context, s *stage) {
		id := s.challenged()
		s.fine(s.castle().AcceptChallenge(ctx, id))
		s.answered(s.castle().AcceptChallenge(ctx, id))
	},
	"DeclineChallenge": func(ctx context.Context, s *stage) {
		for _, reason := range lichess.DeclineReasons {
			id := s.challenged()
			s.fine(s.castle().DeclineChallenge(ctx, id, reason))
			shown, err := s.castle().ShowChallenge(ctx, id)
			s.fine(err)
			if err == nil && lichess.ParseDeclineReason(shown.DeclineReasonKey) != reason {
				s.t.Errorf("declined for %s, shown as %s", reason, shown.DeclineReasonKey)
			}
		}
		s.answered(s.castle().DeclineChallenge(ctx, "nosuchid", lichess.DeclineGeneric))
	},
	"CancelChallenge": func(ctx context.Context, s *stage) {
		ch, err := s.castle().CreateChallenge(ctx, "Rival", lichess.ChallengeRequest{TimeControl: lichess.ClockControl(180, 2)})
		s.fine(err)
		if err == nil {
			s.fine(s.castle().CancelChallenge(ctx, ch.ID))
			s.answered(s.castle().CancelChallenge(ctx, ch.ID))
		}
	},
	"Challenges": func(ctx context.Context, s *stage) {
		s.challenged()
		_, err := s.castle().CreateChallenge(ctx, "Rival", lichess.ChallengeRequest{TimeControl: lichess.UnlimitedControl()})
		s.fine(err)
		list, err := s.castle().Challenges(ctx)
		s.fine(err)
		if err == nil && (len(list.In) != 1 || len(list.Out) != 1) {
			s.t.Errorf("challenges: %+v", list)
		}
	},
	"ShowChallenge": func(ctx context.Context, s *stage) {
		_, err := s.castle().ShowChallenge(ctx, s.challenged())
		s.fine(err)
		_, err = s.castle().ShowChallenge(ctx, "nosuchid")
		s.answered(err)
	},
}

// unlimited starts a game of Castle without any clock.
func (s *stage) unlimited() error {
	_, err := s.StartGame(sandbox.GameSetup{White: "Castle", Black: "Rival"})
	return err
}

// withoutRequest are the methods that ask the server for nothing.
var withoutRequest = map[string]string{
	"Close":        "gives up connections",
	"Username":     "what Account has learnt",
	"URL":          "an option",
	"LimitedUntil": "what refusals have told",
	"Limits":       "what refusals have told",
	"Doubts":       "what refusals have told",
	"Recall":       "what the client is told",
	"BotGamesLeft": "what the client has counted",
	"EventsHeard":  "when the event stream was last heard",
}

// TestClientKeepsToTheDescription makes every kind of request that the client
// can make of a real server, and checks request and reply on their way. A
// method of the client or an endpoint that is not here fails it.
func TestClientKeepsToTheDescription(t *testing.T) {
	if described(t) == nil {
		t.Skip("the official description is not here: set LICHESS_API_DIR to the folder that holds openapi.yaml")
	}
	client := reflect.TypeFor[*lichess.Client]()
	for i := range client.NumMethod() {
		name := client.Method(i).Name
		if withoutRequest[name] == "" && clientCalls[name] == nil {
			t.Errorf("Client.%s is not held against the description: add it to clientCalls", name)
		}
	}
	var asked []string
	for _, name := range slices.Sorted(maps.Keys(clientCalls)) {
		if _, ok := client.MethodByName(name); !ok {
			t.Errorf("clientCalls has %s, which is no method of the client", name)
		}
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			s := newStage(t)
			clientCalls[name](ctx, s)
			operations := s.takeAsked()
			if len(operations) == 0 {
				t.Error("nothing was asked of the server")
			}
			asked = append(asked, operations...)
		})
	}
	if t.Failed() {
		return
	}
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `((?:GET|POST) [^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		listed[anonymous(row[1])] = true
	}
	for _, operation := range asked {
		if !listed[anonymous(operation)] {
			t.Errorf("%s is asked for, and docs/api.md does not list it", operation)
		}
	}
	for operation := range listed {
		if !slices.ContainsFunc(asked, func(a string) bool { return anonymous(a) == operation }) {
			t.Errorf("docs/api.md lists %s, and no call asks for it", operation)
		}
	}
}

var variable = regexp.MustCompile(`\{\w+\}`)

// anonymous takes the names of the variables out of a path template.
func anonymous(operation string) string { return variable.ReplaceAllString(operation, "{}") }

// TestRareReplies provokes the replies that no other test here does.
func TestRareReplies(t *testing.T) {
	w := newWorld(t, sandbox.Options{ChallengePointsPerMinute: -1, ChallengePointsPerDay: -1},
		sandbox.Account{Name: "Fresh", Token: "fresh", Scopes: []string{"bot:play", "challenge:write"}},
		sandbox.Account{Name: "Both", Token: "both", Scopes: []string{"board:play", "bot:play", "challenge:write"}},
		sandbox.Account{Name: "Robot", Title: "BOT", Token: "robot", Scopes: []string{"board:play", "bot:play", "challenge:write"}})
	two := "e2e4 e7e5"
	w.refused("deep", "/api/bot/game/"+w.start("Deep", "Fritz", sandbox.GameSetup{})+"/berserk", "", 400, "Cannot berserk")
	id := w.start("Mary", "Bob", sandbox.GameSetup{})
	w.play(id, "mary", "bob", two)
	w.refused("mary", "/api/board/game/"+id+"/berserk", "", 400, "Cannot berserk")
	w.ok("mary", "/api/board/game/"+id+"/claim-victory", "")
	w.ok("mary", "/api/board/game/"+id+"/claim-draw", "")
	w.ok("mary", "/api/board/game/"+id+"/resign", "")
	w.refused("robot", "/api/board/game/"+w.start("Robot", "Mary", sandbox.GameSetup{})+"/abort", "", 400, "can not be used with a Bot")

	id = w.start("Both", "Mary", sandbox.GameSetup{Days: 1})
	w.refused("both", "/api/round/"+id+"/add-time/15", "", 400, "Time cannot be given")
	w.ok("both", "/api/board/game/"+id+"/abort", "")
	w.refused("both", "/api/round/"+id+"/add-time/15", "", 400, "This game is over")

	ch := w.challenge("mary", "both", "clock.limit=15&clock.increment=0")
	w.ok("both", "/api/challenge/"+ch.ID+"/accept", "")
	w.refused("both", "/api/bot/account/upgrade", "", 400, "already have games played")

	// A challenge to a game too fast for bots, by one who became a bot since.
	late := w.challenge("fresh", "bob", "clock.limit=15&clock.increment=0")
	w.ok("fresh", "/api/bot/account/upgrade", "")
	w.ok("bob", "/api/challenge/"+late.ID+"/accept", "")
	w.refused("fresh", "/api/bot/game/"+late.ID+"/abort", "", 400, "cannot be played with the Bot API")

	// Mary has no stream, and so is gone.
	id = w.start("Deep", "Mary", sandbox.GameSetup{})
	watching := w.watch("deep", id)
	w.play(id, "deep", "mary", two+" g1f3")
	w.clock.Advance(50 * time.Second)
	w.ok("deep", "/api/bot/game/"+id+"/claim-victory", "")
	watching.drain()
	w.ended(id, lichess.StatusTimeout, "white")

	for range 200 {
		w.start("Fritz", "Bob", sandbox.GameSetup{Days: 1})
	}
	w.refused("fritz", "/api/challenge/mary", "clock.limit=180&clock.increment=2", 400, "200 games in progress")
}

// TestBadInputIsRefusedInForm sends what cannot be read.
func TestBadInputIsRefusedInForm(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	many := strings.Repeat("a,", 1001)
	for _, test := range []struct{ method, path, kind, body, text string }{
		{"POST", "/api/token/test", "text/plain", many, "At most 1000 tokens"},
		{"GET", "/api/users/status?ids=" + many, "", "", "At most 100 users"},
		{"GET", "/api/user/mary?a=%zz", "", "", "Invalid query"},
		{"POST", "/api/challenge/fritz", formType, "a=%zz", "Invalid form"},
	} {
		r := w.do(test.method, "deep", test.path, test.kind, test.body)
		var body lichess.ErrorBody
		if r.code != 400 || json.Unmarshal([]byte(r.body), &body) != nil || !strings.Contains(body.Error, test.text) {
			t.Errorf("%s %.40s: %d %s, want 400 %q", test.method, test.path, r.code, r.body, test.text)
		}
	}
}

// TestEveryEndIsToldInForm watches games end in each way, on both kinds of
// stream, and their profiles of states on the way.
func TestEveryEndIsToldInForm(t *testing.T) {
	for _, test := range []struct {
		status lichess.Status
		fen    string
		end    func(w *world, id string)
	}{
		{lichess.StatusAborted, "", func(w *world, id string) { w.ok("deep", gamePath("deep", id, "abort"), "") }},
		{lichess.StatusMate, "", func(w *world, id string) { w.play(id, "deep", "mary", "f2f3 e7e5 g2g4 d8h4") }},
		{lichess.StatusResign, "", func(w *world, id string) {
			w.play(id, "deep", "mary", "e2e4 e7e5")
			w.ok("deep", gamePath("deep", id, "resign"), "")
		}},
		{lichess.StatusStalemate, "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", func(w *world, id string) {
			w.play(id, "deep", "mary", "g6f7")
		}},
		{lichess.StatusDraw, "", func(w *world, id string) {
			w.play(id, "deep", "mary", "e2e4 e7e5")
			w.ok("deep", gamePath("deep", id, "draw/yes"), "")
			w.ok("mary", gamePath("mary", id, "draw/yes"), "")
		}},
		{lichess.StatusOutOfTime, "", func(w *world, id string) {
			w.play(id, "deep", "mary", "e2e4 e7e5")
			w.clock.Advance(200 * time.Second)
		}},
		{lichess.StatusInsufficientMaterialClaim, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", func(w *world, id string) {
			w.play(id, "deep", "mary", "a1a2 e8e7")
			w.ok("deep", gamePath("deep", id, "draw/yes"), "")
		}},
	} {
		t.Run(string(test.status), func(t *testing.T) {
			w := newWorld(t, sandbox.Options{})
			id := w.start("Deep", "Mary", sandbox.GameSetup{FEN: test.fen})
			bot, board := w.watch("deep", id), w.watch("mary", id)
			events := w.open("deep", "/api/stream/event")
			test.end(w, id)
			for _, l := range []*lines{bot, board} {
				l.drain()
			}
			for line := ""; !strings.Contains(line, "gameFinish"); {
				line = events.raw()
			}
			w.watch("deep", id).drain() // the stream of a game that is over
			if r := w.do("GET", "", "/game/export/"+id, "", ""); r.code != http.StatusOK {
				t.Errorf("export: %d", r.code)
			}
			if g := w.game(id); g.Status != test.status {
				t.Errorf("the game ended by %s", g.Status)
			}
		})
	}
}

// drain reads a stream to its end.
func (l *lines) drain() {
	l.t.Helper()
	for {
		if _, err := l.r.ReadString('\n'); err != nil {
			return
		}
	}
}
