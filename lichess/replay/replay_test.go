package replay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot"
	"castellan/lichess/record"
	"castellan/lichess/replay"
)

// again replays entries to a bot and returns what it decided, each decision in a line, and what could not be played.
func again(t *testing.T, entries []record.Entry, opts bot.Options) (decisions, notes []string) {
	t.Helper()
	server, err := replay.New(entries, replay.Options{Wait: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	end := run(t, server.URL, "lip_replay", opts, nil)
	if err := server.Run(t.Context()); err != nil {
		t.Error(err)
	}
	end()
	names := map[string]string{} // the ids of a recording are chosen at random
	for _, d := range server.Decisions() {
		name, known := names[d.About]
		if !known {
			kind, _, _ := strings.Cut(d.About, " ")
			name = fmt.Sprintf("%s %c", kind, 'A'+len(names))
			names[d.About] = name
		}
		line := fmt.Sprintf("%s, ply %d: %s", name, d.Ply, d.Recorded)
		if d.Differs() {
			line += " -> " + d.Now
		}
		decisions = append(decisions, line)
	}
	return decisions, server.Notes()
}

func expect(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var sceneDecisions = []string{
	"challenge A, ply -1: decline: variant",
	"challenge B, ply -1: decline: casual",
	"challenge C, ply -1: accept",
	"game D, ply 0: e1e8",
	"challenge E, ply -1: accept",
	"game F, ply 1: h1h2",
	"game F, ply 2: takeback yes",
	"game F, ply 1: h1h2",
	"game F, ply 2: draw yes",
	"challenge G, ply -1: accept",
	"game H, ply 1: h1h2",
	"game H, ply 3: resign",
}

func TestTheSameSettingsDecideTheSame(t *testing.T) {
	for range 2 {
		decisions, notes := again(t, sceneEntries(t), sceneOptions())
		expect(t, "decisions", decisions, sceneDecisions)
		expect(t, "notes", notes, nil)
	}
}

func TestOtherSettingsDecideOtherwise(t *testing.T) {
	opts := sceneOptions()
	opts.Accept.Block = []string{"Person"}
	opts.Takebacks = 0
	opts.Draw.Accept = false
	opts.Resign.Enabled = false
	decisions, notes := again(t, sceneEntries(t), opts)
	want := slices.Clone(sceneDecisions)
	for i, now := range map[int]string{
		0: "decline: generic", 1: "decline: generic", 2: "decline: generic", 4: "decline: generic", 6: "takeback no", 8: "draw no", 9: "decline: generic",
	} {
		want[i] += " -> " + now
	}
	// What is played in place of resigning is the engine's choice.
	last := len(want) - 1
	if !strings.HasPrefix(decisions[last], want[last]+" -> h2") {
		t.Errorf("in place of resigning: %s", decisions[last])
	}
	expect(t, "decisions", decisions[:last], want[:last])
	expect(t, "notes", notes, nil)
}

// Faults of the network that were recorded happen again.
func TestFaultsHappenAgain(t *testing.T) {
	var entries []record.Entry
	seen := map[uint64]bool{}
	for _, e := range sceneEntries(t) {
		switch {
		case e.Kind == record.Reply && strings.Contains(e.URL, "/move/e1e8"):
			// The answer to a move is lost.
			e.Kind, e.Error, e.Status, e.Text = record.End, "connection reset by peer", 0, nil
		case e.Kind == record.Line && strings.HasPrefix(e.URL, "/api/bot/game/stream/") && !seen[e.ID]:
			// Each game's stream breaks behind its first line and is opened again.
			seen[e.ID] = true
			cut, open, reply, full := e, e, e, e
			cut.Kind, cut.Error, cut.Text = record.End, "unexpected EOF", nil
			open.Kind, open.Method, open.Text = record.Request, "GET", nil
			reply.Kind, reply.Status, reply.Header, reply.Text = record.Reply, 200, map[string]string{"Content-Type": "application/x-ndjson"}, nil
			open.ID += 1000
			reply.ID, full.ID = open.ID, open.ID
			entries = append(entries, e, cut, open, reply, full)
			continue
		case seen[e.ID]:
			e.ID += 1000
		}
		entries = append(entries, e)
	}
	decisions, notes := again(t, entries, sceneOptions())
	expect(t, "decisions", decisions, sceneDecisions)
	expect(t, "notes", notes, nil)
}

// The first part of a recording may be gone.
func TestBeginningInTheMiddle(t *testing.T) {
	entries := sceneEntries(t)
	half := slices.IndexFunc(entries, func(e record.Entry) bool { return strings.Contains(e.URL, "/move/e1e8") })
	rest := slices.DeleteFunc(slices.Clone(entries[half:]), func(e record.Entry) bool { return e.URL == "/api/account" })
	if _, err := replay.New(rest, replay.Options{}); err == nil || !strings.Contains(err.Error(), "name the account") {
		t.Errorf("no account: %v", err)
	}
	server, err := replay.New(rest, replay.Options{Account: "Castellan", Wait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	end := run(t, server.URL, "lip_replay", sceneOptions(), nil)
	defer end()
	if err := server.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	same := 0
	for _, d := range server.Decisions() {
		if !d.Differs() {
			same++
		}
	}
	if same < 7 || len(server.Notes()) == 0 {
		t.Errorf("%d decisions alike, notes %q", same, server.Notes())
	}
}

// What no recorder writes is played without harm.
func TestOddRecordings(t *testing.T) {
	at := time.Now()
	ndjson := map[string]string{"Content-Type": "application/x-ndjson"}
	events := record.Entry{At: at, ID: 7, URL: "/api/stream/event"}
	of := func(kind record.Kind, text string) record.Entry {
		e := events
		e.Kind, e.Text = kind, record.Text(text)
		if kind == record.Request {
			e.Method = "GET"
		}
		if kind == record.Reply {
			e.Status, e.Header = 200, ndjson
		}
		return e
	}
	challenge := of(record.Line, `{"type":"challenge","challenge":{"id":"Ab3dEf9h","challenger":{"id":"person"},"variant":{"key":"standard"},"timeControl":{"type":"clock","limit":300}}}`)
	accept := record.Entry{At: at, Kind: record.Request, ID: 8, Method: "POST", URL: "/api/challenge/Ab3dEf9h/accept"}
	early := at.Add(-time.Hour)
	for name, entries := range map[string][]record.Entry{
		"a line after the end":     {of(record.Request, ""), of(record.Reply, ""), of(record.End, ""), challenge},
		"two ends":                 {of(record.Reply, ""), of(record.End, ""), of(record.End, "")},
		"no beginning":             {challenge, accept},
		"two requests of one id":   {of(record.Request, ""), of(record.Request, ""), challenge, accept, accept},
		"lines of a decision":      {accept, {At: at, Kind: record.Line, ID: 8, URL: accept.URL, Text: record.Text("{}")}},
		"a reply before":           {{At: early, Kind: record.Reply, ID: 8, URL: accept.URL, Status: 101}, of(record.Reply, ""), challenge, accept},
		"lines that are no JSON":   {of(record.Reply, ""), of(record.Line, "\xff{"), of(record.Line, "[]"), of(record.Line, "null")},
		"a game that nobody plays": {{At: at, Kind: record.Line, ID: 9, URL: "/api/bot/game/stream/Ab3dEf9h", Text: record.Text(`{"moves":"e2e4"}`)}},
	} {
		server, err := replay.New(entries, replay.Options{Account: "Castellan", Wait: 200 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		end := run(t, server.URL, "lip_replay", sceneOptions(), nil)
		if err := server.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		end()
		server.Close()
	}
}
