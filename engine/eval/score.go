package eval

// score holds a middle-game and an endgame value in one word, the endgame
// value in the upper half, so that one addition sums both. Either half may
// be negative; what the lower half borrows from the upper one is given back
// when it is read.
type score int32

func s(mg, eg int) score { return score(eg<<16 + mg) }

func (v score) mg() int { return int(int16(uint32(v))) }

func (v score) eg() int { return int(int16(uint32(v+0x8000) >> 16)) }

// tally sums terms of one side. Each term counts its weight times a number
// that depends on the position alone, which is what makes the weights easy to
// tune: counts, when not nil, is told the numbers.
type tally struct {
	sum    score
	counts *counts
	sign   int16 // of what counts is told: 1 for white, -1 for black
}

// counts holds a number for each term, white's minus black's.
type counts [termCount]int16

// add counts a term n times.
func (t *tally) add(at term, n int) {
	t.sum += weights[at] * score(n)
	if t.counts != nil {
		t.counts[at] += t.sign * int16(n)
	}
}

// danger sums units of danger to one king, to be squared when all are there.
type danger struct {
	units  int
	counts *dangerCounts
}

type dangerCounts [dangerCount]int16

func (d *danger) add(at dangerTerm, n int) {
	d.units += dangerWeights[at] * n
	if d.counts != nil {
		d.counts[at] += int16(n)
	}
}
