package replay_test

import (
	"bufio"
	"net/http"
	"testing"
	"time"

	"castellan/lichess/record"
	"castellan/lichess/replay"
)

// A line that says nothing new, or a move that is sent again, makes no difference, whenever it comes.
func TestWhatIsRepeatedMakesNoDifference(t *testing.T) {
	const events, game, move = "/api/stream/event", "/api/bot/game/stream/Ab3dEf9h", "/api/bot/game/Ab3dEf9h/move/e2e4"
	at := time.Now()
	ndjson := map[string]string{"Content-Type": "application/x-ndjson"}
	line := func(id uint64, url, text string) record.Entry {
		return record.Entry{At: at, Kind: record.Line, ID: id, URL: url, Text: record.Text(text)}
	}
	ask := func(id uint64, method, url string) record.Entry {
		return record.Entry{At: at, Kind: record.Request, ID: id, Method: method, URL: url}
	}
	open := func(id uint64, url string) record.Entry {
		return record.Entry{At: at, Kind: record.Reply, ID: id, URL: url, Status: 200, Header: ndjson}
	}
	server, err := replay.New([]record.Entry{
		ask(1, "GET", events), open(1, events), ask(2, "GET", game), open(2, game),
		line(2, game, `{"type":"gameFull","state":{"type":"gameState","moves":"","status":"started","wtime":60000}}`),
		line(1, events, `{"type":"gameStart"}`), // nobody gets on before the event stream is open
		line(2, game, `{"type":"chatLine","username":"Person","text":"Hello"}`),
		line(2, game, `{"type":"gameState","moves":"","status":"started","wtime":50000}`),
		ask(3, "POST", move), ask(4, "POST", move),
		line(2, game, `{"type":"gameState","moves":"e2e4","status":"started"}`),
	}, replay.Options{Account: "Castellan", Wait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	stream := func(path string) {
		t.Helper()
		r, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Body.Close() })
		if _, err := bufio.NewReader(r.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() { done <- server.Run(t.Context()) }()
	stream(game)
	for range 3 { // once more than in the recording
		r, err := client.Post(server.URL+move, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	stream(events)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	all := server.Decisions()
	if len(all) != 1 || all[0].Recorded != "e2e4" || all[0].Now != "e2e4" {
		t.Errorf("decisions: %+v", all)
	}
}
