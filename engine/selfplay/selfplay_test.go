package selfplay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"castellan/engine/training"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(t *testing.T, o Options) ([]byte, Progress) {
	t.Helper()
	var b bytes.Buffer
	sum, err := Run(t.Context(), &b, o)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), sum
}

func TestSameOptionsGiveTheSameFile(t *testing.T) {
	o := Options{Games: 4, Nodes: 200, Threads: 1, Seed: 7}
	one, sum := run(t, o)
	o.Threads = 3
	three, _ := run(t, o)
	if !bytes.Equal(one, three) {
		t.Error("one thread and three give different files")
	}
	if sum.Games != 4 || sum.White+sum.Drawn+sum.Lost != 4 || sum.Positions < 80 {
		t.Errorf("sum %v", sum)
	}
	o.Seed = 8
	other, _ := run(t, o)
	if bytes.Equal(one, other) {
		t.Error("two seeds give the same file")
	}
}

func TestLaterGamesCanBePlayedAlone(t *testing.T) {
	all, _ := run(t, Options{Games: 3, Nodes: 200, Threads: 1, Seed: 7})
	last, _ := run(t, Options{Games: 1, First: 2, Nodes: 200, Threads: 1, Seed: 7})
	const header = 16
	if !bytes.HasSuffix(all, last[header:]) {
		t.Error("the third game differs when it is played alone")
	}
}

func TestGamesMakeSense(t *testing.T) {
	data, sum := run(t, Options{Games: 6, Nodes: 300, Threads: 2, Seed: 3})
	r, err := training.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var positions uint64
	for {
		game, err := r.Game(nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		positions += uint64(len(game))
		result, ply := game[0].Result(), 0
		for i := range game {
			p, err := game[i].Position()
			if err != nil {
				t.Fatal(err)
			}
			if game[i].Result() != result {
				t.Errorf("%s: two results in one game", p.FEN())
			}
			if game[i].Ply() <= ply || game[i].Ply() < openingPlies {
				t.Errorf("%s: ply %d after %d", p.FEN(), game[i].Ply(), ply)
			}
			ply = game[i].Ply()
		}
		// The last score tells who wins: games end by mate or by adjudication.
		if last := game[len(game)-1].Score(); last > 1000 && result != training.WhiteWins || last < -1000 && result != training.BlackWins {
			t.Errorf("the last score is %d and the result %d", last, result)
		}
	}
	if positions != sum.Positions {
		t.Errorf("%d positions read, %d written", positions, sum.Positions)
	}
}

func TestAdjudication(t *testing.T) {
	tests := []struct {
		name   string
		scores []int
		from   int // ply of the first score
		over   bool
		want   training.Result
	}{
		{"white wins", []int{1200, 1300, 30000, 1100, 1000, 1200}, 10, true, training.WhiteWins},
		{"black wins", []int{-1200, -1300, -30000, -1100, -1000, -1200}, 10, true, training.BlackWins},
		{"a doubt between", []int{1200, 1300, 900, 1100, 1000, 1200}, 10, false, training.Draw},
		{"level", []int{0, 3, -8, 8, 0, 0, 0, 0, 0, 1, 2, 3}, 80, true, training.Draw},
		{"level too early", []int{0, 3, -8, 8, 0, 0, 0, 0, 0, 1, 2, 3}, 79, false, training.Draw},
		{"not quite level", []int{0, 3, -8, 9, 0, 0, 0, 0, 0, 1, 2, 3}, 80, false, training.Draw},
	}
	for _, tt := range tests {
		var judge adjudicator
		var over bool
		var result training.Result
		for i, score := range tt.scores {
			if over {
				t.Errorf("%s: over after %d scores", tt.name, i)
			}
			result, over = judge.after(score, tt.from+i)
		}
		if over != tt.over || result != tt.want {
			t.Errorf("%s: over %v, result %d", tt.name, over, result)
		}
	}
}

func TestInterruptionKeepsWholeGames(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var b bytes.Buffer
	sum, err := Run(ctx, &b, Options{Nodes: 200, Threads: 2, Seed: 1, Progress: func(p Progress) {
		if p.Games == 2 {
			cancel()
		}
	}})
	if err != nil || sum.Games < 2 {
		t.Fatalf("%v, %v", sum, err)
	}
	r, err := training.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	var games uint64
	for {
		if _, err = r.Game(nil); err != nil {
			break
		}
		games++
	}
	if err != io.EOF || games != sum.Games {
		t.Errorf("%d games, then %v; want %d", games, err, sum.Games)
	}
}

type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.left {
		return 0, errors.New("disk full")
	}
	f.left -= len(b)
	return len(b), nil
}

func TestFaults(t *testing.T) {
	if _, err := Run(t.Context(), &full{3000}, Options{Nodes: 200, Threads: 2, Seed: 1}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("on a full disk: %v", err)
	}
	_, err := Run(t.Context(), io.Discard, Options{Nodes: 5, Threads: 0})
	if err == nil || !strings.Contains(err.Error(), "nodes") || !strings.Contains(err.Error(), "threads") {
		t.Errorf("wrong options: %v", err)
	}
}
