package bot_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// reply answers a request in place of the server.
func reply(w http.ResponseWriter, status int, contentType, body string) bool {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	w.Write([]byte(body))
	return true
}

// replyJSON answers by an error of the server's kind.
func replyJSON(w http.ResponseWriter, status int, body string) bool {
	return reply(w, status, "application/json", body)
}

// TestMovesInDoubt answers some moves otherwise than Lichess should, and wants two games at once played to their ends without a
// move lost, doubled or taken for the end.
func TestMovesInDoubt(t *testing.T) {
	t.Parallel()
	const queenEnding = "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"
	every := func(n int32, spoil func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool) func(http.ResponseWriter, *http.Request, http.Handler) bool {
		var moves atomic.Int32
		return func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool {
			return isMove(r) && moves.Add(1)%n == 0 && spoil(w, r, pass)
		}
	}
	var told atomic.Int32
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool
	}{
		{"played, and the answer is that of a second try", every(2, func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool {
			pass.ServeHTTP(httptest.NewRecorder(), r)
			return replyJSON(w, http.StatusBadRequest, `{"error":"Not your turn, or game already over"}`)
		})},
		{"not played, and told that it is not our turn", every(3, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
			return replyJSON(w, http.StatusBadRequest, `{"error":"Not your turn, or game already over"}`)
		})},
		{"told to be offline", every(3, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
			return replyJSON(w, http.StatusBadRequest, `{"error":"You are offline"}`)
		})},
		{"an empty answer", every(3, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		})},
		{"not played, and told that it was", func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool {
			return isMove(r) && told.Add(1) == 4 && replyJSON(w, http.StatusOK, `{"ok":true}`)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			n := newTap(t, a.URL, tapping{answer: tt.answer})
			a.startAt(n.URL, "castellan", quick())
			a.start("rival", quick())
			setup := sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 2 * time.Minute, Increment: time.Second, FEN: queenEnding}
			games := []string{a.startGame(setup), a.startGame(setup)}
			for _, id := range games {
				g := a.finished(id)
				switch g.Status {
				case lichess.StatusMate, lichess.StatusDraw, lichess.StatusStalemate:
				default:
					t.Errorf("a game ended by %s", g.Status)
				}
				checkMoves(t, queenEnding, g)
			}
			if n.spoiled.Load() == 0 {
				t.Error("nothing was spoiled")
			}
			if ends := n.count("/resign") + n.count("/abort") + n.count("/draw/"); ends > 0 {
				t.Errorf("the bot asked for the end of a game %d times", ends)
			}
		})
	}
}

func TestMoveThatHangsHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	clock := sandbox.NewManualClock(time.Now())
	a := newArena(t, sandbox.Options{Clock: clock, FlagGrace: -1})
	var stuck atomic.Value // the id of the game whose moves hang
	stuck.Store("none")
	hanging := make(chan struct{}, 10)
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !isMove(r) || !strings.Contains(r.URL.Path, stuck.Load().(string)) {
			return false
		}
		// As the server does with a move whose flag has fallen: nothing, and then an error of the machine in front of it.
		hanging <- struct{}{}
		<-r.Context().Done()
		return true
	}})
	opts := quick()
	opts.MaxGames = 2
	opts.ClaimWhenGone = false // a person without a stream counts as gone
	d := a.startAt(n.URL, "castellan", opts)
	other := a.startGame(sandbox.GameSetup{White: "Person", Black: "Castellan", Limit: time.Hour, FEN: "k7/p2K4/P7/8/8/8/8/8 b - - 0 1"})
	lost := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute})
	a.plies(lost, 1)
	stuck.Store(lost)
	a.move(lost, "e7e5")
	<-hanging
	a.plies(other, 1)
	for i, move := range []string{"d7d8", "d8d7"} {
		a.move(other, move)
		a.plies(other, 2*i+3)
	}
	clock.Advance(2 * time.Minute)
	if g := a.finished(lost); g.Status != lichess.StatusOutOfTime {
		t.Errorf("the game ended by %s", g.Status)
	}
	a.placeIsFree(d)
}

// TestRefusedMoveIsNotTriedForEver stands for a search, or rules, that are wrong about one move.
func TestRefusedMoveIsNotTriedForEver(t *testing.T) {
	t.Parallel()
	a := newArena(t, sandbox.Options{})
	n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		return strings.Contains(r.URL.Path, "/move/d1d8") &&
			replyJSON(w, http.StatusBadRequest, `{"error":"Piece on d1 cannot move to d8"}`)
	}})
	d := a.startAt(n.URL, "castellan", quick())
	// d1d8 mates, so that it is what the bot wants.
	id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute, FEN: "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"})
	a.plies(id, 1)
	if !d.log.has("level=ERROR") {
		t.Error("no error was logged")
	}
	a.move(id, "h7h6")
	a.plies(id, 3)
}

// TestCastlingInDoubtIsNotSentAgain plays a move whose text means something else, and is legal, one turn later.
func TestCastlingInDoubtIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, breaks := range []bool{false, true} {
		t.Run(fmt.Sprintf("the connection breaks: %v", breaks), func(t *testing.T) {
			t.Parallel()
			a := newArena(t, sandbox.Options{})
			var moves atomic.Int32
			played := make(chan struct{})
			n := newTap(t, a.URL, tapping{answer: func(w http.ResponseWriter, r *http.Request, pass http.Handler) bool {
				if !isMove(r) || moves.Add(1) > 1 {
					return false
				}
				pass.ServeHTTP(httptest.NewRecorder(), r)
				close(played)
				if breaks {
					panic(http.ErrAbortHandler)
				}
				<-r.Context().Done()
				return true
			}, line: func(_, line string) []string {
				// The bot hears of nothing before the opponent has moved too.
				if state := parse(line).state(); state != nil && state.ply() == 1 {
					return nil
				}
				return []string{line}
			}})
			a.startAt(n.URL, "castellan", quick())
			// White has one legal move, which is to castle. Then the rook on f4 is to be had, and g1h1 is a move of the king.
			id := a.startGame(sandbox.GameSetup{White: "Castellan", Black: "Person", Limit: time.Minute,
				FEN: "4kr2/8/8/8/8/7p/7P/6KR w H - 0 1"})
			select {
			case <-played:
			case <-time.After(patience):
				t.Fatal("no move was sent")
			}
			if breaks {
				a.until("the bot has noticed", func() bool { return n.count(gameStream) > 1 || n.count("/move/") > 1 })
			}
			a.move(id, "f8f4")
			a.plies(id, 3)
			if got := strings.Join(a.game(id).Moves[:3], " "); got != "g1h1 f8f4 f1f4" {
				t.Errorf("the moves are %s", got)
			}
			if n.count("/move/g1h1") != 1 {
				t.Errorf("castling was sent again: %q", n.requests("/move/"))
			}
		})
	}
}
