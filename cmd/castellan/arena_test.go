package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestArenaCommand(t *testing.T) {
	server := startSandbox(t)
	err := server.AddAccount(sandbox.Account{Name: "Knight", Token: "lip_xknight", Title: lichess.TitleBot, Scopes: []string{"bot:play", lichess.ScopeTournament}})
	if err != nil {
		t.Fatal(err)
	}
	add := func(setup sandbox.ArenaSetup) string {
		t.Helper()
		setup.Name, setup.Limit, setup.Lasts = "Test", 3*time.Minute, time.Hour
		id, err := server.AddArena(setup)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	now, soon, people := add(sandbox.ArenaSetup{Bots: true, Password: "sesame"}), add(sandbox.ArenaSetup{Bots: true, StartsIn: time.Hour}), add(sandbox.ArenaSetup{})
	t.Setenv("CASTELLAN_URL", server.URL)
	for _, test := range []struct {
		token, args string
		code        int
		says        string
		players     string // of the arena now
	}{
		{"lip_xknight", "show " + now, exitOK, "runs for another", ""},
		{"lip_xknight", "show " + soon, exitOK, "begins in", ""},
		{"lip_xknight", "show " + people, exitOK, "does not say that it admits bots", ""},
		{"lip_xknight", "join " + people, exitFailure, "Bots are not allowed", ""},
		{"lip_xknight", "join " + now, exitFailure, "Wrong entry code", ""},
		{"lip_xknight", "join --password sesame " + server.URL + "/tournament/" + now, exitOK, "looks for an opponent", "knight"},
		{"lip_xknight", "leave " + now, exitOK, "Left the arena", ""},
		{"lip_xknight", "join " + soon, exitOK, "CASTELLAN_ARENAS=" + soon, ""},
		{"lip_castellan", "join " + soon, exitFailure, "lacks the permission tournament:write", ""},
		{"lip_xknight", "join hourly", exitUsage, "is no arena", ""},
		{"lip_xknight", "join 00000000", exitFailure, "there is no arena 00000000 on " + server.URL, ""},
		{"lip_xknight", "show 00000000", exitFailure, "there is no arena 00000000 on " + server.URL, ""},
		{"lip_xunknown", "show " + now, exitOK, "runs for another", ""}, // no secret
	} {
		t.Setenv("CASTELLAN_TOKEN", test.token)
		var out bytes.Buffer
		args := append([]string{"arena"}, strings.Fields(test.args)...)
		if code := execute(context.Background(), args, streams{strings.NewReader(""), &out, &out}); code != test.code || !strings.Contains(out.String(), test.says) {
			t.Errorf("castellan arena %s: exit code %d, %s", test.args, code, out.String())
		}
		if got := strings.Join(server.ArenaPlayers(now), " "); got != test.players {
			t.Errorf("after castellan arena %s: players %q, want %q", test.args, got, test.players)
		}
	}
	if !slices.Contains(server.ArenaPlayers(soon), "knight") {
		t.Error("the arena that has not begun was not joined")
	}
}
