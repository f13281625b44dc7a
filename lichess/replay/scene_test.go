package replay_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"castellan/bot"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/record"
	"castellan/lichess/sandbox"
)

var update = flag.Bool("update", false, "record the scene anew")

// recording holds the scene, in which each decision follows from the settings and the rules: the engine may change.
const recording = "../../testdata/recording"

const (
	botToken    = "lip_xcastellan"
	personToken = "lip_xperson"
)

// sceneOptions are the settings of the bot in the scene.
func sceneOptions() bot.Options {
	return bot.Options{
		MaxGames: 4,
		Accept: bot.Acceptance{Humans: true, OfHumans: bot.Terms{
			Variants: []string{"standard", "fromPosition"}, Speeds: []string{"blitz"}, Casual: true,
			BaseMax: time.Hour, IncMax: time.Minute,
		}},
		Draw:      bot.DrawPolicy{Accept: true},
		Resign:    bot.ResignPolicy{Enabled: true, Humans: true, Bots: true, Score: -1500, Moves: 1, FromMove: 3},
		Takebacks: 1,
		Chat:      bot.Chat{Greeting: "Hello, {opponent}!"},
	}
}

// run runs a bot until the returned function ends it.
func run(t *testing.T, server, token string, opts bot.Options, wrap func(http.RoundTripper) http.RoundTripper) (end func()) {
	t.Helper()
	client, err := lichess.New(lichess.Options{URL: server, Token: lichess.Token(token), Wrap: wrap})
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engine.New(engine.Options{HashMB: 1, Threads: 1, Nodes: 500, Reproducible: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- bot.New(client, eng, opts).Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		eng.Close()
		client.Close()
	}
}

// scene is played by a person.
type scene struct {
	*sandbox.Server
	t *testing.T
}

func (s scene) post(path string) {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+personToken)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	if body, _ := io.ReadAll(reply.Body); reply.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s", path, body)
	}
}

func (s scene) challenge(c sandbox.ChallengeSetup) string {
	s.t.Helper()
	c.HasClock, c.Limit = true, 300
	id, err := s.Challenge("Person", "Castellan", c)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// until waits until a game fulfils a condition.
func (s scene) until(id string, is func(g sandbox.Game) bool) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if g, ok := s.Game(id); ok && is(g) {
			return
		}
		if time.Now().After(deadline) {
			g, _ := s.Game(id)
			s.t.Fatalf("the scene does not go on: %+v", g)
		}
	}
}

// declined waits until a challenge is one no more.
func (s scene) declined(id string) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		r, err := http.NewRequest(http.MethodGet, s.URL+"/api/challenge/"+id+"/show", nil)
		if err != nil {
			s.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+personToken)
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			s.t.Fatal(err)
		}
		body, _ := io.ReadAll(reply.Body)
		reply.Body.Close()
		if bytes.Contains(body, []byte(`"declined"`)) || reply.StatusCode == http.StatusNotFound {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the challenge is not declined: %s", body)
		}
	}
}

func (s scene) plies(id string, n int) {
	s.t.Helper()
	s.until(id, func(g sandbox.Game) bool { return len(g.Moves) == n })
}

func (s scene) over(id string) {
	s.t.Helper()
	s.until(id, func(g sandbox.Game) bool { return g.Over() })
}

// record plays the scene in the sandbox and records the bot.
func recordScene(t *testing.T, dir string) {
	s := scene{sandbox.New(sandbox.Options{Seed: 1}), t}
	for _, a := range []sandbox.Account{
		{Name: "Castellan", Token: botToken, Title: lichess.TitleBot, Takebacks: sandbox.TakebacksAlways},
		{Name: "Person", Token: personToken, Takebacks: sandbox.TakebacksAlways},
	} {
		if err := s.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer s.Close()
	r, err := record.New(record.Options{Dir: dir, MaxBytes: record.LeastBytes, Token: botToken, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	end := run(t, s.URL, botToken, sceneOptions(), r.Wrap)
	defer end()

	// The king in the corner has one move, and the pawns have none.
	const corner = "8/6k1/8/8/p5r1/P7/8/7K b - - 0 1"
	s.declined(s.challenge(sandbox.ChallengeSetup{Variant: lichess.VariantCrazyhouse}))
	s.declined(s.challenge(sandbox.ChallengeSetup{Rated: true}))
	mate := s.challenge(sandbox.ChallengeSetup{FEN: "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", Color: lichess.ColorBlack})
	s.over(mate)

	game := s.challenge(sandbox.ChallengeSetup{FEN: corner, Color: lichess.ColorBlack})
	s.until(game, func(sandbox.Game) bool { return true })
	s.post("/api/board/game/" + game + "/move/g4g5")
	s.plies(game, 2)
	s.post("/api/board/game/" + game + "/takeback/yes")
	s.plies(game, 0)
	s.post("/api/board/game/" + game + "/move/g4g6")
	s.plies(game, 2)
	s.post("/api/board/game/" + game + "/draw/yes")
	s.over(game)

	lost := s.challenge(sandbox.ChallengeSetup{FEN: strings.Replace(corner, "/6k1/", "/q5k1/", 1), Color: lichess.ColorBlack})
	s.until(lost, func(sandbox.Game) bool { return true })
	s.post("/api/board/game/" + lost + "/move/g4g5")
	s.plies(lost, 2)
	s.post("/api/board/game/" + lost + "/move/a7a6")
	s.over(lost)
}

// sceneEntries returns the recorded scene.
func sceneEntries(t *testing.T) []record.Entry {
	t.Helper()
	if *update {
		old, err := filepath.Glob(filepath.Join(recording, "*.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range old {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		recordScene(t, recording)
		*update = false
	}
	runs, err := record.Runs(recording)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	entries, err := runs[0].Read()
	if err != nil {
		t.Fatal(err)
	}
	return entries
}
