package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"castellan/config"
	"castellan/lichess/sandbox"
)

// logLine is a line of a log in JSON.
type logLine struct {
	Level, Msg, Game, Challenge, SAN, Score, Took, Clock string
	Ply                                                  int
	Depth                                                *int
}

// TestLogOfAGame reads what a daemon writes about a whole game, at both ends of the scale.
func TestLogOfAGame(t *testing.T) {
	for _, level := range []string{"info", "debug"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			server := startSandbox(t)
			daemon := startProcess(t, server.URL, "lip_castellan", "CASTELLAN_LOG_LEVEL="+level, "CASTELLAN_LOG_FORMAT=", "CASTELLAN_SHUTDOWN=finish")
			daemon.logged("online")
			startProcess(t, server.URL, "lip_rival").logged("online")
			id, err := server.StartGame(sandbox.GameSetup{White: "Castellan", Black: "Rival", Limit: 5 * time.Second,
				Increment: 100 * time.Millisecond, FEN: "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"})
			if err != nil {
				t.Fatal(err)
			}
			var lines []logLine
			for over := false; !over && daemon.log.Scan(); {
				var line logLine
				if err := json.Unmarshal(daemon.log.Bytes(), &line); err != nil {
					t.Fatalf("no terminal, and %q is no JSON: %v", daemon.log.Text(), err)
				}
				if twice := repeatedKey(daemon.log.Text()); twice != "" {
					t.Errorf("%q stands twice in %s", twice, daemon.log.Text())
				}
				lines = append(lines, line)
				over = line.Msg == "game over"
			}
			g, _ := server.Game(id)
			if len(g.Moves) < 3 {
				t.Fatalf("a game of %d moves says little", len(g.Moves))
			}
			ours, theirs := 0, 0
			for _, line := range lines {
				switch line.Msg {
				case "move":
					ours++
					if line.Game != id || line.SAN == "" || line.Score == "" || line.Depth == nil || line.Took == "" || line.Clock == "" || line.Ply == 0 {
						t.Errorf("a line of a move lacks something: %+v", line)
					}
				case "opponent's move":
					theirs++
					if line.Game != id || line.SAN == "" || line.Clock == "" || line.Ply == 0 {
						t.Errorf("a line of an opponent's move lacks something: %+v", line)
					}
				case "game", "game over":
					if line.Game != id || line.Level != "INFO" {
						t.Errorf("%+v", line)
					}
				}
				if level == "info" && line.Level == "DEBUG" {
					t.Errorf("at level info: %+v", line)
				}
			}
			if level == "info" && len(lines) > 3 {
				t.Errorf("a game without incident is worth two lines, not %+v", lines)
			}
			if level == "debug" && (ours != (len(g.Moves)+1)/2 || theirs != len(g.Moves)/2) {
				t.Errorf("%d moves were played; the log has %d of ours and %d of theirs", len(g.Moves), ours, theirs)
			}
		})
	}
}

// repeatedKey returns a key that a flat JSON object has more than once, "" when there is none.
func repeatedKey(line string) string {
	seen := map[string]bool{}
	d := json.NewDecoder(strings.NewReader(line))
	d.Token() // the brace
	for d.More() {
		key, _ := d.Token()
		var value json.RawMessage
		if name, isText := key.(string); !isText || seen[name] || d.Decode(&value) != nil {
			return fmt.Sprint(key)
		}
		seen[key.(string)] = true
	}
	return ""
}

// TestLogFormats looks at a line as it goes to a file and to a terminal.
func TestLogFormats(t *testing.T) {
	written := func(to *os.File, read func(end string) string, format string) string {
		cfg := config.Config{Log: config.Log{Level: "info", Format: config.Choice(format)}}
		newLog(&cfg, to).Warn("hello", "game", "abcdefgh")
		return read("\n")
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	readFile := func(string) string {
		b, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		os.Truncate(file.Name(), 0)
		return string(bytes.Trim(b, "\x00"))
	}
	const colour = "\x1b["
	if line := written(file, readFile, "auto"); !json.Valid([]byte(line)) || !strings.Contains(line, `"game":"abcdefgh"`) {
		t.Errorf("to a file: %q", line)
	}
	if line := written(file, readFile, "text"); json.Valid([]byte(line)) || strings.Contains(line, colour) || !strings.Contains(line, "game=abcdefgh") {
		t.Errorf("as text to a file: %q", line)
	}
	terminal, read := openTerminal(t)
	if line := written(terminal, read, "auto"); !strings.Contains(line, colour) || !strings.Contains(line, "abcdefgh") {
		t.Errorf("to a terminal: %q", line)
	}
	if line := written(terminal, read, "json"); !json.Valid([]byte(strings.TrimSpace(line))) {
		t.Errorf("as JSON to a terminal: %q", line)
	}
	t.Setenv("NO_COLOR", "1")
	if line := written(terminal, read, "auto"); strings.Contains(line, colour) || !strings.Contains(line, "game=abcdefgh") {
		t.Errorf("to a terminal without colour: %q", line)
	}
}
