// Package tune fits the weights of the evaluation to games: Texel's method
// (Peter Österlund, 2014). The score of a position, put through a logistic
// curve, is to foretell how its game ended.
package tune

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"

	"castellan/engine/chess"
	"castellan/engine/eval"
	"castellan/engine/training"
)

// maxScore leaves out positions that are decided, in centipawns.
const maxScore = 2000

// sample is a position as the model sees it.
type sample struct {
	counts []eval.Count    // of terms
	danger [2][]eval.Count // to each king
	mg, eg float32         // how much of each value counts
	score  float32         // the search's, in centipawns, white's view
	result float32         // 0, 0.5 or 1 for white
}

// Data is what is tuned on.
type Data struct {
	training, validation []sample
	Games                int
	Skipped              int      // positions that are not quiet, decided, or not the weights' to score
	Truncated            []string // files that end within a game
}

// Positions counts those for training and those for validation.
func (d *Data) Positions() (training, validation int) {
	return len(d.training), len(d.validation)
}

// Load reads files of training data and takes the positions apart, on so many
// threads. One game in ten, by the seed, is kept for validation. A file that
// ends within a game counts up to there; damage elsewhere is an error.
func Load(paths []string, threads int, seed uint64) (*Data, error) {
	d := new(Data)
	random := rand.New(rand.NewPCG(seed, 1))
	for _, path := range paths {
		err := d.load(path, threads, random)
		if errors.Is(err, training.ErrTruncated) {
			d.Truncated = append(d.Truncated, path)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if len(d.training) == 0 || len(d.validation) == 0 {
		err := fmt.Errorf("tune: %d positions to train on and %d to validate: too few games", len(d.training), len(d.validation))
		for _, path := range d.Truncated {
			err = fmt.Errorf("%w; %s ends within a game", err, path)
		}
		return nil, err
	}
	return d, nil
}

// gamesAtOnce is how many games each thread takes apart at a time.
const gamesAtOnce = 64

func (d *Data) load(path string, threads int, random *rand.Rand) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	reader, err := training.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return err
	}
	parts := make([]part, threads)
	for i := range parts {
		parts[i].eval = eval.New()
	}
	var end error
	for end == nil {
		for i := range parts {
			parts[i].games = parts[i].games[:0]
			for end == nil && len(parts[i].games) < gamesAtOnce {
				var game []training.Record
				if game, end = reader.Game(nil); end == nil {
					parts[i].games = append(parts[i].games, game)
				}
			}
		}
		var wg sync.WaitGroup
		for i := range parts {
			wg.Go(parts[i].work)
		}
		wg.Wait()
		for i := range parts {
			p := &parts[i]
			if p.err != nil {
				return p.err
			}
			for _, game := range p.samples {
				if random.IntN(10) == 0 {
					d.validation = append(d.validation, game...)
				} else {
					d.training = append(d.training, game...)
				}
			}
			d.Games += len(p.games)
			d.Skipped += p.skipped
		}
	}
	if end == io.EOF {
		return nil
	}
	return end
}

// part is the work of one thread.
type part struct {
	eval    *eval.Evaluator
	games   [][]training.Record
	samples [][]sample // by game
	skipped int
	err     error
}

func (p *part) work() {
	p.samples, p.skipped = p.samples[:0], 0
	for _, game := range p.games {
		var samples []sample
		for i := range game {
			s, ok, err := p.sample(&game[i])
			if err != nil {
				p.err = err
				return
			}
			if ok {
				samples = append(samples, s)
			} else {
				p.skipped++
			}
		}
		p.samples = append(p.samples, samples)
	}
}

func (p *part) sample(r *training.Record) (s sample, ok bool, err error) {
	score := r.Score()
	if !r.Quiet() || max(score, -score) > maxScore {
		return sample{}, false, nil
	}
	position, err := r.Position()
	if err != nil {
		return sample{}, false, err
	}
	s, ok = newSample(p.eval, &position)
	s.score = float32(score)
	s.result = float32(r.Result()) / 2
	return s, ok, nil
}

// newSample takes a position apart. It is not ok where no weights count.
func newSample(e *eval.Evaluator, p *chess.Position) (s sample, ok bool) {
	t := e.Trace(p)
	if t.Special || t.Factor == 0 {
		return sample{}, false
	}
	return sample{
		counts: t.Terms,
		danger: t.Danger,
		mg:     float32(t.Factor * float64(t.Phase) / eval.FullPhase),
		eg:     float32(t.Factor * float64(eval.FullPhase-t.Phase) / eval.FullPhase),
	}, true
}
