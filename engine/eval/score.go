package eval

// score holds a middle-game and an endgame value in one word, the endgame
// value in the upper half, so that one addition sums both. Either half may
// be negative; what the lower half borrows from the upper one is given back
// when it is read.
type score int32

func s(mg, eg int) score { return score(eg<<16 + mg) }

func (v score) mg() int { return int(int16(uint32(v))) }

func (v score) eg() int { return int(int16(uint32(v+0x8000) >> 16)) }
