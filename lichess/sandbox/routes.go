package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"castellan/lichess"
)

const (
	maxBody  = 64 << 10         // bytes of a request body that are read
	bodyWait = 10 * time.Second // for the body to arrive, in real time
)

// The OAuth scopes that the endpoints ask for.
const (
	scopeBot            = lichess.ScopeBotPlay
	scopeBoard          = "board:play"
	scopeChallengeRead  = "challenge:read"
	scopeChallengeWrite = "challenge:write"
)

// call is one request on its way through a handler, which runs with s.mu held.
type call struct {
	r    *http.Request
	me   *account   // nil when the endpoint needs no token
	form url.Values // of the query, and of the body when it is a form or JSON
	body []byte
}

func (c *call) path(name string) string { return c.r.PathValue(name) }

// document is a reply that is not JSON.
type document struct {
	contentType string
	body        []byte
}

// handler answers a call: with a value to be sent as JSON, a *document or a
// *stream, or with an error, which is an *apiError.
type handler func(c *call) (any, error)

// routes registers all endpoints.
func (s *Server) routes(route func(pattern string, scopes []string, h handler)) {
	anyToken := []string{}
	challenger := []string{scopeChallengeWrite, scopeBot, scopeBoard}
	reader := []string{scopeChallengeRead}
	listener := []string{scopeChallengeRead, scopeBot, scopeBoard}

	route("POST /api/token/test", nil, s.testTokens)
	route("GET /api/account", anyToken, s.ownAccount)
	route("GET /api/account/playing", anyToken, s.nowPlaying)
	route("GET /api/user/{name}", nil, s.userByName)
	route("GET /api/users/status", nil, s.usersStatus)
	route("GET /api/bot/online", nil, s.onlineBots)
	route("POST /api/bot/account/upgrade", []string{scopeBot}, s.upgrade)

	route("GET /api/stream/event", listener, s.openEvents)
	route("GET /api/challenge", reader, s.listChallenges)
	route("GET /api/challenge/{id}/show", reader, s.showChallenge)
	route("POST /api/challenge/{user}", challenger, s.createChallenge)
	route("POST /api/challenge/{id}/accept", challenger, s.acceptChallenge)
	route("POST /api/challenge/{id}/decline", challenger, s.declineChallenge)
	route("POST /api/challenge/{id}/cancel", challenger, s.cancelChallenge)

	// On Lichess these have hosts of their own, but for the cloud.
	route("GET /masters", anyToken, s.explore(true))
	route("GET /lichess", anyToken, s.explore(false))
	route("GET /standard", nil, s.endgame)
	route("GET /api/cloud-eval", nil, s.cloudEval)

	tournament := []string{lichess.ScopeTournament}
	route("GET /api/tournament/{id}", nil, s.showArena)
	route("POST /api/tournament/{id}/join", tournament, s.joinArena)
	route("POST /api/tournament/{id}/withdraw", tournament, s.leaveArena)

	route("GET /game/export/{id}", nil, s.exportGame)
	route("POST /api/round/{id}/add-time/{seconds}", []string{scopeChallengeWrite}, s.addTime)
	for _, api := range []struct {
		name string
		bot  bool
	}{{"bot", true}, {"board", false}} {
		scope := []string{scopeBoard}
		if api.bot {
			scope = []string{scopeBot}
		}
		game := func(path string, h gameHandler) {
			route("POST /api/"+api.name+"/game/{id}/"+path, scope, s.inGame(api.bot, h))
		}
		// "stream/{id}" and "{id}/chat" would be ambiguous to the mux.
		stream, chat := s.inGame(api.bot, s.openGame), s.inGame(api.bot, s.readChat)
		route("GET /api/"+api.name+"/game/{first}/{second}", scope, func(c *call) (any, error) {
			switch first, second := c.path("first"), c.path("second"); {
			case first == "stream":
				c.r.SetPathValue("id", second)
				return stream(c)
			case second == "chat":
				c.r.SetPathValue("id", first)
				return chat(c)
			}
			return nil, notFound()
		})
		game("move/{uci}", s.move)
		game("chat", s.writeChat)
		game("abort", s.abort)
		game("resign", s.resign)
		game("draw/{answer}", s.draw)
		game("takeback/{answer}", s.takeback)
		game("claim-victory", s.claimVictory)
		game("claim-draw", s.claimDraw)
		game("berserk", func(*call, pov) (any, error) { return nil, badRequest("Cannot berserk") })
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.opts.OnRequest != nil {
		s.opts.OnRequest(r.Method, r.URL.Path)
	}
	s.mu.Lock()
	s.requests[r] = r.Method + " " + r.URL.Path
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.requests, r)
	}()
	if _, pattern := s.mux.Handler(r); pattern == "" {
		if s.opts.Pages != nil && !strings.HasPrefix(r.URL.Path, "/api/") {
			s.opts.Pages.ServeHTTP(w, r)
			return
		}
		writeReply(w, r, nil, notFound())
		return
	}
	s.mux.ServeHTTP(w, r)
}

