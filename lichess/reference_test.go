package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestReferenceReadsAnswers decodes samples of what the services answer; TestSamples has the official ones too.
func TestReferenceReadsAnswers(t *testing.T) {
	read := func(name string, v any) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(samplesDir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var e Exploration
	read("explorer-lichess.json", &e)
	if e.White != 4120 || e.Draws != 387 || e.Black != 3951 || len(e.Moves) != 3 || e.Moves[0] != (ExplorerMove{"e1h1", "O-O", 2287, 3011, 264, 2790}) {
		t.Errorf("%+v", e)
	}
	e = Exploration{}
	read("explorer-masters.json", &e)
	if e.Draws != 58 || len(e.Moves) != 2 || e.Moves[1].UCI != "g7g5" {
		t.Errorf("%+v", e)
	}
	var c CloudEval
	read("cloud-eval.json", &c)
	if c.KNodes != 8124 || c.Depth != 34 || len(c.PVs) != 3 || *c.PVs[1].CP != 0 || *c.PVs[2].CP != -8 || c.PVs[0].Mate != nil || !strings.HasPrefix(c.PVs[0].Moves, "g1f3 ") {
		t.Errorf("%+v", c)
	}
	c = CloudEval{}
	read("cloud-eval-mate.json", &c)
	if len(c.PVs) != 1 || *c.PVs[0].Mate != -1 || c.PVs[0].CP != nil {
		t.Errorf("%+v", c)
	}
	var end Endgame
	read("tablebase-standard.json", &end)
	if m := end.Moves; end.Category != CategoryWin || *end.DTZ != 1 || len(m) != 3 || !m[0].Zeroing || !m[0].Checkmate || *m[0].DTM != -1 ||
		m[1].Category != CategorySyzygyLoss || *m[1].DTZ != -2 || m[1].PreciseDTZ != nil || !m[2].InsufficientMaterial || *m[2].DTM != 0 {
		t.Errorf("%+v", end)
	}
	end = Endgame{}
	read("tablebase-unknown.json", &end)
	if end.Category != CategoryUnknown || end.DTZ != nil || len(end.Moves) != 1 || end.Moves[0].DTZ != nil {
		t.Errorf("%+v", end)
	}
}

// referenceTo returns a Reference whose services are all one handler.
func referenceTo(t *testing.T, h http.HandlerFunc) *Reference {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	r, err := NewReference(ReferenceOptions{ExplorerURL: server.URL, CloudURL: server.URL, TablebaseURL: server.URL, ExplorerToken: "lip_xReference"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func TestTokenOfTheExplorerGoesThereAlone(t *testing.T) {
	with := map[string]string{}
	r := referenceTo(t, func(w http.ResponseWriter, r *http.Request) {
		with[r.URL.Path] = r.Header.Get("Authorization")
		w.Write([]byte("{}"))
	})
	r.Explore(t.Context(), DatabaseMasters, VariantStandard, "x")
	r.Explore(t.Context(), DatabaseLichess, VariantStandard, "x")
	r.Evaluate(t.Context(), VariantStandard, "x")
	r.Endgame(t.Context(), "x")
	want := map[string]string{"/masters": "Bearer lip_xReference", "/lichess": "Bearer lip_xReference", "/api/cloud-eval": "", "/standard": ""}
	for path, header := range want {
		if got, asked := with[path]; !asked || got != header {
			t.Errorf("%s: Authorization %q (asked: %v)", path, got, asked)
		}
	}
	for _, o := range []ReferenceOptions{
		{ExplorerURL: "http://explorer.example.org", ExplorerToken: "lip_xReference"}, {TablebaseURL: "ftp://x"}, {ExplorerToken: "no token"}, {CloudURL: "https://me@x"},
	} {
		if _, err := NewReference(o); err == nil || strings.Contains(err.Error(), "lip_x") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestReferenceLearnsFromFailures counts what a service is asked that answers in some way.
func TestReferenceLearnsFromFailures(t *testing.T) {
	for name, test := range map[string]struct {
		answer  func(w http.ResponseWriter)
		forEver bool
		pause   time.Duration // after the first failure, about
	}{
		"moved":        {func(w http.ResponseWriter) { w.Header().Set("Location", "/elsewhere"); w.WriteHeader(301) }, true, 0},
		"unauthorized": {func(w http.ResponseWriter) { w.WriteHeader(401) }, true, 0},
		"forbidden":    {func(w http.ResponseWriter) { w.WriteHeader(403) }, true, 0},
		"gone":         {func(w http.ResponseWriter) { w.WriteHeader(404) }, true, 0},
		"limited":      {func(w http.ResponseWriter) { w.WriteHeader(429) }, false, leastLimitPause},
		"limited for": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "300")
			w.WriteHeader(429)
		}, false, 300 * time.Second},
		"broken":  {func(w http.ResponseWriter) { w.WriteHeader(502); w.Write([]byte("<html>")) }, false, leastStrikePause},
		"garbage": {func(w http.ResponseWriter) { w.Write([]byte(`{"moves":7}`)) }, false, leastStrikePause},
		"endless": {func(w http.ResponseWriter) { w.Write(make([]byte, maxReference+10)) }, false, leastStrikePause},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			r := referenceTo(t, func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				test.answer(w)
			})
			_, err := r.Explore(t.Context(), DatabaseMasters, VariantStandard, "x")
			if err == nil || strings.Contains(err.Error(), "lip_x") {
				t.Fatalf("got %v", err)
			}
			_, err = r.Explore(t.Context(), DatabaseMasters, VariantStandard, "x")
			var held *HeldBackError
			if !errors.As(err, &held) || asked.Load() != 1 || held.Until.IsZero() != test.forEver {
				t.Fatalf("got %v after %d requests", err, asked.Load())
			}
			if wait := time.Until(held.Until); !test.forEver && (wait > test.pause || wait < test.pause-10*time.Second) {
				t.Errorf("held back for %v, want %v", wait, test.pause)
			}
			// The others go on.
			if _, err := r.Endgame(t.Context(), "x"); errors.As(err, &held) {
				t.Errorf("another service: %v", err)
			}
		})
	}
}

func TestPausesGrowAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService("a service", nil)
		fault := errors.New("broken")
		for _, want := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 600, 600} {
			want *= time.Second
			held := s.learn(fault)
			if got := time.Until(held.Until); got != want {
				t.Fatalf("a pause of %v, want %v", got, want)
			}
			time.Sleep(want - time.Second)
			if s.heldBack() == nil {
				t.Fatal("the pause has ended early")
			}
			time.Sleep(time.Second)
			if err := s.heldBack(); err != nil {
				t.Fatal(err)
			}
		}
		if s.learn(nil) != nil || time.Until(s.learn(fault).Until) != leastStrikePause {
			t.Error("an answer does not make up for failures")
		}
	})
}

func TestReferenceKeepsToItsTime(t *testing.T) {
	release := make(chan struct{})
	r := referenceTo(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	for _, test := range []struct {
		cancel bool
		held   bool
	}{{true, false}, {false, true}} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if test.cancel {
			ctx, cancel = context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
		}
		start := time.Now()
		_, err := r.Endgame(ctx, "x")
		cancel()
		if err == nil || time.Since(start) > 10*time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if held := r.tablebase.heldBack() != nil; held != test.held {
			t.Errorf("cancelled %v: held back %v", test.cancel, held)
		}
	}
}
