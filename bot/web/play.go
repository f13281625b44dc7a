package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"castellan/engine/chess"
)

// answerWithin bounds the time that it takes to bring a bot online or to start a game.
const answerWithin = 30 * time.Second

// Level is a strength that an opponent can have.
type Level struct {
	Key  string `json:"key"`  // what the page sends when it is chosen
	Name string `json:"name"` // what people read
}

// Exhibition is a game between two bots, for people to watch.
type Exhibition struct {
	White, Black string // keys of levels
	Limit        time.Duration
	Increment    time.Duration
	FEN          string // "" for the usual start
	Chess960     bool   // with FEN "" from a random start
}

// Watched says how the page can follow a game between two bots.
type Watched struct {
	ID    string `json:"id"`
	Token string `json:"token"` // of the bot whose stream of the game the page reads along
}

// PlayOptions are what the page needs to know of the server that it stands on.
type PlayOptions struct {
	Name  string // of the account that the person plays with
	Token string // of that account. Whoever can load the page gets it

	Levels []Level // weakest first
	Level  string  // key of the one that is chosen at first

	Limit, Increment time.Duration // the clock that is chosen at first, in whole seconds

	// Opponent brings the bot of a level online and returns its account's name.
	Opponent func(ctx context.Context, level string) (name string, err error)
	// Exhibit starts a game between two bots. An error is shown to the person.
	Exhibit func(ctx context.Context, game Exhibition) (Watched, error)
	// Watch returns how to follow a game that Exhibit has started, and whether there is one.
	Watch func(id string) (Watched, bool)
}

// session is what the page asks for first.
type session struct {
	Name      string  `json:"name"`
	Token     string  `json:"token"`
	Levels    []Level `json:"levels"`
	Level     string  `json:"level"`
	Limit     int     `json:"limit"`     // seconds
	Increment int     `json:"increment"` // seconds
}

var gameID = regexp.MustCompile(`^[A-Za-z0-9]{8}$`)

// NewPlay returns the page on which a person plays, at / and at /GAMEID, with all that it loads. It takes POST from its own pages
// alone. [KnownHosts] belongs before the whole server that it stands on, since it gives a token away.
func NewPlay(o PlayOptions) http.Handler {
	mux := http.NewServeMux()
	page := func(w http.ResponseWriter, r *http.Request) { serveAsset(w, r, "play.html") }
	mux.HandleFunc("GET /{$}", page)
	mux.HandleFunc("GET /{id}", func(w http.ResponseWriter, r *http.Request) {
		if !gameID.MatchString(r.PathValue("id")) {
			http.NotFound(w, r)
			return
		}
		page(w, r)
	})
	mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) { serveAsset(w, r, r.PathValue("name")) })
	mux.HandleFunc("POST /rules", answerRules)
	mux.HandleFunc("GET /play/session", func(w http.ResponseWriter, r *http.Request) {
		reply(w, http.StatusOK, session{o.Name, o.Token, o.Levels, o.Level, int(o.Limit.Seconds()), int(o.Increment.Seconds())})
	})
	mux.HandleFunc("POST /play/opponent", o.opponent)
	mux.HandleFunc("POST /play/exhibition", o.exhibition)
	mux.HandleFunc("GET /play/exhibition/{id}", func(w http.ResponseWriter, r *http.Request) {
		watched, ok := o.Watch(r.PathValue("id"))
		if !ok {
			fail(w, http.StatusNotFound, errors.New("no such game between bots"))
			return
		}
		reply(w, http.StatusOK, watched)
	})
	sameOrigin := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		sameOrigin.ServeHTTP(w, r)
	})
}

func answerRules(w http.ResponseWriter, r *http.Request) {
	game, err := readQuestion(http.MaxBytesReader(w, r.Body, maxQuestion))
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	reply(w, http.StatusOK, explain(game))
}

// choice is what the page sends to get an opponent.
type choice struct {
	Level string `json:"level"`
}

func (o *PlayOptions) opponent(w http.ResponseWriter, r *http.Request) {
	var c choice
	if !o.read(w, r, &c) || !o.known(w, c.Level) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
	defer cancel()
	name, err := o.Opponent(ctx, c.Level)
	if err != nil {
		fail(w, http.StatusServiceUnavailable, err)
		return
	}
	reply(w, http.StatusOK, struct {
		Name string `json:"name"`
	}{name})
}

// show is what the page sends to see two bots play.
type show struct {
	White     string `json:"white"`
	Black     string `json:"black"`
	Limit     int    `json:"limit"`     // seconds
	Increment int    `json:"increment"` // seconds
	FEN       string `json:"fen"`
	Chess960  bool   `json:"chess960"`
}

const maxClock = 3 * 60 * 60 // seconds

func (o *PlayOptions) exhibition(w http.ResponseWriter, r *http.Request) {
	var s show
	if !o.read(w, r, &s) || !o.known(w, s.White) || !o.known(w, s.Black) {
		return
	}
	if s.Limit < 0 || s.Limit > maxClock || s.Increment < 0 || s.Increment > 60 || s.Limit+s.Increment == 0 {
		fail(w, http.StatusBadRequest, errors.New("the clock must have up to 180 minutes and up to 60 seconds a move, and not be 0+0"))
		return
	}
	if s.FEN != "" {
		start, err := chess.ParseFEN(s.FEN)
		if err != nil {
			fail(w, http.StatusBadRequest, err)
			return
		}
		if outcome := chess.NewGame(start, chess.LichessBot).Outcome(); outcome.Over() {
			fail(w, http.StatusBadRequest, fmt.Errorf("in this position the game is over: %s", outcome.Reason))
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
	defer cancel()
	watched, err := o.Exhibit(ctx, Exhibition{
		White: s.White, Black: s.Black, FEN: s.FEN, Chess960: s.Chess960,
		Limit: time.Duration(s.Limit) * time.Second, Increment: time.Duration(s.Increment) * time.Second,
	})
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	reply(w, http.StatusOK, watched)
}

// read reads a small JSON body, and answers the request when it cannot.
func (o *PlayOptions) read(w http.ResponseWriter, r *http.Request, v any) bool {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxQuestion))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		fail(w, http.StatusBadRequest, fmt.Errorf("the request cannot be read: %w", err))
		return false
	}
	return true
}

// known tells whether there is such a level, and answers the request when there is none.
func (o *PlayOptions) known(w http.ResponseWriter, key string) bool {
	for _, l := range o.Levels {
		if l.Key == key {
			return true
		}
	}
	fail(w, http.StatusBadRequest, fmt.Errorf("there is no strength %q", key))
	return false
}

func reply(w http.ResponseWriter, code int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("web: a reply does not marshal: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	w.Write(body)
}

// fail answers in the form that the Lichess API has for errors, so that the page reads one form.
func fail(w http.ResponseWriter, code int, err error) {
	reply(w, code, struct {
		Error string `json:"error"`
	}{err.Error()})
}
