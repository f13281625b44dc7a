package bot_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// chaosFlood is how many chat lines run the server's queue of 32 lines over.
const chaosFlood = 40

// chaosLines writes a stream of the daemon, which the sandbox writes line by line, and spoils lines.
type chaosLines struct {
	http.ResponseWriter
	proxy *chaosProxy
	game  string // "" for the event stream
	begun bool   // the first lines are written: those that follow have been in the server's queue
}

func (l *chaosLines) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// FlushError is called by the server after the first lines and after each time that it has emptied the queue.
func (l *chaosLines) FlushError() error {
	l.begun = true
	return http.NewResponseController(l.ResponseWriter).Flush()
}

func (l *chaosLines) flush() { http.NewResponseController(l.ResponseWriter).Flush() }

func (l *chaosLines) Write(line []byte) (int, error) {
	plies, isState := chaosPlies(line)
	if len(bytes.TrimSpace(line)) == 0 || l.game != "" && !isState {
		return l.ResponseWriter.Write(line)
	}
	aim := aimEvent
	if l.game != "" {
		aim = aimGame
	}
	s := l.proxy.strike(func(s chaosStrike) bool {
		return s.fault.onLines() && s.aim == aim && (s.fault != lostLines || l.begun)
	})
	if s == nil {
		l.showed(plies)
		return l.ResponseWriter.Write(line)
	}
	record := l.proxy.record
	switch s.fault {
	case damagedLine:
		record.injected(damagedLine, 0, chaosScope(l.game)...)
		if l.game != "" {
			record.damaged(l.game)
			record.showed(l.game, plies)
		}
		return l.ResponseWriter.Write(damagedBy(line, s.chance))
	case halfLine:
		record.injected(halfLine, 0, chaosScope(l.game)...)
		l.ResponseWriter.Write(line[:1+int(s.chance)%(len(line)-3)])
		l.flush()
		if s.chance%2 == 0 {
			panic(http.ErrAbortHandler)
		}
		return 0, errors.New("the stream ends here") // as if it were complete
	case doubledLine:
		record.injected(doubledLine, 0, chaosScope(l.game)...)
		l.showed(plies)
		l.ResponseWriter.Write(line)
	case lateLine:
		record.injected(lateLine, s.length, chaosScope(l.game)...)
		l.flush()
		time.Sleep(s.length)
		l.showed(plies)
	case lostLines:
		record.injected(lostLines, s.length, chaosScope(l.game)...)
		l.flush()
		time.Sleep(s.length)
		l.flood()
		return len(line), nil // this one was the oldest
	}
	return l.ResponseWriter.Write(line)
}

func (l *chaosLines) showed(plies int) {
	if l.game != "" {
		l.proxy.record.sound(l.game)
		l.proxy.record.showed(l.game, plies)
	}
}

// damagedBy returns a line with another byte in one place: in every other line in the moves, if there are any.
func damagedBy(line []byte, chance uint32) []byte {
	low, n := 1, len(line)-3
	if at := bytes.Index(line, []byte(`"moves":"`)); at >= 0 && chance%2 == 0 {
		if length := bytes.IndexByte(line[at+9:], '"'); length > 0 {
			low, n = at+9, length
		}
	}
	damaged := bytes.Clone(line)
	damaged[low+int(chance/8)%n] = [...]byte{0xff, '#', 0, ' '}[chance/2%4]
	return damaged
}

// flood makes an opponent do so much that the queue loses what was in it: the server loses lines in no other way. A game's it fills
// with chat, that of the events with challenges that are taken back.
func (l *chaosLines) flood() {
	if l.game == "" {
		for range chaosFlood / 2 {
			id, err := l.proxy.server.Challenge(chaosPersons, chaosDaemon, sandbox.ChallengeSetup{HasClock: true, Limit: 60})
			if err != nil {
				panic(err)
			}
			chaosAsk(l.proxy.server, chaosPersons, "/api/challenge/"+id+"/cancel", nil)
		}
		return
	}
	g, _ := l.proxy.server.Game(l.game)
	opponent, api := g.White, "bot"
	if opponent == chaosDaemon {
		opponent = g.Black
	}
	if strings.HasPrefix(opponent, chaosPersons) {
		api = "board"
	}
	for i := range chaosFlood {
		chaosAsk(l.proxy.server, opponent, "/api/"+api+"/game/"+l.game+"/chat", url.Values{"room": {string(lichess.RoomPlayer)}, "text": {fmt.Sprint("flood ", i)}})
	}
}

// chaosAsk posts something in the name of somebody who sits beside the server.
func chaosAsk(server *sandbox.Server, name, path string, form url.Values) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Authorization", "Bearer "+chaosToken(name))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	server.ServeHTTP(httptest.NewRecorder(), r)
}

// chaosPlies returns the number of moves that a line of a game's stream shows, false when it is no state.
func chaosPlies(line []byte) (int, bool) {
	var wire struct {
		Type  string
		Moves string
		State struct{ Moves string }
	}
	if json.Unmarshal(line, &wire) != nil {
		return 0, false
	}
	switch wire.Type {
	case "gameFull":
		return len(strings.Fields(wire.State.Moves)), true
	case "gameState":
		return len(strings.Fields(wire.Moves)), true
	}
	return 0, false
}
