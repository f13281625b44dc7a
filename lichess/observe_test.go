package lichess

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestObserveSeesEachTry counts what goes over the network: the repetitions too, and what gets no answer.
func TestObserveSeesEachTry(t *testing.T) {
	var mu sync.Mutex
	var seen []Try
	answers := []int{http.StatusBadGateway, http.StatusTooManyRequests}
	c := newTestClient(t, Options{Observe: func(try Try) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, try)
	}}, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case r.URL.Path == "/api/account/playing":
			panic(http.ErrAbortHandler)
		case len(answers) > 0:
			w.WriteHeader(answers[0])
			answers = answers[1:]
		default:
			io.WriteString(w, `{"id":"castellan","username":"Castellan"}`)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	c.Account(ctx)                                    // 502, again, 429
	c.DeclineChallenge(ctx, "abcdefgh", DeclineLater) // 200
	c.Playing(ctx, 5)                                 // held back: the group is limited
	c.ExportPGN(ctx, "abcdefgh")
	got := map[Try]int{}
	mu.Lock()
	defer mu.Unlock()
	for _, try := range seen {
		if try.Took <= 0 || try.Took > 3*time.Second {
			t.Errorf("%s took %s", try.Endpoint, try.Took)
		}
		try.Took = 0
		got[try]++
	}
	for _, want := range []Try{
		{"GET /api/account", http.StatusBadGateway, 0},
		{"GET /api/account", http.StatusTooManyRequests, 0},
		{"POST /api/challenge/{id}/decline", http.StatusOK, 0},
		{"GET /game/export/{id}", http.StatusOK, 0},
	} {
		if got[want] != 1 {
			t.Errorf("%v was seen %d times, of %v", want, got[want], seen)
		}
	}
	if slices.ContainsFunc(seen, func(try Try) bool { return try.Endpoint == epPlaying.String() }) {
		t.Error("a call was seen that was never made")
	}
}

// TestEventsHeard tells a stream that lives from one that is silent, by its blank lines.
func TestEventsHeard(t *testing.T) {
	beat := make(chan bool)
	c := newTestClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		http.NewResponseController(w).Flush()
		for range beat {
			io.WriteString(w, "\n")
			http.NewResponseController(w).Flush()
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for range c.Events(ctx) {
		}
	}()
	if !c.EventsHeard().IsZero() {
		t.Error("something was heard before the first line")
	}
	var last time.Time
	for range 3 {
		before := time.Now()
		beat <- true
		for !c.EventsHeard().After(last) {
			time.Sleep(time.Millisecond)
		}
		if last = c.EventsHeard(); last.Before(before.Add(-time.Second)) || last.After(time.Now()) {
			t.Errorf("a line of %s was heard at %s", before, last)
		}
	}
	close(beat)
	cancel()
	<-ended
}
