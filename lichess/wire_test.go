package lichess

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSpeedOf(t *testing.T) {
	for _, tc := range []struct {
		limit, increment int
		want             Speed
	}{
		{0, 0, SpeedUltraBullet}, {15, 0, SpeedUltraBullet}, {29, 0, SpeedUltraBullet}, {30, 0, SpeedBullet}, {0, 1, SpeedBullet},
		{179, 0, SpeedBullet}, {180, 0, SpeedBlitz}, {60, 3, SpeedBlitz}, {479, 0, SpeedBlitz}, {480, 0, SpeedRapid}, {300, 5, SpeedRapid},
		{1499, 0, SpeedRapid}, {1500, 0, SpeedClassical}, {10800, 60, SpeedClassical}, {21599, 0, SpeedClassical}, {21600, 0, SpeedCorrespondence},
		{-5, -5, SpeedUltraBullet}, {math.MaxInt, math.MaxInt, SpeedCorrespondence}, {0, math.MaxInt, SpeedCorrespondence},
	} {
		if got := SpeedOf(tc.limit, tc.increment); got != tc.want {
			t.Errorf("SpeedOf(%d, %d) = %s, want %s", tc.limit, tc.increment, got, tc.want)
		}
	}
	if SpeedUltraBullet.BotPlayable() || !SpeedBullet.BotPlayable() || !SpeedCorrespondence.BotPlayable() {
		t.Error("bots play all but ultra-bullet")
	}
}

func TestShowClock(t *testing.T) {
	for _, tc := range []struct {
		limit, increment int
		want             string
	}{{180, 2, "3+2"}, {0, 1, "0+1"}, {15, 0, "¼+0"}, {30, 0, "½+0"}, {45, 3, "¾+3"}, {60, 0, "1+0"}, {90, 1, "1.5+1"}, {10800, 60, "180+60"}} {
		if got := ClockControl(tc.limit, tc.increment).String(); got != tc.want {
			t.Errorf("%d+%d shows as %q, want %q", tc.limit, tc.increment, got, tc.want)
		}
	}
	if got := CorrespondenceControl(1).String() + ", " + CorrespondenceControl(3).String() + ", " + UnlimitedControl().String(); got != "1 day, 3 days, unlimited" {
		t.Error(got)
	}
}

func TestStatusOver(t *testing.T) {
	for s := range statusIDs {
		inPlay := s == StatusCreated || s == StatusStarted
		if s.Over() == inPlay {
			t.Errorf("%s: Over() = %v", s, s.Over())
		}
	}
	if s := Status("adjourned"); !s.Over() || s.Known() || s.ID() != 0 {
		t.Error("an unknown status counts as over")
	}
}

func TestStatusInfoInBothForms(t *testing.T) {
	for _, tc := range []struct {
		json string
		want StatusInfo
		ok   bool
	}{
		{`{"id":20,"name":"started"}`, StatusInfo{20, StatusStarted}, true},
		{`"started"`, StatusInfo{20, StatusStarted}, true},
		{`"adjourned"`, StatusInfo{0, "adjourned"}, true},
		{`20`, StatusInfo{}, false},
		{`["started"]`, StatusInfo{}, false},
	} {
		var got StatusInfo
		if err := json.Unmarshal([]byte(tc.json), &got); got != tc.want || (err == nil) != tc.ok {
			t.Errorf("%s: %+v, %v; want %+v", tc.json, got, err, tc.want)
		}
	}
	var list NowPlaying
	if err := json.Unmarshal([]byte(`{"nowPlaying":[{"gameId":"Ab3dEf9h","status":"started"}],"nbMyTurn":1}`), &list); err != nil {
		t.Errorf("a list of running games as it is described: %v", err)
	}
}

func TestMillis(t *testing.T) {
	for _, tc := range []struct {
		ms   Millis
		want time.Duration
	}{{1500, 1500 * time.Millisecond}, {UnlimitedMillis, 2147483647 * time.Millisecond}, {math.MaxInt64, math.MaxInt64}, {math.MinInt64, math.MinInt64}, {-3, -3 * time.Millisecond}} {
		if got := tc.ms.Duration(); got != tc.want {
			t.Errorf("%d ms = %d ns, want %d", tc.ms, got, tc.want)
		}
	}
	if !UnlimitedMillis.Unlimited() || Millis(259200000).Unlimited() || MillisOf(1500*time.Microsecond) != 1 {
		t.Error("Unlimited or MillisOf is wrong")
	}
}