// route registers a handler. With scopes nil no token is needed; otherwise the
// token must have one of them, or just be valid when the list is empty.
func (s *Server) route(pattern string, scopes []string, h handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		c := &call{r: r}
		err := c.read(w)
		if err != nil {
			writeReply(w, r, nil, err)
			return
		}
		reply, err := s.answer(w.Header(), scopes, c, h)
		if st, ok := reply.(*stream); ok && err == nil {
			s.serve(w, r, st)
			return
		}
		writeReply(w, r, reply, err)
	})
}

// answer runs the handler with s.mu held. What it returns shares nothing with
// the state of the server.
func (s *Server) answer(header http.Header, scopes []string, c *call, h handler) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, refuse(http.StatusServiceUnavailable, "The server is closing")
	}
	if scopes != nil {
		me, err := s.authenticate(header, c.r, scopes)
		if err != nil {
			return nil, err
		}
		c.me = me
	}
	reply, err := h(c)
	if err != nil {
		return nil, err
	}
	switch reply.(type) {
	case *stream, *document:
		return reply, nil
	}
	return &document{"application/json", encode(reply)}, nil
}

func writeReply(w http.ResponseWriter, r *http.Request, reply any, err error) {
	doc, _ := reply.(*document)
	code := http.StatusOK
	if err != nil {
		var refusal *apiError
		if !errors.As(err, &refusal) {
			refusal = &apiError{http.StatusInternalServerError, lichess.ErrorBody{Error: err.Error()}}
		}
		code = refusal.code
		doc = &document{"application/json", encode(refusal.body)}
	}
	w.Header().Set("Content-Type", doc.contentType)
	w.WriteHeader(code)
	if r.Method != http.MethodHead {
		w.Write(doc.body)
	}
}

// read takes in the body and the form values. Bodies may be forms or JSON
// objects, whose inner objects give dotted names ("clock.limit").
func (c *call) read(w http.ResponseWriter) error {
	var err error
	if c.r.ContentLength != 0 {
		// The deadline must go again: it would end a stream.
		control := http.NewResponseController(w)
		control.SetReadDeadline(time.Now().Add(bodyWait))
		c.body, err = io.ReadAll(http.MaxBytesReader(w, c.r.Body, maxBody))
		control.SetReadDeadline(time.Time{})
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			return refuse(http.StatusRequestEntityTooLarge, "The request body is larger than %d bytes", maxBody)
		case err != nil:
			return badRequest("The request body cannot be read: %v", err)
		}
	}
	if c.form, err = url.ParseQuery(c.r.URL.RawQuery); err != nil {
		return badRequest("Invalid query: %v", err)
	}
	kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	switch {
	case len(c.body) == 0:
	case kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(c.body))
		if err != nil {
			return badRequest("Invalid form: %v", err)
		}
		for name, values := range form {
			c.form[name] = values
		}
	case kind == "application/json":
		var fields map[string]any
		decoder := json.NewDecoder(bytes.NewReader(c.body))
		decoder.UseNumber() // so that 1000000 stays as it is written
		if err := decoder.Decode(&fields); err != nil {
			return badRequest("Invalid JSON: %v", err)
		}
		flatten(c.form, "", fields)
	}
	return nil
}

func flatten(form url.Values, prefix string, fields map[string]any) {
	for name, value := range fields {
		switch v := value.(type) {
		case nil:
		case map[string]any:
			flatten(form, prefix+name+".", v)
		default:
			form.Set(prefix+name, fmt.Sprint(v))
		}
	}
}

// authenticate finds the account of the bearer token, and tells in the header
// what the token may do and what the endpoint asks for.
func (s *Server) authenticate(header http.Header, r *http.Request, scopes []string) (*account, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return nil, refuse(http.StatusUnauthorized, "Missing authorization header")
	}
	me := s.tokens[strings.TrimSpace(token)]
	if me == nil {
		return nil, refuse(http.StatusUnauthorized, "No such token")
	}
	header.Set("X-OAuth-Scopes", strings.Join(me.Scopes, ", "))
	header.Set("X-Accepted-OAuth-Scopes", strings.Join(scopes, ", "))
	if me.Closed {
		return nil, refuse(http.StatusUnauthorized, "No such user")
	}
	if name := agentUser.FindStringSubmatch(r.UserAgent()); name != nil && lichess.UserID(name[1]) != me.id {
		return nil, refuse(http.StatusUnauthorized, "The user in the user-agent doesn't match the token bearer")
	}
	if len(scopes) > 0 && !me.hasScope(scopes) {
		return nil, refuse(http.StatusForbidden, "Missing scope: %s", strings.Join(scopes, ", "))
	}
	me.seen = s.now()
	return me, nil
}

// agentUser finds the name that a user agent gives as "user:name" or "as:name".
// Clients that do not know it yet send something that is no name, such as "?".
var agentUser = regexp.MustCompile(`\b(?:user|as):\s?([\w-]{2,30})`)
