package replay

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"castellan/lichess/record"
)

// maxBody bounds what is read of a request, in bytes.
const maxBody = 1 << 20

// ServeHTTP answers as the server of the recording did.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	if d := decisionOf(r.Method, r.URL.Path, r.URL.Query(), body); d != nil {
		if x := s.decided(d); x != nil && x.decision.text == d.text {
			s.answer(w, r, x, nil)
			return
		}
		// What was not decided then has no recorded answer. That it went well is the one that leads on.
		writeJSON(w, http.StatusOK, []byte(`{"ok":true}`))
		return
	}
	x := s.claim(r)
	switch {
	case x != nil && x.stream:
		s.serveStream(w, r, x)
	case x != nil && r.URL.Path == "/api/token/test":
		s.answer(w, r, x, body)
	case x != nil:
		s.answer(w, r, x, nil)
	case r.URL.Path == eventStream:
		s.idle(w, r)
	case r.URL.Path == "/api/account":
		writeJSON(w, http.StatusOK, encode(map[string]string{"id": s.account, "username": s.account, "title": "BOT"}))
	case r.URL.Path == "/api/token/test":
		writeJSON(w, http.StatusOK, encode(map[string]any{string(body): map[string]string{"userId": s.account, "scopes": "bot:play"}}))
	case r.Method == http.MethodPost:
		writeJSON(w, http.StatusOK, []byte(`{"ok":true}`))
	case gameOf(r.URL.Path) != "" && len(s.lines["game "+gameOf(r.URL.Path)]) > 0:
		s.idle(w, r)
	default:
		writeJSON(w, http.StatusNotFound, []byte(`{"error":"not in the recording"}`))
	}
}

// claim takes the next exchange of the recording with the same method and path; a look-up that was made less often then is
// answered as the last time.
func (s *Server) claim(r *http.Request) (found *exchange) {
	s.change(func() {
		for _, x := range s.exchanges {
			if x.method != r.Method || x.path != r.URL.Path || x.decision != nil {
				continue
			}
			if !x.claimed {
				x.claimed, found = true, x
				return
			}
			if !x.stream && r.Method == http.MethodGet {
				found = x
			}
		}
	})
	return found
}

// answer gives the recorded reply, or the fault that came in its place. A token is put where the recording masks it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, x *exchange, token []byte) {
	switch {
	case x.reply == nil && x.fault == "":
		writeJSON(w, http.StatusOK, []byte(`{"ok":true}`)) // the recording ends before the reply
		return
	case x.reply == nil:
		panic(http.ErrAbortHandler) // breaks the connection
	}
	for name, value := range x.reply.Header {
		w.Header().Set(name, value)
	}
	text := []byte(x.reply.Text)
	if token != nil {
		text = bytes.ReplaceAll(text, []byte(record.Masked), token)
	}
	w.WriteHeader(x.reply.Status)
	w.Write(text)
	if x.fault != "" || x.reply.Cut {
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// serveStream writes the lines of a recorded stream as Run passes them on.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request, x *exchange) {
	defer s.change(func() { close(x.closed) })
	if x.reply != nil && x.reply.Status != http.StatusOK {
		s.change(func() { close(x.opened) })
		s.answer(w, r, x, nil)
		return
	}
	flush := s.beginStream(w)
	s.change(func() { close(x.opened) })
	beat := time.NewTicker(keepAlive)
	defer beat.Stop()
	for {
		var line []byte
		select {
		case next, more := <-x.lines:
			if !more {
				if x.fault != "" && x.fault != closed {
					panic(http.ErrAbortHandler)
				}
				return
			}
			line = next
		case <-beat.C:
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
		if _, err := w.Write(append(line[:len(line):len(line)], '\n')); err != nil || flush() != nil {
			return
		}
	}
}

// idle keeps a stream open that says nothing.
func (s *Server) idle(w http.ResponseWriter, r *http.Request) {
	flush := s.beginStream(w)
	for {
		select {
		case <-time.After(keepAlive):
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
		if _, err := w.Write([]byte("\n")); err != nil || flush() != nil {
			return
		}
	}
}

func (s *Server) beginStream(w http.ResponseWriter) (flush func() error) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	flush = http.NewResponseController(w).Flush
	flush() // a failure shows with the next line
	return flush
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body)
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("replay: a reply does not marshal: " + err.Error())
	}
	return b
}