func TestGameStateOfNoMoves(t *testing.T) {
	s := GameState{WTime: 1, BTime: 2, WInc: 3, BInc: 4, WDraw: true, BTakeback: true}
	if s.Ply() != 0 || len(s.MoveList()) != 0 {
		t.Error("no moves are no moves")
	}
	if s.Time(ColorWhite) != 1 || s.Time(ColorBlack) != 2 || s.Increment(ColorWhite) != 3 || s.Increment(ColorBlack) != 4 {
		t.Error("clocks are mixed up")
	}
	if !s.DrawOffer(ColorWhite) || s.DrawOffer(ColorBlack) || s.TakebackOffer(ColorWhite) || !s.TakebackOffer(ColorBlack) {
		t.Error("offers are mixed up")
	}
	s.Moves = "e2e4 e7e5"
	if s.Ply() != 2 || !slices.Equal(s.MoveList(), []string{"e2e4", "e7e5"}) {
		t.Error(s.MoveList())
	}
}

func TestColorOf(t *testing.T) {
	g := GameFull{White: GamePlayer{AILevel: 3}, Black: GamePlayer{ID: "rookery", Name: "Rookery", Title: TitleBot}}
	if g.ColorOf("Rookery") != ColorBlack || g.ColorOf("other") != "" || g.ColorOf("") != "" {
		t.Error("the colour is found by id, whatever its case, and never for nobody")
	}
	if !g.Player(ColorWhite).IsAI() || !g.Player(ColorBlack).IsBot() {
		t.Error("the players are mixed up")
	}
}

// TestDecodeBadLines sees to it that nothing unusable passes for an event, and
// that nothing usable is thrown away over a field of no importance.
func TestDecodeBadLines(t *testing.T) {
	const state = `"state":{"moves":"e2e4","status":"started"}`
	for _, tc := range []struct {
		name, line string
		usable     bool
		hasErr     bool
	}{
		{"half a line", `{"type":"gameState","moves":"e2e4 e7`, false, true},
		{"not JSON", `<html>502</html>`, false, true},
		{"an array", `[1,2]`, false, true},
		{"null", `null`, false, true},
		{"a number", `7`, false, true},
		{"no type", `{"moves":""}`, false, true},
		{"type is a number", `{"type":7}`, false, true},
		{"new type", `{"type":"boardTilt"}`, false, false},
		{"no status", `{"type":"gameState","moves":""}`, false, true},
		{"no moves", `{"type":"gameState","status":"started"}`, false, true},
		{"moves are a list", `{"type":"gameState","moves":["e2e4"],"status":"started"}`, false, true},
		{"no state", `{"type":"gameFull","id":"Ab3dEf9h","initialFen":"startpos"}`, false, true},
		{"id that is a path", `{"type":"gameFull","id":"../../x","initialFen":"startpos",` + state + `}`, false, true},
		{"rating is a text", `{"type":"gameFull","id":"Ab3dEf9h","initialFen":"startpos","white":{"id":"a","name":"A","rating":"1500?"},` + state + `}`, true, false},
		{"clock is a fraction", `{"type":"gameState","moves":"e2e4","status":"started","wtime":1500.5}`, true, false},
		{"draw is null", `{"type":"gameState","moves":"e2e4","status":"started","wdraw":null,"winner":null}`, true, false},
		{"invalid UTF-8", "{\"type\":\"chatLine\",\"room\":\"player\",\"username\":\"a\",\"text\":\"\xff\xfe\"}", true, false},
		{"many new fields", `{"type":"gameState","moves":"","status":"started","x":{"y":[1,{"z":null}]}}`, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u, isUnknown := DecodeGameEvent([]byte(tc.line)).(*Unknown)
			if isUnknown == tc.usable {
				t.Fatalf("usable = %v, want %v (%+v)", !isUnknown, tc.usable, u)
			}
			if isUnknown && (u.Err != nil) != tc.hasErr {
				t.Errorf("error %v, want one: %v", u.Err, tc.hasErr)
			}
		})
	}
	for _, line := range []string{`{"type":"gameStart"}`, `{"type":"challenge","challenge":{"id":""}}`, `{"type":"gameStart","game":{"gameId":"a/b"}}`} {
		if u, ok := DecodeEvent([]byte(line)).(*Unknown); !ok || u.Err == nil {
			t.Errorf("%s passes for an event", line)
		}
	}
	long := `{"type":"` + strings.Repeat("x", 10000) + `"}`
	if u := DecodeEvent([]byte(long)).(*Unknown); len(u.Raw) > maxRaw || len(u.Type) > maxRaw {
		t.Errorf("%d bytes of raw line and %d of type are kept", len(u.Raw), len(u.Type))
	}
}

