package tune

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"castellan/engine/chess"
	"castellan/engine/eval"
	"castellan/engine/training"
)

// positions are those of random games.
func positions(n int) []chess.Position {
	random := rand.New(rand.NewPCG(3, 4))
	var all []chess.Position
	for len(all) < n {
		p := chess.StartPosition()
		for ply := range 120 {
			var list chess.MoveList
			p.LegalMoves(&list)
			if list.Len() == 0 {
				break
			}
			p = p.Play(list.At(random.IntN(list.Len())))
			if ply > 8 && !p.InCheck() {
				all = append(all, p)
			}
		}
	}
	return all[:n]
}

// synthetic are samples whose results are what other weights foretell.
func synthetic(t *testing.T, n int) (d *Data, other Weights) {
	t.Helper()
	other = Current()
	random := rand.New(rand.NewPCG(5, 6))
	for _, part := range other.parts() {
		for i := range part {
			part[i] += random.NormFloat64() * 8
		}
	}
	e := eval.New()
	d = new(Data)
	for i, p := range positions(n) {
		s, ok := newSample(e, &p)
		if !ok {
			continue
		}
		score, _ := other.score(&s)
		s.score = float32(score)
		s.result = float32(logistic(0.004 * score))
		if i%10 == 0 {
			d.validation = append(d.validation, s)
		} else {
			d.training = append(d.training, s)
		}
	}
	return d, other
}

func TestKnownWeightsAreRecovered(t *testing.T) {
	d, want := synthetic(t, 20000)
	w := Current()
	// K is fitted for the start; the scale of the answer goes with it.
	got, k, err := Fit(t.Context(), d, w, Options{Epochs: 120, Threads: 2, Seed: 1, Rate: 2})
	if err != nil {
		t.Fatal(err)
	}
	scale := k / 0.004
	var before, after float64
	for i := range d.validation {
		s := &d.validation[i]
		start, _ := w.score(s)
		end, _ := got.score(s)
		goal, _ := want.score(s)
		before += math.Abs(start - goal)
		after += math.Abs(end*scale - goal)
	}
	n := float64(len(d.validation))
	t.Logf("K %.5f, mean error %.1f cp before, %.1f after", k, before/n, after/n)
	if after > before/5 {
		t.Errorf("scores are %.1f cp from the true ones on average, %.1f before tuning", after/n, before/n)
	}
}

func TestSameResultOnAnyNumberOfThreads(t *testing.T) {
	d, _ := synthetic(t, 2000)
	source := func(threads int) string {
		w, _, err := Fit(t.Context(), d, Current(), Options{Epochs: 3, Threads: threads, Seed: 1, Rate: 2, Blend: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := w.WriteSource(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if source(1) != source(3) {
		t.Error("one thread and three give different weights")
	}
}

// The gradient is what the loss does when a weight moves.
func TestGradient(t *testing.T) {
	d, _ := synthetic(t, 600)
	w := Current()
	const k = 0.004
	loss := func() float64 {
		sum := 0.0
		scratch := w.zero()
		for i := range d.training {
			sum += w.learn(&d.training[i], k, float64(d.training[i].result), &scratch)
		}
		return sum
	}
	g := w.zero()
	for i := range d.training {
		w.learn(&d.training[i], k, float64(d.training[i].result), &g)
	}
	checked := 0
	for part, values := range w.parts() {
		for i := range values {
			slope := g.parts()[part][i]
			if math.Abs(slope) < 0.002 {
				continue // lost in the noise
			}
			const h = 1e-3
			values[i] += h
			up := loss()
			values[i] -= 2 * h
			down := loss()
			values[i] += h
			if measured := (up - down) / (2 * h); math.Abs(measured-slope) > 0.02*math.Abs(slope)+1e-5 {
				t.Errorf("weight %d of list %d: slope %.5f, measured %.5f", i, part, slope, measured)
			}
			if checked++; checked%30 == 29 {
				break
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d weights checked", checked)
	}
}

// What is in weights.go is what the present weights give, so that a
// difference there is a difference of weights.
func TestSourceIsThePresentFile(t *testing.T) {
	file, err := os.ReadFile("../eval/weights.go")
	if err != nil {
		t.Fatal(err)
	}
	w := Current()
	var b bytes.Buffer
	if err := w.WriteSource(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, b.Bytes()) {
		t.Error("weights.go is not as castellan tune writes it")
	}
}

// Weights that castellan tune has written are read and written again as they
// are, whatever the tuning found.
func TestRoundedWeightsStay(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for n := range 500 {
		w := Current()
		for _, part := range w.parts() {
			for i := range part {
				part[i] += random.NormFloat64() * 3
				if n%2 == 0 {
					part[i] = math.Round(2*part[i]) / 2 // halves too
				}
			}
		}
		once := w.Rounded()
		twice := once.Rounded()
		for list, part := range once.parts() {
			for i, v := range part {
				if again := twice.parts()[list][i]; again != v || math.Signbit(again) != math.Signbit(v) {
					t.Fatalf("tuning %d, weight %d of list %d: %v, rounded again %v", n, i, list, v, again)
				}
			}
		}
	}
}

func TestRoundingMovesNoScore(t *testing.T) {
	d, w := synthetic(t, 500)
	for kind := range 5 {
		w.MG[5+64*kind+20] += 64 * 7
	}
	r := w.Rounded()
	for i := range d.training {
		a, _ := w.score(&d.training[i])
		b, _ := r.score(&d.training[i])
		if math.Abs(a-b) > 25 {
			t.Errorf("%.1f before rounding, %.1f after", a, b)
		}
	}
}

func write(t *testing.T, games int, spoil func([]byte) []byte) string {
	t.Helper()
	var b bytes.Buffer
	w, err := training.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	all := positions(games * 20)
	for g := range games {
		var records []training.Record
		for i := range 20 {
			r := training.NewRecord(&all[20*g+i], 30, i, i == 3)
			r.SetResult(training.Result(g % 3))
			records = append(records, r)
		}
		if err := w.Game(records); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "games.dat")
	data := b.Bytes()
	if spoil != nil {
		data = spoil(data)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	path := write(t, 40, nil)
	d, err := Load([]string{path, path}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	training, validation := d.Positions()
	if d.Games != 80 || validation < 20 || training < 1000 || training+validation+d.Skipped != 80*20 || d.Skipped < 80 {
		t.Errorf("%d games, %d and %d positions, %d skipped", d.Games, training, validation, d.Skipped)
	}
	one, err := Load([]string{path}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	three, err := Load([]string{path}, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(one.validation) != len(three.validation) {
		t.Error("the split depends on the number of threads")
	}
}

func TestLoadDamagedFiles(t *testing.T) {
	d, err := Load([]string{write(t, 40, func(b []byte) []byte { return b[:len(b)-9] })}, 2, 1)
	if err != nil || d.Games != 39 || len(d.Truncated) != 1 {
		t.Errorf("a file cut short: %v", err)
	}
	_, err = Load([]string{write(t, 40, func(b []byte) []byte { b[1000] ^= 1; return b })}, 2, 1)
	if err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a damaged file: %v", err)
	}
	if _, err = Load([]string{"no such file"}, 2, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err = Load([]string{write(t, 1, nil)}, 2, 1); err == nil || !strings.Contains(err.Error(), "too few games") {
		t.Errorf("one game: %v", err)
	}
}
