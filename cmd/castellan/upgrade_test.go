package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

func TestUpgradeCommand(t *testing.T) {
	server := startSandbox(t)
	for _, a := range []sandbox.Account{
		{Name: "Fresh", Token: "lip_xfresh", Scopes: []string{"bot:play"}},
		{Name: "Old", Token: "lip_xold", Scopes: []string{"bot:play", "board:play"}}, {Name: "Foe", Token: "lip_xfoe"},
		{Name: "Weak", Token: "lip_xweak"},
	} {
		if err := server.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	id, err := server.StartGame(sandbox.GameSetup{White: "Old", Black: "Foe"})
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range [][2]string{{"lip_xold", "move/e2e4"}, {"lip_xfoe", "move/e7e5"}, {"lip_xold", "resign"}} {
		r, err := http.NewRequest(http.MethodPost, server.URL+"/api/board/game/"+id+"/"+act[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+act[0])
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", act[1], reply.Status)
		}
	}
	isBot := func() bool {
		t.Helper()
		client, err := lichess.New(lichess.Options{URL: server.URL, Token: "lip_xfresh"})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		me, err := client.Account(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return me.IsBot()
	}
	t.Setenv("CASTELLAN_URL", server.URL)
	for _, test := range []struct {
		token, typed string
		code         int
		says         string
		bot          bool
	}{
		{"lip_xfresh", "", exitFailure, `that is not "Fresh": nothing was changed`, false}, // the end of the input, as in a script
		{"lip_xfresh", "yes\n", exitFailure, "nothing was changed", false},
		{"lip_xfresh", "fresh\n", exitFailure, "nothing was changed", false},
		{"lip_xfresh", strings.Repeat("Fresh", 1000) + "\n", exitFailure, "nothing was changed", false},
		{"lip_xfresh", "Fresh\n", exitOK, "Fresh is a BOT account now", true},
		{"lip_xfresh", "Fresh\n", exitOK, "is a BOT account already", true},
		{"lip_xold", "Old\n", exitFailure, "Old has played 1 game, and only an account without games", true},
		{"lip_xweak", "Weak\n", exitFailure, "lacks the permission bot:play: make one", true},
		{"lip_xunknown", "Fresh\n", exitFailure, "make a new token at " + server.URL, true},
		{"", "Fresh\n", exitUsage, "CASTELLAN_TOKEN: is not set", true},
	} {
		t.Setenv("CASTELLAN_TOKEN", test.token)
		var out bytes.Buffer
		code := execute(context.Background(), []string{"upgrade"}, streams{strings.NewReader(test.typed), &out, &out})
		if code != test.code || !strings.Contains(out.String(), test.says) {
			t.Errorf("%s types %.20q: exit code %d, %s", test.token, test.typed, code, &out)
		}
		if test.token != "" && strings.Contains(out.String(), test.token) {
			t.Errorf("the token is shown: %s", &out)
		}
		if got := isBot(); got != test.bot {
			t.Fatalf("%s types %.20q: BOT account %v, want %v", test.token, test.typed, got, test.bot)
		}
	}

	// Commands that get no answer say who can tell why.
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	t.Setenv("CASTELLAN_URL", "http://"+closed.Addr().String())
	t.Setenv("CASTELLAN_TOKEN", "lip_xfresh")
	for _, args := range [][]string{{"upgrade"}, {"challenge", "Foe", "3+2"}, {"arena", "show", "00000000"}} {
		var out bytes.Buffer
		code := execute(context.Background(), args, streams{strings.NewReader(""), &out, &out})
		if code != exitFailure || !strings.Contains(out.String(), "castellan doctor tells where the way to it ends") {
			t.Errorf("%v without a server: exit code %d, %s", args, code, &out)
		}
	}
}