func TestErrorBody(t *testing.T) {
	for _, tc := range []struct {
		body, want string
		limit      bool
	}{
		{`{"error":"Missing scope: bot:play"}`, "Missing scope: bot:play", false},
		{`{"error":{"clock.limit":["Must be less"]}}`, `{"clock.limit":["Must be less"]}`, false},
		{`{"error":"x","ratelimit":{"key":"bot.vsBot.day","seconds":60}}`, "x", true},
		{`{"error":"x","ratelimit":{"seconds":"many"}}`, "x", false},
		{`{"error":"x","ratelimit":null}`, "x", false},
		{`{}`, "Bad Gateway", false},
		{``, "Bad Gateway", false},
		{`null`, "null", false},
		{"<html>\n<head><title>502 Bad\nGateway</title></head><body>nginx</body></html>", "502 Bad Gateway", false},
		{`<html><head><style>b{}</style></head><body><script>alert(1)</script><h1>Sorry</h1></body>`, "Sorry", false},
		{"line one\r\n\x1b[31mline two\u202e", "line one [31mline two", false},
		{`{"error":`, `{"error":`, false},
		{"\xff\xfe", "Bad Gateway", false},
	} {
		got := errorBody(502, []byte(tc.body))
		if got.Error != tc.want || (got.RateLimit != nil) != tc.limit {
			t.Errorf("%q: %+v, want %q", tc.body, got, tc.want)
		}
	}
	if got := errorBody(500, []byte(strings.Repeat("long ", 1000))); len([]rune(got.Error)) > maxMessage || !strings.HasSuffix(got.Error, "…") {
		t.Errorf("a long text is not cut: %d", len(got.Error))
	}
	var body ErrorBody
	if err := json.Unmarshal([]byte(`{"error":"x"}`), &body); err != nil || body.Error != "x" {
		t.Error(err)
	}
}

func TestFitChat(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"  good   luck\n", "good luck"},
		{strings.Repeat("a", 140), strings.Repeat("a", 140)},
		{strings.Repeat("a", 141), strings.Repeat("a", 139) + "…"},
		{strings.Repeat("ä", 140), strings.Repeat("ä", 140)},
		{strings.Repeat("♞", 200), strings.Repeat("♞", 139) + "…"},
		{strings.Repeat("😀", 70), strings.Repeat("😀", 70)},
		{strings.Repeat("😀", 71), strings.Repeat("😀", 69) + "…"},
		{"", ""},
	} {
		if got := FitChat(tc.text); got != tc.want {
			t.Errorf("%.20q… (%d): got %d units %q", tc.text, chatLength(tc.text), chatLength(got), got)
		}
	}
}

func TestChallengeRequestCheck(t *testing.T) {
	for _, tc := range []struct {
		name string
		r    ChallengeRequest
		ok   bool
	}{
		{"3+2", ChallengeRequest{TimeControl: ClockControl(180, 2), Rated: true}, true},
		{"0+1", ChallengeRequest{TimeControl: ClockControl(0, 1)}, true},
		{"1.5+0", ChallengeRequest{TimeControl: ClockControl(90, 0)}, true},
		{"180+60", ChallengeRequest{TimeControl: ClockControl(10800, 60)}, true},
		{"100 s", ChallengeRequest{TimeControl: ClockControl(100, 0)}, false},
		{"181 min", ChallengeRequest{TimeControl: ClockControl(181*60, 0)}, false},
		{"negative", ChallengeRequest{TimeControl: ClockControl(-60, 0)}, false},
		{"increment 61", ChallengeRequest{TimeControl: ClockControl(60, 61)}, false},
		{"3 days", ChallengeRequest{TimeControl: CorrespondenceControl(3)}, true},
		{"4 days", ChallengeRequest{TimeControl: CorrespondenceControl(4)}, false},
		{"unlimited", ChallengeRequest{TimeControl: UnlimitedControl()}, true},
		{"none", ChallengeRequest{}, false},
		{"rated from a position", ChallengeRequest{TimeControl: ClockControl(60, 0), Rated: true, FEN: "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"}, false},
		{"horde from a position", ChallengeRequest{TimeControl: ClockControl(60, 0), Variant: VariantHorde, FEN: "x"}, false},
		{"960 from a position", ChallengeRequest{TimeControl: ClockControl(60, 0), Variant: VariantChess960, FEN: "x"}, true},
		{"variant", ChallengeRequest{TimeControl: ClockControl(60, 0), Variant: "fairy"}, false},
		{"colour", ChallengeRequest{TimeControl: ClockControl(60, 0), Color: "red"}, false},
	} {
		if err := tc.r.Check(); (err == nil) != tc.ok {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
