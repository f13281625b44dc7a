package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// challenge makes a challenge over HTTP.
func (w *world) challenge(token, user, form string) lichess.Challenge {
	w.t.Helper()
	r := w.post(token, "/api/challenge/"+user, form)
	if r.code != 200 {
		w.t.Fatalf("%d %s", r.code, r.body)
	}
	var ch lichess.Challenge
	r.decode(w.t, &ch)
	return ch
}

// show asks for the state of a challenge.
func (w *world) show(token, id string) lichess.Challenge {
	w.t.Helper()
	var ch lichess.Challenge
	w.get(token, "/api/challenge/"+id+"/show").decode(w.t, &ch)
	return ch
}

func TestChallengeForm(t *testing.T) {
	w := newWorld(t, sandbox.Options{ChallengePointsPerMinute: -1, ChallengePointsPerDay: -1})
	fen960 := "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
	for _, test := range []struct {
		form string
		want string // "variant rated speed control color fen", or "!" and a part of the refusal
	}{
		{"", "standard false correspondence unlimited random"},
		{"clock.limit=180&clock.increment=2&rated=true&color=black", "standard true blitz 3+2 black"},
		{"clock.limit=0&clock.increment=1", "standard false bullet 0+1 random"},
		{"clock.limit=30&clock.increment=0", "standard false bullet ½+0 random"},
		{"clock.limit=10800&clock.increment=60", "standard false classical 180+60 random"},
		{"days=3&rated=1", "standard true correspondence 3 days random"},
		{"clock.limit=300&clock.increment=0&variant=atomic&rated=true", "atomic true blitz 5+0 random"},
		{"clock.limit=0&clock.increment=1&variant=atomic&rated=true", "atomic false bullet 0+1 random"},
		{"fen=" + url.QueryEscape("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"), "fromPosition false correspondence unlimited random 4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"},
		{"variant=fromPosition&fen=" + url.QueryEscape(fen960), "fromPosition false correspondence unlimited random " + "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9"},
		{"fen=" + url.QueryEscape("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "standard false correspondence unlimited random"},
		{"variant=chess960&fen=" + url.QueryEscape("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"), "chess960 false correspondence unlimited random bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"},
		{"rules=noAbort,noRematch", "standard false correspondence unlimited random"},

		{"clock.limit=100&clock.increment=0", "!clock.limit"},
		{"clock.limit=10860&clock.increment=0", "!clock.limit"},
		{"clock.limit=-60&clock.increment=0", "!clock.limit"},
		{"clock.limit=180&clock.increment=61", "!clock.increment"},
		{"clock.limit=180", "!clock.increment"},
		{"clock.limit=180&clock.increment=x", "!clock.increment"},
		{"clock.limit=0&clock.increment=0", "!clock"},
		{"days=4", "!days"},
		{"rated=perhaps", "!rated"},
		{"color=green", "!color"},
		{"variant=checkers", "!variant"},
		{"rules=noFun", "!rules"},
		{"variant=fromPosition", "!fen"},
		{"fen=nonsense", "!fen"},
		{"fen=" + url.QueryEscape("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), "!over at once"},
		{"rated=true&fen=" + url.QueryEscape("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), "!rated"},
		{"variant=atomic&fen=" + url.QueryEscape("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), "!atomic"},
		{"variant=chess960&fen=" + url.QueryEscape("rnbqkbrn/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "!Chess960"},
	} {
		r := w.post("mary", "/api/challenge/bob", test.form)
		var got string
		if r.code == 200 {
			var ch lichess.Challenge
			r.decode(t, &ch)
			control := ch.TimeControl.Show
			if control == "" {
				control = ch.TimeControl.String()
			}
			got = strings.TrimSpace(fmt.Sprintf("%s %v %s %s %s %s", ch.Variant.Key, ch.Rated, ch.Speed, control, ch.Color, ch.InitialFEN))
		} else if r.code == 400 {
			got = "!" + r.body
		}
		if refusal, bad := strings.CutPrefix(test.want, "!"); bad {
			if got == "" || got[0] != '!' || !strings.Contains(got, refusal) {
				t.Errorf("%q: %q, want a refusal with %q", test.form, got, refusal)
			}
		} else if got != test.want {
			t.Errorf("%q:\ngot  %s\nwant %s", test.form, got, test.want)
		}
	}
}

// Clients send JSON too, with dotted names or with objects.
func TestChallengeByJSON(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	for _, body := range []string{
		`{"rated":true,"clock.limit":300,"clock.increment":3,"color":"white","days":null}`,
		`{"rated":true,"clock":{"limit":300,"increment":3},"color":"white"}`,
	} {
		r := w.do("POST", "fritz", "/api/challenge/deep", "application/json", body)
		var ch lichess.Challenge
		r.decode(t, &ch)
		if ch.TimeControl.Show != "5+3" || !ch.Rated || ch.Color != "white" {
			t.Errorf("%s: %s", body, r.body)
		}
	}
	r := w.do("POST", "fritz", "/api/challenge/deep", "application/json", "{")
	if r.code != 400 {
		t.Errorf("half an object: %d", r.code)
	}
}

func TestChallengeObject(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	r := w.post("fritz", "/api/challenge/Deep", "clock.limit=180&clock.increment=2&color=black&rated=true")
	var ch lichess.Challenge
	r.decode(t, &ch)
	want := `{"id":"` + ch.ID + `","url":"` + w.URL + "/" + ch.ID + `","status":"created",` +
		`"challenger":{"id":"fritz","name":"Fritz","title":"BOT","rating":1900},` +
		`"destUser":{"id":"deep","name":"Deep","title":"BOT","rating":2000},` +
		`"variant":{"key":"standard","name":"Standard","short":"Std"},"rated":true,"speed":"blitz",` +
		`"timeControl":{"type":"clock","limit":180,"increment":2,"show":"3+2"},` +
		`"color":"black","finalColor":"black","perf":{"icon":"","name":"Blitz"},"direction":"out"}`
	if r.body != want {
		t.Errorf("got  %s\nwant %s", r.body, want)
	}
	if len(ch.ID) != 8 {
		t.Errorf("id %q", ch.ID)
	}
}

func TestChallengeRefusals(t *testing.T) {
	w := newWorld(t, sandbox.Options{},
		sandbox.Account{Name: "Hermit", NoChallenges: true},
		sandbox.Account{Name: "Foe", Blocks: []string{"MARY"}},
		sandbox.Account{Name: "Closed", Closed: true})
	for _, test := range []struct {
		token, user, form string
		code              int
		text              string
	}{
		{"mary", "nobody", "", 400, "No such user: nobody"},
		{"mary", "closed", "", 400, "No such user: closed"},
		{"mary", "Mary", "", 404, "Not found"},
		{"mary", "hermit", "", 400, "Hermit does not accept challenges."},
		{"mary", "foe", "", 400, "You cannot challenge Foe."},
		{"mary", "deep", "rules=noAbort", 400, "Rules not applicable for bots"},
		{"mary", "deep", "clock.limit=15&clock.increment=0", 400, "UltraBullet"},
		{"deep", "mary", "clock.limit=15&clock.increment=0", 400, "UltraBullet"},
	} {
		w.refused(test.token, "/api/challenge/"+test.user, test.form, test.code, test.text)
	}
}

const blitz = "clock.limit=180&clock.increment=2"

func TestChallengeEventsAndAccept(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	deep, mary := w.open("deep", "/api/stream/event"), w.open("mary", "/api/stream/event")
	ch := w.challenge("mary", "deep", blitz+"&color=white")
	if !ch.Challenger.Online || !ch.DestUser.Online {
		t.Error("both are online")
	}
	for _, l := range []*lines{deep, mary} {
		var e lichess.ChallengeEvent
		l.next("challenge", &e)
		if e.Challenge.ID != ch.ID || e.Challenge.Direction != "" || e.Compat == nil || *e.Compat != (lichess.Compat{Bot: true, Board: true}) {
			t.Errorf("%+v", e)
		}
	}
	w.refused("fritz", "/api/challenge/"+ch.ID+"/accept", "", 404, "Not found")
	w.refused("mary", "/api/challenge/"+ch.ID+"/accept", "", 404, "Not found")
	w.ok("deep", "/api/challenge/"+ch.ID+"/accept", "")
	if got := w.show("mary", ch.ID); got.Status != lichess.ChallengeAccepted || got.Direction != "out" {
		t.Errorf("%+v", got)
	}
	var start lichess.GameStart
	deep.next("gameStart", &start)
	if g := start.Game; g.GameID != ch.ID || g.Color != "black" || g.IsMyTurn || g.Opponent.ID != "mary" || *g.SecondsLeft != 180 {
		t.Errorf("%+v", g)
	}
	mary.next("gameStart", nil)
	w.refused("deep", "/api/challenge/"+ch.ID+"/accept", "", 404, "Not found")
	w.refused("deep", "/api/challenge/"+ch.ID+"/decline", "", 404, "Not found")
}

func TestDeclineAndCancel(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	deep, mary := w.open("deep", "/api/stream/event"), w.open("mary", "/api/stream/event")

	for reason, key := range map[string]string{"tooFast": "toofast", "NOBOT": "nobot", "nonsense": "generic", "": "generic"} {
		ch := w.challenge("mary", "deep", blitz)
		deep.next("challenge", nil)
		mary.next("challenge", nil)
		w.refused("fritz", "/api/challenge/"+ch.ID+"/decline", "", 404, "Not found")
		w.ok("deep", "/api/challenge/"+ch.ID+"/decline", "reason="+reason)
		for _, l := range []*lines{deep, mary} {
			var e lichess.ChallengeDeclinedEvent
			l.next("challengeDeclined", &e)
			if c := e.Challenge; c.ID != ch.ID || c.Status != "declined" || c.DeclineReasonKey != key || c.DeclineReason == "" {
				t.Errorf("%q: %+v", reason, c)
			}
		}
		w.refused("deep", "/api/challenge/"+ch.ID+"/accept", "", 400, "declined")
		w.refused("deep", "/api/challenge/"+ch.ID+"/decline", "", 404, "Not found")
	}

	ch := w.challenge("mary", "deep", blitz)
	deep.next("challenge", nil)
	mary.next("challenge", nil)
	w.refused("fritz", "/api/challenge/"+ch.ID+"/cancel", "", 404, "Not found")
	w.ok("mary", "/api/challenge/"+ch.ID+"/cancel", "")
	for _, l := range []*lines{deep, mary} {
		var e lichess.ChallengeCanceledEvent
		l.next("challengeCanceled", &e)
		if e.Challenge.ID != ch.ID || e.Challenge.Status != "canceled" {
			t.Errorf("%+v", e)
		}
	}
	w.refused("deep", "/api/challenge/"+ch.ID+"/accept", "", 400, "canceled")

	// Cancelling what somebody else has made is declining it.
	ch = w.challenge("mary", "deep", blitz)
	w.ok("deep", "/api/challenge/"+ch.ID+"/cancel", "")
	if got := w.show("mary", ch.ID); got.Status != "declined" || got.DeclineReasonKey != "generic" {
		t.Errorf("%+v", got)
	}
}

// After the start, cancel aborts the game as long as that is possible.
func TestCancelAbortsAFreshGame(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	ch := w.challenge("mary", "deep", blitz+"&color=white")
	w.ok("deep", "/api/challenge/"+ch.ID+"/accept", "")
	w.ok("mary", "/api/challenge/"+ch.ID+"/cancel", "")
	w.ended(ch.ID, lichess.StatusAborted, "")
	w.refused("mary", "/api/challenge/"+ch.ID+"/cancel", "", 404, "Not found")

	ch = w.challenge("mary", "deep", blitz+"&color=white")
	w.ok("deep", "/api/challenge/"+ch.ID+"/accept", "")
	w.play(ch.ID, "mary", "deep", "e2e4 e7e5")
	w.refused("mary", "/api/challenge/"+ch.ID+"/cancel", "", 400, "Missing opponentToken")
}

func TestChallengeGoesOffline(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	timed, slow := w.challenge("mary", "deep", blitz), w.challenge("mary", "deep", "days=3")
	w.clock.Advance(19 * time.Second)
	if got := w.show("mary", timed.ID).Status; got != "created" {
		t.Errorf("after 19 s: %s", got)
	}
	w.clock.Advance(time.Second)
	if got := w.show("mary", timed.ID).Status; got != "offline" {
		t.Errorf("after 20 s: %s", got)
	}
	if got := w.show("mary", slow.ID).Status; got != "created" {
		t.Errorf("correspondence after 20 s: %s", got)
	}
	// It is still told to the bot, listed, and can be accepted.
	w.open("deep", "/api/stream/event").next("challenge", nil)
	w.ok("deep", "/api/challenge/"+timed.ID+"/accept", "")

	w.clock.Advance(14 * 24 * time.Hour)
	if r := w.get("mary", "/api/challenge/"+slow.ID+"/show"); r.code != 404 {
		t.Errorf("after two weeks: %d %s", r.code, r.body)
	}
}

func TestKeepAliveStream(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	create := func() (*lines, lichess.Challenge) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		resp := w.request(ctx, "POST", "mary", "/api/challenge/deep", formType, blitz+"&keepAliveStream=true")
		l := w.stream(resp, cancel)
		var ch lichess.Challenge
		if err := json.Unmarshal([]byte(l.raw()), &ch); err != nil {
			t.Fatal(err)
		}
		return l, ch
	}
	for done, act := range map[string]func(id string){
		"accepted": func(id string) { w.ok("deep", "/api/challenge/"+id+"/accept", "") },
		"declined": func(id string) { w.ok("deep", "/api/challenge/"+id+"/decline", "") },
		"canceled": func(id string) { w.ok("mary", "/api/challenge/"+id+"/cancel", "") },
	} {
		l, ch := create()
		w.clock.Advance(60 * time.Second) // far beyond 20 s: the stream holds it
		if line := l.raw(); line != "" {
			t.Errorf("%q instead of a blank line", line)
		}
		if got := w.show("mary", ch.ID).Status; got != "created" {
			t.Errorf("held, but %s", got)
		}
		act(ch.ID)
		if line := l.raw(); line != `{"done":"`+done+`"}` {
			t.Errorf("%s: %s", done, line)
		}
		l.end()
	}
}

// Without its stream the challenge is offline after a while.
func TestKeepAliveStreamIsLeft(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	l := w.stream(w.request(ctx, "POST", "mary", "/api/challenge/deep", formType, blitz+"&keepAliveStream=true"), cancel)
	var ch lichess.Challenge
	if err := json.Unmarshal([]byte(l.raw()), &ch); err != nil {
		t.Fatal(err)
	}
	l.close()
	// The server learns of it by the network only: try until it has.
	for deadline := time.Now().Add(10 * time.Second); w.show("mary", ch.ID).Status != lichess.ChallengeOffline; {
		if time.Now().After(deadline) {
			t.Fatal("the challenge stays online")
		}
		w.clock.Advance(20 * time.Second)
	}
}

func TestChallengeList(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	out := w.challenge("mary", "deep", blitz)
	in := w.challenge("bob", "mary", "days=1")
	declined := w.challenge("bob", "mary", "days=1")
	w.ok("mary", "/api/challenge/"+declined.ID+"/decline", "")
	var list lichess.ChallengeList
	w.get("mary", "/api/challenge").decode(t, &list)
	if len(list.In) != 1 || list.In[0].ID != in.ID || list.In[0].Direction != "in" ||
		len(list.Out) != 1 || list.Out[0].ID != out.ID || list.Out[0].Direction != "out" {
		t.Errorf("%+v", list)
	}
	if r := w.get("bob", "/api/challenge/"+out.ID+"/show"); r.code != 404 {
		t.Errorf("a stranger sees %d %s", r.code, r.body)
	}
}

func TestChallengeOfUnplayedVariant(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	ch := w.challenge("mary", "deep", blitz+"&variant=atomic")
	w.refused("deep", "/api/challenge/"+ch.ID+"/accept", "", 400, "atomic")
	w.ok("deep", "/api/challenge/"+ch.ID+"/decline", "reason=variant")
}

func TestChallengePoints(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	for range 5 { // 5 points each
		w.challenge("mary", "bob", "days=1")
	}
	r := w.post("mary", "/api/challenge/deep", "days=1")
	if r.code != 429 || r.body != `{"error":"Too many requests. Try again later."}` {
		t.Errorf("%d %s", r.code, r.body)
	}
	w.clock.Advance(time.Minute)
	for range 7 { // minutes; 40 people a day
		for range 5 {
			w.challenge("mary", "bob", "days=1")
		}
		w.clock.Advance(time.Minute)
	}
	w.refused("mary", "/api/challenge/bob", "days=1", 429, "Too many")
	w.challenge("bob", "mary", "days=1") // each account has its own limit
	w.clock.Advance(24 * time.Hour)
	w.challenge("mary", "bob", "days=1")
}

func TestBotVersusBotLimit(t *testing.T) {
	w := newWorld(t, sandbox.Options{BotGamesPerDay: 2}, sandbox.Account{Name: "Third", Title: "BOT", Token: "third"})
	open := w.challenge("third", "deep", blitz)
	for range 2 {
		ch := w.challenge("deep", "fritz", blitz)
		w.ok("fritz", "/api/challenge/"+ch.ID+"/accept", "")
	}
	w.clock.Advance(time.Hour)
	limited := func(code int, r reply) {
		t.Helper()
		var body lichess.ErrorBody
		r.decode(t, &body)
		if r.code != code || body.RateLimit == nil || *body.RateLimit != (lichess.RateLimit{Key: "bot.vsBot.day", Seconds: 23 * 3600}) {
			t.Errorf("%d %s, want %d", r.code, r.body, code)
		}
	}
	limited(429, w.post("deep", "/api/challenge/third", blitz))           // my own cap
	limited(400, w.post("third", "/api/challenge/deep", blitz))           // the opponent's
	limited(429, w.post("deep", "/api/challenge/"+open.ID+"/accept", "")) // on accepting
	w.challenge("deep", "mary", blitz)                                    // people are another matter
	w.ok("deep", "/api/challenge/"+w.challenge("mary", "deep", blitz).ID+"/accept", "")
	w.clock.Advance(23 * time.Hour)
	w.challenge("deep", "fritz", blitz)
}

// A challenge that is settled can be shown for a while, and is forgotten then. Nothing is left of it.
func TestSettledChallengesAreForgotten(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	for _, settle := range []func(id string){
		func(id string) { w.ok("bob", "/api/challenge/"+id+"/decline", "") },
		func(id string) { w.ok("mary", "/api/challenge/"+id+"/cancel", "") },
		func(id string) { w.ok("bob", "/api/challenge/"+id+"/accept", "") },
	} {
		ch := w.challenge("mary", "bob", "")
		settle(ch.ID)
		w.clock.Advance(3*time.Hour - time.Second)
		if status := w.show("mary", ch.ID).Status; status == "" || status == lichess.ChallengeCreated {
			t.Errorf("shown as %q after a while", status)
		}
		w.clock.Advance(time.Second)
		w.gone(ch.ID)
	}
}

// However many are settled in that time, the server keeps no more than the latest thousand.
func TestFewSettledChallengesAreKept(t *testing.T) {
	w := newWorld(t, sandbox.Options{ChallengePointsPerMinute: -1, ChallengePointsPerDay: -1})
	var ids []string
	for range 1001 {
		id, err := w.Challenge("Mary", "Bob", sandbox.ChallengeSetup{})
		if err != nil {
			t.Fatal(err)
		}
		w.ok("bob", "/api/challenge/"+id+"/decline", "")
		ids = append(ids, id)
	}
	w.gone(ids[0])
	for _, id := range []string{ids[1], ids[1000]} {
		if status := w.show("bob", id).Status; status != lichess.ChallengeDeclined {
			t.Errorf("shown as %q", status)
		}
	}
	// What was forgotten early is not forgotten again.
	w.clock.Advance(3 * time.Hour)
	w.gone(ids[1])
	w.gone(ids[1000])
}

// gone checks that the server does not know a challenge any more.
func (w *world) gone(id string) {
	w.t.Helper()
	if r := w.get("mary", "/api/challenge/"+id+"/show"); r.code != 404 {
		w.t.Errorf("%d %s", r.code, r.body)
	}
}
