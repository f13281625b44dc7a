package bot_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine/chess"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestHundredGames(t *testing.T) {
	games := 100
	if testing.Short() {
		games = 10
	}
	a := newArena(t, sandbox.Options{})
	a.start("castellan", quick())
	a.start("rival", quick())

	var wait sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i := range games {
		slots <- struct{}{}
		// The bots think for a millisecond a move. The clock is there to be lost by a bot that hangs, not by a busy machine.
		setup := sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 20 * time.Second, Increment: 200 * time.Millisecond}
		if i%2 == 1 {
			setup.White, setup.Black = setup.Black, setup.White
		}
		if i%10 == 9 {
			setup.Variant, setup.FEN = lichess.VariantChess960, "bnrkqrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQRNB w KQkq - 0 1"
		}
		id := a.startGame(setup)
		wait.Go(func() {
			defer func() { <-slots }()
			g := a.finished(id)
			switch g.Status {
			case lichess.StatusMate, lichess.StatusDraw, lichess.StatusStalemate:
			default:
				t.Errorf("game %s ended by %s after %d moves", id, g.Status, len(g.Moves))
			}
			checkMoves(t, setup.FEN, g)
		})
	}
	wait.Wait()
}

// checkMoves plays a game again by the rules and compares the end.
func checkMoves(t *testing.T, fen string, g sandbox.Game) {
	t.Helper()
	start := chess.StartPosition()
	if fen != "" {
		var err error
		if start, err = chess.ParseFEN(fen); err != nil {
			t.Fatal(err)
		}
	}
	board := chess.NewGame(start, chess.LichessBot)
	for _, m := range g.Moves {
		if board.Outcome().Over() {
			t.Errorf("game %s goes on after its end by %v", g.ID, board.Outcome())
		}
		if err := board.PlayUCI(m); err != nil {
			t.Fatalf("game %s: %v", g.ID, err)
		}
	}
	if got := board.Outcome().Result(); got != g.Result {
		t.Errorf("game %s: the server says %s, the board %v", g.ID, g.Result, board.Outcome())
	}
}

func TestRestartInMidGame(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	first := a.start("castellan", quick())
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, Increment: time.Second})
	for _, plies := range []int{4, 9, 14} {
		a.plies(id, plies)
		first.kill()
		if g := a.game(id); g.Status.Over() {
			t.Fatalf("killing the bot ended the game by %s", g.Status)
		}
		first = a.start("castellan", quick())
	}
	g := a.finished(id)
	if !slices.Contains([]lichess.Status{lichess.StatusMate, lichess.StatusDraw, lichess.StatusStalemate}, g.Status) {
		t.Errorf("the game ended by %s", g.Status)
	}
	checkMoves(t, "", g)
}

func TestRequestsOfAGame(t *testing.T) {
	var mu sync.Mutex
	counts := map[string]int{}
	a := newArena(t, sandbox.Options{OnRequest: func(method, path string) {
		if strings.HasPrefix(path, "/api/bot/game/") {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case strings.HasPrefix(path, "/api/bot/game/stream/"):
				counts["stream"]++
			case strings.Contains(path, "/move/"):
				counts["move"]++
			default:
				counts["other"]++
			}
		}
	}})
	opts := quick()
	opts.Chat = bot.Chat{Greeting: "Good luck, {opponent}!", Farewell: "Thanks!", Bots: true}
	d := a.start("castellan", opts)
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
	g := a.finished(id)
	d.Drain()
	<-d.done

	mu.Lock()
	defer mu.Unlock()
	// Each move is one request of one of the two bots, each bot has one stream, and the rest is the chat.
	if counts["stream"] != 2 || counts["move"] != len(g.Moves) || counts["other"] > 3 {
		t.Errorf("%d moves took the requests %v", len(g.Moves), counts)
	}
	var chat []string
	for _, line := range a.game(id).Chat {
		chat = append(chat, line.User+": "+line.Text)
	}
	for _, want := range []string{"Castellan: Good luck, Rival!", "Castellan: Thanks!"} {
		if !slices.Contains(chat, want) {
			t.Errorf("chat %q lacks %q", chat, want)
		}
	}
}

