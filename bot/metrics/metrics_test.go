package metrics

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"castellan/bot"
	"castellan/bot/watch"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// scrape returns the samples by name and labels, as they stand in the text.
func scrape(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	reply := httptest.NewRecorder()
	m.Handler().ServeHTTP(reply, httptest.NewRequest("GET", "/metrics", nil))
	if reply.Code != 200 {
		t.Fatalf("%d: %s", reply.Code, reply.Body)
	}
	samples := map[string]float64{}
	for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
		line := lines.Text()
		if i := strings.LastIndexByte(line, ' '); i > 0 && line[0] != '#' {
			v, err := strconv.ParseFloat(line[i+1:], 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			samples[line[:i]] = v
		}
	}
	return samples
}

// sum adds up the samples whose name and labels begin so and have all the parts.
func sum(samples map[string]float64, begin string, parts ...string) (total float64) {
next:
	for name, v := range samples {
		if !strings.HasPrefix(name, begin) {
			continue
		}
		for _, part := range parts {
			if !strings.Contains(name, part) {
				continue next
			}
		}
		total += v
	}
	return total
}

// TestMetricsOfRealGames plays against a server and holds the counts against what it knows.
func TestMetricsOfRealGames(t *testing.T) {
	server := sandbox.New(sandbox.Options{BotGamesPerDay: -1, ChallengePointsPerMinute: -1})
	for _, name := range []string{"Castellan", "Rival"} {
		if err := server.AddAccount(sandbox.Account{Name: name, Token: "lip_x" + name, Title: lichess.TitleBot}); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	state := watch.NewState()
	var clients []*lichess.Client
	m := New(Sources{Version: "v1.2.3", State: state,
		EventsHeard: func() time.Time { return clients[0].EventsHeard() }, Limits: func() []lichess.Limit { return clients[0].Limits() }})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for i, name := range []string{"Castellan", "Rival"} {
		options := lichess.Options{URL: server.URL, Token: lichess.Token("lip_x" + name)}
		play := bot.Options{MaxGames: 5, CorrespondenceThink: time.Millisecond}
		if i == 0 {
			options.Observe = m.Try
			play.Watch = func(e watch.Event) {
				state.Note(e)
				m.Note(e)
			}
		}
		client, err := lichess.New(options)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		clients = append(clients, client)
		eng, err := engine.New(engine.Options{HashMB: 1, MaxMoveTime: 3 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		defer eng.Close()
		running.Go(func() {
			if err := bot.New(client, eng, play).Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wait, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	moves, results := 0, map[string]float64{}
	for _, setup := range []sandbox.GameSetup{
		{White: "Castellan", Black: "Rival", Limit: 3 * time.Minute},
		{White: "Castellan", Black: "Rival", Limit: time.Minute, FEN: "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"},
		{White: "Rival", Black: "Castellan", Limit: time.Minute, FEN: "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"},
	} {
		id, err := server.StartGame(setup)
		if err != nil {
			t.Fatal(err)
		}
		g, err := server.WaitGame(wait, id)
		if err != nil {
			t.Fatal(err)
		}
		moves += len(g.Moves) / 2
		if setup.White == "Castellan" {
			moves += len(g.Moves) % 2
		}
		result := watch.Draw
		if g.Winner != "" {
			result = map[bool]string{true: watch.Win, false: watch.Loss}[(g.Winner == lichess.ColorWhite) == (setup.White == "Castellan")]
		}
		results[result]++
	}
	// A challenge that is refused: the options accept none.
	if _, err := clients[1].CreateChallenge(wait, "Castellan", lichess.ChallengeRequest{
		ToBot: true, TimeControl: lichess.TimeControl{Type: lichess.TimeControlClock, Limit: 180, Increment: 2},
	}); err != nil {
		t.Fatal(err)
	}
	var got map[string]float64
	const moved = `castellan_http_requests_total{code="200",endpoint="POST /api/bot/game/{id}/move/{move}"}`
	for got = scrape(t, m); sum(got, "castellan_games_total") < 3 || sum(got, "castellan_challenges_total", `decision="declined"`) < 1; got = scrape(t, m) {
		if wait.Err() != nil {
			t.Fatalf("the games and the challenge are not counted: %v", got)
		}
		time.Sleep(time.Millisecond)
	}
	// The stream may tell of a game's end before the answer to its last move is there, which nobody waits for then.
	if n := got[moved]; n > float64(moves) || n < float64(moves-3) {
		t.Errorf("%v moves are counted, %d were made", n, moves)
	}
	for result, n := range results {
		if sum(got, "castellan_games_total", `result="`+result+`"`) != n {
			t.Errorf("%v games ended with a %s: %v", n, result, got)
		}
	}
	for name, want := range map[string]float64{
		`castellan_build_info{version="v1.2.3"}`:                                             1,
		`castellan_event_stream_connected`:                                                   1,
		`castellan_limits_in_force`:                                                          0,
		`castellan_games_running{speed="bullet"}`:                                            0,
		`castellan_http_requests_total{code="200",endpoint="GET /api/stream/event"}`:         1,
		`castellan_http_requests_total{code="200",endpoint="GET /api/bot/game/stream/{id}"}`: 3,
		`castellan_challenges_total{decision="accepted",reason=""}`:                          0,
		`castellan_stream_losses_total{stream="events"}`:                                     0,
		`castellan_log_messages_total{level="error"}`:                                        0,
	} {
		if v, found := got[name]; !found || v != want {
			t.Errorf("%s is %v (%v), want %v", name, v, found, want)
		}
	}
	for name, want := range map[string]float64{"castellan_moves_total": float64(moves), "castellan_move_think_seconds_count": float64(moves)} {
		if v := sum(got, name); v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	for _, name := range []string{"castellan_search_nodes_total", "castellan_search_seconds_total", "castellan_search_depth_plies_count",
		"castellan_move_overhead_seconds_count", "go_memstats_heap_alloc_bytes", "process_resident_memory_bytes", "go_goroutines"} {
		if got[name] <= 0 {
			t.Errorf("%s is %v", name, got[name])
		}
	}
	// A state that came with the opponent's reply tells nothing of the way of the move.
	if n := got["castellan_move_latency_seconds_count"]; n < float64(moves)/2 || n > float64(moves) {
		t.Errorf("the way of %v moves was measured, %d were played", n, moves)
	}
	if spent := got["castellan_move_overhead_seconds_sum"]; spent > 5*float64(moves) {
		t.Errorf("%v s of overhead in %d moves", spent, moves)
	}
}

// TestLastLineIsNoOlderThanTheStream looks at the time of the last line before there is a stream, and when one is open that has been
// silent so far: a dashboard that shows the age of the line is not to show decades.
func TestLastLineIsNoOlderThanTheStream(t *testing.T) {
	const name = "castellan_event_stream_last_line_timestamp_seconds"
	state := watch.NewState()
	m := New(Sources{State: state, EventsHeard: func() time.Time { return time.Time{} }, Limits: func() []lichess.Limit { return nil }})
	if at := scrape(t, m)[name]; at != 0 {
		t.Errorf("never heard: %v", at)
	}
	before := time.Now()
	state.Note(&watch.Stream{})
	if at := scrape(t, m)[name]; at < float64(before.Unix())-1 || at > float64(time.Now().Unix())+1 {
		t.Errorf("opened at %d: %v", before.Unix(), at)
	}
}

// TestLabelsAreBounded lets the network say what it likes.
func TestLabelsAreBounded(t *testing.T) {
	m := New(Sources{State: watch.NewState(), EventsHeard: func() time.Time { return time.Time{} }, Limits: func() []lichess.Limit { return nil }})
	before := len(scrape(t, m))
	for i := range 1000 {
		m.Note(&watch.Decided{Speed: lichess.Speed(fmt.Sprint("speed", i)), Thought: &watch.Thought{}})
		m.Note(&watch.Stream{Game: fmt.Sprint("game", i), Err: errors.New("x")})
		m.Try(lichess.Try{Endpoint: "GET /x", Status: 1000 + i})
		m.Problem(slog.LevelWarn)
	}
	if after := len(scrape(t, m)); after > before+40 {
		t.Errorf("%d series became %d", before, after)
	}
}

// TestNamesFollowTheConventions asks Prometheus's own linter.
func TestNamesFollowTheConventions(t *testing.T) {
	m := New(Sources{State: watch.NewState(), EventsHeard: func() time.Time { return time.Time{} }, Limits: func() []lichess.Limit { return nil }})
	m.Try(lichess.Try{Endpoint: "GET /x", Status: 200})
	m.Note(&watch.Decided{Thought: &watch.Thought{}})
	problems, err := testutil.GatherAndLint(m.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "castellan_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}
