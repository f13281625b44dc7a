package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
)

// Options of a tuning.
type Options struct {
	Epochs  int     // passes over the positions, 1 or more
	Threads int     // 1..256; the result is the same for any number
	Seed    uint64  // orders the positions
	Blend   float64 // share of the search's score in what is aimed at, 0..1; the rest is the game's result
	Rate    float64 // first step of each weight, in centipawns; it falls to a twentieth
	Hold    float64 // pull towards the weights at the start, in loss for the square of a centipawn; 0 for none

	// Progress, when not nil, is told of every epoch, 0 for the start.
	Progress func(Epoch)
}

// Validate returns everything that is wrong with the options.
func (o *Options) Validate() error {
	var faults []error
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf("tune: "+format, args...))
		}
	}
	fault(o.Epochs < 1, "%d epochs: choose 1 or more", o.Epochs)
	fault(o.Threads < 1 || o.Threads > 256, "%d threads: choose 1 to 256", o.Threads)
	// Written so that what is not a number is wrong too.
	fault(!(o.Blend >= 0 && o.Blend <= 1), "blend of %v: choose 0 to 1", o.Blend)
	fault(!(o.Rate > 0) || math.IsInf(o.Rate, 0), "rate of %v: choose more than 0", o.Rate)
	fault(!(o.Hold >= 0) || math.IsInf(o.Hold, 0), "hold of %v: choose 0 or more", o.Hold)
	return errors.Join(faults...)
}

// Epoch is how good the weights are after a pass. The losses are cross
// entropies with the target, a position's on average.
type Epoch struct {
	Number               int
	Training, Validation float64
	ValidationResult     float64 // with the games' results alone
}

// String is one line for a person.
func (e Epoch) String() string {
	return fmt.Sprintf("epoch %d: loss %.6f, validation %.6f, on results alone %.6f", e.Number, e.Training, e.Validation, e.ValidationResult)
}

// Fit tunes w on d and returns the weights after the epoch with the least
// loss in validation, and the K of the logistic curve: the chance of white's
// is 1/(1+exp(-K*score)). K is fitted first, for w, and kept, so that a
// centipawn stays what it was.
func Fit(ctx context.Context, d *Data, w Weights, o Options) (Weights, float64, error) {
	if err := o.Validate(); err != nil {
		return w, 0, err
	}
	f := &fitter{Options: o, weights: w.clone(), start: w.clone(), mean: w.zero(), square: w.zero()}
	for range chunks {
		f.gradients = append(f.gradients, w.zero())
	}
	f.k = f.fitK(d.training)

	order := make([]int32, len(d.training))
	for i := range order {
		order[i] = int32(i)
	}
	random := rand.New(rand.NewPCG(o.Seed, 2))
	best, least := f.weights.clone(), math.Inf(1)
	report := func(n int, loss float64) {
		e := Epoch{Number: n, Training: loss, Validation: f.loss(d.validation, o.Blend), ValidationResult: f.loss(d.validation, 0)}
		if e.Validation < least {
			best, least = f.weights.clone(), e.Validation
		}
		if o.Progress != nil {
			o.Progress(e)
		}
	}
	report(0, f.loss(d.training, o.Blend))
	steps := o.Epochs * ((len(order) + batch - 1) / batch)
	step := 0
	for epoch := range o.Epochs {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		sum := 0.0
		for rest := order; len(rest) > 0; {
			if err := ctx.Err(); err != nil {
				return best, f.k, err
			}
			n := min(batch, len(rest))
			sum += f.batch(d.training, rest[:n])
			f.step(n, math.Pow(1.0/20, float64(step)/float64(steps)))
			step++
			rest = rest[n:]
		}
		report(epoch+1, sum/float64(len(order)))
	}
	return best, f.k, nil
}

const (
	batch  = 16384 // positions a step
	chunks = 16    // of a batch, summed in order whatever thread did them
)

type fitter struct {
	Options
	k              float64
	weights, start Weights
	mean, square   Weights // Adam's running moments of the gradient
	steps          int
	gradients      []Weights // of each chunk
}

func (f *fitter) target(s *sample, blend float64) float64 {
	return blend*logistic(f.k*float64(s.score)) + (1-blend)*float64(s.result)
}

// each runs work for every chunk of n on the threads, and sums what it gives.
func (f *fitter) each(n int, work func(chunk, from, to int) float64) float64 {
	var sums [chunks]float64
	var wg sync.WaitGroup
	for t := range f.Threads {
		wg.Go(func() {
			for c := t; c < chunks; c += f.Threads {
				sums[c] = work(c, n*c/chunks, n*(c+1)/chunks)
			}
		})
	}
	wg.Wait()
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	return sum
}

// loss is the average over samples.
func (f *fitter) loss(samples []sample, blend float64) float64 {
	return f.each(len(samples), func(_, from, to int) float64 {
		sum := 0.0
		for i := from; i < to; i++ {
			s := &samples[i]
			score, _ := f.weights.score(s)
			sum += entropy(logistic(f.k*score), f.target(s, blend))
		}
		return sum
	}) / float64(len(samples))
}

// batch leaves the gradient of the samples in gradients[0] and returns the
// sum of their losses.
func (f *fitter) batch(samples []sample, order []int32) float64 {
	loss := f.each(len(order), func(chunk, from, to int) float64 {
		g := &f.gradients[chunk]
		g.clear()
		sum := 0.0
		for _, i := range order[from:to] {
			s := &samples[i]
			sum += f.weights.learn(s, f.k, f.target(s, f.Blend), g)
		}
		return sum
	})
	for i := 1; i < chunks; i++ {
		f.gradients[0].add(&f.gradients[i])
	}
	return loss
}

// step moves the weights against the gradient of n samples (Adam: Kingma and
// Ba, 2014).
func (f *fitter) step(n int, fade float64) {
	const (
		keepMean   = 0.9
		keepSquare = 0.999
		tiny       = 1e-8
	)
	f.steps++
	meanScale := 1 / (1 - math.Pow(keepMean, float64(f.steps)))
	squareScale := 1 / (1 - math.Pow(keepSquare, float64(f.steps)))
	weights, start := f.weights.parts(), f.start.parts()
	mean, square, gradient := f.mean.parts(), f.square.parts(), f.gradients[0].parts()
	for part := range weights {
		for i := range weights[part] {
			g := gradient[part][i]/float64(n) + 2*f.Hold*(weights[part][i]-start[part][i])
			m := &mean[part][i]
			v := &square[part][i]
			*m = keepMean**m + (1-keepMean)*g
			*v = keepSquare**v + (1-keepSquare)*g*g
			weights[part][i] -= f.Rate * fade * *m * meanScale / (math.Sqrt(*v*squareScale) + tiny)
		}
	}
}

// fitK finds the K with the least loss on results, by golden sections.
func (f *fitter) fitK(samples []sample) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	low, high := 0.0005, 0.03
	loss := func(k float64) float64 {
		f.k = k
		return f.loss(samples, 0)
	}
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	lossA, lossB := loss(a), loss(b)
	for high-low > 1e-6 {
		if lossA < lossB {
			high, b, lossB = b, a, lossA
			a = high - ratio*(high-low)
			lossA = loss(a)
		} else {
			low, a, lossA = a, b, lossB
			b = low + ratio*(high-low)
			lossB = loss(b)
		}
	}
	return (low + high) / 2
}