func TestChallengesAreAcceptedOrDeclined(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.Accept.OfHumans.Rated, opts.Accept.OfBots.Rated = false, false
	opts.MaxGames = 1
	d := a.start("castellan", opts)
	a.until("the bot is online", func() bool { return d.log.has("msg=online") })

	decline := func(c sandbox.ChallengeSetup, want lichess.DeclineReason) {
		t.Helper()
		id, err := a.Challenge("Person", "Castellan", c)
		if err != nil {
			t.Fatal(err)
		}
		a.until("an answer", func() bool { return d.log.has("challenge=" + id) })
		a.until("declined as "+string(want), func() bool {
			return strings.Contains(d.log.String(), "challenge="+id) && d.log.has("reason="+string(want))
		})
		if _, ok := a.Game(id); ok {
			t.Errorf("challenge %+v became a game", c)
		}
	}
	decline(sandbox.ChallengeSetup{HasClock: true, Limit: 180, Rated: true}, lichess.DeclineCasual)
	decline(sandbox.ChallengeSetup{HasClock: true, Limit: 180, Variant: lichess.VariantCrazyhouse}, lichess.DeclineVariant)

	// Three at the same moment and one place: never more games than places.
	var ids []string
	for range 3 {
		id, err := a.Challenge("Person", "Castellan", sandbox.ChallengeSetup{HasClock: true, Limit: 180, Color: lichess.ColorWhite})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	a.until("all answered", func() bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return !d.log.has("challenge=" + id) })
	})
	a.until("a game", func() bool { return len(a.Games()) == 1 })
	game := a.Games()[0]

	// Correspondence takes no place.
	id, err := a.Challenge("Person", "Castellan", sandbox.ChallengeSetup{Days: 3, Color: lichess.ColorBlack})
	if err != nil {
		t.Fatal(err)
	}
	a.plies(id, 1)

	// When the first game is over its place is free again.
	a.post("/api/board/game/"+game.ID+"/resign", nil)
	a.finished(game.ID)
	a.until("the place is free", func() bool {
		again, err := a.Challenge("Person", "Castellan", sandbox.ChallengeSetup{HasClock: true, Limit: 180})
		if err != nil {
			t.Fatal(err)
		}
		a.until("an answer", func() bool { return d.log.has("challenge=" + again) })
		a.until("a game or a refusal", func() bool {
			_, ok := a.Game(again)
			return ok || strings.Contains(d.log.String(), `msg="challenge declined" challenge=`+again)
		})
		_, ok := a.Game(again)
		return ok
	})
}

func TestPeopleMayTakeBack(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.Takebacks = 1
	d := a.start("castellan", opts)
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute})
	move := func(uci string) { t.Helper(); a.post("/api/board/game/"+id+"/move/"+uci, nil) }
	move("e2e4")
	a.plies(id, 2)
	move("d2d4")
	a.plies(id, 4)
	a.post("/api/board/game/"+id+"/takeback/yes", nil)
	a.until("the moves are taken back", func() bool { return len(a.game(id).Moves) == 2 })
	move("b1c3")
	a.plies(id, 4)
	if got := a.game(id).Moves[2]; got != "b1c3" {
		t.Errorf("after the takeback the third move is %s", got)
	}
	// One was granted; the second is not.
	a.post("/api/board/game/"+id+"/takeback/yes", nil)
	a.until("an answer", func() bool { return d.log.has("yes=false") })
	if n := len(a.game(id).Moves); n != 4 {
		t.Errorf("%d moves after a takeback that was refused", n)
	}
	a.post("/api/board/game/"+id+"/resign", nil)
	a.finished(id)
}

