package sandbox

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"castellan/engine/chess"
	"castellan/lichess"
)

// Whatever form is accepted makes a challenge that a game can come of, unless
// its variant is not played here.
func FuzzChallengeForm(f *testing.F) {
	for _, seed := range []string{
		"", "clock.limit=180&clock.increment=2&rated=true&color=black", "days=3&variant=chess960", "variant=atomic&rules=noAbort,,x",
		"fen=4k3/8/8/8/8/8/4P3/4K3+b+-+-+0+1", "variant=fromPosition&fen=bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR+w+HFhf+-+2+9",
		"clock.limit=-1&clock.increment=99999999999999999999", "rated=perhaps", "color=%ff",
	} {
		f.Add(seed)
	}
	s := New(Options{Seed: 1})
	defer s.Close()
	white, black := &account{id: "w"}, &account{id: "b"}
	f.Fuzz(func(t *testing.T, text string) {
		form, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		setup, err := readChallenge(form)
		if err != nil || setup.check() != nil {
			return
		}
		variant, _ := lichess.VariantByKey(setup.Variant)
		g, err := s.makeGame("id", white, black, gameRules{variant: variant, fen: setup.FEN})
		switch setup.Variant {
		case lichess.VariantStandard, lichess.VariantChess960, lichess.VariantFromPosition:
			if err != nil {
				t.Fatalf("%+v: %v", setup, err)
			}
			if g.chess.Outcome().Over() {
				t.Errorf("%+v is over at once", setup)
			}
		default:
			if err == nil {
				t.Errorf("%+v is played", setup)
			}
		}
	})
}

// A move that is found is legal, whatever text asks for it.
func FuzzFindMove(f *testing.F) {
	const castles = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
	for _, move := range []string{"e1g1", "e1h1", "e1c1", "e1a1", "e2e4", "a7a8q", "a7a8k", "Q@e4", "e9e9", "", "\xff\xff\xff\xff"} {
		f.Add(castles, move)
		f.Add("4k3/P7/8/8/8/8/8/1R2K1R1 w GB - 0 1", move)
	}
	f.Fuzz(func(t *testing.T, fen, move string) {
		p, err := chess.ParseFEN(fen)
		if err != nil || !uciMove.MatchString(move) && !uciDrop.MatchString(move) {
			return
		}
		for _, key := range []lichess.VariantKey{lichess.VariantFromPosition, lichess.VariantChess960} {
			g := &game{chess: chess.NewGame(p, chess.Lichess), gameRules: gameRules{variant: lichess.Variant{Key: key}}}
			if m, err := g.findMove(move); err == nil && !p.IsLegal(m) {
				t.Errorf("%s in %s is %s, which is not legal", move, fen, m)
			}
		}
	})
}

// No request brings the server down.
func FuzzRequest(f *testing.F) {
	s := New(Options{Seed: 1, BotGamesPerDay: -1, ChallengePointsPerDay: -1, ChallengePointsPerMinute: -1})
	defer s.Close()
	for _, a := range []Account{{Name: "Deep", Title: "BOT", Token: "deep"}, {Name: "Mary", Token: "mary"}} {
		if err := s.AddAccount(a); err != nil {
			f.Fatal(err)
		}
	}
	id, err := s.StartGame(GameSetup{White: "Deep", Black: "Mary", Days: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("deep", "POST", "/api/bot/game/"+id+"/move/e2e4?offeringDraw=true", "", "")
	f.Add("mary", "POST", "/api/board/game/"+id+"/chat", "application/x-www-form-urlencoded", "room=player&text=x")
	f.Add("mary", "POST", "/api/challenge/deep", "application/json", `{"clock":{"limit":180,"increment":2},"rated":true}`)
	f.Add("", "POST", "/api/token/test", "text/plain", "deep,mary")
	f.Add("", "GET", "/game/export/"+id+"?clocks=false", "", "")
	f.Add("deep", "GET", "/api/users/status?ids=a,b", "", "")
	f.Fuzz(func(t *testing.T, token, method, target, kind, body string) {
		address, err := url.ParseRequestURI(target)
		// A stream would go on for ever, and so would the fuzzing.
		if err != nil || strings.Contains(target, "stream") || strings.Contains(target, "keepAlive") || strings.Contains(body, "keepAlive") {
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.URL, r.Header = method, address, http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {kind}}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code == http.StatusInternalServerError {
			t.Errorf("%s %s: %s", method, target, w.Body)
		}
	})
}
