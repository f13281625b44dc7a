package main

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"castellan/bot/web"
	"castellan/config"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// newTestHouse has a server and no bots yet, with the strength of the settings as given.
func newTestHouse(t *testing.T, elo int) *house {
	t.Helper()
	cfg, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Elo, cfg.HashMB, cfg.Threads = config.Int(elo), 1, 1
	ctx, cancel := context.WithCancel(t.Context())
	h := newHouse(ctx, &cfg, slog.New(slog.DiscardHandler))
	if h.server, err = startServer(sandbox.Options{}, rivalAccount); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		h.bots.Wait()
		h.server.Close()
	})
	return h
}

func TestLevels(t *testing.T) {
	for elo, want := range map[int]int{0: 12, 800: 12, 1400: 12, 1350: 13, 2799: 13} {
		h := house{cfg: &config.Config{}}
		h.cfg.Elo = config.Int(elo)
		levels := h.levels()
		if len(levels) != want {
			t.Errorf("with %d: %v", elo, levels)
		}
		chosen, known := h.page(clockFlag{base: time.Minute}).Level, false
		for _, l := range levels {
			known = known || l.Key == chosen
		}
		if !known || elo != 0 && chosen != levelOf(elo) {
			t.Errorf("with %d: %q is chosen at first, of %v", elo, chosen, levels)
		}
	}
}

func TestEachLevelIsABotOfItsOwn(t *testing.T) {
	h := newTestHouse(t, 1200)
	for level, want := range map[string]string{"1200": "Castellan", "800": "Castellan-800", fullStrength: "Castellan-full"} {
		for range 2 { // asked for again, it is the same
			name, _, err := h.opponent(botName, level)
			if err != nil || name != want {
				t.Errorf("level %s: %s, %v", level, name, err)
			}
		}
	}
	if _, _, err := h.opponent(botName, "strong"); err == nil {
		t.Error("a level that is none: no error")
	}
}

func TestTwoBotsOfOneLevelPlay(t *testing.T) {
	h := newTestHouse(t, 0)
	watched, err := h.exhibit(t.Context(), web.Exhibition{White: "800", Black: "800", Limit: 2 * time.Second, FEN: "8/8/8/4k3/8/8/8/3QK3 w - - 80 60"})
	if err != nil {
		t.Fatal(err)
	}
	if again, ok := h.watch(watched.ID); !ok || again != watched {
		t.Errorf("watch: %v, %v, want %v", again, ok, watched)
	}
	// A program elsewhere plays with the rival's token.
	id, err := h.server.StartGame(sandbox.GameSetup{White: rivalName, Black: "Castellan-800"})
	if err != nil {
		t.Fatal(err)
	}
	if foreign, ok := h.watch(id); !ok || foreign.Token != "lip_castellan_800" {
		t.Errorf("a game of another program: %v, %v", foreign, ok)
	}
	if _, ok := h.watch("nothing0"); ok {
		t.Error("there is no game nothing0")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	g, err := h.server.WaitGame(ctx, watched.ID)
	if err != nil {
		t.Fatal(err)
	}
	if g.White != "Castellan-800" || g.Black != "Steward-800" || g.Status == lichess.StatusAborted || len(g.Moves) < 2 {
		t.Errorf("%s against %s: %s, %v", g.White, g.Black, g.Status, g.Moves)
	}
	if _, err := h.exhibit(t.Context(), web.Exhibition{White: "800", Black: "800", Limit: time.Second, FEN: "nonsense"}); err == nil {
		t.Error("a FEN that is none: no error")
	}
}

func TestReachable(t *testing.T) {
	for address, want := range map[string]string{
		"http://127.0.0.1:8080": "http://127.0.0.1:8080", "http://[::]:8080": "http://127.0.0.1:8080", "http://0.0.0.0:1": "http://127.0.0.1:1",
		"http://192.0.2.7:80": "http://192.0.2.7:80", "http://[::1]:8080": "http://[::1]:8080",
	} {
		if got := reachable(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