// The answer to a takeback is on its way for a while; a move that crosses with it would be one of a position that is no more.
func TestNoMoveCrossesWithATakeback(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	opts, dir := quick(), t.TempDir() // without a folder the takeback would count as granted
	opts.Takebacks = 1
	d := a.start("castellan", keeping(t, opts, dir))
	id := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour})
	a.post("/api/board/game/"+id+"/move/e2e4", nil)
	a.plies(id, 2)
	d.kill()
	<-d.done
	a.post("/api/board/game/"+id+"/move/d2d4", nil)
	a.post("/api/board/game/"+id+"/takeback/yes", nil)

	granting, pass := make(chan struct{}), make(chan struct{})
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, server http.Handler) bool {
		if strings.HasSuffix(r.URL.Path, "/takeback/yes") {
			close(granting)
			<-pass
		}
		return false
	}})
	a.startAt(n.URL, "castellan", keeping(t, opts, dir))
	<-granting
	a.stays("no move", 300*time.Millisecond, func() bool { return n.count("/move/") == 0 })
	close(pass)
	a.until("the takeback", func() bool { return len(a.game(id).Moves) == 2 })
	a.post("/api/board/game/"+id+"/move/b1c3", nil)
	a.plies(id, 4)
}

func TestDrawOffers(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.Draw = bot.DrawPolicy{Accept: true, AcceptScore: 0}
	d := a.start("castellan", opts)
	// Black has a rook more: the bot as White accepts, as Black it does not.
	const fen = "3rk3/5ppp/8/8/8/8/5PPP/4K3 b - - 0 1"
	lost := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute, FEN: fen})
	won := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Minute, FEN: fen})
	a.post("/api/board/game/"+lost+"/move/d8d7", nil)
	a.plies(lost, 2)
	a.post("/api/board/game/"+lost+"/draw/yes", nil)
	if g := a.finished(lost); g.Status != lichess.StatusDraw {
		t.Errorf("a draw in a lost position: the game ended by %s, winner %q", g.Status, g.Winner)
	}

	a.plies(won, 1)
	a.post("/api/board/game/"+won+"/move/g2g3", nil)
	a.plies(won, 3)
	a.post("/api/board/game/"+won+"/draw/yes", nil)
	a.until("an answer", func() bool { return d.log.has("yes=false") })
	if a.game(won).Status.Over() {
		t.Error("the bot took a draw in a won position")
	}
	a.post("/api/board/game/"+won+"/resign", nil)
	a.finished(won)
}

func TestOffersADraw(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.Draw = bot.DrawPolicy{Offer: true, OfferBots: true, OfferScore: 100, OfferMoves: 2, Accept: true, AcceptScore: 100}
	a.start("castellan", opts)
	a.start("rival", opts)
	// Nothing can be won, and either side could still mate by the rule of material.
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "4k3/8/4p3/4P3/8/8/8/4K3 w - - 0 1"})
	g := a.finished(id)
	if g.Status != lichess.StatusDraw || len(g.Moves) > 20 {
		t.Errorf("the game ended by %s after %d moves", g.Status, len(g.Moves))
	}
}

func TestNoOfferThatWouldEndAWonGame(t *testing.T) {
	// The opponent has a lone king and cannot mate: the server would end the game at once, as a draw.
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.Draw = bot.DrawPolicy{Offer: true, OfferBots: true, OfferScore: 100000, OfferMoves: 1}
	a.start("castellan", opts)
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, Increment: time.Second, FEN: "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"})
	if g := a.finished(id); g.Status != lichess.StatusMate {
		t.Errorf("the game ended by %s", g.Status)
	}
}

func TestResigns(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.Resign = bot.ResignPolicy{Enabled: true, Bots: true, Score: -500, Moves: 3, FromMove: 1}
	a.start("castellan", opts)
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "3qk3/5ppp/8/8/8/8/PPP2PPP/4K1N1 w - - 0 1"})
	g := a.finished(id)
	if g.Status != lichess.StatusResign || g.Winner != lichess.ColorBlack || len(g.Moves) < 4 {
		t.Errorf("the game ended by %s, winner %q, after %d moves", g.Status, g.Winner, len(g.Moves))
	}
}

func TestAbortsWhenTheOpponentDoesNotBegin(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.AbortAfter = 20 * time.Millisecond
	a.start("castellan", opts)
	for _, setup := range []sandbox.GameSetup{
		{White: "Person", Black: "Castellan", Limit: time.Minute},
		{White: "Castellan", Black: "Person", Limit: time.Minute},
	} {
		if g := a.finished(a.startGame(setup)); g.Status != lichess.StatusAborted {
			t.Errorf("%+v: the game ended by %s", setup, g.Status)
		}
	}
}

