package replay

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"castellan/lichess/record"
)

// exchange is a request of the recording with what came of it.
type exchange struct {
	method, path string
	query        url.Values
	reply        *record.Entry // nil when none came
	fault        string        // why no reply came, or the rest of one
	decision     *decision     // nil for a request that decides nothing
	index        int           // of the entry of the request
	claimed      bool          // a request of the client has taken it
	again        bool          // it repeats a decision

	// Of streams.
	stream bool
	opened chan struct{} // closed when the client has opened it
	closed chan struct{} // closed when the client has left it
	lines  chan []byte   // to be sent; closed at the end
	ended  bool          // Run has closed it
}

func newExchange(method, address string) *exchange {
	// The reader has seen that it is one.
	u, err := url.ParseRequestURI(address)
	if err != nil {
		u = &url.URL{Path: "/"}
	}
	return &exchange{method: method, path: u.Path, query: u.Query()}
}

// Decision is what the client decided at one point of a recording, then and now.
type Decision struct {
	At       time.Time // of the recorded request, or about when it would have been made
	Where    string    // it stands, as FILE:LINE
	About    string    // "game Ab3dEf9h" or "challenge Ab3dEf9h"
	Ply      int       // number of moves played before it; -1 for a challenge
	Recorded string    // such as "e2e4" or "decline: rated"; "" for what was not decided then
	Now      string    // "" for what was not decided now
	index    int       // of the entry
}

// Differs tells whether the client decides otherwise now.
func (d *Decision) Differs() bool { return d.Recorded != d.Now }

// decision is one that the recording waits for.
type decision struct {
	about string // as in Decision
	group string // decisions of one group exclude each other
	ply   int
	text  string
}

// decisionOf reads a request as a decision; nil when it is none. The ply of a game is not filled in.
func decisionOf(method, path string, query url.Values, body []byte) *decision {
	parts := strings.Split(strings.TrimPrefix(path, "/api/"), "/")
	switch {
	case method != "POST" || !strings.HasPrefix(path, "/api/"):
	case len(parts) == 3 && parts[0] == "challenge":
		d := &decision{about: "challenge " + parts[1], group: "answer", ply: -1, text: parts[2]}
		if parts[2] == "decline" {
			if form, err := url.ParseQuery(string(body)); err == nil && form.Get("reason") != "" {
				d.text += ": " + form.Get("reason")
			}
		}
		return d
	case len(parts) >= 4 && parts[0] == "bot" && parts[1] == "game":
		d := &decision{about: "game " + parts[2], group: "turn", text: strings.Join(parts[3:], " ")}
		switch parts[3] {
		case "chat":
			return nil
		case "move":
			d.text = strings.Join(parts[4:], " ")
			if query.Get("offeringDraw") == "true" {
				d.text += " with a draw offer"
			}
		case "draw", "takeback":
			d.group = parts[3]
		}
		return d
	}
	return nil
}

// gameOf returns the id of the game whose stream a path is; "" for another path.
func gameOf(path string) string {
	id, ok := strings.CutPrefix(path, "/api/bot/game/stream/")
	if !ok || strings.Contains(id, "/") {
		return ""
	}
	return id
}

// state is what a line of a game's stream tells of the game, apart from its clocks.
type state struct {
	Moves, Status                      string
	WDraw, BDraw, WTakeback, BTakeback bool
}

// stateOf returns the state that a line of a game's stream tells; false when it tells none.
func stateOf(line []byte) (state, bool) {
	type wire struct {
		Moves     *string `json:"moves"`
		Status    string  `json:"status"`
		WDraw     bool    `json:"wdraw"`
		BDraw     bool    `json:"bdraw"`
		WTakeback bool    `json:"wtakeback"`
		BTakeback bool    `json:"btakeback"`
	}
	var full struct {
		wire
		State wire `json:"state"`
	}
	if json.Unmarshal(line, &full) != nil {
		return state{}, false
	}
	w := full.wire
	if w.Moves == nil {
		w = full.State
	}
	if w.Moves == nil {
		return state{}, false
	}
	return state{*w.Moves, w.Status, w.WDraw, w.BDraw, w.WTakeback, w.BTakeback}, true
}

// plyOf returns the number of moves that a line of a game's stream tells; false when it tells none.
func plyOf(line []byte) (int, bool) {
	s, ok := stateOf(line)
	return len(strings.Fields(s.Moves)), ok
}

// isChat tells whether a line is somebody's chat, on which nothing is decided.
func isChat(line []byte) bool {
	var message struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(line, &message) == nil && message.Type == "chatLine"
}

// usernameOf returns the name of an account as the server describes it.
func usernameOf(account []byte) string {
	var me struct {
		Username string `json:"username"`
	}
	_ = json.Unmarshal(account, &me) // what is no account has no name
	return me.Username
}
