package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"castellan/bot/opponents"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// TestChallengeBesideTheDaemon lets the command challenge in the name of a bot whose daemon runs, and the daemon play the game.
func TestChallengeBesideTheDaemon(t *testing.T) {
	server := startSandbox(t)
	mine := startProcess(t, server.URL, "lip_castellan")
	mine.logged("online")
	rival := startProcess(t, server.URL, "lip_rival")
	rival.logged("online")
	cmd := exec.Command("castellan", "challenge", "rival", "1+0", "--color", "black", "--fen", "8/8/8/4k3/8/8/8/3QK3 w - - 0 1", "--json")
	cmd.Env = append(cmd.Environ(), "CASTELLAN_URL="+server.URL, "CASTELLAN_TOKEN=lip_castellan")
	out, err := cmd.Output()
	var outcome challengeOutcome
	if err != nil || json.Unmarshal(out, &outcome) != nil || outcome.Status != "accepted" || outcome.Opponent != "Rival" || !strings.HasSuffix(outcome.URL, outcome.ID) {
		t.Fatalf("%v: %s", err, out)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		g, ok := server.Game(outcome.ID)
		if ok && len(g.Moves) >= 4 {
			if g.White != "Rival" || g.Black != "Castellan" {
				t.Errorf("%s has White", g.White)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the game is not played: %+v", g)
		}
	}
	// The daemon has kept its event stream: it would have told of its loss.
	mine.Process.Signal(syscall.SIGTERM)
	if code, rest := mine.ended(); code != 0 || strings.Contains(rest, "stream lost") || strings.Contains(rest, `"level":"WARN"`) {
		t.Errorf("exit code %d, %s", code, rest)
	}
}

func TestChallengeCommand(t *testing.T) {
	server := sandbox.New(sandbox.Options{ChallengePointsPerMinute: 35})
	for _, a := range []sandbox.Account{
		{Name: "Castellan", Token: "lip_castellan", Title: lichess.TitleBot}, {Name: "Person", Token: "lip_person"},
		{Name: "Shy", Token: "lip_xshy", NoChallenges: true},
		{Name: "Weak", Token: "lip_xweak", Scopes: []string{"challenge:read"}},
	} {
		if err := server.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	person, err := lichess.New(lichess.Options{URL: server.URL, Token: "lip_person"})
	if err != nil {
		t.Fatal(err)
	}
	defer person.Close()
	// A person who declines all challenges at rapid and lets the others lie.
	ctx, cancel := context.WithCancel(t.Context())
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		for event := range person.EventStream(ctx) {
			if e, ok := event.(*lichess.ChallengeEvent); ok && e.Challenge.Speed == lichess.SpeedRapid {
				person.DeclineChallenge(ctx, e.Challenge.ID, lichess.DeclineTooSlow)
			}
		}
	}()
	defer func() { cancel(); <-listening }()
	t.Setenv("CASTELLAN_URL", server.URL)
	for _, test := range []struct {
		token, args string
		code        int
		says        string
	}{
		{"lip_castellan", "person 10+0", exitRefused, "Person declined " + server.URL},
		{"lip_castellan", "person 10+0 --json", exitRefused, `"status": "declined"`},
		{"lip_castellan", "person 3+2 --wait 50ms", exitRefused, "Person did not answer, and it was withdrawn"},
		{"lip_castellan", "person 3+2 --wait 50ms --json", exitRefused, `"status": "unanswered"`},
		{"lip_castellan", "person --days 2 --rated", exitOK, "Person is challenged: " + server.URL},
		{"lip_castellan", "person --unlimited --json", exitOK, `"status": "created"`},
		{"lip_castellan", "shy 3+2", exitFailure, "does not accept challenges"},
		{"lip_castellan", "nobody 3+2", exitFailure, "castellan: " + server.URL + " refuses the challenge: No such user: nobody\n"},
		{"lip_castellan", "castellan 3+2", exitFailure, "cannot be challenged"},
		{"lip_castellan", "person 5+5", exitFailure, "limited by the server until"}, // 5 points each
		{"lip_xweak", "person 3+2", exitFailure, "make a token with the permission bot:play"},
		{"lip_xunknown", "person 3+2", exitFailure, "make a token"},
		{"", "person 3+2", exitUsage, "CASTELLAN_TOKEN"},
		{"lip_castellan", "person", exitUsage, "give one of"},
		{"lip_castellan", "person 3+2 --days 2", exitUsage, "give one of"},
		{"lip_castellan", "person 3.3+2", exitUsage, "base time"},
		{"lip_castellan", "person 3+2.5", exitUsage, "whole seconds"},
		{"lip_castellan", "person 3", exitUsage, "write base and increment"},
		{"lip_castellan", "person --days 4", exitUsage, "4 days"},
		{"lip_castellan", "person 3+2 --fen nonsense", exitUsage, "--fen"},
		{"lip_castellan", "person 3+2 --rated --fen 8/8/8/4k3/8/8/8/3QK3_w_-_-_0_1", exitUsage, "cannot be rated"},
		{"lip_castellan", "person 3+2 --color green", exitUsage, "--color"},
		{"lip_castellan", "per/son 3+2", exitFailure, "user name"},
	} {
		t.Setenv("CASTELLAN_TOKEN", test.token)
		args := []string{"challenge"}
		for _, arg := range strings.Fields(test.args) {
			args = append(args, strings.ReplaceAll(arg, "_", " "))
		}
		var out bytes.Buffer
		if code := execute(t.Context(), args, streams{strings.NewReader(""), &out, &out}); code != test.code || !strings.Contains(out.String(), test.says) {
			t.Errorf("castellan challenge %s: exit code %d, %s", test.args, code, &out)
		}
	}
	// Nothing stands but what is to stand. The event stream repeats what waits for an answer.
	waiting := 0
	ctx2, cancel2 := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel2()
	for event := range person.Events(ctx2) {
		e, ok := event.(*lichess.ChallengeEvent)
		if !ok {
			continue
		}
		if e.Challenge.TimeControl.RealTime() {
			t.Errorf("%s still stands", e.Challenge.URL)
		}
		if waiting++; waiting == 2 {
			break
		}
	}
	if waiting != 2 {
		t.Errorf("%d challenges stand, want the two without a clock", waiting)
	}
}

// TestChallengeCommandKeepsWhatItCost: the next command, or the daemon, has to know.
func TestChallengeCommandKeepsWhatItCost(t *testing.T) {
	server := startSandbox(t)
	dir := t.TempDir()
	for name, value := range map[string]string{"CASTELLAN_URL": server.URL, "CASTELLAN_TOKEN": "lip_castellan", "CASTELLAN_STATE_DIR": dir} {
		t.Setenv(name, value)
	}
	for range 2 {
		var out bytes.Buffer
		if code := execute(t.Context(), []string{"challenge", "person", "--days", "3"}, streams{strings.NewReader(""), &out, &out}); code != 0 {
			t.Fatalf("exit code %d, %s", code, &out)
		}
	}
	book, err := opponents.Load(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, used := book.Used(time.Now()); len(used) != 2 || used[0].Points != 5 || used[1].Points != 5 {
		t.Errorf("kept: %+v", used)
	}
}

// TestChallengeIsWithdrawnOnCtrlC interrupts the command while it waits.
func TestChallengeIsWithdrawnOnCtrlC(t *testing.T) {
	server := startSandbox(t)
	cmd := exec.Command("castellan", "challenge", "person", "3+2")
	cmd.Env = append(cmd.Environ(), "CASTELLAN_URL="+server.URL, "CASTELLAN_TOKEN=lip_castellan")
	p := startCommand(t, cmd)
	p.logged("Waiting 1m0s for Person")
	p.Process.Signal(syscall.SIGINT)
	if code, rest := p.ended(); code != exitRefused || !strings.Contains(rest, "it was withdrawn") {
		t.Errorf("exit code %d, %s", code, rest)
	}
	person, err := lichess.New(lichess.Options{URL: server.URL, Token: "lip_person"})
	if err != nil {
		t.Fatal(err)
	}
	defer person.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	for event := range person.Events(ctx) { // repeats what waits for an answer, at once
		if e, ok := event.(*lichess.ChallengeEvent); ok {
			t.Errorf("%s still stands", e.Challenge.URL)
		}
	}
}