func TestClaimsWhenTheOpponentIsGone(t *testing.T) {
	// The server's waits are the real ones, 50 times as fast.
	a := newArena(t, sandbox.Options{Clock: fastClock{time.Now(), 50}})
	a.start("castellan", quick())
	rival := a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Rival", Black: "Castellan", Limit: 3 * time.Hour, Increment: time.Second})
	a.plies(id, 4)
	rival.kill()
	g := a.finished(id)
	if g.Status != lichess.StatusTimeout || g.Winner != lichess.ColorBlack {
		t.Errorf("the game ended by %s, winner %q", g.Status, g.Winner)
	}
}

func TestDrainPlaysOut(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	d := a.start("castellan", quick())
	a.start("rival", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute})
	a.plies(id, 4)
	d.Drain()
	d.Drain()
	a.until("draining", func() bool { return d.log.has("taking no more games") })
	late, err := a.Challenge("Person", "Castellan", sandbox.ChallengeSetup{HasClock: true, Limit: 180})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-d.done; err != nil {
		t.Errorf("draining ended by %v", err)
	}
	if !a.game(id).Status.Over() {
		t.Error("the bot left before its game was over")
	}
	if _, ok := a.Game(late); ok {
		t.Error("a challenge was accepted while draining")
	}
}

func TestSignInFaults(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	if err := a.AddAccount(sandbox.Account{Name: "Scopeless", Token: "lip_scopeless", Title: lichess.TitleBot, Scopes: []string{"challenge:read"}}); err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]string{
		"unknown":   "does not accept the token",
		"scopeless": "lacks the permission bot:play",
		"person":    "not a BOT account",
	} {
		if token == "person" {
			if err := a.AddAccount(sandbox.Account{Name: "Player", Token: "lip_player", Scopes: []string{"bot:play"}}); err != nil {
				t.Fatal(err)
			}
			token = "player"
		}
		d := a.start(token, quick())
		var fatal *bot.FatalError
		if err := <-d.done; !errors.As(err, &fatal) || !strings.Contains(err.Error(), want) {
			t.Errorf("token %s: got error %v, want one that says %q", token, err, want)
		}
	}
}

func TestCorrespondence(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	a.start("castellan", quick())
	for _, setup := range []sandbox.GameSetup{
		{White: "Castellan", Black: "Person", Days: 3},
		{White: "Castellan", Black: "Person"}, // unlimited: 2147483647 ms on the clock
	} {
		id := a.startGame(setup)
		a.plies(id, 1)
		a.post("/api/board/game/"+id+"/move/e7e5", url.Values{})
		a.plies(id, 3)
		a.post("/api/board/game/"+id+"/resign", nil)
		if g := a.finished(id); g.Winner != lichess.ColorWhite {
			t.Errorf("%+v: winner %q", setup, g.Winner)
		}
	}
}

func TestPonders(t *testing.T) {
	a := newArena(t, sandbox.Options{})
	opts := quick()
	opts.Ponder = true
	d := a.start("castellan", opts)
	a.start("rival", opts)
	g := a.finished(a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: time.Minute, Increment: time.Second}))
	checkMoves(t, "", g)
	if !d.log.has("the reply was expected") {
		t.Error("no reply was ever expected")
	}
}

func TestSecondPlayerIsNeverSeated(t *testing.T) {
	// Each opening of the event stream repeats gameStart for the running games.
	a := newArena(t, sandbox.Options{})
	d := a.start("castellan", quick())
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(id, 1)
	ctx, cancel := context.WithCancel(context.Background())
	intruder := a.client("castellan")
	for event, err := range intruder.Events(ctx) { // closes the bot's own stream
		if _, ok := event.(*lichess.GameStart); ok || err != nil {
			break
		}
	}
	cancel()
	a.post("/api/board/game/"+id+"/move/e7e5", nil)
	a.plies(id, 3)
	a.post("/api/board/game/"+id+"/resign", nil)
	a.finished(id)
	if n := strings.Count(d.log.String(), "msg=game "); n != 1 {
		t.Errorf("%d players were seated at the game", n)
	}
}
