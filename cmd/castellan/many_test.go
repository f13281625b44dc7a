package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

var steadyGames = flag.Int("steadygames", 0, "number of games of TestSteadyProcess; 0 is 40")

// TestSixtyFourGames lets one daemon play sixty-four games at once on two threads, from bullet to classical, and four by
// correspondence beside them. Every game is served by moves that were thought about, none is lost on time, the letters are
// answered when there is time, and the memory is within what the daemon says that it needs.
func TestSixtyFourGames(t *testing.T) {
	s := newStage(t)
	s.start("other", quick, "CASTELLAN_MAX_GAMES=64")
	p := s.start("own", "CASTELLAN_MAX_GAMES=64", "CASTELLAN_THREADS=2", "CASTELLAN_HASH_MB=32", "CASTELLAN_CORRESPONDENCE_THINK=1s")
	var timed, letters []string
	for i := range 64 {
		setup := sandbox.GameSetup{White: "Castellan", Black: "Rival"}
		switch {
		case i < 16:
			setup.Limit = 30 * time.Second
		case i < 40:
			setup.Limit, setup.Increment = 3*time.Minute, 2*time.Second
		case i < 56:
			setup.Limit, setup.Increment = 10*time.Minute, 5*time.Second
		default:
			setup.Limit = 30 * time.Minute
		}
		if i%2 == 1 {
			setup.White, setup.Black = setup.Black, setup.White
		}
		timed = append(timed, s.startGame(setup))
		if i%16 == 0 {
			letters = append(letters, s.startGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Days: 3}))
		}
	}
	s.until("the bullet games under way and a move in each other", func() bool {
		for i, id := range timed {
			g, _ := s.Game(id)
			if least := map[bool]int{true: 30, false: 2}[i < 16]; len(g.Moves) < least && !g.Over() {
				return false
			}
		}
		return true
	})
	table := map[string]int{}
	for _, id := range timed {
		g, _ := s.Game(id)
		if g.Over() {
			table["over"]++
			s.finished(id)
		}
		table["moves"] += len(g.Moves)
	}
	searched, fallback := strings.Count(p.logged(), `"source":"search"`), strings.Count(p.logged(), `"source":"fallback"`)
	t.Logf("%d moves in 64 games, %d of them over; %d own moves searched and %d not", table["moves"], table["over"], searched, fallback)
	if fallback > searched/10 {
		t.Errorf("%d moves were not searched, of %d", fallback, searched+fallback)
	}

	// The opponent gives up, so that there is time for the letters.
	rival, err := lichess.New(lichess.Options{URL: s.URL, Token: "lip_xother"})
	if err != nil {
		t.Fatal(err)
	}
	defer rival.Close()
	for _, id := range timed {
		if s.over(id) {
			continue
		}
		if err := rival.Resign(t.Context(), id); err != nil && !s.over(id) {
			t.Error(err)
		}
	}
	for _, id := range letters {
		s.until("a move by correspondence", func() bool { return s.plies(id) > 0 })
	}

	need := regexp.MustCompile(`"msg":"memory","need":(\d+)`).FindStringSubmatch(p.logged())
	if need == nil {
		t.Fatal("the log does not tell how much memory is needed")
	}
	if runtime.GOOS != "linux" {
		t.Skip("no /proc to read the memory from")
	}
	most := p.status("VmHWM")
	t.Logf("at most %d MiB of memory, %s by the daemon's word", most>>10, need[1])
	if n, _ := strconv.Atoi(need[1]); most>>10 > n {
		t.Errorf("%d MiB of memory were used, %d is said to be needed", most>>10, n)
	}
}

func (s *stage) over(id string) bool { g, _ := s.Game(id); return g.Over() }

// status reads a number of /proc/PID/status; memory is in KiB there.
func (p *own) status(key string) int {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == key+":" {
			n, _ := strconv.Atoi(fields[1])
			return n
		}
	}
	p.t.Fatalf("no %s in the status of the process", key)
	return 0
}

// TestSteadyProcess plays many games with a daemon that is a process of its own, eight at a time and each by a challenge, and
// looks at its memory and threads all along, and at its goroutines in the end.
func TestSteadyProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc to read the memory from")
	}
	const atOnce, parts = 8, 5
	games := *steadyGames
	if games == 0 {
		games = 40
	}
	s := newStage(t)
	s.start("other", "CASTELLAN_NODES=200", "CASTELLAN_LOG_LEVEL=warn")
	p := s.start("own", "CASTELLAN_NODES=200", "CASTELLAN_LOG_LEVEL=warn")
	t.Log("  games  memory KiB  system threads")
	var first, last int
	for part := range parts {
		for range max(1, games/parts/atOnce) {
			var ids []string
			for i := range atOnce {
				id, err := s.Challenge("Rival", "Castellan", sandbox.ChallengeSetup{HasClock: true, Limit: 180, Variant: lichess.VariantFromPosition,
					FEN: []string{"8/8/8/4k3/8/8/8/3QK3 w - - 0 1", "8/8/8/4K3/8/8/8/3qk3 b - - 0 1"}[i%2]})
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			for _, id := range ids {
				s.until("game "+id+" over", func() bool { g, ok := s.Game(id); return ok && g.Over() })
			}
		}
		last = p.status("VmRSS")
		if part == 0 {
			first = last
		}
		t.Logf("%7d  %10d  %14d", (part+1)*max(1, games/parts/atOnce)*atOnce, last, p.status("Threads"))
	}
	if last > first+16<<10 {
		t.Errorf("%d KiB of memory in the beginning, %d in the end", first, last)
	}
	p.signal(syscall.SIGQUIT) // makes the Go runtime write all goroutines
	<-p.gone
	// Idle connections are kept for a while; how many there are depends on how many requests fell together.
	var program, connections int
	for _, stack := range strings.Split(p.logged(), "\ngoroutine ")[1:] {
		if strings.Contains(stack, "net/http.(*persistConn)") {
			connections++
		} else {
			program++
		}
	}
	t.Logf("%d goroutines of the program and %d of connections in the end", program, connections)
	if program == 0 || program > 20+3*atOnce || connections > 16*atOnce {
		t.Errorf("%d goroutines of the program and %d of connections in the end", program, connections)
	}
}
