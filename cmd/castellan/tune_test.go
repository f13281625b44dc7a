package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"castellan/engine/chess"
	"castellan/engine/training"
)

// tuneFile writes games of a position each, the last of which may lack its end.
func tuneFile(t *testing.T, games int, short bool) string {
	t.Helper()
	var b bytes.Buffer
	w, err := training.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	p := chess.StartPosition()
	for range games {
		r := training.NewRecord(&p, 30, 0, false)
		r.SetResult(training.Result(1))
		if err := w.Game([]training.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	data := b.Bytes()
	if short {
		data = data[:len(data)-9]
	}
	path := filepath.Join(t.TempDir(), "games.dat")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTuneTellsWhatIsWrong runs where there is no source file to write, as outside the repository.
func TestTuneTellsWhatIsWrong(t *testing.T) {
	t.Chdir(t.TempDir())
	good, short := tuneFile(t, 60, false), tuneFile(t, 2, true)
	for _, tt := range []struct {
		args string
		code int
		want []string
	}{
		{"--epochs 0 " + good, exitUsage, []string{"0 epochs"}},
		{"--blend 2 " + good, exitUsage, []string{"blend of 2"}},
		{"--blend NaN " + good, exitUsage, []string{"blend of NaN"}},
		{"--rate 0 " + good, exitUsage, []string{"rate of 0"}},
		{"--rate Inf " + good, exitUsage, []string{"rate of +Inf"}},
		{"--hold=-1 " + good, exitUsage, []string{"hold of -1"}},
		{"--threads 257 " + good, exitUsage, []string{"257 threads"}},
		{"--epochs 0 --blend 2 " + good, exitUsage, []string{"0 epochs", "blend of 2"}},
		{"nowhere.dat", exitUsage, []string{"nowhere.dat"}},
		{short, exitFailure, []string{"too few games", short + " ends within a game"}},
		{good, exitUsage, []string{"engine/eval/weights.go", "--out"}},
	} {
		var out, faults bytes.Buffer
		code := execute(context.Background(), append([]string{"tune"}, strings.Fields(tt.args)...), streams{nil, &out, &faults})
		for _, want := range tt.want {
			if !strings.Contains(faults.String(), want) {
				t.Errorf("tune %s: no %q in %q", tt.args, want, faults.String())
			}
		}
		if code != tt.code {
			t.Errorf("tune %s: exit code %d, want %d", tt.args, code, tt.code)
		}
	}
}
